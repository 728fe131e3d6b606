#include "amble/io/mjcf/model.hpp"

#include <fmt/format.h>
#include <mujoco/mujoco.h>

namespace amble {

namespace {

mjtObj object_of(MjcfView::Kind kind) {
  constexpr mjtObj kObjects[] = {mjOBJ_BODY, mjOBJ_JOINT,    mjOBJ_GEOM,
                                 mjOBJ_SITE, mjOBJ_EQUALITY, mjOBJ_ACTUATOR};
  return kObjects[static_cast<int>(kind)];
}

int count(const mjModel& m, MjcfView::Kind kind) {
  const int counts[] = {m.nbody, m.njnt, m.ngeom, m.nsite, m.neq, m.nu};
  return counts[static_cast<int>(kind)];
}

std::string new_name(const std::string& wish, std::set<std::string>& taken) {
  std::string name = wish;
  for (int i = 2; !taken.insert(name).second; ++i) name = fmt::format("{}_{}", wish, i);
  return name;
}

}  // namespace

Pose mjcf_pose(const double* pos, const double* quat) {
  const Quaternion<double> q{{quat[1], quat[2], quat[3]}, quat[0]};
  return Pose(SO3<double>(q.normalized()), mjcf_vector(pos));
}

Vector3<double> mjcf_vector(const double* x) { return {x[0], x[1], x[2]}; }

MjcfView::MjcfView(const mjModel_& model, const MjcfElement& tree) : model_(model), main_file_(*tree.file) {
  Elements world;
  for (const MjcfElement& section : tree.children)
    if (section.name == "worldbody") world.push_back(&section);
  list_body(world);
  list_sections(tree, "equality", Kind::equality);
  list_sections(tree, "actuator", Kind::actuator);
  index_by_name();
  bodies_ = named(Kind::body, model.nbody, "body", body_names_);
  joints_ = named(Kind::joint, model.njnt, "joint", joint_names_);
  sites_ = named(Kind::site, model.nsite, "site", body_names_);
  equalities_ = named(Kind::equality, model.neq, "loop", joint_names_);
}

/// In MuJoCo's order: a body, what is on it, then its children. The world may be spread over several
/// sections.
void MjcfView::list_body(const Elements& sections) {
  const auto list = [&](Kind kind, const MjcfElement* e) { elements_[static_cast<int>(kind)].push_back(e); };
  list(Kind::body, sections.empty() ? nullptr : sections.front());
  Elements children;
  for (const MjcfElement* section : sections) {
    for (const MjcfElement& e : section->children) {
      if (e.name == "joint" || e.name == "freejoint") list(Kind::joint, &e);
      if (e.name == "geom") list(Kind::geom, &e);
      if (e.name == "site") list(Kind::site, &e);
      if (e.name == "body") children.push_back(&e);
    }
  }
  for (const MjcfElement* child : children) list_body({child});
}

void MjcfView::list_sections(const MjcfElement& root, const std::string& section, Kind kind) {
  for (const MjcfElement& s : root.children) {
    if (s.name != section) continue;
    for (const MjcfElement& e : s.children) elements_[static_cast<int>(kind)].push_back(&e);
  }
}

void MjcfView::index_by_name() {
  for (std::size_t kind = 0; kind < elements_.size(); ++kind)
    for (const MjcfElement* e : elements_[kind])
      if (const std::string* name = e == nullptr ? nullptr : e->find("name")) by_name_[kind].emplace(*name, e);
}

std::vector<std::string> MjcfView::named(Kind kind, int count, const std::string& prefix,
                                         std::set<std::string>& taken) const {
  std::vector<std::string> names(count);
  // Names of the file first, so that a made-up name never takes one away.
  for (int i = 0; i < count; ++i)
    if (const std::string name = file_name(kind, i); !name.empty())
      names[i] = taken.contains(name) ? new_name(name + "_" + prefix, taken) : new_name(name, taken);
  for (int i = 0; i < count; ++i)
    if (names[i].empty()) names[i] = new_name(fmt::format("{}_{}", prefix, i), taken);
  return names;
}

std::string MjcfView::new_body(const std::string& wish) { return new_name(wish, body_names_); }
std::string MjcfView::new_joint(const std::string& wish) { return new_name(wish, joint_names_); }

std::string MjcfView::file_name(Kind kind, int id) const {
  const char* name = mj_id2name(&model_, object_of(kind), id);
  return name == nullptr ? "" : name;
}

const MjcfElement* MjcfView::element(Kind kind, int id) const {
  const Elements& list = elements_[static_cast<int>(kind)];
  if (static_cast<int>(list.size()) == count(model_, kind)) return list[id];
  // MuJoCo made or fused some: only names tell.
  const auto& names = by_name_[static_cast<int>(kind)];
  const auto found = names.find(file_name(kind, id));
  return found == names.end() || found->first.empty() ? nullptr : found->second;
}

int MjcfView::line(Kind kind, int id) const {
  const MjcfElement* e = element(kind, id);
  return e != nullptr && *e->file == main_file_ ? e->line : 0;
}

Problem MjcfView::problem(Severity severity, Kind kind, int id, const std::string& reason) const {
  if (const MjcfElement* e = element(kind, id)) return e->problem(severity, reason);
  return {severity, main_file_, 0, file_name(kind, id), reason};
}

}  // namespace amble
