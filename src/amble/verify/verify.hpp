#pragma once

#include <functional>
#include <string>
#include <vector>

namespace amble {

/// A published or closed-form result and what Amble makes of it.
struct Verification {
  std::string id;      ///< unique, `area.name`
  std::string source;  ///< where the reference comes from
  double reference = 0.0, ours = 0.0;
  double tolerance = 0.0;  ///< on |ours - reference|
  std::string kind;        ///< "closed form", "published", "peer", "two routes"

  double error() const;
  /// False also when anything is not a number.
  bool pass() const;
};

/// An entry to be run: its identity is known before, so that a failing one can be named.
struct VerificationEntry {
  std::string id;
  std::function<Verification()> run;
};

struct VerificationArea {
  std::string name;
  std::vector<VerificationEntry> entries;
};

/// Every area that has entries.
std::vector<VerificationArea> verification_areas();

VerificationArea verify_models();
VerificationArea verify_dynamics();
VerificationArea verify_coordinates();
VerificationArea verify_constraints();
VerificationArea verify_simulation();
VerificationArea verify_contact();
VerificationArea verify_gaits();
VerificationArea verify_whole_body();

}  // namespace amble
