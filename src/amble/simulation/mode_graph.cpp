#include "amble/simulation/mode_graph.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "amble/base/error.hpp"

namespace amble {

namespace {

using Numbers = Eigen::Map<const Eigen::VectorXd>;

int configuration_size(const Flow& flow) { return flow.mechanism() == nullptr ? 0 : flow.mechanism()->nq(); }

}  // namespace

const Flow& ModeGraph::first() const {
  if (modes_.empty()) throw Error("a mode graph has no mode yet: add_mode() comes first");
  return *modes_.front();
}

int ModeGraph::index_of(const std::string& mode) const {
  const auto found = std::find(names_.begin(), names_.end(), mode);
  if (found == names_.end())
    throw Error(fmt::format("there is no mode '{}': expected one of {}", mode, fmt::join(names_, ", ")));
  return static_cast<int>(found - names_.begin());
}

void ModeGraph::add_mode(std::string name, std::unique_ptr<Flow> flow) {
  if (std::find(names_.begin(), names_.end(), name) != names_.end())
    throw Error(fmt::format("there is a mode '{}' already", name));
  if (flow->guards() > 0) throw Error(fmt::format("the flow of mode '{}' has events of its own: write them as transitions", name));
  if (!modes_.empty() && (flow->size() != first().size() || configuration_size(*flow) != configuration_size(first())))
    throw Error(fmt::format("mode '{}' has a state of {} + {} numbers, but '{}' has {} + {}", name,
                            configuration_size(*flow), flow->size(), names_.front(), configuration_size(first()),
                            first().size()));
  names_.push_back(std::move(name)), modes_.push_back(std::move(flow));
}

void ModeGraph::add_transition(Transition transition) {
  if (!transition.guard) throw Error(fmt::format("transition '{}' has no guard", transition.name));
  ends_.emplace_back(index_of(transition.from), index_of(transition.to));
  transitions_.push_back(std::move(transition));
}

OwnedVector ModeGraph::start(const VectorRef& x, const std::string& mode) const {
  if (x.size() != first().size())
    throw Error(fmt::format("the state has {} numbers, but the modes have {}", x.size(), first().size()));
  OwnedVector out(size());
  out << x, static_cast<double>(mode.empty() ? 0 : index_of(mode));
  return out;
}

const std::string& ModeGraph::mode(const VectorRef& x) const { return names_.at(mode_in(x.data())); }

void ModeGraph::rates(double t, const double* q, const double* x, double* v, double* xdot) {
  modes_[mode_in(x)]->rates(t, q, x, v, xdot);
  xdot[size() - 1] = 0.0;
}

bool ModeGraph::after_step(double t, double* q, double* x) {
  last_mode_ = mode_in(x);
  return modes_[last_mode_]->after_step(t, q, x);
}

void ModeGraph::forgive(double t, const double* q, const double* x, double* q_error, double* x_error) {
  modes_[mode_in(x)]->forgive(t, q, x, q_error, x_error);
}

double ModeGraph::singular_time() const { return modes_[last_mode_]->singular_time(); }

void ModeGraph::guard_values(double t, const double* q, const double* x, double* values) {
  for (std::size_t i = 0; i < transitions_.size(); ++i)
    values[i] = ends_[i].first != mode_in(x) ? -1.0
                                             : transitions_[i].guard(t, Numbers(q, configuration_size(first())),
                                                                     Numbers(x, first().size()));
}

/// Of several transitions at one instant the first in the list is taken; its end may begin others.
bool ModeGraph::happen(double t, std::span<const signed char> crossed, double* q, double* x) {
  for (std::size_t i = 0; i < transitions_.size(); ++i) {
    if (crossed[i] <= 0 || ends_[i].first != mode_in(x)) continue;
    OwnedVector q_now = Numbers(q, configuration_size(first())), x_now = Numbers(x, first().size());
    if (transitions_[i].reset) transitions_[i].reset(t, q_now, x_now);
    if (!q_now.allFinite() || !x_now.allFinite())
      throw Error(fmt::format("the reset of '{}' at {:.12g} s gives a state that is not finite", transitions_[i].name, t));
    std::copy_n(q_now.data(), q_now.size(), q);
    std::copy_n(x_now.data(), x_now.size(), x);
    x[size() - 1] = last_mode_ = ends_[i].second;
    events_.push_back({t, transitions_[i].name});
    return true;
  }
  return false;
}

}  // namespace amble
