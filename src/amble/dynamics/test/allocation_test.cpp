#include <gtest/gtest.h>

#include "amble/base/test/count_allocations.hpp"
#include "amble/dynamics/christoffel.hpp"
#include "amble/dynamics/coordinates/chart_dynamics.hpp"
#include "amble/dynamics/coordinates/hamiltonian.hpp"
#include "amble/dynamics/derivatives.hpp"
#include "amble/dynamics/joint_forces.hpp"
#include "amble/dynamics/kinematics.hpp"
#include "amble/dynamics/line_coordinates.hpp"
#include "amble/dynamics/momentum.hpp"
#include "amble/dynamics/placement_derivatives.hpp"
#include "amble/dynamics/regressor.hpp"
#include "amble/dynamics/springs.hpp"
#include "amble/dynamics/stack.hpp"
#include "amble/mechanism/builder.hpp"
#include "amble/mechanism/random_mechanism.hpp"

// Nothing allocates once a Workspace is there.
#ifdef AMBLE_COUNTS_ALLOCATIONS

namespace amble {
namespace {

TEST(Allocation, TheCounterCounts) {
  EXPECT_GT(allocations_of([] { delete new std::string(1000, 'x'); }), 0);
  EXPECT_GT(allocations_of([] { Eigen::VectorXd x(1000); }), 0);
}

TEST(Allocation, NoFunctionAllocatesAfterTheWorkspaceIsMade) {
  for (double mimic : {0.0, 0.5}) {
    const RandomMechanism r = random_mechanism(3, {.bodies = 40, .mimic = mimic});
    const SpringDescription spring{.name = "s", .body_a = "body7", .body_b = "body21", .stiffness = 9.0};
    const Mechanism m = Builder(r.mechanism.description()).spring(spring).build();
    Workspace work(m);
    const Eigen::VectorXd v = Eigen::VectorXd::Ones(m.nv()), a = 2.0 * v;
    const std::vector<ExternalWrench> external{{5, Wrench<double>({1, 2, 3}, {4, 5, 6})}};
    const std::vector<ActuatorBetween> actuators{{m.place("body7"), m.place("body21"), Wrench<double>({1, 2, 3}, {4, 5, 6})}};
    Christoffel symbols(m.nv());
    StackWorkspace stacks(m, 1);
    const RowMatrix q_rows = r.q.transpose().replicate(20, 1), v_rows = v.transpose().replicate(20, 1);
    RowMatrix rows(20, m.nv()), J(20, 6 * m.nv()), six(20, 6), dq(20, m.nv() * m.nv()), dv = dq, M_inverse = dq;
    LaneStack q_lanes(20, m.nq()), M_lanes(20, m.nv() * m.nv()), a_lanes(20, m.nv());
    for (int i = 0; i < 20; ++i) q_lanes.set_row(i, r.q);
    const std::vector<std::pair<const char*, std::function<void()>>> functions{
        {"forward_kinematics", [&] { forward_kinematics(m, work, r.q); }},
        {"pose", [&] { pose(m, work, r.q, "body39"); }},
        {"jacobian", [&] { jacobian(m, work, r.q, "body39"); }},
        {"inverse_dynamics", [&] { inverse_dynamics(m, work, r.q, v, a, external); }},
        {"forward_dynamics", [&] { forward_dynamics(m, work, r.q, v, a, external); }},
        {"mass_matrix", [&] { mass_matrix(m, work, r.q); }},
        {"bias_forces", [&] { bias_forces(m, work, r.q, v); }},
        {"gravity_forces", [&] { gravity_forces(m, work, r.q); }},
        {"jacobian_dot", [&] { jacobian_dot(m, work, r.q, v, "body39"); }},
        {"inverse_mass_matrix", [&] { inverse_mass_matrix(m, work, r.q); }},
        {"coriolis_matrix", [&] { coriolis_matrix(m, work, r.q, v); }},
        {"christoffel", [&] { christoffel(m, work, r.q, symbols); }},
        {"christoffel of the second kind", [&] { christoffel(m, work, r.q, symbols, ChristoffelKind::second); }},
        {"kinetic_energy", [&] { kinetic_energy(m, work, r.q, v); }},
        {"potential_energy", [&] { potential_energy(m, work, r.q); }},
        {"center_of_mass", [&] { center_of_mass(m, work, r.q); }},
        {"center_of_mass_velocity", [&] { center_of_mass_velocity(m, work, r.q, v); }},
        {"momentum_matrix", [&] { momentum_matrix(m, work, r.q); }},
        {"momentum_matrix_dot", [&] { momentum_matrix_dot(m, work, r.q, v); }},
        {"momentum", [&] { momentum(m, work, r.q, v); }},
        {"inverse_dynamics_derivatives", [&] { inverse_dynamics_derivatives(m, work, r.q, v, a, external); }},
        {"forward_dynamics_derivatives", [&] { forward_dynamics_derivatives(m, work, r.q, v, a, external); }},
        {"inverse_dynamics_regressor", [&] { inverse_dynamics_regressor(m, work, r.q, v, a); }},
        {"kinetic_energy_regressor", [&] { kinetic_energy_regressor(m, work, r.q, v); }},
        {"potential_energy_regressor", [&] { potential_energy_regressor(m, work, r.q); }},
        {"placement", [&] { inverse_dynamics_placement_derivatives(m, work, r.q, v, a, m.joints()[3].name); }},
        {"kinetic_energy_gradient", [&] { kinetic_energy_gradient(m, work, r.q, v); }},
        {"generalized_forces", [&] { generalized_forces(m, work, r.q, external); }},
        {"actuator_forces", [&] { actuator_forces(m, work, r.q, actuators); }},
        {"spring_forces", [&] { spring_forces(m, work, r.q, v); }},
        {"spring_energy", [&] { spring_energy(m, work, r.q); }},
        {"momenta", [&] { momenta(m, work, r.q, v); }},
        {"velocities", [&] { velocities(m, work, r.q, v); }},
        {"hamiltonian", [&] { hamiltonian(m, work, r.q, v); }},
        {"hamiltonian_rates", [&] { hamiltonian_rates(m, work, r.q, v, a, external); }},
        {"a stack", [&] { inverse_dynamics(m, stacks, q_rows, v_rows, v_rows, rows); }},
        {"a stack in lanes", [&] { mass_matrix(m, stacks, q_lanes, M_lanes); }},
        {"a stack in lanes and rows", [&] { forward_dynamics(m, stacks, q_lanes, v_rows, v_rows, a_lanes); }},
        {"a stack of derivatives",
         [&] { forward_dynamics_derivatives(m, stacks, q_rows, v_rows, v_rows, dq, dv, M_inverse); }},
        {"a stack of jacobian_dot", [&] { jacobian_dot(m, stacks, q_rows, v_rows, "body39", J); }},
        {"a stack of momentum_matrix", [&] { momentum_matrix(m, stacks, q_rows, J); }},
        {"a stack of momentum", [&] { momentum(m, stacks, q_rows, v_rows, six); }},
    };
    for (const auto& [name, f] : functions) EXPECT_EQ(allocations_of(f), 0) << name << ", mimic " << mimic;
  }
}

TEST(Allocation, NoChartAllocatesAfterItsMemoryIsMade) {
  const RandomMechanism r = random_mechanism(3, {.bodies = 20, .types = {"free", "spherical", "revolute"}});
  const Mechanism& m = r.mechanism;
  const Eigen::VectorXd v = Eigen::VectorXd::Ones(m.nv());
  const std::vector<PointForce> forces{{5, {1, 2, 3}, {4, 5, 6}}};
  for (const char* name : {"rpy", "quaternion", "matrix", "exponential"}) {
    ChartDynamics d{ChartCoordinates(m, chart(name))};
    const Eigen::VectorXd q = d.coordinates().from_configuration(r.q), qdot = d.coordinates().rates(q, v);
    EXPECT_EQ(allocations_of([&] {
                d.set_state(q, qdot);
                d.inverse(d.forward(v, forces), forces);
                d.mass_matrix();
                d.velocity_matrix();
              }),
              0)
        << name;
  }
}

}  // namespace
}  // namespace amble

#endif
