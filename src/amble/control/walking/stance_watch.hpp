#pragma once

#include "amble/geometry/ground.hpp"
#include "amble/ports/element.hpp"

namespace amble {

/// A foot with a switch under it, as Dribbel has them (DS 5.3.2).
struct SwitchedFoot {
  std::string place;                                ///< a body or frame of the mechanism
  Vector3<double> point = Vector3<double>::Zero();  ///< in its coordinates: what touches, or the centre of a round foot (m)
  double radius = 0.0;                              ///< of a round foot (m)
};

struct StanceOptions {
  std::vector<SwitchedFoot> feet;  ///< two or more
  int first = 0;                   ///< which of them stands at the start
  double period = 0.01;            ///< s between looks at the switches; 0: a switch is seen as soon as it closes
  double travel = 1e-8;            ///< m: a switch is closed where its foot is nearer to the ground than this
  GroundPtr ground = plane_ground();
  /// Throws an Error that names the element.
  void validate(const std::string& name, const Mechanism& mechanism) const;
};

/// Which foot a walker stands on: the one that came down last. A foot counts again when it has been clear of the
/// ground by twice the travel of its switch. Elements that ask have one each, and its numbers in their memories, as
/// the joints of Dribbel have a board each.
class StanceWatch {
 public:
  StanceWatch(const std::string& name, const Mechanism& mechanism, const StanceOptions& options);

  bool sampled() const { return options_.period > 0.0; }
  int feet() const { return static_cast<int>(options_.feet.size()); }
  /// How many numbers of memory it takes.
  int memory() const { return kClear + feet(); }
  void start(const PortState& at, double* memory) const;

  static int stance(const double* memory) { return static_cast<int>(memory[kStance]); }
  /// When that foot came down (s).
  static double since(const double* memory) { return memory[kSince]; }

  /// Whether it is time to look; counts the look when it is.
  bool due(double t, double* memory) const;
  /// The next look; never where switches are seen at once.
  double next_look(const double* memory) const;
  /// Reads the switches: true when another foot has come down.
  bool look(const PortState& at, double* memory) const;
  /// The same from the guards that rose, for those that see switches at once.
  bool see(double t, std::span<const signed char> crossed, double* memory) const;
  bool closed(const PortState& at, int foot) const { return clearance(at, foot) <= options_.travel; }
  /// Where a foot is (m, world).
  Vector3<double> place(const PortState& at, int foot) const;

  /// One for each foot, for those that see switches at once: rises where it closes or is clear again.
  void guard_values(const PortState& at, double* values) const;

 private:
  enum { kStart, kLooks, kStance, kSince, kClear };

  double clearance(const PortState& at, int foot) const;
  void stand_on(int foot, double t, double* memory) const;

  StanceOptions options_;
};

}  // namespace amble
