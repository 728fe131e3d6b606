#include "amble/control/stance/stance_search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <queue>

#include "amble/base/error.hpp"
#include "amble/control/stance/clear_postures.hpp"

namespace amble {

namespace {

/// For each patch the candidate that is held, or -1.
using Held = std::vector<int>;

class Search {
 public:
  Search(const Mechanism& m, const std::vector<ContactPatch>& patches, const std::vector<CandidateContact>& candidates,
         const StanceSearchSettings& settings)
      : patches_(patches), candidates_(candidates), settings_(settings), postures_(m, settings.posture.ground, settings.clearance) {
    for (const ContactPatch& patch : patches) patch.validate(m);
    for (const CandidateContact& c : candidates) owner_.push_back(index_of(c.contact));
  }

  StanceSearch run(const Stance& start, const Stance& goal, const OwnedVector& q) {
    const Held from = held_of(start);
    goal_ = held_of(goal);
    const std::optional<OwnedVector> rests = posture(from, -1, q);
    if (!rests) return failed(fmt::format("the start '{}' has no posture: {}", start.name, why_));
    nodes_.push_back({from, *rests, -1, 0.0});
    open(0);
    while (!queue_.empty()) {
      const int at = queue_.top().second;
      queue_.pop();
      if (best_.at(nodes_[at].held) < nodes_[at].cost) continue;  // a cheaper way came later
      ++out_.nodes;
      if (nodes_[at].held == goal_) return told(at, start, goal);
      for (const auto& next : neighbours(nodes_[at].held)) {
        if (out_.tried >= settings_.postures) return failed(fmt::format("no way after {} postures", out_.tried));
        go(at, next);
      }
    }
    return failed(fmt::format("no way: all {} stances that can be reached were looked at", out_.nodes));
  }

 private:
  struct Node {
    Held held;
    OwnedVector q;
    int before;
    double cost;
  };
  struct Change {
    Held held;
    int candidate;  // that is let go or placed
    bool placed;
  };

  int index_of(const std::string& name) const {
    const auto at = std::find_if(patches_.begin(), patches_.end(), [&](const ContactPatch& p) { return p.name == name; });
    if (at == patches_.end()) throw Error(fmt::format("a stance holds '{}', which is no contact", name));
    return static_cast<int>(at - patches_.begin());
  }

  /// Places that a stance names join the candidates.
  Held held_of(const Stance& stance) {
    Held out(patches_.size(), -1);
    for (const auto& [name, place] : stance.contacts) {
      const int patch = index_of(name);
      int found = -1;
      for (std::size_t i = 0; i < candidates_.size(); ++i)
        if (owner_[i] == patch && (candidates_[i].X_ST.matrix() - place.matrix()).cwiseAbs().maxCoeff() < 1e-9) found = static_cast<int>(i);
      if (found < 0) candidates_.push_back({name, place}), owner_.push_back(patch), found = static_cast<int>(candidates_.size()) - 1;
      out[patch] = found;
    }
    return out;
  }

  std::vector<Change> neighbours(const Held& held) const {
    std::vector<Change> out;
    const auto count = std::count_if(held.begin(), held.end(), [](int c) { return c >= 0; });
    for (std::size_t patch = 0; patch < held.size(); ++patch) {
      if (held[patch] < 0) continue;
      if (count <= settings_.least_contacts) continue;
      Held next = held;
      next[patch] = -1;
      out.push_back({next, held[patch], false});
    }
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
      if (held[owner_[i]] >= 0) continue;
      Held next = held;
      next[owner_[i]] = static_cast<int>(i);
      out.push_back({next, static_cast<int>(i), true});
    }
    return out;
  }

  /// Resting on what is held, with one more part in its place that bears nothing.
  std::optional<OwnedVector> posture(const Held& held, int also, const OwnedVector& near) {
    std::vector<PostureContact> contacts;
    for (std::size_t patch = 0; patch < held.size(); ++patch)
      if (held[patch] >= 0) contacts.push_back({patches_[patch], candidates_[held[patch]].X_ST});
    std::vector<PostureContact> touching;
    if (also >= 0) touching.push_back({patches_[owner_[also]], candidates_[also].X_ST});
    const StaticPosture found = postures_.find(contacts, touching, near, settings_.posture);
    ++out_.tried, out_.refused += !found.found();
    why_ = found.message;
    if (!found.found()) return {};
    return found.q;
  }

