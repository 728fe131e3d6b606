#include "amble/io/mjcf/assets.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "amble/base/limits.hpp"
#include "amble/io/mjcf/defaults.hpp"
#include "amble/io/mjcf/mesh_input.hpp"
#include "amble/io/source.hpp"
#include "amble/io/xml/numbers.hpp"

namespace amble {

namespace {

/// Nothing for what is no list of numbers: MuJoCo will say so.
std::vector<double> numbers(const std::string& text) {
  return parse_numbers(text).value_or(std::vector<double>{});
}

Vector3<double> vector_or(const std::string& text, const Vector3<double>& fallback) {
  const auto x = numbers(text);
  return x.size() == 3 ? Vector3<double>(x[0], x[1], x[2]) : fallback;
}

/// A mesh of the asset section.
struct Mesh {
  const MjcfElement* element = nullptr;
  std::string file;  ///< relative to the model file; empty when the vertices stand in the model itself
  std::string path;  ///< where it was found
  Vector3<double> scale{1.0, 1.0, 1.0};
  Pose X_GS;

  bool missing() const { return !file.empty() && path.empty(); }
};

/// MuJoCo takes vertices v to S R^T (v - refpos), which is a pose after scaling when S and R commute.
Pose mesh_pose(const MjcfElement& mesh, const Vector3<double>& scale, Problems& findings) {
  const Vector3<double> p = vector_or(mesh.get("refpos"), Vector3<double>::Zero());
  const auto q = numbers(mesh.get("refquat"));
  if (q.size() != 4) return Pose(Vector3<double>(-scale.cwiseProduct(p)));
  const SO3<double> R(Quaternion<double>{{q[1], q[2], q[3]}, q[0]}.normalized());
  if (scale != Vector3<double>::Constant(scale[0]))
    findings.push_back(
        mesh.problem(Severity::warning, "refquat with unequal scales is drawn only approximately"));
  return Pose(R.inverse(), -(R.inverse() * Vector3<double>(scale.cwiseProduct(p))));
}

/// The files of a model.
class Files {
 public:
  Files(const MjcfElement& root, const MjcfDefaults& defaults, const LoadOptions& options, Problems& findings)
      : model_file_(*root.file), defaults_(defaults), options_(options), findings_(findings) {
    for (const MjcfElement& section : root.children) {
      if (section.name != "asset") continue;
      for (const MjcfElement& asset : section.children) add(asset, findings);
    }
    report_missing(findings);
  }

  const Mesh* mesh(const std::string& name) const {
    const auto found = meshes_.find(name);
    return found == meshes_.end() ? nullptr : &found->second;
  }

  /// The name of a file in memory that holds the mesh for MuJoCo; read when it is asked for first.
  const std::string& for_mujoco(const std::string& name) {
    const auto [at, is_new] = given_names_.try_emplace(name, fmt::format("mesh_{}.msh", given_names_.size()));
    if (is_new) give(meshes_.at(name), at->second);
    return at->second;
  }
  const MjcfFiles& given() const { return given_; }

 private:
  void give(const Mesh& mesh, const std::string& as) {
    std::string& bytes = given_[as] = mjcf_mesh_file(*mesh.element, mesh.path, mesh.scale, findings_);
    given_bytes_ += static_cast<double>(bytes.size());
    check_limit(Limit::mesh_bytes, given_bytes_, model_file_ + ": the size of all meshes that decide inertias");
  }

  void add(const MjcfElement& asset, Problems& findings) {
    const std::string file = relative_file(asset);
    const std::string path = file.empty() ? "" : find_mesh(file, model_file_, options_.package_path);
    if (!file.empty() && path.empty()) {
      if (missing_.empty()) first_missing_ = &asset;
      missing_.push_back(file);
    }
    if (asset.name != "mesh") return;
    if (!asset.get("vertex").empty() || !asset.get("face").empty()) mjcf_inline_mesh(asset);  // checked in any case
    Mesh mesh{&asset, file, path, {}, {}};
    mesh.scale = vector_or(defaults_.value(asset, "", "scale"), Vector3<double>::Ones());
    mesh.X_GS = mesh_pose(asset, mesh.scale, findings);
    meshes_.emplace(asset.get("name", std::filesystem::path(file).stem().string()), mesh);
  }

  std::string relative_file(const MjcfElement& asset) const {
    namespace fs = std::filesystem;
    std::string file = asset.get("file");
    if (file.empty() || file.find("://") != std::string::npos) return file;
    if (defaults_.compiler("strippath", "false") == "true") file = fs::path(file).filename().string();
    const bool is_mesh = asset.name == "mesh" || asset.name == "skin" || asset.name == "hfield";
    return (fs::path(defaults_.compiler(is_mesh ? "meshdir" : "texturedir", "")) / file).generic_string();
  }

