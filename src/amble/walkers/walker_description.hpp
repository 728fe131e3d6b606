#pragma once

#include <map>
#include <optional>

#include "amble/mechanism/mechanism.hpp"

// A walker of one's own: a mechanism, the feet that it stands on, and the order in which it stands on them.
// Everything that the gait tools need follows from this; see described_walker.hpp.
namespace amble {

struct WalkerDescription {
  std::string name;
  /// With a free root. Where all coordinates are zero it stands upright: x ahead, y to the left, z up. Its
  /// gravity does not count: the walker has its own.
  Mechanism model;
  bool planar = true;     ///< walks in the plane of x and z: every joint turns about y or slides in the plane
  double slope = 0.0;     ///< of the floor, downhill along x (rad)
  double gravity = 9.81;  ///< m/s^2

  struct Foot {
    std::string name, body;
    Vector3<double> point{0.0, 0.0,
                          0.0};  ///< on the body: what touches the floor, or the centre of a round foot
    double radius = 0.0;         ///< of a disc that rolls; 0: a point
  };
  std::vector<Foot> feet;

  /// A joint that comes to an angle, as a knee that becomes straight.
  struct Stop {
    std::string joint;
    double at = 0.0;
    bool rises = true;  ///< from below
  };
  struct Phase {
    std::string name, stance, swing;            ///< feet
    std::optional<Stop> stop = {};              ///< what ends it; nothing: the swing foot comes down
    std::map<std::string, double> locked = {};  ///< joints that do not move in it, and where they are
    std::map<std::string, double> rest =
        {};  ///< where springs of joints are at rest in it, when not as in the model
    /// How large this sum of coordinates has to be before the swing foot may touch the floor, DS Remark 4.3;
    /// empty: it always may.
    std::map<std::string, double> passing = {};
    double passed = 0.01;
    /// What the event brings to rest beside the foot that comes down (the one that stands, where a joint
    /// stops) and the joints that are locked in this phase or the next.
    std::vector<std::string> holds_joints = {}, holds_feet = {};
  };
  std::vector<Phase> phases;

  /// Left and right of a walker: what each joint and foot is called on the other side.
  struct Symmetry {
    /// Whether a step is a return, with left and right exchanged after it, or only a full stride, in which
    /// the phases are repeated with the names of the other side.
    enum class Return { step, stride };
    Return returns = Return::step;
    std::map<std::string, std::pair<std::string, double>>
        joints;  ///< and the sign that their angles change by
    std::map<std::string, std::string> feet;
  };
  std::optional<Symmetry> symmetry;  ///< nothing: the phases are those of a full stride, whatever it is

  /// Beyond these the walker has failed, in words.
  struct Bound {
    std::string coordinate;
    double lower, upper;
    std::string failure;
  };
  std::vector<Bound> bounds;

  /// Where cycles are looked for, by the names of coordinates at the start of a step and, with a d before
  /// them, of their rates.
  struct Range {
    std::string name;
    double lower, upper;
  };
  std::vector<Range> region;
  /// Those that are not bounded there: a number, and multiples of numbers that are. Zero when not named.
  struct Start {
    double constant = 0.0;
    std::map<std::string, double> multiples = {};
  };
  std::map<std::string, Start> start;

  double longest_step = 0.0;  ///< s; 0: thirty times the time in which the walker would fall its own height
};

}  // namespace amble