  double reach_left(const Held& held) const {
    double sum = 0.0;
    for (std::size_t patch = 0; patch < held.size(); ++patch) {
      if (held[patch] == goal_[patch]) continue;
      if (held[patch] < 0 || goal_[patch] < 0) {
        sum += settings_.change_cost;
        continue;
      }
      sum += 2.0 * settings_.change_cost + distance(held[patch], goal_[patch]);
    }
    return sum;
  }
  double distance(int a, int b) const { return (candidates_[a].X_ST.translation() - candidates_[b].X_ST.translation()).norm(); }

  /// What a part travels is paid when it is placed, from where it was last held on the way here.
  double price(int at, const Change& change) const {
    double travelled = 0.0;
    const int patch = owner_[change.candidate];
    for (int node = at; change.placed && node >= 0; node = nodes_[node].before)
      if (nodes_[node].held[patch] >= 0) {
        travelled = distance(nodes_[node].held[patch], change.candidate);
        break;
      }
    return settings_.change_cost + travelled;
  }

  void go(int at, const Change& change) {
    const double cost = nodes_[at].cost + price(at, change);
    const auto known = best_.find(change.held);
    if (known != best_.end() && known->second <= cost) return;
    // The posture at the change rests without the contact, which is there.
    const Held& lesser = change.placed ? nodes_[at].held : change.held;
    const std::optional<OwnedVector> moved = posture(lesser, change.candidate, nodes_[at].q);
    if (!moved) return;
    nodes_.push_back({change.held, *moved, at, cost});
    open(static_cast<int>(nodes_.size()) - 1);
  }

  void open(int node) {
    best_[nodes_[node].held] = nodes_[node].cost;
    queue_.push({nodes_[node].cost + reach_left(nodes_[node].held), node});
  }

  StanceSearch failed(const std::string& why) {
    out_.message = why;
    return std::move(out_);
  }

  StanceSearch told(int at, const Stance& start, const Stance& goal) {
    std::vector<int> way;
    for (; at >= 0; at = nodes_[at].before) way.push_back(at);
    std::reverse(way.begin(), way.end());
    for (const int node : way) {
      Stance stance = node == way.front() ? start : Stance{.name = fmt::format("stance {}", out_.stances.size()), .contacts = {}};
      if (node == way.back()) stance.name = goal.name, stance.preferred = goal.preferred;
      stance.contacts.clear();
      for (std::size_t patch = 0; patch < patches_.size(); ++patch)
        if (const int c = nodes_[node].held[patch]; c >= 0) stance.contacts[patches_[patch].name] = candidates_[c].X_ST;
      out_.stances.push_back(std::move(stance)), out_.postures.push_back(nodes_[node].q);
    }
    out_.found = true, out_.message = fmt::format("{} stances, {} postures looked for", out_.stances.size(), out_.tried);
    return std::move(out_);
  }

  const std::vector<ContactPatch>& patches_;
  std::vector<CandidateContact> candidates_;
  const StanceSearchSettings& settings_;
  ClearPostures postures_;
  std::vector<int> owner_;  // patch of each candidate
  Held goal_;
  std::vector<Node> nodes_;
  std::map<Held, double> best_;
  std::priority_queue<std::pair<double, int>, std::vector<std::pair<double, int>>, std::greater<>> queue_;
  std::string why_;
  StanceSearch out_;
};

}  // namespace

StanceSearch search_stances(const Mechanism& m, const std::vector<ContactPatch>& patches, const Stance& start, const Stance& goal,
                            const std::vector<CandidateContact>& candidates, const VectorRef& q, const StanceSearchSettings& settings) {
  if (!(settings.change_cost > 0.0)) throw Error(fmt::format("change_cost is {}: expected more than 0", settings.change_cost));
  return Search(m, patches, candidates, settings).run(start, goal, m.checked_configuration(q));
}

}  // namespace amble
