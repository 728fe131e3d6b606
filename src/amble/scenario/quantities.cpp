#include "amble/scenario/quantities.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "amble/base/error.hpp"
#include "amble/base/names.hpp"
#include "amble/dynamics/kinematics.hpp"
#include "amble/mechanism/coordinate_names.hpp"
#include "amble/scenario/contact_checks.hpp"

namespace amble {

namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

/// A number of the state, or the height of a body, at each time.
Eigen::VectorXd history_of(const std::string& words, const Recording& r) {
  const std::size_t colon = words.find(':');
  const std::string kind = words.substr(0, colon), name = words.substr(colon + 1);
  const Mechanism& m = r.mechanism();
  if (kind == "height") {
    m.body_index(name);  // says when there is none
    Workspace work(m);
    Eigen::VectorXd out(r.rows());
    for (Eigen::Index i = 0; i < r.rows(); ++i) out[i] = pose(m, work, r.q().row(i).transpose(), name).translation().z();
    return out;
  }
  const std::vector<std::string> names = kind == "q" ? q_names(m) : v_names(m);
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end())
    throw Error(fmt::format("a check is about '{}', which the state does not have{}", name, suggestion(name, names)));
  return (kind == "q" ? r.q() : r.v()).col(found - names.begin());
}

/// The first time; infinity when it has not happened.
double time_of(const std::string& event, const Recording& r) {
  const auto same = [&](const RecordedEvent& e) { return e.name == event; };
  const auto found = std::find_if(r.events().begin(), r.events().end(), same);
  return found == r.events().end() ? kNever : found->t;
}

/// Of events with this name, also where it is followed by something in brackets: "footfall (left leg)" is a "footfall".
double count_of(const std::string& event, const Recording& r) {
  const auto same = [&](const RecordedEvent& e) { return e.name == event || e.name.starts_with(event + " ("); };
  return static_cast<double>(std::count_if(r.events().begin(), r.events().end(), same));
}

}  // namespace

double quantity_of(const std::string& words, const Recording& r, const RunFacts& facts) {
  const Ledger& books = r.ledger();
  if (words == "residual") return books.residual();
  if (words == "relative_residual") return books.exchanged > 0.0 ? books.residual() / books.exchanged : 0.0;
  if (words == "energy_change") return books.final - books.initial;
  if (words == "losses") return books.losses;
  if (words == "violation") return facts.violation;
  if (words == "torque_use") return facts.torque_use;
  if (words == "slip") return fastest_slip(r);
  if (words == "cone_use") return cone_use(r);
  if (words == "limit_margin") return least_limit_margin(r);
  const std::string rest = words.substr(words.find(':') + 1);
  if (words.starts_with("time:")) return time_of(rest, r);
  if (words.starts_with("count:")) return count_of(rest, r);
  if (words.starts_with("lowest:")) return history_of(rest, r).minCoeff();
  if (words.starts_with("highest:")) return history_of(rest, r).maxCoeff();
  return history_of(words, r).tail(1)[0];
}

}  // namespace amble
