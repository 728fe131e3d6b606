// Everything that needs libsdformat's headers (seconds to compile) is in this file; what can do without is in
// the other files of this folder: unused content, included files, messages, and the joints that SDFormat
// leaves unsaid.
#include <console_bridge/console.h>
#include <fmt/format.h>
#include <tinyxml2.h>

#include <algorithm>
#include <cmath>
#include <mutex>
#include <numbers>
#include <sdf/sdf.hh>

#include "amble/base/limits.hpp"
#include "amble/io/readers.hpp"
#include "amble/io/sdf/assembly.hpp"
#include "amble/io/sdf/axis.hpp"
#include "amble/io/sdf/content.hpp"
#include "amble/io/sdf/includes.hpp"
#include "amble/io/sdf/library_text.hpp"
#include "amble/io/sdf/messages.hpp"
#include "amble/io/sdf/repair.hpp"
#include "amble/io/source.hpp"
#include "amble/io/xml/numbers.hpp"
#include "amble/io/xml/tally.hpp"
#include "amble/mechanism/joints/joint.hpp"

namespace amble {

namespace {

Vector3<double> to_vector(const ignition::math::Vector3d& v) { return {v.X(), v.Y(), v.Z()}; }

std::string in_scope(const std::string& scope, const std::string& name) {
  return scope.empty() ? name : scope + "::" + name;
}

/// libsdformat has global state (a console, a configuration that includes of includes are read with), and
/// when it fails it tries the text as URDF. urdfdom logs texts of the file as printf formats, but formats
/// nothing while there is no handler. One load at a time, all silent, all put back.
class QuietLibrary {
 public:
  explicit QuietLibrary(const sdf::ParserConfig& config)
      : lock_(mutex()), stream_(console().GetStream()), config_(sdf::ParserConfig::GlobalConfig()) {
    console().SetStream(nullptr);
    console_bridge::noOutputHandler();
    sdf::ParserConfig::GlobalConfig() = config;
  }
  ~QuietLibrary() {
    sdf::ParserConfig::GlobalConfig() = config_;
    console_bridge::restorePreviousOutputHandler();
    console().SetStream(stream_);
  }
  QuietLibrary(const QuietLibrary&) = delete;
  QuietLibrary& operator=(const QuietLibrary&) = delete;

 private:
  static std::mutex& mutex() {
    static std::mutex only;
    return only;
  }
  static sdf::Console::ConsoleStream& console() { return sdf::Console::Instance()->GetMsgStream(); }

