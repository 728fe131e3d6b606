#include "amble/io/mjcf/settings.hpp"

#include <fmt/format.h>

#include "amble/io/mjcf/values.hpp"

namespace amble {

namespace {

void check_euler_sequence(const MjcfElement& e, const std::string& sequence) {
  if (sequence.size() != 3 || sequence.find_first_not_of("xyzXYZ") != sequence.npos)
    refuse(e, fmt::format("eulerseq is '{}'; expected three letters of x, y, z, X, Y, Z", sequence));
}

void read_folders(const MjcfValues& e, MjcfSettings& out) {
  if (const std::string* both = e.own("assetdir")) out.mesh_folder = out.texture_folder = *both;
  out.mesh_folder = e.text("meshdir", out.mesh_folder);
  out.texture_folder = e.text("texturedir", out.texture_folder);
}

void read_masses(const MjcfValues& e, MjcfSettings& out) {
  using Choice = MjcfSettings::InertiaFromGeom;
  if (e.has("inertiafromgeom")) {
    const auto decided = e.decided("inertiafromgeom");
    out.inertia_from_geom = !decided ? Choice::where_missing : *decided ? Choice::yes : Choice::no;
  }
  const auto groups = e.numbers<2>("inertiagrouprange", {out.lowest_group, out.highest_group});
  out.lowest_group = groups[0], out.highest_group = groups[1];
  out.least_mass = e.number("boundmass", out.least_mass);
  out.least_inertia = e.number("boundinertia", out.least_inertia);
  out.total_mass = e.number("settotalmass", out.total_mass);
  out.balance_inertia = e.flag("balanceinertia", out.balance_inertia);
  out.exact_mesh_inertia = e.flag("exactmeshinertia", out.exact_mesh_inertia);
}

void read_compiler(const MjcfValues& e, MjcfSettings& out) {
  out.degrees = e.text("angle", out.degrees ? "degree" : "radian") == "degree";
  out.autolimits = e.flag("autolimits", out.autolimits);
  out.strip_path = e.flag("strippath", out.strip_path);
  out.fit_aabb = e.flag("fitaabb", out.fit_aabb);
  out.align_free = e.flag("alignfree", out.align_free);
  out.euler_sequence = e.text("eulerseq", out.euler_sequence);
  check_euler_sequence(e.element(), out.euler_sequence);
  if (e.text("coordinate") == "global")
    refuse(
        e.element(),
        "coordinate=\"global\" is no longer part of MJCF (since MuJoCo 2.3.4); expected poses in the parent");
  read_folders(e, out);
  read_masses(e, out);
}

bool enabled(const MjcfValues& flags, const char* name, bool before) {
  return flags.text(name, before ? "enable" : "disable") == "enable";
}

/// `passive` stood for both springs and dampers until MuJoCo 3.3; `constraint` stands for all constraints.
void read_flags(const MjcfValues& e, MjcfOptions& out) {
  const bool passive = enabled(e, "passive", true), constraints = enabled(e, "constraint", true);
  out.springs = passive && enabled(e, "spring", out.springs);
  out.dampers = passive && enabled(e, "damper", out.dampers);
  out.limits = constraints && enabled(e, "limit", out.limits);
  out.friction = constraints && enabled(e, "frictionloss", out.friction);
  out.equalities = constraints && enabled(e, "equality", out.equalities);
  out.contacts = constraints && enabled(e, "contact", out.contacts);
  out.filter_parent = enabled(e, "filterparent", out.filter_parent);
  out.actuation = enabled(e, "actuation", out.actuation);
  if (!enabled(e, "gravity", true)) out.gravity.setZero();
}

}  // namespace

MjcfSettings mjcf_settings(const MjcfElement& root) {
  MjcfSettings out;
  for (const MjcfElement& section : root.children)
    if (section.tag == MjcfTag::compiler) read_compiler({section, nullptr}, out);
  return out;
}

MjcfOptions mjcf_options(const MjcfElement& root) {
  MjcfOptions out;
  for (const MjcfElement& section : root.children)
    if (section.tag == MjcfTag::option)
      out.gravity = MjcfValues(section, nullptr).vector("gravity", out.gravity);
  for (const MjcfElement& section : root.children) {
    if (section.tag != MjcfTag::option) continue;
    for (const MjcfElement& flags : section.children)
      if (flags.tag == MjcfTag::flag) read_flags({flags, nullptr}, out);
  }
  return out;
}

}  // namespace amble
