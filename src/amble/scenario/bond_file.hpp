#pragma once

#include <optional>

#include "amble/ports/bonds/bond_graph.hpp"
#include "amble/simulation/bond_simulator.hpp"

namespace amble {

/// How a bond graph file asks to be run.
struct BondRunSettings {
  double duration = 10.0, tolerance = 1e-10;
  double interval = 0.0;                 ///< s between records; 0 is a hundredth of the duration
  std::vector<std::string> record = {};  ///< quantities, see BondSimulator::value(); else every state
  std::vector<std::string> lowest = {};  ///< quantities whose least value is reported
  BondRepresentation representation = BondRepresentation::block;
  std::string integrator = "rkmk45";  ///< one of integrator_names()
  double step = 1e-3;                 ///< s, of integrators with fixed steps

  double row_interval() const { return interval > 0.0 ? interval : duration / 100; }
};

/// The least value of a quantity during a run, and when.
struct BondLowest {
  std::string name;
  double value = 0.0, t = 0.0;
};

/// A bond graph file (TOML):
///
///   name = "motor"
///   [parameters]                      # numbers, or expressions of other parameters
///   R = 1.5
///   [[element]]
///   name = "winding"
///   type = "I"                        # see BondElementDescription; the law is the key of its value:
///   inertance = "L"                   # a number, an expression, a vector or a matrix of them
///   states = "lambda"                 # optional: names, initial values, the domain, the ports of an IC
///   initial = 0.0
///   domain = "electrical"
///   [[element]]
///   name = "arm"
///   type = "mechanism"
///   model = "../models/arm.urdf"      # relative to this file; or builtin = "..." with parameters = { ... }
///   base = "from-file"                # from-file, fixed, floating
///   gravity = [0, 0, -9.81]
///   q = { elbow = 0.3 }               # where it starts, by joint
///   v = { elbow = 0.0 }
///   [[bond]]
///   from = "motor"
///   to = "arm.elbow"                  # optional: name, dimension, domain
///   [[signal]]
///   name = "speed"                    # `value`, or `rate` and `initial` for a state
///   value = "winding.f"
///   [simulation]                      # optional
///   duration = 2.0                    # s; also tolerance, interval (s), record = ["winding.f"], lowest = ["speed"]
///   integrator = "rkmk45"             # "radau" for stiff ones; step = 1e-3 (s) for those with fixed steps
struct BondFile {
  BondGraph graph;
  OwnedVector q, v;  ///< of its mechanism, if any
  std::optional<BondRunSettings> simulation;
};

/// Parses a bond graph file. Throws one Error with every problem; an unknown key is named with the nearest that
/// exists.
BondFile read_bond_file(const std::string& text, const std::string& file);
BondFile load_bond_file(const std::string& path);

/// What a run recorded: a row for each time.
struct BondRecord {
  std::vector<std::string> names;
  std::vector<double> t;
  OwnedRowMatrix values;
};

/// Runs a file's graph from its start; `watch` sees the time after each record and ends the run by false. Throws an
/// Error for a motion that cannot go on, and for a quantity that is not there before it begins.
class BondFileRun {
 public:
  BondFileRun(const BondFile& file, const BondRunSettings& settings);
  bool run(const std::function<bool(double t)>& watch = {});
  BondSimulator& simulator() { return simulator_; }
  BondRepresentation representation() const { return settings_.representation; }
  /// So far.
  BondRecord record() const;
  /// Of what the settings ask for, so far; found within steps.
  const std::vector<BondLowest>& lowest() const { return lowest_; }

 private:
  void add_row();
  void advance(double end);
  void look_lower(BondLowest& lowest, double from);

  BondRunSettings settings_;
  BondSimulator simulator_;
  std::vector<std::string> names_;
  std::vector<double> t_, values_;
  std::vector<BondLowest> lowest_;
};

}  // namespace amble