  std::lock_guard<std::mutex> lock_;
  std::ostream* stream_;
  sdf::ParserConfig config_;
};

sdf::ParserConfig library_settings() {
  sdf::ParserConfig config;
  // What is unknown, doubtful or old-fashioned is found by sdf_unused(); the library need not say it again.
  config.SetWarningsPolicy(sdf::EnforcementPolicy::LOG);
  config.SetUnrecognizedElementsPolicy(sdf::EnforcementPolicy::LOG);
  config.SetDeprecatedElementsPolicy(sdf::EnforcementPolicy::LOG);
  config.SetFindCallback([](const std::string& uri) { return uri; });  // the paths of our copies
  return config;
}

void copy_attributes(const sdf::ElementPtr& from, sdf::Element& to) {
  for (unsigned i = 0; i < from->GetAttributeCount(); ++i) {
    const sdf::ParamPtr a = from->GetAttribute(i);
    to.AddAttribute(a->GetKey(), a->GetTypeName(), a->GetDefaultAsString(), a->GetRequired(), "");
  }
}

/// What SDFormat allows in an element, with only what the reader uses or what has to be there.
sdf::ElementPtr pruned(const sdf::ElementPtr& full, const std::string& parent_path,
                       const std::vector<KnownElement>& known) {
  const std::string path = parent_path.empty() ? full->GetName() : parent_path + "/" + full->GetName();
  const auto out = std::make_shared<sdf::Element>();
  out->SetName(full->GetName());
  out->SetRequired(full->GetRequired());
  out->SetCopyChildren(full->GetCopyChildren());
  out->SetReferenceSDF(full->ReferenceSDF());
  copy_attributes(full, *out);
  if (const sdf::ParamPtr v = full->GetValue())
    out->AddValue(v->GetTypeName(), v->GetDefaultAsString(), v->GetRequired(),
                  v->GetMinValueAsString().value_or(""), v->GetMaxValueAsString().value_or(""), "");
  for (unsigned i = 0; i < full->GetElementDescriptionCount(); ++i) {
    const sdf::ElementPtr child = full->GetElementDescription(i);
    const bool required = child->GetRequired() == "1" || child->GetRequired() == "+";
    if (required || find_known(known, path + "/" + child->GetName()) != nullptr)
      out->AddElementDescription(pruned(child, path, known));
  }
  return out;
}

/// libsdformat copies the description of all that an element may hold into every element that it reads, which
/// took nine tenths of its time and memory. Made once; call with the library locked.
sdf::SDFPtr empty_document() {
  static const sdf::ElementPtr description = [] {
    const sdf::SDFPtr full(new sdf::SDF);
    sdf::init(full);
    tinyxml2::XMLDocument root;
    root.Parse("<sdf version='1.9'/>");
    return pruned(full->Root(), "", sdf_known(*root.RootElement()));
  }();
  const sdf::SDFPtr out(new sdf::SDF);
  out->Root(description->Clone());
  return out;
}

bool is_included(sdf::ElementPtr element) {
  for (; element != nullptr; element = element->GetParent())
    if (element->GetIncludeElement() != nullptr) return true;
  return false;
}

/// The line in the main file; 0 for what stands in an included one.
int line_of(const sdf::ElementPtr& element) {
  return element == nullptr || is_included(element) ? 0 : element->LineNumber().value_or(0);
}

/// Messages that Reader::check() replaces by better ones, or that are for compile() to judge.
bool is_left_to_us(const sdf::Error& e) {
  const std::string text = e.Message();
  return e.Code() == sdf::ErrorCode::LINK_INERTIA_INVALID || e.Code() == sdf::ErrorCode::MODEL_WITHOUT_LINK ||
         text.starts_with("The norm of the xyz vector") || text.starts_with("Joint type of");
}

std::vector<SdfMessage> messages_of(const sdf::Errors& errors) {
  std::vector<SdfMessage> out;
  for (const sdf::Error& e : errors)
    if (!is_left_to_us(e))
      out.push_back({e.Message(), e.XmlPath().value_or(""), e.LineNumber().value_or(0),
                     e.Code() == sdf::ErrorCode::DUPLICATE_NAME});
  return out;
}

SdfAxis numbers_of(const sdf::JointAxis& axis) {
  using ignition::math::Vector3d;
  return {.xyz = to_vector(axis.Element()->Get<Vector3d>("xyz", Vector3d::UnitZ).first),
          .lower = axis.Lower(),
          .upper = axis.Upper(),
          .velocity = axis.MaxVelocity(),
          .effort = axis.Effort(),
          .damping = axis.Damping(),
          .friction = axis.Friction(),
          .stiffness = axis.SpringStiffness(),
          .reference = axis.SpringReference()};
}

struct TypeRow {
  sdf::JointType sdf;
  const char* ours;
  unsigned axes;
};
constexpr TypeRow kTypes[] = {
    {sdf::JointType::FIXED, "fixed", 0},
    {sdf::JointType::BALL, "spherical", 0},
    {sdf::JointType::REVOLUTE, "revolute", 1},
    {sdf::JointType::CONTINUOUS, "continuous", 1},
    {sdf::JointType::PRISMATIC, "prismatic", 1},
    {sdf::JointType::SCREW, "helical", 1},
    {sdf::JointType::UNIVERSAL, "universal", 2},
    {sdf::JointType::REVOLUTE2, "universal", 2},
    {sdf::JointType::GEARBOX, "gearbox", 2},  // becomes a Mimic
    {sdf::JointType::INVALID, "", 0},         // check() refuses it
};

/// From libsdformat's document to an assembly, collecting every problem on the way.
class Reader {
 public:
  Reader(const std::string& file, const LoadOptions& options, const SdfCopies& copies)
      : options_(options), copies_(copies) {
    assembly_.model.file = file;
  }

  Problems& problems() { return problems_; }

  /// What libsdformat reports without naming the model or joint. Needs no poses.
  void check(const sdf::Root& root) {
    if (const sdf::Model* model = root.Model()) check_model(*model);
    const sdf::World* world = root.WorldByIndex(0);
    for (std::uint64_t i = 0; world != nullptr && i < world->ModelCount(); ++i)
      check_model(*world->ModelByIndex(i));
  }

  void read(const sdf::Root& root) {
    const sdf::Model* model = root.Model();
    if (root.WorldCount() > 0) return read_world(*root.WorldByIndex(0), root.WorldCount());
    if (model == nullptr) return error(0, "sdf", "has neither a <world> nor a <model>");
    assembly_.model.name = model->Name();
    read_model(*model, Pose(), "", false);
  }

