#pragma once

#include <cstdint>
#include <vector>

#include "amble/contact/collide.hpp"

namespace amble {

/// What a scene remembers of its shapes from one step to the next: where they are, how far they have come,
/// which pairs cannot have met since, and where those touch that lie still.
class ContactSweep {
 public:
  /// Memory for the shapes of a scene at a time; forgets all of another one, or when time goes back.
  /// `may_touch`: flags, shapes x shapes.
  void start(std::uint64_t scene, double t, int shapes, const std::vector<char>& may_touch,
             const Vector3<double>& down);
  const Vector3<double>& down() const { return down_; }

  /// Takes a shape to a pose. `reach` of its points, or less than zero where it never moves.
  void place(int i, const Pose& X_WS, double reach, double travel);
  const Pose& pose(int i) const { return X_WS_[i]; }
  double travel(int i) const { return travel_[i]; }  ///< how far it may come in this step (m)

  /// Whether two shapes cannot come within `margin` of each other in this step.
  bool apart(int i, int j, double margin) const {
    return way_ahead_[i] + way_ahead_[j] + margin < apart_until_[i * shapes_ + j];
  }
  /// They are at least this far apart now.
  void note_distance(int i, int j, double distance) {
    apart_until_[i * shapes_ + j] = apart_until_[j * shapes_ + i] = way_[i] + way_[j] + distance;
  }

  /// Where a pair touched, carried along with both; false unless they lie as still against each other as
  /// rounding can tell.
  bool carried(int i, int j, double margin, ContactManifold& out) const;
  /// From the middle of j to where it touched i a step ago; `otherwise` where that is not known.
  Vector3<double> last_way(int i, int j, const Vector3<double>& otherwise) const;
  void keep(int i, int j, double reach, double margin, const ContactManifold& found);
  /// What collide_again() needs of a pair, until the next call of any of these.
  PairMemory& memory(int i, int j) { return pair(i, j).memory; }
  /// How far points of the two can have come towards each other since note_memory().
  double moved(int i, int j) { return way_[i] + way_[j] - pair(i, j).way; }
  void note_memory(int i, int j) { pair(i, j).way = way_[i] + way_[j]; }

  /// Shapes by where they begin along x, which changes little from step to step.
  std::vector<std::pair<double, int>>& order() { return order_; }
  void sort();

  ContactManifold found;  ///< room for what a pair gives

 private:
  struct Pair {
    PairMemory memory;
    double way = 0.0;  // of both, at the time of `memory`
    bool kept = false;
    Pose X_IJ;  // from here on where it touched
    double reach = 0.0, margin = 0.0;
    ContactManifold at;  // p_a and the normal in the axes of i, p_b in those of j
  };

  const Pair* kept(int i, int j) const;
  Pair& pair(int i, int j);

  std::uint64_t scene_ = 0;
  double t_ = 0.0;
  Vector3<double> down_ = Vector3<double>::Zero();  // where things fall to
  int shapes_ = 0;
  std::vector<Pose> X_WS_;
  std::vector<double> way_;                 // how far any point of a shape has come in all, at most
  std::vector<double> travel_, way_ahead_;  // what may come in this step, and the way with it
  std::vector<double> apart_until_;  // shapes x shapes: they stay apart while their ways add up to less;
                                     // infinite for those that never touch
  std::vector<int> pair_of_;         // shapes x shapes: which of the pairs, -1 for none
  std::vector<Pair> pairs_;          // those that anything is remembered of
  std::vector<std::pair<double, int>> order_;
};

}  // namespace amble
