// The body of each kernel file, which defines AMBLE_INSTRUCTIONS (a name) and AMBLE_LANES before including this. Such a
// file is compiled with the flags of its instruction set, so it must contain nothing that another file could be linked
// with by mistake: no Eigen, no standard containers, everything in an anonymous namespace.

#include <utility>

#include "amble/dynamics/kernels/kernels.hpp"

namespace amble::kernels {
namespace {

#include "amble/dynamics/kernels/arithmetic.inl"
// (in this order: each builds on the ones before)
#include "amble/dynamics/kernels/motion.inl"
#include "amble/dynamics/kernels/world.inl"
#include "amble/dynamics/kernels/path.inl"
#include "amble/dynamics/kernels/armature.inl"
#include "amble/dynamics/kernels/inverse_dynamics.inl"
#include "amble/dynamics/kernels/mass_matrix.inl"
#include "amble/dynamics/kernels/articulated.inl"
#include "amble/dynamics/kernels/forward_dynamics.inl"
#if AMBLE_LANES >= 4
#include "amble/dynamics/kernels/quads.inl"
#include "amble/dynamics/kernels/composite_quads.inl"
#include "amble/dynamics/kernels/articulated_quads.inl"
#endif
#include "amble/dynamics/kernels/placed.inl"
#include "amble/dynamics/kernels/momentum.inl"
#if AMBLE_LANES >= 4
#include "amble/dynamics/kernels/world_quads.inl"
#include "amble/dynamics/kernels/momentum_quads.inl"
#endif
#include "amble/dynamics/kernels/coriolis.inl"
#include "amble/dynamics/kernels/inverse_derivatives.inl"
#include "amble/dynamics/kernels/centroidal.inl"
#include "amble/dynamics/kernels/factor.inl"
#include "amble/dynamics/kernels/strips.inl"
#include "amble/dynamics/kernels/forward_derivatives.inl"
#include "amble/dynamics/kernels/contact_dynamics.inl"
#include "amble/dynamics/kernels/contact_derivatives.inl"
#include "amble/dynamics/kernels/contact_rows.inl"
#include "amble/dynamics/kernels/transpose.inl"

/// Scratch memory handed out piece by piece in whole cache lines; without memory it only counts.
template <class T>
class Layout {
 public:
  explicit Layout(void* scratch) : memory_(static_cast<char*>(scratch)) {}

  template <class U>
  U* take(std::size_t count) {
    constexpr std::size_t kLine = 64;
    U* piece = memory_ == nullptr ? nullptr : reinterpret_cast<U*>(memory_ + used_);
    used_ += (count * sizeof(U) + kLine - 1) / kLine * kLine;
    return piece;
  }
  std::size_t used() const { return used_; }

  State<T> state(const Tree& t, const void* q, const void* v, const void* custom) {
    T* sine = take<T>(t.angles + AMBLE_LANES);
    T* cosine = take<T>(t.angles + AMBLE_LANES);
    return {t, static_cast<const T*>(q), static_cast<const T*>(v), static_cast<const T*>(custom), sine, cosine,
            take<Body<T>>(t.count)};
  }
  ForwardScratch<T> forward(const Tree& t) {
    Kept<T>* articulated = take<Kept<T>>(t.count);
    OneAxis<T>* one = take<OneAxis<T>>(t.count);
    return {articulated, one, take<ManyAxes<T>>(t.count)};
  }
  /// A multiple of the lanes, with room for whole lanes after the last.
  static int padded(int count) { return (count + 2 * AMBLE_LANES - 1) / AMBLE_LANES * AMBLE_LANES; }