  ModelDescription take() {
    couple_gearboxes(assembly_, problems_);
    throw_problems(problems_, Severity::error);
    hold_loose_bodies(assembly_, options_.base);
    for (Problem& p : tally_.problems(assembly_.model.file)) problems_.push_back(std::move(p));
    Problems& findings = assembly_.model.findings;
    findings.insert(findings.begin(), problems_.begin(), problems_.end());
    return std::move(assembly_.model);
  }

 private:
  void error(int line, const std::string& element, const std::string& reason) {
    problems_.push_back({Severity::error, assembly_.model.file, line, element, reason});
  }
  /// libsdformat's errors where its own checks found none: say the first.
  bool failed(const sdf::Errors& errors, int line, const std::string& element) {
    if (!errors.empty()) error(line, element, errors.front().Message());
    return !errors.empty();
  }

  Pose to_pose(const ignition::math::Pose3d& X, int line, const std::string& element) {
    constexpr double kUnit = 1e-6;
    const auto& r = X.Rot();
    const Quaternion<double> q{{r.X(), r.Y(), r.Z()}, r.W()};
    const double length = std::sqrt(q.squared_norm());
    if (!(std::abs(length - 1.0) < kUnit))
      error(line, element, fmt::format("the quaternion of its pose has length {}, expected 1", length));
    return Pose(SO3<double>(q.normalized()), to_vector(X.Pos()));
  }

  /// The pose of anything that has one, seen from the frame `in` (empty: from what contains it).
  Pose resolve(const sdf::SemanticPose& pose, const std::string& in, int line, const std::string& element) {
    ignition::math::Pose3d X;
    return failed(pose.Resolve(X, in), line, element) ? Pose() : to_pose(X, line, element);
  }

  void read_world(const sdf::World& world, std::uint64_t count) {
    const int line = line_of(world.Element());
    const std::string element = fmt::format("world '{}'", world.Name());
    if (count > 1)
      tally_.add(Severity::warning, fmt::format("only this one of {} worlds is read", count), line, element);
    if (world.ModelCount() == 0) error(line, element, "has no model");
    const std::string alone = world.ModelCount() == 1 ? world.ModelByIndex(0)->Name() : "";
    assembly_.model.name = alone.empty() ? world.Name() : alone;
    read_gravity(world);
    for (std::uint64_t i = 0; i < world.ModelCount(); ++i) {
      const sdf::Model& model = *world.ModelByIndex(i);
      read_model(model, Pose(), alone.empty() ? model.Name() : "", false);
    }
    for (std::uint64_t i = 0; i < world.FrameCount(); ++i)
      read_frame(*world.FrameByIndex(i), Pose(), "world", alone, "");
  }

  void read_gravity(const sdf::World& world) {
    assembly_.model.gravity = to_vector(world.Gravity());
    const sdf::ElementPtr e = world.Element()->FindElement("gravity");
    if (e == nullptr || !e->GetExplicitlySetInFile())
      tally_.add(Severity::note,
                 fmt::format("has no <gravity>: SDFormat's own default {} holds", world.Gravity().Z()),
                 line_of(world.Element()), fmt::format("world '{}'", world.Name()));
  }

  void read_model(const sdf::Model& model, const Pose& X_WP, const std::string& scope, bool still) {
    still = still || model.Static();
    const Pose X_WM = X_WP * resolve(model.SemanticPose(), "", line_of(model.Element()),
                                     fmt::format("model '{}'", model.Name()));
    for (std::uint64_t i = 0; i < model.LinkCount(); ++i)
      read_link(*model.LinkByIndex(i), X_WM, scope, still);
    for (std::uint64_t i = 0; i < model.ModelCount(); ++i) {
      const sdf::Model& nested = *model.ModelByIndex(i);
      const std::string inner = in_scope(scope, nested.Name());
      const std::string breach = limit_breach(Limit::name_bytes, static_cast<double>(inner.size()),
                                              "the length of the name with those of the models around it");
      if (!breach.empty())
        return error(line_of(nested.Element()), fmt::format("model '{}'", nested.Name()), breach);
      read_model(nested, X_WM, inner, still);
    }
    for (std::uint64_t i = 0; i < model.JointCount(); ++i) {
      if (!still) read_joint(*model.JointByIndex(i), X_WM, scope);
      if (still) note_still_joint(*model.JointByIndex(i), scope);
    }
    for (std::uint64_t i = 0; i < model.FrameCount(); ++i)
      read_frame(*model.FrameByIndex(i), X_WM, "__model__", "", scope);
  }

