#pragma once

#include "amble/recording/recording.hpp"
#include "amble/simulation/simulator.hpp"

namespace amble {

/// A motion as it was measured, a row for each time.
struct MeasuredMotion {
  std::vector<double> t;  ///< s, increasing
  OwnedRowMatrix q;       ///< nq numbers
  OwnedRowMatrix v = {};  ///< nv numbers; empty: not measured
  OwnedRowMatrix tau =
      {};  ///< nv numbers, forces of actuators, straight lines between times; empty: none act
  /// Throws an Error unless sizes, times and numbers are those of a motion of the mechanism.
  void check(const Mechanism& mechanism) const;
};
MeasuredMotion motion_of(const Recording& recording);

/// A measured motion cut into pieces that are simulated one by one, each from a start of its own.
class MotionPieces {
 public:
  /// Pieces of `length` seconds (0: one), of no fewer times than a start has numbers.
  MotionPieces(const Mechanism& mechanism, const MeasuredMotion& motion, double length, double tolerance);

  int count() const { return static_cast<int>(first_.size()) - 1; }
  int times(int piece) const { return first_[piece + 1] - first_[piece]; }
  /// Numbers that are compared: nv for each time of q, the same of v.
  int q_rows(int piece) const { return times(piece) * nv_; }
  int rows(int piece) const { return (motion_.v.rows() > 0 ? 2 : 1) * q_rows(piece); }
  int rows() const;

  struct Start {
    OwnedVector q, v;
  };
  /// As measured, or velocities by differences.
  std::vector<Start> measured_starts() const;

  /// How a start may be moved: directions of q and of v, columns of nv numbers. All of them, but where a mechanism's
  /// loops and wheels allow some only; each start is brought back onto those before it is simulated.
  struct Directions {
    OwnedMatrix q, v;
    Eigen::Index count() const { return q.cols() + v.cols(); }
  };
  Directions directions(Simulator& simulator, const Start& start) const;
  /// A start moved by a multiple of each direction.
  Start moved(const Start& start, const Directions& directions, const VectorRef& by) const;

  /// A simulator for a mechanism that moves as this one was moved. The pieces must outlive it.
  Simulator simulator(const Mechanism& mechanism) const;
  /// q, then v, of all times of a piece, a row each.
  struct Course {
    OwnedRowMatrix q, v;
  };
  Course simulate(Simulator& simulator, int piece, const Start& start) const;
  Course measured(int piece) const;
  /// b - a as rows() numbers, those of q first; the same for any two courses of a piece.
  OwnedVector difference(int piece, const Course& a, const Course& b) const;

 private:
  OwnedVector tau_at(double t) const;

  Mechanism mechanism_;
  MeasuredMotion motion_;
  double tolerance_;
  int nv_;
  std::vector<int> first_;  // time of each piece, and the end; neighbours share no time
};

}  // namespace amble
