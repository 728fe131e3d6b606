#include <fmt/format.h>

#include "amble/io/mjcf/describe.hpp"

namespace amble {

namespace {

std::string new_name(const std::string& wish, MjcfNaming::Names& taken) {
  std::string name = wish;
  for (int& i = taken.next.try_emplace(wish, 2).first->second; !taken.all.insert(name).second; ++i)
    name = fmt::format("{}_{}", wish, i);
  return name;
}

/// Of the names of a file in their order, which may be empty. Those that are there go first, so that a
/// made-up name never takes one away.
std::vector<std::string> unique(const std::vector<std::string>& given, const std::string& kind,
                                MjcfNaming::Names& taken) {
  std::vector<std::string> out(given.size());
  for (std::size_t i = 0; i < given.size(); ++i)
    if (!given[i].empty())
      out[i] =
          taken.all.contains(given[i]) ? new_name(given[i] + "_" + kind, taken) : new_name(given[i], taken);
  for (std::size_t i = 0; i < given.size(); ++i)
    if (out[i].empty()) out[i] = new_name(fmt::format("{}_{}", kind, i), taken);
  return out;
}

}  // namespace

MjcfNaming::MjcfNaming(const CompiledModel& model) {
  std::vector<std::string> bodies, joints, sites;
  std::vector<const CompiledJoint*> joint_order;
  std::vector<const CompiledSite*> site_order;
  for (const CompiledBody& body : model.bodies) {
    bodies.push_back(body.name);
    for (const CompiledJoint& j : body.joints) joints.push_back(j.name), joint_order.push_back(&j);
    for (const CompiledSite& s : body.sites) sites.push_back(s.name), site_order.push_back(&s);
  }
  bodies_ = unique(bodies, "body", body_names_);
  joints = unique(joints, "joint", joint_names_);
  sites = unique(sites, "site", body_names_);
  for (std::size_t i = 0; i < joints.size(); ++i) joints_[joint_order[i]] = joints[i];
  for (std::size_t i = 0; i < sites.size(); ++i) sites_[site_order[i]] = sites[i];
}

std::string MjcfNaming::new_body(const std::string& wish) { return new_name(wish, body_names_); }
std::string MjcfNaming::new_joint(const std::string& wish) { return new_name(wish, joint_names_); }

std::string MjcfNaming::tendon(const std::string& given) {
  const int number = tendons_++;
  return new_name(given.empty() ? fmt::format("tendon_{}", number) : given, tendon_names_);
}

std::string MjcfNaming::loop(const std::string& given) {
  const int number = loops_++;
  if (given.empty()) return new_joint(fmt::format("loop_{}", number));
  return joint_names_.all.contains(given) ? new_joint(given + "_loop") : new_joint(given);
}

}  // namespace amble
