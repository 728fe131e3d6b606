#pragma once

#include <string>
#include <utility>
#include <vector>

#include "amble/contact/contact_pair.hpp"
#include "amble/geometry/ground.hpp"

namespace amble {

/// Two bodies by their names; "world" is the scenery, and the ground where there is one.
using BodyPair = std::pair<std::string, std::string>;

/// Two bodies where they are nearest.
struct BodyDistance {
  BodyPair bodies;
  ContactPoint at;  ///< its distance is negative where they penetrate (then along the direction of least depth)
};

struct BodyDistanceOptions {
  /// Empty: all that may meet, see meeting_bodies().
  std::vector<BodyPair> pairs = {};
  /// Null: none. Spheres and ellipsoids over any ground, all shapes over a plane.
  GroundPtr ground = nullptr;
};

/// Pairs of bodies with collision shapes that no joint connects and that do not overlap in the neutral configuration:
/// those that overlap where a robot is put together always do. A robot and an object beside it may meet in any case.
/// Bodies that are named are left out.
std::vector<BodyPair> meeting_bodies(const Mechanism& mechanism, const std::vector<std::string>& left_out = {});
/// Bodies with collision shapes that cannot be had, as meshes whose files are not there: of each its name and what is wrong.
std::vector<std::pair<std::string, std::string>> bodies_without_shapes(const Mechanism& mechanism);

/// How far bodies are from each other, by their collision shapes, and how that changes. Owns its memory.
class BodyDistances {
 public:
  /// An Error for a body that is not there, has no collision shape, or is paired with itself.
  explicit BodyDistances(const Mechanism& mechanism, const BodyDistanceOptions& options = {});

  std::size_t size() const { return pairs_.size(); }
  /// Nearest points of every pair at `q`, in the order of the pairs.
  const std::vector<BodyDistance>& evaluate(const VectorRef& q);
  /// d distance / dt = row v for the pair, where evaluate() was last called. It holds wherever the nearest pair of shapes
  /// is one and the normal is unique: the points may slide, which does not change the distance to first order.
  void gradient(std::size_t pair, double* row) const;

 private:
  struct Shapes {
    ContactPairPtr pair;
    ContactPoint last;  // where they were nearest the last time
    bool known = false;
  };
  ContactPoint nearest(std::vector<Shapes>& shapes) const;

  ConstraintKinematics at_;
  OwnedVector rest_;
  std::vector<std::vector<Shapes>> pairs_;  // of each two bodies, shape by shape
  std::vector<BodyDistance> found_;
};

}  // namespace amble