  MassScratch<T> mass(const Tree& t) {
    const int stride = padded(t.columns);
    auto* composites = take<typename KeptComposite<T>::Type>(t.count);
    T* F = take<T>(6 * stride);
    return {composites, {F, stride}, take<T>(stride)};
  }
  WorldScratch<T> world(const Tree& t) {
    WorldScratch<T> x;
    x.placed = take<Placed<T>>(t.count);
    x.V = take<World6<T>>(t.count), x.A = take<World6<T>>(t.count);
    x.moving = take<Moving<T>>(t.count);
    x.columns = take<Column<T>>(t.columns);
    return x;
  }
  T* along_path(const Tree& t, int rows = 1) { return take<T>(rows * padded(t.longest_path)); }
  Columns<T> path(const Tree& t, int rows = 6) { return {along_path(t, rows), padded(t.longest_path)}; }
  CoriolisScratch<T> coriolis(const Tree& t) {
    CoriolisScratch<T> y;
    y.S = path(t), y.S_dot = path(t), y.across = along_path(t), y.down = along_path(t);
    return y;
  }
  DerivativeScratch<T> derivatives(const Tree& t) {
    DerivativeScratch<T> y;
    y.S = path(t), y.S_parent = path(t, 3), y.S_second = path(t), y.S_both = path(t);
    y.q_across = along_path(t), y.q_down = along_path(t), y.v_across = along_path(t), y.v_down = along_path(t);
    y.M_across = along_path(t);
    return y;
  }
  T* matrix(const Tree& t) { return take<T>(t.nv * t.nv); }
  Factor<T> factor(const Tree& t) {
    const int stride = padded(t.longest_path);
    return {take<T>(t.nv * stride), stride};
  }
  /// Numbers from row to row of `count` right-hand sides: an odd number of lines, so that the rows of a column, all
  /// taken together, do not share a few places in the cache.
  static int apart(int count) {
    constexpr int kLine = 8;
    return ((count + kLine - 1) / kLine | 1) * kLine;
  }
  T* right_sides(const Tree& t, int count) { return take<T>(t.nv * apart(count)); }
  /// Without right-hand sides.
  ForwardDerivativeScratch<T> equations(const Tree& t) {
    ForwardDerivativeScratch<T> z{};
    z.L = factor(t), z.wrench = take<World6<T>>(t.columns);
    return z;
  }
  ForwardDerivativeScratch<T> forward_derivatives(const Tree& t) {
    ForwardDerivativeScratch<T> z = equations(t);
    z.rest = take<World6<T>>(t.count);
    constexpr int kStrip = kStripBlocks<T> * Wide<T>::kColumns;
    z.pitch = (t.nv + kStrip - 1) / kStrip * kStrip;
    z.b = right_sides(t, 3 * z.pitch), z.stride = apart(3 * z.pitch);
    return z;
  }
  ContactScratch<T> contacts(const Tree& t, const Contacts& c, int right_sides = 0) {
    ContactScratch<T> k;
    k.at = take<Placed<T>>(c.count), k.V = take<World6<T>>(c.count);
    k.reach = kContactRows * t.longest_path, k.Y = take<T>(c.count * k.reach);
    k.G = {take<T>((c.rows + 1) * padded(c.rows + kContactRows)), padded(c.rows + kContactRows)};
    k.diagonal = take<T>(c.rows), k.f = take<T>(c.rows), k.w = take<T>(c.rows * right_sides);
    return k;
  }

