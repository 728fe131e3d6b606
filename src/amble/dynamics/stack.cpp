#include "amble/dynamics/stack.hpp"

#include <fmt/format.h>

#include <exception>
#include <limits>
#include <thread>

#include "amble/dynamics/derivatives.hpp"
#include "amble/dynamics/workspace_memory.hpp"

namespace amble {

/// The memory of one thread: a workspace to check states one by one, and room for lanes of them.
struct StackWorkspace::Part {
  explicit Part(const Mechanism& m)
      : single(m),
        lanes(kernels::kernels().lanes),
        tree(single.memory().tree.tree()),
        scratch(kernels::kernels().scratch_bytes(tree, true)),
        q(m.nq()),
        v(m.nv()),
        x(m.nv()),
        custom(static_cast<Eigen::Index>(kernels::kCustomBlock) * tree.customs),
        external(6 * static_cast<Eigen::Index>(tree.count)),
        vector(m.nv()),
        M(Eigen::Index(m.nv()) * m.nv()),
        M_inverse(M.size),
        C(M.size),
        dq(M.size),
        dv(M.size),
        tau_M(M.size),
        a_dq(M.size),
        a_dv(M.size) {}

  /// Numbers of all lanes.
  struct Room {
    explicit Room(Eigen::Index count) : size(count), memory(sizeof(double) * kernels::kernels().lanes * count) {}
    Eigen::Index size;
    LineBuffer memory;
    double* numbers() { return memory.numbers(); }
  };

