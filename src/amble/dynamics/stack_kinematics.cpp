#include "amble/dynamics/place_reader.hpp"
#include "amble/dynamics/stack_memory.hpp"

namespace amble {

namespace {

using stacks::Arguments;
using stacks::Group;
using stacks::Output;
using stacks::Part;

/// read(part, numbers, row, to) for every state, `to` being its row of `out`.
template <class F>
void read_places(const Mechanism& m, StackWorkspace& work, const Arguments& in, Output out, const F& read) {
  stacks::for_groups(m, work, in, {&out, 1}, [&](Part& p, const Group& group, Eigen::Index&) {
    double *poses = p.poses.numbers(), *columns = p.columns.numbers(), *rates = p.column_rates.numbers();
    kernels::kernels().kinematics.lanes(p.tree, p.scratch.data(), p.q.at,
                                        in.v == nullptr ? nullptr : p.v.at, p.custom.numbers(), poses, columns,
                                        rates);
    for (int lane = 0; lane < group.count; ++lane) {
      const Eigen::Index row = group.row(lane);
      double* const to = out.rows.row(row);
      double* const written = to != nullptr ? to : p.result_row.data();
      read(p, KinematicsNumbers{poses + lane, columns + lane, rates + lane, p.lanes}, row, written);
      if (to == nullptr) out.rows.put_row(row, written);
    }
  });
}

}  // namespace

void pose(const Mechanism& m, StackWorkspace& work, const StackInput& q, std::string_view place, StackOutput X_WB) {
  const PlaceReader at(m, work.parts().front()->single, place);
  read_places(m, work, {&q}, {X_WB, 16}, [&](Part&, const KinematicsNumbers& x, Eigen::Index, double* to) {
    Eigen::Map<RowMatrix>(to, 4, 4) = at.pose(x).matrix();
  });
}

void position(const Mechanism& m, StackWorkspace& work, const StackInput& q, const Place& place, StackOutput p_WP) {
  work.parts().front()->single.check_owner(m);
  const KernelTree& tree = work.parts().front()->single.memory().tree;
  const int node = tree.node_of_link(place.link);
  const Vector3<double> p_NP = (Pose(tree.turn_of_link(place.link)) * place.X_LP).translation();
  Output out[] = {{p_WP, 3, &Part::summary}};
  stacks::run(m, work, {&q}, out, [&](Part& p) {
    double *const to = p.summary.at, *const from = p.poses.numbers() + Eigen::Index(kernels::kPose) * node * p.lanes;
    kernels::kernels().kinematics.lanes(p.tree, p.scratch.data(), p.q.at, nullptr, p.custom.numbers(),
                                        p.poses.numbers(), p.columns.numbers(), p.column_rates.numbers());
    const auto number = [&](int i, int lane) { return from[i * p.lanes + lane]; };
    for (int k = 0; k < 3; ++k)
      for (int l = 0; l < p.lanes; ++l)
        to[k * p.lanes + l] = node == 0 ? p_NP[k]
                                        : number(12 + k, l) + (number(9 + k, l) + number(3 * k, l) * p_NP[0] +
                                                               number(3 * k + 1, l) * p_NP[1] + number(3 * k + 2, l) * p_NP[2]);
  });
}

void jacobian(const Mechanism& m, StackWorkspace& work, const StackInput& q, std::string_view place, StackOutput J,
              const JacobianOptions& options) {
  const PlaceReader at(m, work.parts().front()->single, place, options);
  read_places(m, work, {&q}, {J, 6 * m.nv()},
              [&](Part&, const KinematicsNumbers& x, Eigen::Index, double* to) { at.jacobian(x, to); });
}

void jacobian_dot(const Mechanism& m, StackWorkspace& work, const StackInput& q, const StackInput& v,
                  std::string_view place, StackOutput J_dot, const JacobianOptions& options) {
  const PlaceReader at(m, work.parts().front()->single, place, options);
  read_places(m, work, {.q = &q, .v = &v, .custom = CustomNumbers::changes}, {J_dot, 6 * m.nv()},
              [&](Part& p, const KinematicsNumbers& x, Eigen::Index row, double* to) {
                at.jacobian_dot(x, v.row(row, p.v_row.data()), to);
              });
}

}  // namespace amble
