#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "amble/walkers/step_model.hpp"

namespace amble {

/// A parameter of a walker, with its default.
struct WalkerParameter {
  std::string name;
  double value = 0.0;
  std::string unit, meaning;
};

using WalkerValues = std::map<std::string, double, std::less<>>;

/// What is done about a straight swing leg that would touch the floor while it passes the stance leg, DS
/// Remark 4.3.
enum class Scuffing { ignore, detect };
Scuffing scuffing(std::string_view name);  ///< throws an Error for any other than "ignore" and "detect"

/// A walker that comes with Amble, one file each and one line in walkers.cpp, or one of a user's own file.
struct WalkerKind {
  std::string name, summary;
  std::vector<WalkerParameter> parameters;  ///< `slope_deg` and `gravity` are among them
  /// With every parameter given and checked to be finite. Throws an Error naming a value that makes no
  /// walker.
  std::function<std::unique_ptr<StepModel>(const WalkerValues& values, Scuffing scuffing)> make;
  bool powered = false;  ///< its phases put energy in, so that it may walk on a level floor by itself
};

const std::vector<WalkerKind>& walker_kinds();
/// Throws an Error with the nearest name when there is none.
const WalkerKind& walker_kind(std::string_view name);

/// All parameters of a walker, those of `given` replaced. Throws an Error for one that it does not have, or
/// that is not finite.
WalkerValues walker_values(const WalkerKind& kind, const WalkerValues& given);

/// The same of anything with parameters, "controller" 'pd' say.
WalkerValues parameter_values(std::string_view what, std::string_view name,
                              const std::vector<WalkerParameter>& parameters, const WalkerValues& given);

std::unique_ptr<StepModel> make_walker(const WalkerKind& kind, const WalkerValues& given = {},
                                       Scuffing scuffing = Scuffing::ignore);
std::unique_ptr<StepModel> make_walker(std::string_view name, const WalkerValues& given = {},
                                       Scuffing scuffing = Scuffing::ignore);

}  // namespace amble