  void note_still_joint(const sdf::Joint& joint, const std::string& scope) {
    tally_.add(Severity::note, "does not move: its model is static", line_of(joint.Element()),
               fmt::format("joint '{}'", in_scope(scope, joint.Name())));
  }

  /// `home` is the frame of the scope; `alone` a world's only model, whose name is left out.
  void read_frame(const sdf::Frame& frame, const Pose& X_WH, const std::string& home,
                  const std::string& alone, const std::string& scope) {
    FrameDescription f{
        .name = in_scope(scope, frame.Name()), .body = {}, .X_BF = {}, .line = line_of(frame.Element())};
    const std::string element = fmt::format("frame '{}'", f.name);
    std::string body;
    if (failed(frame.ResolveAttachedToBody(body), f.line, element)) return;
    f.body = in_scope(
        scope, !alone.empty() && body.starts_with(alone + "::") ? body.substr(alone.size() + 2) : body);
    if (assembly_.X_WB.contains(f.body)) {
      f.X_BF = resolve(frame.SemanticPose(), body, f.line, element);
    } else {  // attached to the world, or to a static model as a whole
      f.body = kWorld;
      f.X_BF = X_WH * resolve(frame.SemanticPose(), home, f.line, element);
    }
    const auto taken = [&](const std::string& name) {
      return std::ranges::any_of(assembly_.model.frames,
                                 [&](const auto& other) { return other.name == name; });
    };
    if (home == kWorld) f.name = free_name(f.name, taken);  // the name of a world's only model is left out
    assembly_.model.frames.push_back(f);
  }

  void read_link(const sdf::Link& link, const Pose& X_WM, const std::string& scope, bool still) {
    BodyDescription body;
    body.name = in_scope(scope, link.Name());
    body.line = line_of(link.Element());
    const std::string element = fmt::format("link '{}'", body.name);
    assembly_.X_WB[body.name] = X_WM * resolve(link.SemanticPose(), "", body.line, element);
    if (still) assembly_.still.insert(body.name);
    read_inertia(link, still, element, body);
    for (std::uint64_t i = 0; i < link.CollisionCount(); ++i)
      if (const sdf::Collision& collision = *link.CollisionByIndex(i); read_shape(collision, element, body.collisions))
        body.collisions.back().surface = surface_of(collision);
    for (std::uint64_t i = 0; i < link.VisualCount(); ++i) {
      const sdf::Visual& visual = *link.VisualByIndex(i);
      if (read_shape(visual, element, body.visuals)) body.visuals.back().color = color_of(visual);
    }
    assembly_.model.bodies.push_back(std::move(body));
  }

  void read_inertia(const sdf::Link& link, bool still, const std::string& element, BodyDescription& body) {
    const sdf::ElementPtr e = link.Element()->FindElement("inertial");
    if (e == nullptr && still)
      return;  // scenery: the format's default of 1 kg would only falsify the total mass
    if (e == nullptr)
      tally_.add(Severity::warning, "has no <inertial>: SDFormat gives it 1 kg and a unit inertia", body.line,
                 element);
    else if (e->FindElement("inertia") == nullptr)
      tally_.add(Severity::warning, "has no <inertia>: SDFormat gives it a unit inertia", body.line, element);
    const auto& I = link.Inertial().MassMatrix();
    const auto d = I.DiagonalMoments(), o = I.OffDiagonalMoments();
    if (!std::isfinite(I.Mass()) || !d.IsFinite() || !o.IsFinite())
      return error(body.line, element, fmt::format("mass or inertia is not finite (mass {})", I.Mass()));
    const Pose X_BI = to_pose(link.Inertial().Pose(), body.line, element);
    Matrix3<double> about_com;
    about_com << d.X(), o.X(), o.Y(), o.X(), d.Y(), o.Z(), o.Y(), o.Z(), d.Z();
    const Matrix3<double>& R = X_BI.rotation().matrix();
    body.inertia = Inertia<double>::from_com(I.Mass(), X_BI.translation(), R * about_com * R.transpose());
  }

  /// A collision or a visual. False when its geometry is none we know, which sdf_unused() tells.
  template <class Placed>
  bool read_shape(const Placed& placed, const std::string& element, std::vector<PlacedShape>& out) {
    PlacedShape p;
    p.name = placed.Name();
    const int line = line_of(placed.Element());
    p.X_BS = resolve(placed.SemanticPose(), "", line, element);
    if (placed.Geom() == nullptr || !read_geometry(*placed.Geom(), line, element, p)) return false;
    if (!p.shape.size.allFinite())
      error(line, element, fmt::format("the size of '{}' is not finite", p.name));
    out.push_back(std::move(p));
    return true;
  }