  void report_missing(Problems& findings) const {
    constexpr std::size_t kMostNamed = 5;
    if (missing_.empty()) return;
    const std::vector<std::string> named(
        missing_.begin(), missing_.begin() + static_cast<long>(std::min(kMostNamed, missing_.size())));
    Problem problem = first_missing_->problem(
        Severity::warning, fmt::format("{} not found: {}{}", missing_.size() == 1 ? "file" : "files",
                                       fmt::join(named, ", "), missing_.size() > kMostNamed ? ", ..." : ""));
    if (missing_.size() > 1) problem.element = fmt::format("{} assets", missing_.size());
    findings.push_back(problem);
  }

  const std::string& model_file_;
  const MjcfDefaults& defaults_;
  const LoadOptions& options_;
  Problems& findings_;
  std::map<std::string, Mesh> meshes_;
  std::map<std::string, std::string> given_names_;
  MjcfFiles given_;
  double given_bytes_ = 0.0;
  std::vector<std::string> missing_;
  const MjcfElement* first_missing_ = nullptr;
};

/// A body's geom while the tree is walked.
struct GeomContext {
  std::string childclass;
  bool decides_inertia = false;  ///< the body has its inertia from its geoms
};

/// Makes the tree that MuJoCo compiles. With `real_meshes`, meshes that decide a body's inertia stay in it.
class Rewriter {
 public:
  Rewriter(const MjcfDefaults& defaults, Files& files, bool real_meshes)
      : defaults_(defaults), files_(files), real_meshes_(real_meshes) {}

  MjcfElement run(MjcfElement root) {
    collect_names(root);
    for (MjcfElement& section : root.children) {
      if (section.name == "default") strip_defaults(section);
      if (section.name == "compiler") section.erase("strippath"), section.erase("convexhull");
      if (section.name == "worldbody") body(section, {}, true);
    }
    for (MjcfElement& section : root.children)
      if (section.name == "asset") assets(section);
    constexpr std::string_view kNotNeeded[] = {"size", "sensor", "keyframe", "contact"};
    std::erase_if(root.children, [&](const MjcfElement& e) {
      return std::find(std::begin(kNotNeeded), std::end(kNotNeeded), e.name) != std::end(kNotNeeded);
    });
    add_settings(root);
    return root;
  }

  bool mesh_decides_inertia() const { return mesh_decides_inertia_; }
  const Problems& errors() const { return errors_; }
  const std::map<std::string, MjcfStandIn>& stand_ins() const { return stand_ins_; }

 private:
  static void add_settings(MjcfElement& root) {
    const auto element = [&](const char* name, const char* key, const char* value) {
      return MjcfElement{name, {{key, value}}, {}, root.file, 0};
    };
    // Without it this version of MuJoCo refuses a range without `limited`, which later ones take to be a
    // limit.
    MjcfElement compiler = element("compiler", "autolimits", "true");
    compiler.set("convexhull", "false");  // contacts are not MuJoCo's, so it need not make hulls for them
    root.children.insert(root.children.begin(), compiler);
    // MuJoCo steps through the first instant while it compiles; spheres in place of meshes would collide.
    MjcfElement option{"option", {}, {element("flag", "contact", "disable")}, root.file, 0};
    root.children.push_back(option);
  }

  void collect_names(const MjcfElement& element) {
    if (element.name == "geom") taken_.insert(element.get("name"));
    for (const MjcfElement& child : element.children) collect_names(child);
  }

  /// Meshes are named at each geom instead, so that a stand-in cannot inherit one.
  void strip_defaults(MjcfElement& section) {
    for (MjcfElement& e : section.children) {
      if (e.name == "geom") e.erase("mesh"), e.erase("hfield");
      if (e.name == "material") e.erase("texture");
      if (e.name == "default") strip_defaults(e);
    }
  }

  void body(MjcfElement& element, std::string childclass, bool is_world) {
    childclass = element.get("childclass", childclass);
    const std::string from_geom = defaults_.compiler("inertiafromgeom", "auto");
    const bool decides =
        !is_world && (from_geom == "true" || (from_geom == "auto" && element.child("inertial") == nullptr));
    std::vector<MjcfElement> kept;
    for (MjcfElement& e : element.children) {
      if (e.name == "body") body(e, childclass, false);
      if (e.name == "composite") check_composite(e);
      if (e.name == "inertial") check_inertial(e);
      if (e.name != "geom" || geom(e, {childclass, decides})) kept.push_back(std::move(e));
    }
    element.children = std::move(kept);
  }

  /// MuJoCo silently takes negative ones for zero.
  void check_inertial(const MjcfElement& e) {
    for (const char* attribute : {"mass", "diaginertia"})
      for (const double x : numbers(e.get(attribute)))
        if (x < 0.0) error(e, fmt::format("{} {} is negative", attribute, x));
  }

