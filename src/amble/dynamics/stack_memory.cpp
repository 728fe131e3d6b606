#include "amble/dynamics/stack_memory.hpp"

#include <fmt/format.h>

#include <thread>

namespace amble {

StackWorkspace::Part::Part(const Mechanism& m)
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
      a_dv(M.size),
      poses(static_cast<Eigen::Index>(kernels::kPose) * tree.count),
      columns(6 * static_cast<Eigen::Index>(tree.columns)),
      column_rates(columns.size),
      momentum_matrix(6 * static_cast<Eigen::Index>(m.nv())),
      momentum_matrix_dot(momentum_matrix.size),
      summary(kernels::kSummary) {}

StackWorkspace::StackWorkspace(const Mechanism& m, int threads) {
  if (threads < 0) throw Error(fmt::format("threads is {}: expected a number, or 0 for one per core", threads));
  if (threads == 0) threads = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  for (int k = 0; k < threads; ++k) parts_.push_back(std::make_unique<Part>(m));
}
StackWorkspace::StackWorkspace(StackWorkspace&&) noexcept = default;
StackWorkspace& StackWorkspace::operator=(StackWorkspace&&) noexcept = default;
StackWorkspace::~StackWorkspace() = default;

namespace stacks {

namespace {

constexpr int kMostLanes = 8;
/// Below this many rows a thread costs more than it brings.
constexpr Eigen::Index kFewestRows = 256;

void pack(const StackInput& x, const Group& group, int lanes, Part::Room& to) {
  const double* rows[kMostLanes];
  for (int lane = 0; lane < lanes; ++lane) rows[lane] = x.row(group.row(lane));
  kernels::kernels().pack(rows, static_cast<int>(to.size), to.numbers());
}

/// Checks one state; returns its configuration as the kernels take it, and its custom joints in `custom`.
const double* check_row(const Mechanism& m, Part& part, const Arguments& in, Eigen::Index row, double* q,
                        double* custom) {
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

void check_rows(const StackInput& x, Eigen::Index rows, Eigen::Index size, const char* name) {
  if (x.size() != size) throw Error(fmt::format("{} has {} numbers a row, expected {}", name, x.size(), size));
  if (x.rows() != rows) throw Error(fmt::format("{} has {} rows, but q has {}", name, x.rows(), rows));
}

}  // namespace

void check_call(const Mechanism& m, const StackWorkspace& work, const Arguments& in,
                std::span<const Output> outputs) {
  for (const auto& part : work.parts()) part->single.check_owner(m);
  const Eigen::Index rows = in.q->rows();
  check_rows(*in.q, rows, m.nq(), "q");
  if (in.v != nullptr) check_rows(*in.v, rows, m.nv(), "v");
  if (in.x != nullptr) check_rows(*in.x, rows, m.nv(), in.x_name);
  for (const Output& out : outputs)
    if (out.rows.rows() != rows || out.rows.cols() != out.size)
      throw Error(fmt::format("a result of {} x {} numbers does not fit {} states with {} numbers each",
                              out.rows.rows(), out.rows.cols(), rows, out.size));
}

void load_wrenches(const Mechanism& m, Part& part, std::span<const ExternalWrench> external) {
  const double* wrenches = load_external(m, part.single, external);
  part.F = wrenches == nullptr ? nullptr : part.external.numbers();
  for (Eigen::Index i = 0; wrenches != nullptr && i < part.external.size; ++i)
    std::fill_n(part.external.numbers() + i * part.lanes, part.lanes, wrenches[i]);
}

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

void unpack(Part& part, const Group& group, std::span<Output> outputs) {
  double* rows[kMostLanes];
  for (Output& out : outputs) {
    for (int lane = 0; lane < group.count; ++lane) rows[lane] = out.row(group.row(lane));
    const double* numbers = (part.*(out.room)).numbers() + out.first * part.lanes;
    kernels::kernels().unpack(numbers, static_cast<int>(out.size), group.count, rows);
  }
}

void for_rows(StackWorkspace& work, Eigen::Index count, int lanes,
              const std::function<void(Part&, Eigen::Index, Eigen::Index, Eigen::Index&)>& f) {
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

}  // namespace stacks
}  // namespace amble
