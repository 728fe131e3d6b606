#include <fmt/format.h>

#include <filesystem>

#include "amble/io/mjcf/compiled.hpp"
#include "amble/io/mjcf/drives.hpp"
#include "amble/io/mjcf/expand.hpp"
#include "amble/io/mjcf/springs.hpp"
#include "amble/io/mjcf/unused.hpp"
#include "amble/io/readers.hpp"

// MJCF as of MuJoCo 3.12, in the order of its compiler: text and includes, grammar, classes, copies, bodies,
// what connects and drives them; docs/decisions/mjcf-reader.md.
namespace amble {

namespace {

void note_changed_masses(const MjcfElement& root, Problems& findings) {
  constexpr const char* kChanging[] = {"balanceinertia", "boundmass", "boundinertia", "settotalmass"};
  for (const MjcfElement& section : root.children)
    for (const auto& [key, value] : section.attributes)
      if (section.tag == MjcfTag::compiler &&
          std::find(std::begin(kChanging), std::end(kChanging), key) != std::end(kChanging) &&
          value != "false")
        findings.push_back(section.problem(
            Severity::note, fmt::format("{}=\"{}\": masses or inertias are changed by it", key, value)));
}

std::string model_name(const MjcfElement& root) {
  const std::string stem = std::filesystem::path(*root.file).stem().string();
  return root.get("model", stem.empty() ? "model" : stem);
}

}  // namespace

ModelDescription read_mjcf(const std::string& text, const std::string& file, const LoadOptions& options) {
  ModelDescription out;
  out.file = file;
  const MjcfSources sources = expand_mjcf(text, file, options, out.findings);
  const MjcfElement& root = sources[0]->root;
  CompiledModel model = compile_mjcf(sources, out.findings);
  std::vector<CompiledTendon> tendons = compile_tendons(sources, model, out.findings);
  const std::vector<CompiledDrive> drives = compile_drives(sources, model, tendons, out.findings);
  set_spring_dampers(sources, model, out.findings);

  out.name = model_name(root);
  out.gravity = model.options.gravity;
  MjcfNaming names(model);
  MjcfDescriber describer{sources, model, names, out};
  describe_bodies(describer);
  describe_contacts(describer);
  describe_shapes(describer);
  describe_sites(describer);
  describe_tendons(describer, tendons);
  describe_equalities(describer, tendons, options.mimic);
  describe_drives(describer, drives);
  describe_keyframes(describer);
  for (const auto& source : sources) source->assets->add_notes(out.findings);
  note_changed_masses(root, out.findings);
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const Problems unused = i == 0 ? mjcf_unused(root) : mjcf_unused_of_attached(sources[i]->root);
    out.findings.insert(out.findings.end(), unused.begin(), unused.end());
  }
  return out;
}

}  // namespace amble
