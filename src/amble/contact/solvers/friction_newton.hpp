#pragma once

#include "amble/contact/solvers/friction_interior.hpp"
#include "amble/contact/solvers/friction_splitting.hpp"
#include "amble/contact/solvers/scaled_friction.hpp"
#include "amble/contact/solvers/small_linear.hpp"

namespace amble {

/// Newton's method on the natural map of the laws (Alart and Curnier 1991). At forces f and velocities u, f -
/// u tells of every block whether it is open, sticks or slides; with that fixed the laws are linear but for
/// the direction of slip, and the linear system has rows only for what is not open. Where forces are
/// redundant they change as little as they can (a proximal term, iterated away), so that from no forces a
/// symmetric table stands on equal legs. Where Newton alone does not arrive, it starts again from where
/// sweeps of Gauss-Seidel and a path through the inside of all cones lead; from no forces, also from where
/// the method of multipliers and curves of solutions lead.
class FrictionNewton final : public FrictionSolver {
 public:
  explicit FrictionNewton(const FrictionOptions& options = {});

  const char* name() const override { return "newton"; }
  void reserve(int dimension, int blocks, int rows) override;
  const FrictionSolution& solve(const FrictionProblem& problem, std::span<const double> guess = {}) override;

 private:
  enum class Mode { stick, slide };
  struct Active {
    int block;
    int unknown, unknowns;  // where they are in the linear system
    Mode mode;
    double d[2];        // direction of the force of a sliding contact
    double compliance;  // across it
  };

  double tolerance() const;
  double target() const { return tolerance() * scaled_.scale(); }
  bool tired() const { return solves_ >= most_solves_ >> failures_; }

  bool search();

  // Newton, friction_newton.cpp.
  bool iterate(int steps, bool stubborn = true);
  bool step();
  bool step_from_guess();
  bool stay_near(double merit);
  void go_back(double merit);
  void go_to(double share);
  void find_limits();
  void choose_modes();
  bool choose_mode(const ScaledFriction::Block& b, Active& a, bool& moved);
  bool remember_mode(const ScaledFriction::Block& b, Active& a);
  void form_matrix();
  void form_block(const Active& a, const Active& c);
  bool solve_linear(int passes);
  double form_right();
  void add_unknowns();
  const double* gram(int i, int j);
  void keep_best();
  void restore(const std::vector<double>& forces);

  // Where all is still, friction_rest.cpp.
  bool settle();
  bool still();
  void stick_all();
  bool pull_inside();
  void stop_motion();
  bool come_to_rest();

  // Where Newton alone does not arrive, friction_rescue.cpp.
  bool near() const;
  bool rescue();
  void prove_wedge();
  bool start_afresh();
  bool follow_sweeps(int sweeps, int steps);
  bool follow_splitting(int first, int last);
  bool follow_path();
  bool follow_curve(double softness);
  bool try_from_path();
  const double* whole_gram();
  int find_contradiction();
  int find_wedge(double fast);

  FrictionOptions options_;
  ScaledFriction scaled_;
  LinearSystem linear_;
  FrictionSplitting splitting_;
  InteriorPath path_;
  FrictionSolution solution_;
  std::vector<Active> active_;
  std::vector<double> G_, right_, best_, start_, far_, from_;
  std::vector<double> limits_;  // see find_limits()
  std::vector<char> known_;     // which blocks of G_ are there
  double proximal_ = 0.0;       // of the linear system
  bool remembers_ = false;      // modes are those that the forces have, not those that f - u leads to
  double natural_ = 0.0, best_natural_ = 0.0;
  int given_solves_ = 0;  // at most, for problems of few rows
  int solves_ = 0, most_solves_ = 0, contradiction_ = -1;
  double tried_ = 0.0;    // smoothing where Newton was last tried from the interior path
  int since_ = 0;         // points of the path since then
  int wait_ = 0;          // solutions to go before settle() is tried again
  int failures_ = 0;      // in a row: a motion that got stuck is not worth all efforts in every step
  bool fresh_ = true;     // it started from no forces
  bool moves_ = false;    // with these it is not still()
  bool lenient_ = false;  // these do within the loose tolerance
  int leniency_ = 0;      // problems to go for which that may be
  bool coasts_ = false;   // the last solution was what it started from
  bool symmetric_ = true;
};

}  // namespace amble
