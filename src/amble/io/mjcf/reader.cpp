#include <fmt/format.h>
#include <mujoco/mujoco.h>

#include <algorithm>
#include <filesystem>

#include "amble/io/mjcf/assets.hpp"
#include "amble/io/mjcf/compile.hpp"
#include "amble/io/mjcf/model.hpp"
#include "amble/io/mjcf/source.hpp"
#include "amble/io/mjcf/unused.hpp"
#include "amble/io/readers.hpp"

// MJCF has so many defaults, units and shorthands that only MuJoCo's own compiler gets all of them right. So
// the file is compiled by MuJoCo and the compiled model is read; our own look at the XML serves lines,
// includes, missing files and the list of what is not used.
namespace amble {

namespace {

void note_changed_masses(const MjcfElement& root, Problems& findings) {
  constexpr const char* kChanging[] = {"balanceinertia", "boundmass", "boundinertia", "settotalmass"};
  for (const MjcfElement& section : root.children)
    for (const auto& [key, value] : section.attributes)
      if (section.name == "compiler" &&
          std::find(kChanging, std::end(kChanging), key) != std::end(kChanging) && value != "false")
        findings.push_back(section.problem(
            Severity::note,
            fmt::format("{}=\"{}\": masses or inertias are as MuJoCo changed them", key, value)));
}

Vector3<double> gravity(const mjModel& m) {
  if ((m.opt.disableflags & mjDSBL_GRAVITY) != 0) return Vector3<double>::Zero();
  return mjcf_vector(m.opt.gravity);
}

std::string model_name(const MjcfElement& root) {
  const std::string stem = std::filesystem::path(*root.file).stem().string();
  return root.get("model", stem.empty() ? "model" : stem);
}

}  // namespace

ModelDescription read_mjcf(const std::string& text, const std::string& file, const LoadOptions& options) {
  const MjcfElement tree = mjcf_tree(text, file);
  ModelDescription out;
  out.file = file;
  out.name = model_name(tree);
  const MjcfPrepared prepared = prepare_mjcf(tree, options, out.findings);
  const MjcfModel model = compile_mjcf(prepared.model, prepared.files, out.findings);
  Problems same_again;
  const MjcfModel with_meshes = prepared.inertias ? compile_mjcf(*prepared.inertias, prepared.files, same_again) : nullptr;

  out.gravity = gravity(*model);
  MjcfView view(*model, prepared.model);
  add_mjcf_bodies(view, with_meshes ? *with_meshes : *model, out);
  add_mjcf_shapes(view, prepared.stand_ins, out);
  add_mjcf_sites(view, out);
  add_mjcf_equalities(view, options.mimic, out);
  add_mjcf_actuators(view, out);
  note_changed_masses(tree, out.findings);
  const Problems unused = mjcf_unused(tree);
  out.findings.insert(out.findings.end(), unused.begin(), unused.end());
  return out;
}

}  // namespace amble