  /// One short line can ask for more bodies than there is memory.
  void check_composite(const MjcfElement& e) {
    double count = 1.0;
    for (const double n : numbers(e.get("count"))) count *= std::max(n, 1.0);
    replicates_ += count;
    const std::string breach = limit_breach(Limit::replicates, replicates_, "the number of bodies asked for");
    if (!breach.empty()) error(e, breach);
  }

  /// False when the geom must go.
  bool geom(MjcfElement& e, const GeomContext& context) {
    const auto value = [&](const char* name) { return defaults_.value(e, context.childclass, name); };
    const std::string type = value("type"), mesh_name = value("mesh"), hfield = value("hfield");
    if (type == "hfield" || (!hfield.empty() && mesh_name.empty()))
      return stand_in(e, nullptr, context), true;
    if (mesh_name.empty()) return true;
    const Mesh* mesh = files_.mesh(mesh_name);
    if (mesh == nullptr) return error(e, fmt::format("mesh '{}' does not exist", mesh_name)), true;
    const bool counts = context.decides_inertia && has_mass(e, context);
    mesh_decides_inertia_ |= counts;
    if (counts && mesh->missing())
      error(e, fmt::format("the inertia of its body is to come from mesh '{}', whose file '{}' is missing",
                           mesh_name, mesh->file));
    if (type == "mesh" && !(counts && real_meshes_)) return stand_in(e, mesh, context), true;
    if (mesh->missing()) return false;
    e.set("mesh", mesh_name);
    used_names_.insert(mesh_name);
    return true;
  }

  bool has_mass(const MjcfElement& e, const GeomContext& context) const {
    const auto number = [&](const char* name, double fallback) {
      const auto x = numbers(defaults_.value(e, context.childclass, name));
      return x.empty() ? fallback : x[0];
    };
    const auto range = numbers(defaults_.compiler("inertiagrouprange", "0 5"));
    const double group = number("group", 0.0);
    if (range.size() == 2 && (group < range[0] || group > range[1])) return false;
    return number("mass", number("density", 1.0)) != 0.0;
  }

  void stand_in(MjcfElement& e, const Mesh* mesh, const GeomContext& context) {
    const std::string own_name = e.get("name");
    std::string name = own_name;
    for (std::size_t i = stand_ins_.size(); name.empty() || (own_name.empty() && !taken_.insert(name).second);
         ++i)
      name = fmt::format("stand_in_{}", i);
    if (defaults_.value(e, context.childclass, "shellinertia") == "true") e.set("shellinertia", "false");
    for (const char* gone : {"mesh", "hfield", "fitscale"}) e.erase(gone);
    e.set("name", name);
    e.set("type", "sphere");
    e.set("size", "1");
    if (mesh == nullptr) e.set("mass", "0");
    MjcfStandIn out{own_name, {}, {}};
    if (mesh != nullptr && !mesh->file.empty())
      out.shape = Shape{Shape::Kind::mesh, mesh->scale, mesh->file, mesh->path}, out.X_GS = mesh->X_GS;
    stand_ins_.emplace(name, out);
  }

  void assets(MjcfElement& section) {
    std::erase_if(section.children, [&](const MjcfElement& e) {
      if (e.name == "mesh") return !used_names_.contains(asset_name(e));
      return e.name == "texture" || e.name == "hfield" || e.name == "skin";
    });
    for (MjcfElement& e : section.children) {
      if (e.name == "material") e.erase("texture");
      if (e.name != "mesh") continue;
      const std::string name = asset_name(e);
      for (const char* gone : {"vertex", "face", "normal", "texcoord"}) e.erase(gone);
      e.set("name", name), e.set("file", files_.for_mujoco(name));
    }
  }

  static std::string asset_name(const MjcfElement& e) {
    return e.get("name", std::filesystem::path(e.get("file")).stem().string());
  }

  void error(const MjcfElement& e, const std::string& reason) {
    errors_.push_back(e.problem(Severity::error, reason));
  }

  const MjcfDefaults& defaults_;
  Files& files_;
  const bool real_meshes_;
  bool mesh_decides_inertia_ = false;
  double replicates_ = 0.0;
  std::set<std::string> taken_, used_names_;
  std::map<std::string, MjcfStandIn> stand_ins_;
  Problems errors_;
};

}  // namespace

MjcfPrepared prepare_mjcf(const MjcfElement& tree, const LoadOptions& options, Problems& findings) {
  const MjcfDefaults defaults(tree);
  Files files(tree, defaults, options, findings);
  Rewriter rewriter(defaults, files, false);
  MjcfPrepared out{rewriter.run(tree), {}, rewriter.stand_ins(), {}};
  throw_problems(rewriter.errors(), Severity::error);
  if (rewriter.mesh_decides_inertia()) out.inertias = Rewriter(defaults, files, true).run(tree);
  out.files = files.given();
  return out;
}

}  // namespace amble
