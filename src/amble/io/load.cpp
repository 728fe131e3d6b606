#include "amble/io/load.hpp"

#include <fmt/format.h>
#include <tinyxml2.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "amble/base/text_file.hpp"
#include "amble/io/base_note.hpp"
#include "amble/io/mesh_names.hpp"
#include "amble/io/readers.hpp"
#include "amble/io/source.hpp"
#include "amble/io/writers.hpp"

namespace amble {

namespace {

Format format_of_text(const std::string& text, const std::string& file) {
  tinyxml2::XMLDocument document;
  parse_xml(text, file, document, ExtraRoots::allow);  // the format's reader decides
  return format_of(document, file);
}

ModelDescription read_model(Format format, const std::string& text, const std::string& file,
                            const LoadOptions& options) {
  switch (format) {
    case Format::urdf: return read_urdf(text, file, options);
    case Format::sdf: return read_sdf(text, file, options);
    case Format::mjcf: return read_mjcf(text, file, options);
  }
  throw Error(file + ": unknown format");
}

const JointDescription* free_root(const ModelDescription& d) {
  for (const JointDescription& j : d.joints)
    if (j.parent == kWorld && j.type == "free") return &j;
  return nullptr;
}

/// Bodies that stand fixed in the world because no joint holds them.
std::vector<std::string> unattached(const ModelDescription& d) {
  std::set<std::string> held{kWorld};
  for (const JointDescription& j : d.joints) held.insert(j.child);
  std::vector<std::string> roots;
  for (const BodyDescription& b : d.bodies)
    if (!held.contains(b.name)) roots.push_back(b.name);
  return roots;
}

std::string unused_joint_name(const ModelDescription& d, const std::string& wish) {
  std::string name = wish;
  const auto taken = [&](const JointDescription& j) { return j.name == name; };
  for (int i = 2; std::any_of(d.joints.begin(), d.joints.end(), taken); ++i)
    name = fmt::format("{}_{}", wish, i);
  return name;
}

void float_base(ModelDescription& d) {
  const std::vector<std::string> roots = unattached(d);
  if (const JointDescription* root = free_root(d)) {
    d.findings.push_back({Severity::note, d.file, root->line, fmt::format("joint '{}'", root->name),
                          "is free already: base = floating changes nothing"});
    return;
  }
  if (roots.empty())
    throw Error(
        fmt::format("{}: base = floating was asked for, but the file itself fixes its root to the world; "
                    "leave the option out, or "
                    "take that from the file",
                    d.file));
  std::vector<JointDescription> joints;
  for (const std::string& root : roots) {
    const std::string wish = roots.size() == 1 ? "root_joint" : root + "_free";
    joints.push_back({.name = unused_joint_name(d, wish), .type = "free", .parent = kWorld, .child = root});
  }
  d.joints.insert(d.joints.begin(), joints.begin(), joints.end());
}

void fix_base(const ModelDescription& d) {
  if (const JointDescription* root = free_root(d))
    throw Error(fmt::format(
        "{}: base = fixed was asked for, but joint '{}' of the file is free; leave the option out, or lock that joint",
        d.file, root->name));
}

}  // namespace

Mechanism load_text(const std::string& text, const std::string& file, const LoadOptions& options) {
  const Format format = format_of_text(text, file);
  ModelDescription d = read_model(format, text, file, options);
  if (!options.mimic)
    for (JointDescription& j : d.joints) j.mimic.reset();
  if (options.base == Base::from_file)
    for (Problem& note : base_notes(format, d)) d.findings.push_back(std::move(note));
  if (options.base == Base::floating) float_base(d);
  if (options.base == Base::fixed) fix_base(d);
  return compile(std::move(d), options.strict ? Physics::refuse : Physics::warn);
}

Mechanism load(const std::string& path, const LoadOptions& options) {
  return load_text(read_text(path), path, options);
}

Problems save(const Mechanism& mechanism, const std::string& path) {
  const std::string ending = std::filesystem::path(path).extension().string();
  if (ending != ".urdf" && ending != ".xml" && ending != ".mjcf")
    throw Error(fmt::format("{}: unknown ending '{}', expected .urdf, .xml or .mjcf", path, ending));
  const Format format = ending == ".urdf" ? Format::urdf : Format::mjcf;
  Problems left_out;
  ModelDescription d = mechanism.description();
  rename_meshes(d, path, format, left_out);
  write_text_file(path, format == Format::urdf ? write_urdf(d, &left_out) : write_mjcf(d, &left_out));
  for (Problem& p : left_out) p.file = path;
  return left_out;
}

}  // namespace amble