  bool read_geometry(const sdf::Geometry& g, int line, const std::string& element, PlacedShape& out) {
    using Kind = Shape::Kind;
    const auto set = [&](Kind kind, const Vector3<double>& size) {
      out.shape.kind = kind;
      out.shape.size = size;
      return true;
    };
    if (const auto* s = g.BoxShape()) return set(Kind::box, to_vector(s->Size()));
    if (const auto* s = g.SphereShape()) return set(Kind::sphere, {s->Radius(), 0.0, 0.0});
    if (const auto* s = g.CylinderShape()) return set(Kind::cylinder, {s->Radius(), s->Length(), 0.0});
    if (const auto* s = g.CapsuleShape()) return set(Kind::capsule, {s->Radius(), s->Length(), 0.0});
    if (const auto* s = g.EllipsoidShape()) return set(Kind::ellipsoid, to_vector(s->Radii()));
    if (const auto* s = g.PlaneShape()) {
      out.X_BS = out.X_BS * Pose(rotation_from_z(to_vector(s->Normal())));
      return set(Kind::plane, Vector3<double>::Zero());
    }
    if (g.MeshShape() == nullptr) return false;
    name_mesh(*g.MeshShape(), line, element, out.shape);
    return set(Kind::mesh, to_vector(g.MeshShape()->Scale()));
  }

  /// As the file names it, unless that is an included file with its own folder: then where it was found.
  void name_mesh(const sdf::Mesh& mesh, int line, const std::string& element, Shape& out) {
    out.file = mesh.Uri();
    const std::string included = copies_.original(mesh.FilePath());
    for (const MeshSearch search : {MeshSearch::exact, MeshSearch::wide}) {
      out.path = find_mesh(out.file, assembly_.model.file, options_.package_path, search);
      if (!out.path.empty()) return;
      if (!included.empty()) out.path = find_mesh(out.file, included, options_.package_path, search);
      if (!out.path.empty()) return void(out.file = out.path);
    }
    tally_.add(Severity::warning,
               fmt::format("mesh file is not found {}", mesh_places(out.file, options_.package_path)), line,
               fmt::format("{}: mesh '{}'", element, out.file));
  }

  /// What the file itself says; of two coefficients Gazebo takes the smaller one.
  static std::optional<ContactSurface> surface_of(const sdf::Collision& collision) {
    const auto find = [](sdf::ElementPtr e, std::initializer_list<const char*> path) {
      for (const char* const name : path) e = e == nullptr ? nullptr : e->FindElement(name);
      return e;
    };
    const sdf::ElementPtr mu = find(collision.Element(), {"surface", "friction", "ode", "mu"});
    const sdf::ElementPtr mask = find(collision.Element(), {"surface", "contact", "collide_bitmask"});
    if (mu == nullptr && mask == nullptr) return std::nullopt;
    ContactSurface out{.combine = ContactSurface::Combine::smaller, .type = -1, .affinity = -1};
    if (const double friction = mu != nullptr ? mu->Get<double>() : -1.0; friction >= 0.0) out.friction = friction;
    if (mask != nullptr) out.type = out.affinity = static_cast<int>(mask->Get<unsigned int>());
    return out;
  }

  /// From the text: libsdformat keeps colours in single precision.
  static std::optional<std::array<double, 4>> color_of(const sdf::Visual& visual) {
    const sdf::ElementPtr material = visual.Element()->FindElement("material");
    const sdf::ElementPtr diffuse = material != nullptr ? material->FindElement("diffuse") : nullptr;
    if (diffuse == nullptr) return std::nullopt;
    const auto rgba = parse_numbers(diffuse->GetValue()->GetAsString());
    if (!rgba || rgba->size() < 3) return std::nullopt;
    const double opacity = rgba->size() > 3 ? (*rgba)[3] : 1.0;
    const double transparency = visual.Element()->Get<double>("transparency", 0.0).first;
    return std::array<double, 4>{(*rgba)[0], (*rgba)[1], (*rgba)[2], opacity * (1.0 - transparency)};
  }

  void check_model(const sdf::Model& model) {
    if (model.LinkCount() + model.ModelCount() == 0 && !model.Static())
      error(line_of(model.Element()), fmt::format("model '{}'", model.Name()), "has no link");
    for (std::uint64_t i = 0; i < model.JointCount(); ++i) check_joint(*model.JointByIndex(i));
    for (std::uint64_t i = 0; i < model.ModelCount(); ++i) check_model(*model.ModelByIndex(i));
  }

