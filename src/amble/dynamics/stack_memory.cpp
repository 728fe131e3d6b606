#include "amble/dynamics/stack_memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <thread>

namespace amble {

namespace {

constexpr bool kKept = true;

}  // namespace

const double* StackInput::row(Eigen::Index i, double* room) const {
  if (lanes_ == nullptr) return data_ + i * stride_;
  for (Eigen::Index k = 0; k < size_; ++k) room[k] = (*lanes_)(i, k);
  return room;
}

void StackOutput::put_row(Eigen::Index i, const double* numbers) const {
  if (lanes_ == nullptr) {
    std::copy_n(numbers, size_, row(i));
    return;
  }
  const int lanes = lanes_->lanes();
  double* const to = lanes_->result_group(i / lanes) + i % lanes;
  for (Eigen::Index k = 0; k < size_; ++k) to[k * lanes] = numbers[k];
}

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
      M(Eigen::Index(m.nv()) * m.nv(), kKept),
      M_inverse(M.size),
      C(M.size, kKept),
      dq(M.size, kKept),
      dv(M.size, kKept),
      tau_M(M.size, kKept),
      a_dq(M.size),
      a_dv(M.size),
      poses(static_cast<Eigen::Index>(kernels::kPose) * tree.count),
      columns(6 * static_cast<Eigen::Index>(tree.columns)),
      column_rates(columns.size),
      momentum_matrix(6 * static_cast<Eigen::Index>(m.nv())),
      momentum_matrix_dot(momentum_matrix.size),
      summary(kernels::kSummary) {
  for (Result* x : {&vector, &momentum_matrix, &momentum_matrix_dot, &summary}) x->at = x->numbers();
}

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

/// A whole group that lies in lanes as it is; null otherwise.
const double* whole_group(const StackInput* x, const Group& group, int lanes) {
  return x != nullptr && x->lanes() != nullptr && group.count == lanes ? x->lanes()->group(group.index(lanes)) : nullptr;
}

void pack(const StackInput& x, const Group& group, int lanes, Part::Given& to) {
  to.at = whole_group(&x, group, lanes);
  if (to.at != nullptr) return;
  to.at = to.numbers();
  if (x.lanes() != nullptr) {  // the last rows, which do not fill a group
    for (Eigen::Index i = 0; i < to.size; ++i)
      for (int lane = 0; lane < lanes; ++lane) to.numbers()[i * lanes + lane] = (*x.lanes())(group.row(lane), i);
    return;
  }
  const double* rows[kMostLanes];
  for (int lane = 0; lane < lanes; ++lane) rows[lane] = x.row(group.row(lane), nullptr);
  kernels::kernels().pack(rows, static_cast<int>(to.size), to.numbers());
}

/// As ready_for_kernels(), of a group in lanes.
bool group_is_ready(const KernelTree& tree, const double* q, int lanes) {
  constexpr double kExact = 1e-15;
  if (!tree.custom_links().empty() || !kernels::kernels().all_finite(q, tree.tree().nq * lanes)) return false;
  for (const int at : tree.quaternions())
    for (int lane = 0; lane < lanes; ++lane) {
      const double* x = q + at * lanes + lane;
      const double square = x[0] * x[0] + x[lanes] * x[lanes] + x[2 * lanes] * x[2 * lanes] + x[3 * lanes] * x[3 * lanes];
      if (!(std::abs(square - 1.0) <= kExact)) return false;
    }
  return true;
}

/// Takes a group whose states are fit for kernels where it lies; false if some argument is not.
bool take_group(Part& part, const Arguments& in, const Group& group) {
  const auto fits = [&](const StackInput* x, Part::Given& to) {
    if (x == nullptr) return true;
    to.at = whole_group(x, group, part.lanes);
    return to.at != nullptr && kernels::kernels().all_finite(to.at, static_cast<int>(to.size) * part.lanes);
  };
  part.q.at = whole_group(in.q, group, part.lanes);
  return part.q.at != nullptr && group_is_ready(part.single.memory().tree, part.q.at, part.lanes) &&
         fits(in.v, part.v) && fits(in.x, part.x);
}

/// Checks one state; returns its configuration as the kernels take it, and its custom joints in `custom`.
const double* check_row(const Mechanism& m, Part& part, const Arguments& in, Eigen::Index row, double* q,
                        double* custom) {
  Workspace::Memory& memory = part.single.memory();
  const auto vector = [row](const StackInput& x, std::vector<double>& room) {
    return Eigen::Map<const Eigen::VectorXd>(x.row(row, room.data()), x.size());
  };
  if (in.x != nullptr) load_check(m, vector(*in.x, part.x_row), in.x_name);
  if (in.v != nullptr) load_check(m, vector(*in.v, part.v_row), "v");
  const double* given = in.q->row(row, q);
  if (ready_for_kernels(memory.tree, given)) return given;
  if (in.v != nullptr) {
    const VectorRef v = vector(*in.v, part.v_row);
    load_state(m, part.single, vector(*in.q, part.q_row), &v, in.custom);
  } else {
    load_state(m, part.single, vector(*in.q, part.q_row), nullptr, in.custom);
  }
  std::copy_n(memory.q.data(), part.q.size, q);
  std::copy_n(memory.custom.numbers(), part.custom.size, custom);
  return q;
}

void check_rows(const StackInput& x, Eigen::Index rows, Eigen::Index size, const char* name) {
  if (x.size() != size) throw Error(fmt::format("{} has {} numbers a row, expected {}", name, x.size(), size));
  if (x.rows() != rows) throw Error(fmt::format("{} has {} rows, but q has {}", name, x.rows(), rows));
}

void begin_result(const Mechanism& m, const StackWorkspace& work, const Output& out) {
  if (out.rows.lanes() == nullptr) return;
  const bool kept = out.result != nullptr && ((*work.parts().front()).*(out.result)).kept;
  out.rows.lanes()->begin_result(kept ? m.shared_description() : nullptr);
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
    if (out.rows.rows() != rows || out.rows.size() != out.size)
      throw Error(fmt::format("a result of {} x {} numbers does not fit {} states with {} numbers each",
                              out.rows.rows(), out.rows.size(), rows, out.size));
  for (const Output& out : outputs) begin_result(m, work, out);
}

void load_wrenches(const Mechanism& m, Part& part, std::span<const ExternalWrench> external) {
  const double* wrenches = load_external(m, part.single, external);
  part.F = wrenches == nullptr ? nullptr : part.external.numbers();
  for (Eigen::Index i = 0; wrenches != nullptr && i < part.external.size; ++i)
    std::fill_n(part.external.numbers() + i * part.lanes, part.lanes, wrenches[i]);
}

void load(const Mechanism& m, Part& part, const Arguments& in, const Group& group, Eigen::Index& at) {
  if (take_group(part, in, group)) return;
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
  part.q.at = part.q.numbers();
  kernels::kernels().pack(custom, static_cast<int>(part.custom.size), part.custom.numbers());
  if (in.v != nullptr) pack(*in.v, group, part.lanes, part.v);
  if (in.x != nullptr) pack(*in.x, group, part.lanes, part.x);
}

void aim(Part& part, const Arguments& in, const Group& group, std::span<const Output> outputs) {
  const auto is_read = [&](const LaneStack* x) {
    return std::ranges::any_of(std::array{in.q, in.v, in.x}, [x](auto* given) { return given && given->lanes() == x; });
  };
  for (const Output& out : outputs) {
    if (out.result == nullptr) continue;
    Part::Result& result = part.*(out.result);
    LaneStack* const lanes = out.rows.lanes();
    const bool in_place = lanes != nullptr && out.size == result.size && !is_read(lanes);
    result.at = in_place ? lanes->result_group(group.index(part.lanes)) : result.numbers();
  }
}

void unpack(Part& part, const Group& group, std::span<const Output> outputs) {
  double* rows[kMostLanes];
  for (const Output& out : outputs) {
    const double* numbers = (part.*(out.result)).at + out.first * part.lanes;
    if (LaneStack* lanes = out.rows.lanes()) {
      double* to = lanes->result_group(group.index(part.lanes));
      if (to != numbers) std::copy_n(numbers, out.size * part.lanes, to);
      continue;
    }
    for (int lane = 0; lane < group.count; ++lane) rows[lane] = out.rows.row(group.row(lane));
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
