#pragma once

#include "amble/contact/contact_space.hpp"
#include "amble/contact/solvers/friction_solver.hpp"
#include "amble/simulation/held_joints.hpp"
#include "amble/simulation/integrator.hpp"
#include "amble/simulation/port_flow.hpp"

namespace amble {

/// How well contacts were solved for.
struct ContactReport {
  FrictionCertificate certificate;  ///< of the last step
  double worst_residual = 0.0;      ///< since the start, see FrictionCertificate::residual
  long unsolved_steps = 0;          ///< those whose residual was above the tolerance; the best solution was used
  long eased_steps = 0;             ///< those in which things that overlap could not be pushed apart, only kept from going deeper
  double deepest = 0.0;             ///< the largest penetration at the start of a step (m)
};

/// Steps of fixed length over any number of contacts (Moreau; Stewart and Trinkle):
///     M (v1 - v0) = h (tau - bias) + J^T f,   q1 = q0 exp(h v1),
/// with impulses f that meet the laws of unilateral contact and Coulomb's friction for the velocities at the end of
/// the step, together with joint limits, dry friction in joints and the constraints that hold. Nothing enters another
/// thing by more than the curvature of its path within a step, and what sticks does not creep. Order 1, restitution by
/// Newton's law for what meets faster than a fall of a few steps. Damping that is solved for is taken at the end. Velocities
/// within a step are along the axes of its start, so that a body that rolls or spins in flight goes straight on.
class TimeSteppingIntegrator : public Integrator {
 public:
  static constexpr bool kSolvesElements = true;

  /// `flow` must be a PortFlow and outlive this. Throws an Error for elements that ask for forces of constraints.
  explicit TimeSteppingIntegrator(Flow& flow, const IntegratorOptions& options = {});

  bool keeps_books() const override { return false; }
  std::span<const SteppedContact> contacts() const override { return contacts_; }
  const ContactReport* contact_report() const override { return &contact_report_; }

 protected:
  void take(double end, bool exactly) override;
  double longest_step() const override { return options_.step; }
  void interpolate_inside(double t, OwnedVector& q, OwnedVector& x) const override;
  void restart() override { ports_.stepped_forces().clear(), contacts_.clear(), last_.clear(), grips_.clear(), last_grips_.clear(), eased_.clear(), last_eased_.clear(), held_.forget(), contact_report_ = {}; }
  void forget_rates() override { start_rates_known_ = end_rates_known_ = false; }
  void rewind() override { end_rates_known_ = false; }

 private:
  void find_start_forces();
  void find_blocks(double h);
  void find_islands();
  int top(int root);
  void find_held();
  void find_damping(double h);
  void find_free_motion(double h);
  [[noreturn]] void refuse_motion() const;
  void solve(double h);
  bool holds(double h);
  void solve_islands(double h);
  void solve_island(double h, std::size_t begin, std::size_t end, bool constrained);
  Vector3<double> point_of(std::size_t i) const;
  void add_block(double h, std::size_t i);
  void add_constraints(double h);
  void set_target(double h, const SteppedContact& contact, int row, double before);
  void add_guess(std::size_t i, int row);
  bool level(std::size_t i, std::size_t j) const;
  bool strayed(std::size_t i, Vector3<double>& by) const;
  void take_back(double h, std::size_t begin, std::size_t end);
  void find_return(double h, std::size_t first, std::size_t last);
  bool few_ways(const ContactPoint& at) const;
  void keep_to_open_ways(std::size_t i, int block);
  /// Of a contact in a step: whether it has to go back where it should be, see ease().
  enum class Ease : char { none, little, wedged };
  bool stays_eased(std::size_t i, const FrictionBlock& block) const;
  bool little_to_do(std::size_t i, const FrictionBlock& block) const;
  bool ease(std::size_t i, const FrictionBlock& block, Ease how);
  void ease_those(std::size_t begin, std::size_t end, const FrictionSolution& solution, double share);
  const FrictionSolution& solve_eased(std::size_t begin, std::size_t end);
  void take_forces(double h, std::size_t i, const FrictionBlock& block, const FrictionSolution& solution);
  void move(double h);
  void book(double h);

  /// A contact that stuck in a step: where it acted at the step's start, in the axes of both links, and their surfaces' points.
  struct Grip {
    bool sticks = false;
    Vector3<double> on_a, on_b, surface_a, surface_b;
    Vector3<double> moved;  // as it was to move in the step, in world axes (m)
  };
  Grip grip_of(double h, std::size_t i, const FrictionBlock& block, const FrictionSolution& solution) const;

  PortFlow& ports_;
  ContactSpace space_;
  HeldJoints held_;
  FrictionProblem problem_;
  std::unique_ptr<FrictionSolver> solver_;
  OwnedVector damping_;  // h times; empty when there is none
  bool start_rates_known_ = false, end_rates_known_ = false;
  OwnedVector tau_, tau_end_, rates_, end_rates_;  // of the elements
  // Velocities of a step are along the axes of its start: before, without forces of the motion itself, at the end.
  OwnedVector v_, v_end_, y_, d_, v_free_, q_end_, x_end_, impulses_;
  OwnedVector given_, held_impulses_;  // of a step: h (tau - bias); what holds joints
  mutable OwnedVector inside_;  // room for interpolate_inside()
  std::vector<StepBlock> blocks_;
  std::vector<SteppedContact> contacts_, last_;
  std::vector<double> works_;              // of each contact (J)
  std::vector<ContactSpace::Axes> axes_;   // of each contact
  std::vector<Vector3<double>> points_;    // where each contact acts
  std::vector<Grip> grips_, last_grips_;   // of each contact, and of each of the last
  std::vector<int> earlier_;               // of each contact: which it was among the last, -1 for none
  std::vector<Ease> eased_, last_eased_;   // of each contact, and of each of the last
  std::vector<std::array<double, 2>> taken_back_;  // of each contact: see take_back() (m/s)
  std::vector<double> before_, guess_;     // velocities of an island's rows before; impulses to start from
  double last_step_ = 0.0;                 // s
  std::ptrdiff_t shift_ = 0;               // by how much later than now a contact was among the last, most likely
  std::vector<int> root_of_link_, root_of_velocity_, above_, island_;  // islands: roots that contacts join
  std::vector<int> order_;
  bool unsolved_ = false, eased_step_ = false;
  FrictionCertificate certificate_;  // the worst of a step's islands
  ContactReport contact_report_;
};

}  // namespace amble