  void check_joint(const sdf::Joint& joint) {
    const int line = line_of(joint.Element());
    const std::string element = fmt::format("joint '{}'", joint.Name());
    if (joint.Type() == sdf::JointType::INVALID)
      error(line, element, unknown_type(joint.Element()->Get<std::string>("type")));
    for (unsigned i : {0u, 1u})
      if (const sdf::JointAxis* axis = joint.Axis(i))
        check_axis(numbers_of(*axis), i == 0 ? "axis" : "axis2", line, element);
  }

  void check_axis(const SdfAxis& axis, const char* which, int line, const std::string& element) {
    if (const std::string flaw = axis_flaw(axis); !flaw.empty())
      error(line, element, fmt::format("{}: {}", which, flaw));
    if (has_reversed_limits(axis))
      tally_.add(Severity::warning,
                 fmt::format("{}: lower limit {} is above upper limit {}; taken as unlimited", which,
                             axis.lower, axis.upper),
                 line, element);
    else if (axis_flaw(axis).empty() && !is_unit(axis))
      tally_.add(Severity::warning, fmt::format("{} is not a unit vector and is normalised", which), line,
                 element);
  }

  void read_joint(const sdf::Joint& joint, const Pose& X_WM, const std::string& scope) {
    JointDescription j;
    j.name = in_scope(scope, joint.Name());
    j.line = line_of(joint.Element());
    const std::string element = fmt::format("joint '{}'", j.name);
    std::string parent, child;
    if (failed(joint.ResolveParentLink(parent), j.line, element)) return;
    if (failed(joint.ResolveChildLink(child), j.line, element)) return;
    // A static model as a whole is no link; as a parent it is the world.
    const bool to_world = !assembly_.X_WB.contains(in_scope(scope, parent));
    j.parent = to_world ? kWorld : in_scope(scope, parent);
    j.child = in_scope(scope, child);
    if (!assembly_.X_WB.contains(j.child)) return error(j.line, element, "its child is not a link");

    // Both frames are SDFormat's joint frame where the file places the bodies: q = 0 is that place.
    const Pose X_WJ = X_WM * resolve(joint.SemanticPose(), "__model__", j.line, element);
    j.X_PF = to_world ? X_WJ : resolve(joint.SemanticPose(), parent, j.line, element);
    j.X_CM = is_in_child(joint, child) ? to_pose(joint.RawPose(), j.line, element)
                                       : resolve(joint.SemanticPose(), child, j.line, element);
    if (!read_type(joint, element, j)) return;
    if (joint.Type() == sdf::JointType::GEARBOX)
      read_gearbox(joint, j, X_WJ.rotation(), scope);
    else
      assembly_.model.joints.push_back(std::move(j));
  }

  /// The usual case, where the file's own numbers need no arithmetic.
  static bool is_in_child(const sdf::Joint& joint, const std::string& child) {
    return joint.PoseRelativeTo().empty() && joint.ChildLinkName() == child;
  }

  bool read_type(const sdf::Joint& joint, const std::string& element, JointDescription& j) {
    const TypeRow& row = *std::ranges::find(kTypes, joint.Type(), &TypeRow::sdf);
    j.type = row.ours;
    if (row.axes < 2 && joint.Axis(row.axes) != nullptr)
      tally_.add(Severity::note,
                 fmt::format("a {} joint has only {} axes: the rest is not used", j.type, row.axes), j.line,
                 element);
    if (row.sdf == sdf::JointType::REVOLUTE2)
      tally_.add(Severity::note,
                 "type revolute2 is read as universal: turns about its axis, then about its axis2", j.line,
                 element);
    if (!read_axes(joint, row.axes, element, j)) return false;
    if (row.sdf == sdf::JointType::SCREW) read_pitch(joint, element, j);
    return true;
  }

  bool read_axes(const sdf::Joint& joint, unsigned count, const std::string& element, JointDescription& j) {
    std::vector<SdfAxis> numbers;
    for (unsigned i = 0; i < count; ++i) {
      const sdf::JointAxis* axis = joint.Axis(i);
      const char* which = i == 0 ? "axis" : "axis2";
      if (axis == nullptr) {
        const auto own = joint.Element()->Get<std::string>("type");
        error(j.line, element, fmt::format("a {} joint needs an <{}>", own, which));
        return false;
      }
      ignition::math::Vector3d xyz;
      if (failed(axis->ResolveXyz(xyz), j.line, element)) return false;
      (i == 0 ? j.axis : j.axis2) = to_vector(xyz).normalized();
      numbers.push_back(numbers_of(*axis));
      read_mimic(*axis, count, j.name.substr(0, j.name.size() - joint.Name().size()), j);
    }
    j.properties = sdf_properties(numbers);
    if (j.type == "continuous") drop_limits(element, j);
    return true;
  }