 private:
  char* memory_;
  std::size_t used_ = 0;
};

/// What the hungriest kernel takes.
template <class T>
std::size_t bytes(const Tree& t) {
  std::size_t most = 0;
  const auto measure = [&](auto&& f) {
    Layout<T> layout(nullptr);
    layout.state(t, nullptr, nullptr, nullptr);
    f(layout);
    most = layout.used() > most ? layout.used() : most;
  };
  measure([&](Layout<T>& x) { x.forward(t); });
  measure([&](Layout<T>& x) { x.mass(t), x.matrix(t), x.factor(t), x.right_sides(t, t.nv); });
  measure([&](Layout<T>& x) { x.world(t), x.coriolis(t); });
  measure([&](Layout<T>& x) { x.world(t), x.derivatives(t), x.forward_derivatives(t); });
  return most;
}
std::size_t scratch_bytes(const Tree& t, bool in_lanes) { return in_lanes ? bytes<Lanes>(t) : bytes<double>(t); }

template <class T>
const T* as(const double* x) {
  return reinterpret_cast<const T*>(x);
}
template <class T>
T* as(double* x) {
  return reinterpret_cast<T*>(x);
}

template <class T>
void run_inverse(const Tree& t, void* scratch, const double* q, const double* v, const double* a, const double* custom,
                 const double* external, double* tau) {
  Layout<T> layout(scratch);
  const State<T> s = layout.state(t, q, v, custom);
  inverse_dynamics(s, as<T>(a), as<T>(external), as<T>(tau));
}

AMBLE_KERNEL double smallest_of(double x) { return x; }
AMBLE_KERNEL double smallest_of(const Lanes& x) {
  double least = x[0];
  for (int i = 1; i < AMBLE_LANES; ++i)
    if (!(x[i] >= least)) least = x[i];
  return least;
}

template <class T>
double run_forward(const Tree& t, void* scratch, const double* q, const double* v, const double* tau, const double* custom,
                   const double* external, double* a) {
  Layout<T> layout(scratch);
  const State<T> s = layout.state(t, q, v, custom);
  const ForwardScratch<T> x = layout.forward(t);
  return smallest_of(forward_dynamics(s, x, as<T>(tau), as<T>(external), as<T>(a)));
}

template <class T>
void run_mass_matrix(const Tree& t, void* scratch, const double* q, const double* custom, double* M) {
  Layout<T> layout(scratch);
  const State<T> s = layout.state(t, q, nullptr, custom);
  const MassScratch<T> x = layout.mass(t);
  t.coupled ? mass_matrix<true>(s, x, as<T>(M)) : mass_matrix<false>(s, x, as<T>(M));
}

template <class T>
void run_coriolis(const Tree& t, void* scratch, const double* q, const double* v, const double* custom, double* C) {
  Layout<T> layout(scratch);
  const State<T> s = layout.state(t, q, v, custom);
  const WorldScratch<T> x = layout.world(t);
  const CoriolisScratch<T> y = layout.coriolis(t);
  t.coupled ? coriolis_matrix<true>(s, x, y, as<T>(C)) : coriolis_matrix<false>(s, x, y, as<T>(C));
}

template <class T>
void run_inverse_derivatives(const Tree& t, void* scratch, const double* q, const double* v, const double* a,
                             const double* custom, const double* external, double* dq, double* dv, double* M) {
  Layout<T> layout(scratch);
  const State<T> s = layout.state(t, q, v, custom);
  const WorldScratch<T> x = layout.world(t);
  const DerivativeScratch<T> y = layout.derivatives(t);
  const Derivatives<T> out{as<T>(dq), as<T>(dv), as<T>(M)};
  t.coupled ? inverse_derivatives<true>(s, x, y, as<T>(a), as<T>(external), out)
            : inverse_derivatives<false>(s, x, y, as<T>(a), as<T>(external), out);
}

template <class T>
double run_inverse_mass_matrix(const Tree& t, void* scratch, const double* q, const double* custom, double* out) {
  Layout<T> layout(scratch);
  const State<T> s = layout.state(t, q, nullptr, custom);
  const MassScratch<T> x = layout.mass(t);
  T* M = layout.matrix(t);
  const Factor<T> L = layout.factor(t);
  const int stride = layout.apart(t.nv);
  T* b = layout.right_sides(t, t.nv);
  clear(M, t);
  mass_matrix<false>(s, x, M);
  put_rows(t, M, L);
  const T smallest = factor_rows(t, L);
  for (int i = 0; i < t.nv; ++i)
    for (int j = 0; j < t.nv; ++j) b[i * stride + j] = number<T>(i == j ? 1.0 : 0.0);
  solve_rows(t, L, b, t.nv, stride);
  take_columns(t, b, t.nv, stride, 0, as<T>(out));
  return smallest_of(smallest);
}

template <class T>
double run_forward_derivatives(const Tree& t, void* scratch, const double* q, const double* v, const double* tau,
                               const double* custom, const double* external, double* a, double* dq, double* dv,
                               double* M_inverse) {
  Layout<T> layout(scratch);
  const State<T> s = layout.state(t, q, v, custom);
  const WorldScratch<T> x = layout.world(t);
  const DerivativeScratch<T> y = layout.derivatives(t);
  const ForwardDerivativeScratch<T> z = layout.forward_derivatives(t);
  const T smallest = forward_derivatives(s, x, y, z, as<T>(tau), as<T>(external), as<T>(a));
  take_columns(t, z.b, t.nv, z.stride, 0, as<T>(dq));
  take_columns(t, z.b, t.nv, z.stride, z.pitch, as<T>(dv));
  take_columns(t, z.b, t.nv, z.stride, 2 * z.pitch, as<T>(M_inverse));
  return smallest_of(smallest);
}

template <class T>
void run_centroidal(const Tree& t, void* scratch, const double* q, const double* v, const double* custom, double* A,
                    double* A_dot, double* summary) {
  Layout<T> layout(scratch);
  const State<T> s = layout.state(t, q, v, custom);
  centroidal(s, layout.world(t), as<T>(A), as<T>(A_dot), as<T>(summary));
}

template <class T>
void run_kinematics(const Tree& t, void* scratch, const double* q, const double* v, const double* custom, double* poses,
                    double* S, double* S_dot) {
  Layout<T> layout(scratch);
  const State<T> s = layout.state(t, q, v, custom);
  kinematics(s, layout.world(t), as<T>(poses), as<T>(S), as<T>(S_dot));
}

// Contacts run for one state only.
std::size_t contact_bytes(const Tree& t, const Contacts& c) {
  Layout<double> layout(nullptr);
  layout.state(t, nullptr, nullptr, nullptr), layout.world(t), layout.derivatives(t);
  layout.contacts(t, c, layout.forward_derivatives(t).stride);
  return layout.used();
}

ContactOutcome run_contact_dynamics(const Tree& t, const Contacts& c, void* scratch, const double* q, const double* v,
                                    const double* tau, const double* custom, const double* external, const double* given,
                                    double* a, double* f) {
  Layout<double> layout(scratch);
  const State<double> s = layout.state(t, q, v, custom);
  const WorldScratch<double> x = layout.world(t);
  const DerivativeScratch<double> y = layout.derivatives(t);
  const ForwardDerivativeScratch<double> z = layout.equations(t);
  return contact_dynamics(s, c, x, y, z, layout.contacts(t, c), tau, external, given, a, f);
}

ContactOutcome run_contact_derivatives(const Tree& t, const Contacts& c, void* scratch, const double* q, const double* v,
                                       const double* tau, const double* custom, const double* external, double* a,
                                       double* f, double* const da[3], double* const df[3]) {
  Layout<double> layout(scratch);
  const State<double> s = layout.state(t, q, v, custom);
  const WorldScratch<double> x = layout.world(t);
  const DerivativeScratch<double> y = layout.derivatives(t);
  const ForwardDerivativeScratch<double> z = layout.forward_derivatives(t);
  const ContactScratch<double> k = layout.contacts(t, c, z.stride);
  const ContactOutcome outcome = contact_derivatives(s, c, x, y, z, k, tau, external, a, f);
  for (int n = 0; n < 3; ++n) {
    take_columns(t, z.b, t.nv, z.stride, n * z.pitch, da[n]);
    take_columns(t, k.w, c.rows, z.stride, n * z.pitch, df[n]);
  }
  return outcome;
}

void run_contact_rows(const Tree& t, const Contacts& c, void* scratch, const double* q, const double* v, const double* a,
                      const double* f, const double* custom, const ContactRows& out) {
  Layout<double> layout(scratch);
  const State<double> s = layout.state(t, q, v, custom);
  const WorldScratch<double> x = layout.world(t);
  contact_rows(s, c, x, layout.contacts(t, c), a, f, out);
}

constexpr Kernels kTable{
    .name = AMBLE_INSTRUCTIONS_NAME,
    .lanes = AMBLE_LANES,
    .scratch_bytes = scratch_bytes,
    .all_finite = all_finite,
    .pack = pack,
    .unpack = unpack,
    .inverse_dynamics = {run_inverse<double>, run_inverse<Lanes>},
    .forward_dynamics = {run_forward<double>, run_forward<Lanes>},
    .mass_matrix = {run_mass_matrix<double>, run_mass_matrix<Lanes>},
    .inverse_mass_matrix = {run_inverse_mass_matrix<double>, run_inverse_mass_matrix<Lanes>},
    .coriolis_matrix = {run_coriolis<double>, run_coriolis<Lanes>},
    .inverse_derivatives = {run_inverse_derivatives<double>, run_inverse_derivatives<Lanes>},
    .forward_derivatives = {run_forward_derivatives<double>, run_forward_derivatives<Lanes>},
    .centroidal = {run_centroidal<double>, run_centroidal<Lanes>},
    .kinematics = {run_kinematics<double>, run_kinematics<Lanes>},
    .contact_bytes = contact_bytes,
    .contact_dynamics = run_contact_dynamics,
    .contact_derivatives = run_contact_derivatives,
    .contact_rows = run_contact_rows,
};

}  // namespace

const Kernels& AMBLE_INSTRUCTIONS() { return kTable; }

}  // namespace amble::kernels
