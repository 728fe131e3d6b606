// The body of each kernel file, which defines AMBLE_INSTRUCTIONS (a name) and AMBLE_LANES before including this. Such a
// file is compiled with the flags of its instruction set, so it must contain nothing that another file could be linked
// with by mistake: no Eigen, no standard containers, everything in an anonymous namespace.

#include "amble/dynamics/kernels/kernels.hpp"

namespace amble::kernels {
namespace {

#include "amble/dynamics/kernels/arithmetic.inl"
// (in this order: each builds on the ones before)
#include "amble/dynamics/kernels/motion.inl"
#include "amble/dynamics/kernels/inverse_dynamics.inl"
#include "amble/dynamics/kernels/mass_matrix.inl"
#include "amble/dynamics/kernels/forward_dynamics.inl"

/// The scratch memory, cut into pieces. Everything is laid out in whole cache lines.
template <class T>
struct Layout {
  char* at;
  static constexpr std::size_t kLine = 64;

  template <class U>
  U* take(std::size_t count) {
    U* piece = reinterpret_cast<U*>(at);
    at += (count * sizeof(U) + kLine - 1) / kLine * kLine;
    return piece;
  }
  State<T> state(const Tree& t, const void* q, const void* v, const void* custom) {
    T* sine = take<T>(t.angles + AMBLE_LANES);
    T* cosine = take<T>(t.angles + AMBLE_LANES);
    return {t, static_cast<const T*>(q), static_cast<const T*>(v), static_cast<const T*>(custom), sine, cosine,
            take<Body<T>>(t.count)};
  }
  ForwardScratch<T> forward(const Tree& t) {
    Articulated<T>* articulated = take<Articulated<T>>(t.count);
    OneAxis<T>* one = take<OneAxis<T>>(t.count);
    return {articulated, one, take<ManyAxes<T>>(t.count)};
  }
};

template <class T>
std::size_t bytes(const Tree& t) {
  Layout<T> layout{nullptr};
  layout.state(t, nullptr, nullptr, nullptr);
  layout.forward(t);
  return static_cast<std::size_t>(layout.at - static_cast<char*>(nullptr));
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
  Layout<T> layout{static_cast<char*>(scratch)};
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
  Layout<T> layout{static_cast<char*>(scratch)};
  const State<T> s = layout.state(t, q, v, custom);
  const ForwardScratch<T> x = layout.forward(t);
  return smallest_of(forward_dynamics(s, x, as<T>(tau), as<T>(external), as<T>(a)));
}

template <class T>
void run_mass_matrix(const Tree& t, void* scratch, const double* q, const double* custom, double* M) {
  Layout<T> layout{static_cast<char*>(scratch)};
  const State<T> s = layout.state(t, q, nullptr, custom);
  Composite<T>* composites = layout.template take<Composite<T>>(t.count);
  t.coupled ? mass_matrix<true>(s, composites, as<T>(M)) : mass_matrix<false>(s, composites, as<T>(M));
}

constexpr Kernels kTable{
    .name = AMBLE_INSTRUCTIONS_NAME,
    .lanes = AMBLE_LANES,
    .scratch_bytes = scratch_bytes,
    .inverse_dynamics = run_inverse<double>,
    .inverse_dynamics_lanes = run_inverse<Lanes>,
    .forward_dynamics = run_forward<double>,
    .forward_dynamics_lanes = run_forward<Lanes>,
    .mass_matrix = run_mass_matrix<double>,
    .mass_matrix_lanes = run_mass_matrix<Lanes>,
};

}  // namespace

const Kernels& AMBLE_INSTRUCTIONS() { return kTable; }

}  // namespace amble::kernels
