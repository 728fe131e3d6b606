#pragma once

#include <exception>
#include <functional>

#include "amble/dynamics/stack.hpp"
#include "amble/dynamics/workspace_memory.hpp"

// How functions of stacks are run; of no interest to their callers.
namespace amble {

/// The memory of one thread: a workspace to check states one by one, and room for lanes of them.
struct StackWorkspace::Part {
  explicit Part(const Mechanism& mechanism);

  /// Numbers of all lanes.
  struct Room {
    explicit Room(Eigen::Index count) : size(count), memory(sizeof(double) * kernels::kernels().lanes * count) {}
    Eigen::Index size;
    LineBuffer memory;
    double* numbers() { return memory.numbers(); }
  };
  /// What a kernel reads: these numbers, or a group of a LaneStack where it lies.
  struct Given : Room {
    using Room::Room;
    const double* at = nullptr;
  };
  /// What a kernel writes, likewise. Of a kept matrix only some places are written, see Kernels.
  struct Result : Room {
    explicit Result(Eigen::Index count, bool is_kept = false) : Room(count), kept(is_kept) {}
    double* at = nullptr;
    bool kept;
  };

  Workspace single;
  int lanes;
  const kernels::Tree& tree;
  LineBuffer scratch;
  Given q, v, x;
  Room custom, external;
  Result vector, M, M_inverse, C, dq, dv, tau_M, a_dq, a_dv;
  Room poses, columns, column_rates;
  Result momentum_matrix, momentum_matrix_dot, summary;
  const double* F = nullptr;  // wrenches from outside: `external`, or null when there are none
  std::vector<double> q_rows = std::vector<double>(static_cast<std::size_t>(lanes) * q.size);
  std::vector<double> custom_rows = std::vector<double>(static_cast<std::size_t>(lanes) * custom.size);
  std::vector<double> q_row = std::vector<double>(q.size), v_row = std::vector<double>(v.size), x_row = v_row;
  std::vector<double> result_row = std::vector<double>(std::max<std::size_t>(16, 6 * v.size));
  std::exception_ptr problem;  // of the last call
};

namespace stacks {

using Part = StackWorkspace::Part;

/// Which numbers a call takes, by name for errors.
struct Arguments {
  const StackInput* q;
  const StackInput* v = nullptr;
  const StackInput* x = nullptr;
  const char* x_name = "";
  CustomNumbers custom = CustomNumbers::motion;
  std::span<const ExternalWrench> external = {};
};

/// `size` numbers a row: those of a result from number `first` on, or written some other way when there is none.
struct Output {
  StackOutput rows;
  Eigen::Index size;
  Part::Result Part::* result = nullptr;
  Eigen::Index first = 0;
};

/// Rows first, ..., first + count - 1 of a stack; lanes beyond repeat the last.
struct Group {
  Eigen::Index first;
  int count;
  Eigen::Index row(int lane) const { return first + std::min(lane, count - 1); }
  Eigen::Index index(int lanes) const { return first / lanes; }
};

/// Throws an Error unless memory and shapes are those of the mechanism and fit each other.
void check_call(const Mechanism& m, const StackWorkspace& work, const Arguments& in, std::span<const Output> outputs);

/// f(part, begin, end, at) over all rows, a multiple of `lanes` at once, shared among threads. The first row with an
/// Error, which f leaves in `at`, is named in it.
void for_rows(StackWorkspace& work, Eigen::Index count, int lanes,
              const std::function<void(Part&, Eigen::Index begin, Eigen::Index end, Eigen::Index& at)>& f);

void load_wrenches(const Mechanism& m, Part& part, std::span<const ExternalWrench> external);
/// Checks every state of the group and puts it into lanes. `at` is the row at work, for errors.
void load(const Mechanism& m, Part& part, const Arguments& in, const Group& group, Eigen::Index& at);
/// Where a kernel writes each result, and from there to its rows.
void aim(Part& part, const Arguments& in, const Group& group, std::span<const Output> outputs);
void unpack(Part& part, const Group& group, std::span<const Output> outputs);

/// evaluate(part, group, at) for every group of rows, its states loaded into the lanes of the part.
template <class F>
void for_groups(const Mechanism& m, StackWorkspace& work, const Arguments& in, std::span<const Output> outputs,
                const F& evaluate) {
  check_call(m, work, in, outputs);
  const auto share = [&](Part& part, Eigen::Index begin, Eigen::Index end, Eigen::Index& at) {
    load_wrenches(m, part, in.external);
    for (Eigen::Index first = begin; first < end; first += part.lanes) {
      const Group group{first, static_cast<int>(std::min<Eigen::Index>(part.lanes, end - first))};
      load(m, part, in, group, at);
      aim(part, in, group, outputs);
      evaluate(part, group, at);
    }
  };
  for_rows(work, in.q->rows(), kernels::kernels().lanes, std::cref(share));  // a reference: nothing to allocate
}

/// kernel(part) evaluates one group and cannot fail.
template <class K>
void run(const Mechanism& m, StackWorkspace& work, const Arguments& in, std::span<Output> outputs, const K& kernel) {
  for_groups(m, work, in, outputs, [&](Part& part, const Group& group, Eigen::Index&) {
    kernel(part);
    unpack(part, group, outputs);
  });
}

}  // namespace stacks
}  // namespace amble