  Workspace single;
  int lanes;
  const kernels::Tree& tree;
  LineBuffer scratch;
  Room q, v, x, custom, external, vector, M, M_inverse, C, dq, dv, tau_M, a_dq, a_dv;
  std::vector<double> q_rows = std::vector<double>(static_cast<std::size_t>(lanes) * q.size);
  std::exception_ptr problem;  // of the last call
  std::vector<double> custom_rows = std::vector<double>(static_cast<std::size_t>(lanes) * custom.size);
};

StackWorkspace::StackWorkspace(const Mechanism& m, int threads) {
  if (threads < 0) throw Error(fmt::format("threads is {}: expected a number, or 0 for one per core", threads));
  if (threads == 0) threads = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  for (int k = 0; k < threads; ++k) parts_.push_back(std::make_unique<Part>(m));
}
StackWorkspace::StackWorkspace(StackWorkspace&&) noexcept = default;
StackWorkspace& StackWorkspace::operator=(StackWorkspace&&) noexcept = default;
StackWorkspace::~StackWorkspace() = default;

namespace {

using Part = StackWorkspace::Part;
constexpr int kMostLanes = 8;
/// What a kernel returns that cannot fail.
constexpr double kFine = std::numeric_limits<double>::infinity();
/// Below this many rows a thread costs more than it brings.
constexpr Eigen::Index kFewestRows = 256;

/// Which numbers a call takes, by name for errors.
struct Arguments {
  const StackInput* q;
  const StackInput* v = nullptr;
  const StackInput* x = nullptr;
  const char* x_name = "";
  CustomNumbers custom = CustomNumbers::motion;
};

struct Output {
  StackOutput rows;
  Part::Room Part::* room;
};

/// Rows first, ..., first + count - 1 of a stack; lanes beyond repeat the last.
struct Group {
  Eigen::Index first;
  int count;
  Eigen::Index row(int lane) const { return first + std::min(lane, count - 1); }
};

void pack(const StackInput& x, const Group& group, int lanes, Part::Room& to) {
  const double* rows[kMostLanes];
  for (int lane = 0; lane < lanes; ++lane) rows[lane] = x.row(group.row(lane));
  kernels::kernels().pack(rows, static_cast<int>(to.size), to.numbers());
}

/// Checks one state; returns its configuration as the kernels take it, and its custom joints in `custom`.
const double* check_row(const Mechanism& m, Part& part, const Arguments& in, Eigen::Index row, double* q, double* custom) {
  Workspace::Memory& memory = part.single.memory();
  const auto vector = [row](const StackInput& x) { return Eigen::Map<const Eigen::VectorXd>(x.row(row), x.size()); };
  if (in.x != nullptr) load_check(m, vector(*in.x), in.x_name);
  if (in.v != nullptr) load_check(m, vector(*in.v), "v");
  if (ready_for_kernels(memory.tree, in.q->row(row))) return in.q->row(row);
  if (in.v != nullptr) {
    const VectorRef v = vector(*in.v);
    load_state(m, part.single, vector(*in.q), &v, in.custom);
  } else {
    load_state(m, part.single, vector(*in.q), nullptr, in.custom);
  }
  std::copy_n(memory.q.data(), part.q.size, q);
  std::copy_n(memory.custom.numbers(), part.custom.size, custom);
  return q;
}

/// Checks every state of the group and puts it into lanes. `at` is the row at work, for errors.
void load(const Mechanism& m, Part& part, const Arguments& in, const Group& group, Eigen::Index& at) {
  const double *q[kMostLanes], *custom[kMostLanes];
  for (int lane = 0; lane < part.lanes; ++lane) {
    if (lane >= group.count) {
      q[lane] = q[lane - 1], custom[lane] = custom[lane - 1];
      continue;
    }
    at = group.row(lane);
    double* own_custom = part.custom_rows.data() + lane * part.custom.size;
    q[lane] = check_row(m, part, in, at, part.q_rows.data() + lane * part.q.size, own_custom);
    custom[lane] = own_custom;
  }
  kernels::kernels().pack(q, static_cast<int>(part.q.size), part.q.numbers());
  kernels::kernels().pack(custom, static_cast<int>(part.custom.size), part.custom.numbers());
  if (in.v != nullptr) pack(*in.v, group, part.lanes, part.v);
  if (in.x != nullptr) pack(*in.x, group, part.lanes, part.x);
}

void unpack(Part& part, const Group& group, Output& out) {
  double* rows[kMostLanes];
  for (int lane = 0; lane < group.count; ++lane) rows[lane] = out.rows.data() + group.row(lane) * out.rows.outerStride();
  Part::Room& room = part.*(out.room);
  kernels::kernels().unpack(room.numbers(), static_cast<int>(room.size), group.count, rows);
}

void check_rows(const StackInput& x, Eigen::Index rows, Eigen::Index size, const char* name) {
  if (x.size() != size) throw Error(fmt::format("{} has {} numbers a row, expected {}", name, x.size(), size));
  if (x.rows() != rows) throw Error(fmt::format("{} has {} rows, but q has {}", name, x.rows(), rows));
}

void check_shapes(const Mechanism& m, const Arguments& in, std::span<Output> outputs) {
  const Eigen::Index rows = in.q->rows();
  check_rows(*in.q, rows, m.nq(), "q");
  if (in.v != nullptr) check_rows(*in.v, rows, m.nv(), "v");
  if (in.x != nullptr) check_rows(*in.x, rows, m.nv(), in.x_name);
  for (const Output& out : outputs)
    if (out.rows.rows() != rows || (out.rows.cols() != m.nv() && out.rows.cols() != Eigen::Index(m.nv()) * m.nv()))
      throw Error(fmt::format("a result of {} x {} numbers does not fit {} states of nv = {}", out.rows.rows(),
                              out.rows.cols(), rows, m.nv()));
}

/// f(part, begin, end, at) over all rows, shared among threads. The first row with an Error is named in it.
template <class F>
void for_rows(StackWorkspace& work, Eigen::Index count, int lanes, const F& f) {
  const Eigen::Index groups = (count + lanes - 1) / lanes;
  const Eigen::Index most = static_cast<Eigen::Index>(work.parts().size());
  const Eigen::Index parts = std::clamp<Eigen::Index>(count / kFewestRows, 1, most);
  const auto share = [&](Eigen::Index k) noexcept {
    Eigen::Index at = 0;
    std::exception_ptr& problem = work.parts()[k]->problem;
    problem = nullptr;
    try {
      f(*work.parts()[k], groups * k / parts * lanes, std::min(count, groups * (k + 1) / parts * lanes), at);
    } catch (const Error& e) {
      const std::string row = work.row_name ? work.row_name(at) : fmt::format("row {}", at);
      problem = std::make_exception_ptr(Error(fmt::format("{}: {}", row, e.what())));
    } catch (...) {
      problem = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> others;
    for (Eigen::Index k = 1; k < parts; ++k) others.emplace_back(share, k);
    share(0);
  }
  for (Eigen::Index k = 0; k < parts; ++k)
    if (work.parts()[k]->problem) std::rethrow_exception(work.parts()[k]->problem);
}

/// kernel(part, external) evaluates one group in lanes and returns the smallest inertia it met; one(part, row) evaluates
/// one state the other way, which finds the words for an error.
template <class K, class S>
void run(const Mechanism& m, StackWorkspace& work, const Arguments& in, std::span<Output> outputs,
         std::span<const ExternalWrench> external, const K& kernel, const S& one) {
  for (const auto& part : work.parts()) part->single.check_owner(m);
  check_shapes(m, in, outputs);
  for_rows(work, in.q->rows(), kernels::kernels().lanes, [&](Part& part, Eigen::Index begin, Eigen::Index end, Eigen::Index& at) {
    const double* wrenches = load_external(m, part.single, external);
    for (Eigen::Index i = 0; wrenches != nullptr && i < part.external.size; ++i)
      std::fill_n(part.external.numbers() + i * part.lanes, part.lanes, wrenches[i]);
    double* in_lanes = wrenches == nullptr ? nullptr : part.external.numbers();
    for (Eigen::Index first = begin; first < end; first += part.lanes) {
      const Group group{first, static_cast<int>(std::min<Eigen::Index>(part.lanes, end - first))};
      load(m, part, in, group, at);
      const double smallest = kernel(part, in_lanes);
      for (Output& out : outputs) unpack(part, group, out);
      Output& last = outputs.back();
      for (int lane = 0; lane < group.count && smallest != kFine; ++lane) {
        at = group.row(lane);
        if (!(smallest > 0.0) || !kernels::kernels().all_finite(&last.rows(at, 0), static_cast<int>(last.rows.cols()))) one(part, at);
      }
    }
  });
}

VectorRef row_of(const StackInput& x, Eigen::Index i) { return Eigen::Map<const Eigen::VectorXd>(x.row(i), x.size()); }

/// Mechanisms whose joints follow others take a way that is not in lanes.
template <class F>
void run_one_by_one(const Mechanism& m, StackWorkspace& work, const Arguments& in, std::span<Output> outputs, const F& f) {
  for (const auto& part : work.parts()) part->single.check_owner(m);
  check_shapes(m, in, outputs);
  for_rows(work, in.q->rows(), 1, [&](Part& part, Eigen::Index begin, Eigen::Index end, Eigen::Index& at) {
    for (at = begin; at < end; ++at) f(part, at);
  });
}

bool coupled(const StackWorkspace& work) { return work.parts().front()->tree.coupled; }

double run_inverse_dynamics(Part& p, const double* a, const double* external) {
  kernels::kernels().inverse_dynamics.lanes(p.tree, p.scratch.data(), p.q.numbers(), p.v.numbers(), a,
                                            p.custom.numbers(), external, p.vector.numbers());
  return kFine;
}

/// For kernels that cannot fail.
constexpr auto kNever = [](Part&, Eigen::Index) {};

}  // namespace

void inverse_dynamics(const Mechanism& m, StackWorkspace& work, const StackInput& q, const StackInput& v,
                      const StackInput& a, StackOutput tau, std::span<const ExternalWrench> external) {
  Output out[] = {{tau, &Part::vector}};
  run(m, work, {&q, &v, &a, "a"}, out, external,
      [](Part& p, const double* F) { return run_inverse_dynamics(p, p.x.numbers(), F); }, kNever);
}

void forward_dynamics(const Mechanism& m, StackWorkspace& work, const StackInput& q, const StackInput& v,
                      const StackInput& tau, StackOutput a, std::span<const ExternalWrench> external) {
  Output out[] = {{a, &Part::vector}};
  const auto one = [&](Part& p, Eigen::Index i) {
    a.row(i) = forward_dynamics(m, p.single, row_of(q, i), row_of(v, i), row_of(tau, i), external);
  };
  const Arguments in{&q, &v, &tau, "tau"};
  if (coupled(work)) return run_one_by_one(m, work, in, out, one);
  run(m, work, in, out, external,
      [](Part& p, const double* F) {
        return kernels::kernels().forward_dynamics.lanes(p.tree, p.scratch.data(), p.q.numbers(), p.v.numbers(),
                                                         p.x.numbers(), p.custom.numbers(), F, p.vector.numbers());
      },
      one);
}

void bias_forces(const Mechanism& m, StackWorkspace& work, const StackInput& q, const StackInput& v, StackOutput bias) {
  Output out[] = {{bias, &Part::vector}};
  run(m, work, {&q, &v}, out, {}, [](Part& p, const double*) { return run_inverse_dynamics(p, nullptr, nullptr); }, kNever);
}

void gravity_forces(const Mechanism& m, StackWorkspace& work, const StackInput& q, StackOutput gravity) {
  Output out[] = {{gravity, &Part::vector}};
  run(m, work, {&q}, out, {},
      [](Part& p, const double*) {
        std::fill_n(p.v.numbers(), p.v.size * p.lanes, 0.0);
        return run_inverse_dynamics(p, nullptr, nullptr);
      },
      kNever);
}

void mass_matrix(const Mechanism& m, StackWorkspace& work, const StackInput& q, StackOutput M) {
  Output out[] = {{M, &Part::M}};
  run(m, work, {&q}, out, {},
      [](Part& p, const double*) {
        kernels::kernels().mass_matrix.lanes(p.tree, p.scratch.data(), p.q.numbers(), p.custom.numbers(), p.M.numbers());
        return kFine;
      },
      kNever);
}

void inverse_mass_matrix(const Mechanism& m, StackWorkspace& work, const StackInput& q, StackOutput M_inverse) {
  Output out[] = {{M_inverse, &Part::M_inverse}};
  const auto one = [&](Part& p, Eigen::Index i) {
    Eigen::Map<RowMatrix>(&M_inverse(i, 0), m.nv(), m.nv()) = inverse_mass_matrix(m, p.single, row_of(q, i));
  };
  if (coupled(work)) return run_one_by_one(m, work, {&q}, out, one);
  run(m, work, {&q}, out, {},
      [](Part& p, const double*) {
        return kernels::kernels().inverse_mass_matrix.lanes(p.tree, p.scratch.data(), p.q.numbers(), p.custom.numbers(),
                                                            p.M_inverse.numbers());
      },
      one);
}

void coriolis_matrix(const Mechanism& m, StackWorkspace& work, const StackInput& q, const StackInput& v, StackOutput C) {
  Output out[] = {{C, &Part::C}};
  run(m, work, {&q, &v, nullptr, "", CustomNumbers::changes}, out, {},
      [](Part& p, const double*) {
        kernels::kernels().coriolis_matrix.lanes(p.tree, p.scratch.data(), p.q.numbers(), p.v.numbers(),
                                                 p.custom.numbers(), p.C.numbers());
        return kFine;
      },
      kNever);
}

void inverse_dynamics_derivatives(const Mechanism& m, StackWorkspace& work, const StackInput& q, const StackInput& v,
                                  const StackInput& a, StackOutput dq, StackOutput dv, StackOutput M,
                                  std::span<const ExternalWrench> external) {
  Output out[] = {{dq, &Part::dq}, {dv, &Part::dv}, {M, &Part::tau_M}};
  run(m, work, {&q, &v, &a, "a", CustomNumbers::changes}, out, external,
      [](Part& p, const double* F) {
        kernels::kernels().inverse_derivatives.lanes(p.tree, p.scratch.data(), p.q.numbers(), p.v.numbers(),
                                                     p.x.numbers(), p.custom.numbers(), F, p.dq.numbers(),
                                                     p.dv.numbers(), p.tau_M.numbers());
        return kFine;
      },
      kNever);
}

void forward_dynamics_derivatives(const Mechanism& m, StackWorkspace& work, const StackInput& q, const StackInput& v,
                                  const StackInput& tau, StackOutput dq, StackOutput dv, StackOutput M_inverse,
                                  std::span<const ExternalWrench> external) {
  Output out[] = {{dq, &Part::a_dq}, {M_inverse, &Part::M_inverse}, {dv, &Part::a_dv}};
  const auto one = [&](Part& p, Eigen::Index i) {
    const ForwardDynamicsDerivatives d =
        forward_dynamics_derivatives(m, p.single, row_of(q, i), row_of(v, i), row_of(tau, i), external);
    Eigen::Map<RowMatrix>(&dq(i, 0), m.nv(), m.nv()) = d.dq;
    Eigen::Map<RowMatrix>(&dv(i, 0), m.nv(), m.nv()) = d.dv;
    Eigen::Map<RowMatrix>(&M_inverse(i, 0), m.nv(), m.nv()) = d.M_inverse;
  };
  const Arguments in{&q, &v, &tau, "tau", CustomNumbers::changes};
  if (coupled(work)) return run_one_by_one(m, work, in, out, one);
  run(m, work, in, out, external,
      [](Part& p, const double* F) {
        return kernels::kernels().forward_derivatives.lanes(
            p.tree, p.scratch.data(), p.q.numbers(), p.v.numbers(), p.x.numbers(), p.custom.numbers(), F,
            p.vector.numbers(), p.a_dq.numbers(), p.a_dv.numbers(), p.M_inverse.numbers());
      },
      one);
}

}  // namespace amble
