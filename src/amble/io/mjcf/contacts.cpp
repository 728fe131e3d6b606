#include <fmt/format.h>

#include <cmath>

#include "amble/base/names.hpp"
#include "amble/io/mjcf/describe.hpp"

// Pairs of geoms that touch, pairs of bodies that do not.
namespace amble {

namespace {

class ContactDescriber {
 public:
  explicit ContactDescriber(MjcfDescriber& d) : d_(d), names_(d.model) {
    for (std::size_t i = 0; i < d.model.bodies.size(); ++i)
      for (const CompiledGeom& geom : d.model.bodies[i].geoms)
        if (!geom.name.empty()) geoms_.emplace(geom.name, std::pair{&geom, static_cast<int>(i)});
  }

  void run() {
    const MjcfOptions& options = d_.model.options;
    const MjcfElement& root = d_.sources[0]->root;
    d_.out.contact.neighbors_touch = !options.filter_parent;
    if (!options.contacts) return d_.say(Severity::note, root, "contacts are switched off: no geom collides");
    for (const MjcfElement& section : root.children) {
      if (section.name != "contact") continue;
      for (const MjcfElement& e : section.children) add(e);
    }
    note_twist_and_roll();
  }

 private:
  void add(const MjcfElement& e) {
    const MjcfValues values = d_.sources[static_cast<std::size_t>(e.model)]->classes->values(e);
    if (e.tag == MjcfTag::pair) add_pair(values);
    if (e.tag == MjcfTag::exclude) add_exclusion(values);
  }

  /// Null, with a warning, for one that another program's bodies may have, or that has no shape here.
  const std::pair<const CompiledGeom*, int>* geom(const MjcfValues& e, const char* attribute) {
    const std::string name = e.text(attribute);
    const auto found = geoms_.find(name);
    if (found == geoms_.end()) {
      if (!d_.model.has_unread_bodies)
        refuse(e.element(),
               fmt::format("{} '{}' does not exist{}", attribute, name, suggestion(name, geom_names())));
      d_.say(Severity::warning, e.element(), "not used: it names what is not read");
      return nullptr;
    }
    if (found->second.first->has_shape()) return &found->second;
    d_.say(Severity::warning, e.element(), fmt::format("not used: geom '{}' has no shape here", name));
    return nullptr;
  }

  void add_pair(const MjcfValues& e) {
    const auto *a = geom(e, "geom1"), *b = a == nullptr ? nullptr : geom(e, "geom2");
    if (b == nullptr) return;
    const auto friction = e.numbers<5>("friction", {1.0, 1.0, 0.005, 0.0001, 0.0001});
    const int condim = static_cast<int>(e.number("condim", 3.0));
    const bool frictionless = condim == 1, uneven = friction[0] != friction[1];
    if (!frictionless && uneven)
      d_.say(Severity::warning, e.element(),
             fmt::format("friction {} one way and {} across: their geometric mean is used{}", friction[0],
                         friction[1],
                         e.numbers<5>("friction", {-1.0, -1.0, 0.0, 0.0, 0.0})[1] == -1.0
                             ? "; the second, which is not given, is 1 in MuJoCo"
                             : ""));
    const double mean = uneven ? std::sqrt(friction[0] * friction[1]) : friction[0];
    count_twist_and_roll(e.element(), condim);
    d_.out.contact.pairs.push_back({e.element().get("name"),
                                    {d_.names.body(a->second), a->first->name},
                                    {d_.names.body(b->second), b->first->name},
                                    frictionless ? 0.0 : mean,
                                    e.number("margin", 0.0),
                                    d_.line(e.element())});
  }

  void add_exclusion(const MjcfValues& e) {
    int bodies[2];
    for (int i = 0; i < 2; ++i) {
      const char* const attribute = i == 0 ? "body1" : "body2";
      const std::string name = e.text(attribute);
      bodies[i] = names_.body(name);
      if (bodies[i] >= 0) continue;
      if (!d_.model.has_unread_bodies)
        refuse(e.element(), fmt::format("{} '{}' does not exist{}", attribute, name,
                                        suggestion(name, names_.body_names())));
      return d_.say(Severity::warning, e.element(), "not used: it names what is not read");
    }
    d_.out.contact.exclusions.push_back(
        {d_.names.body(bodies[0]), d_.names.body(bodies[1]), d_.line(e.element())});
  }

  void count_twist_and_roll(const MjcfElement& e, int condim) {
    if (condim <= 3) return;
    if (first_ == nullptr) first_ = &e;
    ++count_;
  }

  void note_twist_and_roll() {
    for (const CompiledBody& body : d_.model.bodies)
      for (const CompiledGeom& geom : body.geoms)
        if (geom.collides()) count_twist_and_roll(*geom.element, geom.condim);
    if (first_ == nullptr) return;
    Problem note = first_->problem(
        Severity::note,
        fmt::format("condim above 3 ({} {}): there is no friction against twisting and rolling here", count_,
                    count_ == 1 ? "element" : "elements"));
    d_.out.findings.push_back(std::move(note));
  }

  std::vector<std::string> geom_names() const {
    std::vector<std::string> out;
    for (const auto& [name, geom] : geoms_) out.push_back(name);
    return out;
  }

  MjcfDescriber& d_;
  const CompiledNames names_;
  std::map<std::string, std::pair<const CompiledGeom*, int>> geoms_;
  const MjcfElement* first_ = nullptr;  // with friction against twisting or rolling
  int count_ = 0;
};

}  // namespace

void describe_contacts(MjcfDescriber& d) { ContactDescriber(d).run(); }

}  // namespace amble