  void drop_limits(const std::string& element, JointDescription& j) {
    if (!j.properties.lower.empty() || !j.properties.upper.empty())
      tally_.add(Severity::warning, "its limits are not used: a continuous joint has none", j.line, element);
    j.properties.lower.clear();
    j.properties.upper.clear();
  }

  /// screw_thread_pitch (since 1.10): metres per revolution, positive for a right-handed thread.
  /// thread_pitch (before): what Gazebo made of it, radians per metre, positive for a left-handed thread.
  void read_pitch(const sdf::Joint& joint, const std::string& element, JointDescription& j) {
    const sdf::ElementPtr modern = joint.Element()->FindElement("screw_thread_pitch");
    const bool has_old = joint.Element()->HasElement("thread_pitch");
    if (modern != nullptr)
      j.pitch = number_in(modern, j.line, element) / (2.0 * std::numbers::pi);
    else if (has_old && joint.ThreadPitch() != 0.0)
      j.pitch = -1.0 / joint.ThreadPitch();
    else
      error(j.line, element,
            has_old ? "thread_pitch is 0 rad/m: it would slide without end"
                    : "a screw joint needs a <screw_thread_pitch> or a <thread_pitch>");
    if (!std::isfinite(j.pitch)) error(j.line, element, fmt::format("its pitch is {} m/rad", j.pitch));
  }

  /// The number in an element that libsdformat does not know and keeps as text.
  double number_in(const sdf::ElementPtr& e, int line, const std::string& element) {
    const std::string text = e->GetValue() != nullptr ? e->GetValue()->GetAsString() : "";
    const auto number = parse_number(text);
    if (!number || !std::isfinite(*number))
      error(line, element, fmt::format("<{}> cannot be read: its value is '{}'", e->GetName(), text));
    return number.value_or(0.0);
  }

  /// SDFormat 1.11: follower = multiplier (leader - reference) + offset. `scope` ends in "::" or is empty.
  void read_mimic(const sdf::JointAxis& axis, unsigned axes, const std::string& scope, JointDescription& j) {
    const sdf::ElementPtr e = axis.Element()->FindElement("mimic");
    if (e == nullptr) return;
    const std::string element = fmt::format("joint '{}'", j.name);
    if (axes > 1 || (e->HasAttribute("axis") && e->Get<std::string>("axis") != "axis")) {
      tally_.add(Severity::warning, "its <mimic> is not used: both joints must have one axis", j.line,
                 element);
      return;
    }
    if (!e->HasAttribute("joint")) return error(j.line, element, "its <mimic> names no joint");
    const auto number = [&](const char* name, double usual) {
      const sdf::ElementPtr child = e->FindElement(name);
      return child != nullptr ? number_in(child, j.line, element) : usual;
    };
    const double ratio = number("multiplier", 1.0);
    const double offset = number("offset", 0.0) - ratio * number("reference", 0.0);
    j.mimic = Mimic{scope + e->Get<std::string>("joint"), ratio, offset};
  }

  void read_gearbox(const sdf::Joint& joint, const JointDescription& j, const SO3<double>& R_WJ,
                    const std::string& scope) {
    const sdf::ElementPtr e = joint.Element();
    SdfGearbox g{.name = j.name,
                 .parent = j.parent,
                 .child = j.child,
                 .reference = kWorld,
                 .axis_W = R_WJ * j.axis,
                 .axis2_W = R_WJ * j.axis2,
                 .ratio = e->Get<double>("gearbox_ratio", 1.0).first,
                 .line = j.line};
    const std::string element = fmt::format("joint '{}'", j.name);
    if (e->HasElement("gearbox_reference_body")) {
      g.reference = in_scope(scope, e->Get<std::string>("gearbox_reference_body"));
      if (!assembly_.X_WB.contains(g.reference))
        return error(j.line, element, fmt::format("gearbox_reference_body '{}' does not exist", g.reference));
    }
    if (!std::isfinite(g.ratio)) return error(j.line, element, fmt::format("gearbox_ratio is {}", g.ratio));
    assembly_.gearboxes.push_back(std::move(g));
  }

  const LoadOptions& options_;
  const SdfCopies& copies_;
  SdfAssembly assembly_;
  Problems problems_;
  Tally tally_;
};

sdf::Errors load(const std::string& text, sdf::Root& root) {
  const sdf::ParserConfig config = library_settings();
  const QuietLibrary quiet(config);
  const sdf::SDFPtr document = empty_document();
  sdf::Errors errors;
  if (!sdf::readString(text, config, document, errors)) {
    errors.emplace_back(sdf::ErrorCode::STRING_READ, "Unable to read SDF string");
    return errors;
  }
  for (sdf::Error& e : root.Load(document, config)) errors.push_back(std::move(e));
  return errors;
}

/// Throws an Error with all that keeps this text from being read.
void load_checked(const std::string& text, const tinyxml2::XMLDocument& document, const std::string& file,
                  Reader& reader, sdf::Root& root) {
  const sdf::Errors errors = load(text, root);
  reader.check(root);
  const bool explained = any_at_least(reader.problems(), Severity::error);
  for (Problem& p : sdf_problems(messages_of(errors), document, file, explained))
    reader.problems().push_back(std::move(p));
  throw_problems(reader.problems(), Severity::error);
}

/// On its own first: from inside another file libsdformat only prints what is wrong with it.
void check_included(const SdfIncluded& included, const SdfCopies& copies, const LoadOptions& options) {
  tinyxml2::XMLDocument document;
  document.Parse(included.text.c_str(), included.text.size());
  Reader reader(included.file, options, copies);
  sdf::Root root;
  load_checked(included.text, document, included.file, reader, root);
}

bool is_there(const Problems& list, const Problem& p) {
  return std::any_of(list.begin(), list.end(), [&](const Problem& q) { return q.text() == p.text(); });
}

/// What is empty for what could not be included says so.
void check_any_model(const tinyxml2::XMLDocument& document, const SdfIncludes& includes, Problems& problems) {
  const auto* root = document.RootElement();
  const auto* whole = root->FirstChildElement("world");
  if (whole == nullptr) whole = root->FirstChildElement("model");
  if (whole == nullptr || includes.left_out.empty()) return;
  for (const char* name : {"link", "model", "include"})
    if (whole->FirstChildElement(name) != nullptr) return;
  for (Problem p : includes.left_out) {
    p.severity = Severity::error;
    if (!is_there(problems, p)) problems.push_back(p);
  }
}

/// Changes `document` to what the library is to read.
ModelDescription read_document(tinyxml2::XMLDocument& document, const std::string& file,
                               const LoadOptions& options) {
  SdfIncludes includes;
  Reader reader(file, options, includes.copies);
  reader.problems() = check_sdf_text(document, file);
  Problems unused = sdf_unused(document, file);
  Problems repairs = repair_sdf(document, file, SdfRole::main);
  follow_sdf_includes(document, file, options, includes);
  for (Problem& p : includes.errors) reader.problems().push_back(std::move(p));
  check_any_model(document, includes, reader.problems());
  throw_problems(reader.problems(), Severity::error);
  for (const SdfIncluded& included : includes.files) check_included(included, includes.copies, options);

  sdf::Root root;
  load_checked(sdf_library_text(document), document, file, reader, root);
  reader.read(root);
  ModelDescription out = reader.take();
  for (Problems* list : {&repairs, &includes.left_out, &unused, &includes.findings})
    for (Problem& p : *list)
      if (!is_there(out.findings, p)) out.findings.push_back(std::move(p));
  return out;
}

}  // namespace

namespace {

/// The line of an assertion of libsdformat that says what is wrong.
std::string assertion_text(const std::string& text) {
  constexpr std::string_view kError = "Error: ";
  const auto at = text.find(kError);
  const std::string rest = at == text.npos ? text : text.substr(at + kError.size());
  return rest.substr(0, rest.find('\n'));
}

}  // namespace

ModelDescription read_sdf(const std::string& text, const std::string& file, const LoadOptions& options) {
  tinyxml2::XMLDocument document;
  parse_xml(text, file, document);
  if (format_of(document, file) != Format::sdf)
    throw Error(
        fmt::format("{}: the root element is <{}>; expected <sdf>", file, document.RootElement()->Name()));
  rename_sdf_root(document);
  try {
    return read_document(document, file, options);
  } catch (const Error&) {
    throw;
  } catch (const sdf::Exception& e) {  // not derived from std::exception
    throw Error(fmt::format("{}: {}", file, assertion_text(e.GetErrorStr())));
  } catch (const std::exception& e) {  // libsdformat's assertions
    throw Error(fmt::format("{}: {}", file, e.what()));
  }
}

}  // namespace amble
