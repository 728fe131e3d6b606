#include "amble/mechanism/serialize.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>

#include "amble/base/limits.hpp"

// Each type has one list of its fields, used for writing and for reading, so the two cannot disagree.
namespace amble {

namespace {

using nlohmann::json;

constexpr int kVersion =
    3;  // 1 had no springs and no rollings; 2 no tendons, no couplings, and drives of joints only

// JSON has no infinity: limits are the only numbers that need it.
json number(double x) {
  if (std::isinf(x)) return x > 0.0 ? "inf" : "-inf";
  return x;
}
double number(const json& j) {
  if (j == "inf") return kUnlimited;
  if (j == "-inf") return -kUnlimited;
  return j.get<double>();
}

struct Writer {
  json out = json::object();

  template <class T>
  void field(const char* key, const T& value) {
    out[key] = write(value);
  }
  template <class T>
  void later_field(const char* key, const T& value) {
    field(key, value);
  }

  static json write(const std::string& s) { return s; }
  static json write(int i) { return i; }
  static json write(bool b) { return b; }
  static json write(double x) { return number(x); }
  template <std::size_t N>
  static json write(const std::array<double, N>& a) {
    return a;
  }
  template <int R, int C>
  static json write(const Matrix<double, R, C>& m) {
    return std::vector<double>(m.data(), m.data() + m.size());
  }
  static json write(const Pose& X) { return write(X.matrix()); }
  static json write(const Inertia<double>& I) {
    return {I.mass(), write(I.first_moment()), write(I.about_origin())};
  }
  static json write(Shape::Kind kind) { return std::string(shape_name(kind)); }
  static json write(ContactSurface::Combine rule) { return std::string(combine_name(rule)); }
  static json write(TendonPoint::Kind kind) { return static_cast<int>(kind); }
  static json write(DriveDynamics dynamics) { return static_cast<int>(dynamics); }
  static json write(Severity s) { return static_cast<int>(s); }
  static json write(const std::vector<double>& v) {
    json a = json::array();
    for (double x : v) a.push_back(number(x));
    return a;
  }
  template <class T>
  static json write(const std::vector<T>& v) {
    json a = json::array();
    for (const T& x : v) a.push_back(write(x));
    return a;
  }
  template <class T>
  static json write(const std::optional<T>& o) {
    return o ? write(*o) : json(nullptr);
  }
  template <class T>
  static json write(const T& record) {
    Writer w;
    fields(w, const_cast<T&>(record));  // fields() is shared with reading; writing changes nothing
    return std::move(w.out);
  }
};

struct Reader {
  const json& in;

  template <class T>
  void field(const char* key, T& value) {
    read(in.at(key), value);
  }
  /// One that earlier versions did not write.
  template <class T>
  void later_field(const char* key, T& value) {
    if (in.contains(key)) field(key, value);
  }

  static void read(const json& j, std::string& s) { s = j.get<std::string>(); }
  static void read(const json& j, int& i) {
    if (!j.is_number_integer()) throw Error("a whole number is expected");
    const auto wide = j.get<std::int64_t>();
    i = static_cast<int>(wide);
    if (i != wide) throw Error("a whole number is too large");
  }
  static void read(const json& j, bool& b) { b = j.get<bool>(); }
  static void read(const json& j, double& x) { x = number(j); }
  template <std::size_t N>
  static void read(const json& j, std::array<double, N>& a) {
    if (j.is_number())  // the only one there was, in earlier versions
      a = {}, a[0] = j.get<double>();
    else
      a = j.get<std::array<double, N>>();
  }
  template <int R, int C>
  static void read(const json& j, Matrix<double, R, C>& m) {
    const auto v = j.get<std::vector<double>>();
    if (static_cast<Eigen::Index>(v.size()) != m.size()) throw Error("a matrix has the wrong number of entries");
    std::copy(v.begin(), v.end(), m.data());
  }
  static void read(const json& j, Pose& X) {
    Matrix4<double> m;
    read(j, m);
    check_pose(m, "a pose");  // throws; the bits stay as they are
    X = Pose(m);
  }
  static void read(const json& j, Inertia<double>& I) {
    Vector3<double> h;
    Matrix3<double> about_origin;
    read(j.at(1), h);
    read(j.at(2), about_origin);
    I = {j.at(0).get<double>(), h, about_origin};
  }
  static void read(const json& j, Shape::Kind& kind) {
    const auto found = shape_kind(j.get<std::string>());
    if (!found) throw Error("unknown shape");
    kind = *found;
  }
  static void read(const json& j, ContactSurface::Combine& rule) {
    const auto found = combine_rule(j.get<std::string>());
    if (!found) throw Error("unknown rule for friction");
    rule = *found;
  }
  template <class Enum>
  static void read_choice(const json& j, Enum last, const char* what, Enum& out) {
    int choice = 0;
    read(j, choice);
    if (choice < 0 || choice > static_cast<int>(last)) throw Error(fmt::format("unknown {}", what));
    out = static_cast<Enum>(choice);
  }
  static void read(const json& j, Severity& s) { read_choice(j, Severity::error, "severity", s); }
  static void read(const json& j, TendonPoint::Kind& kind) {
    read_choice(j, TendonPoint::Kind::pulley, "kind of point of a tendon", kind);
  }
  static void read(const json& j, DriveDynamics& dynamics) {
    read_choice(j, DriveDynamics::muscle, "dynamics of a drive", dynamics);
  }
  template <class T>
  static void read(const json& j, std::vector<T>& v) {
    v.clear();
    for (const json& x : j) read(x, v.emplace_back());
  }
  template <class T>
  static void read(const json& j, std::optional<T>& o) {
    if (j.is_null()) return o.reset();
    read(j, o.emplace());
  }
  template <class T>
  static void read(const json& j, T& record) {
    Reader r{j};
    fields(r, record);
  }
};

template <class A>
void fields(A& a, Shape& s) {
  a.field("kind", s.kind), a.field("size", s.size), a.field("file", s.file);
  a.later_field("path", s.path);
}
template <class A>
void fields(A& a, ContactSurface& s) {
  a.field("friction", s.friction), a.field("combine", s.combine), a.field("priority", s.priority);
  a.field("frictionless", s.frictionless), a.field("type", s.type), a.field("affinity", s.affinity);
  a.field("margin", s.margin);
}
template <class A>
void fields(A& a, PlacedShape& s) {
  a.field("name", s.name), a.field("shape", s.shape), a.field("pose", s.X_BS), a.field("color", s.color);
  a.later_field("surface", s.surface);
}
template <class A>
void fields(A& a, BodyDescription& b) {
  a.field("name", b.name), a.field("inertia", b.inertia), a.field("visuals", b.visuals);
  a.field("collisions", b.collisions), a.field("auxiliary", b.auxiliary), a.field("line", b.line);
  a.later_field("gravity_compensation", b.gravity_compensation);
}
template <class A>
void fields(A& a, Mimic& m) {
  a.field("leader", m.leader), a.field("ratio", m.ratio), a.field("offset", m.offset);
}
template <class A>
void fields(A& a, JointProperties& p) {
  a.field("lower", p.lower), a.field("upper", p.upper), a.field("velocity", p.velocity), a.field("effort", p.effort);
  a.field("damping", p.damping), a.field("friction", p.friction), a.field("armature", p.armature);
  a.field("stiffness", p.stiffness), a.field("reference", p.reference);
  a.later_field("stiffness_polynomial", p.stiffness_polynomial),
      a.later_field("damping_polynomial", p.damping_polynomial);
  a.later_field("drive_range", p.drive_range),
      a.later_field("compensated_by_drives", p.compensated_by_drives);
}
template <class A, class J>
void axes(A& a, J& j) {
  a.field("name", j.name), a.field("type", j.type), a.field("axis", j.axis), a.field("axis2", j.axis2);
  a.field("pitch", j.pitch), a.field("line", j.line);
}
template <class A>
void fields(A& a, JointDescription& j) {
  axes(a, j);
  a.field("parent", j.parent), a.field("child", j.child), a.field("X_PF", j.X_PF), a.field("X_CM", j.X_CM);
  a.field("properties", j.properties), a.field("mimic", j.mimic);
}
template <class A>
void fields(A& a, LoopDescription& l) {
  axes(a, l);
  a.field("body_a", l.body_a), a.field("body_b", l.body_b), a.field("X_AF", l.X_AF), a.field("X_BM", l.X_BM);
}
template <class A>
void fields(A& a, SpringDescription& s) {
  a.field("name", s.name), a.field("body_a", s.body_a), a.field("body_b", s.body_b), a.field("line", s.line);
  a.field("point_a", s.point_a), a.field("point_b", s.point_b);
  a.field("stiffness", s.stiffness), a.field("length", s.length), a.field("damping", s.damping);
}
template <class A>
void fields(A& a, RollingDescription& r) {
  a.field("name", r.name), a.field("body", r.body), a.field("radius", r.radius), a.field("axis", r.axis);
  a.field("center", r.center), a.field("line", r.line);
}
template <class A>
void fields(A& a, FrameDescription& f) {
  a.field("name", f.name), a.field("body", f.body), a.field("pose", f.X_BF), a.field("line", f.line);
}
template <class A>
void fields(A& a, TendonJoint& t) {
  a.field("joint", t.joint), a.field("coefficient", t.coefficient);
}
template <class A>
void fields(A& a, TendonPoint& p) {
  a.field("kind", p.kind), a.field("body", p.body), a.field("pose", p.X_BP), a.field("radius", p.radius);
  a.field("divisor", p.divisor), a.field("side_body", p.side_body), a.field("side", p.side);
}
template <class A>
void fields(A& a, TendonDescription& t) {
  a.field("name", t.name), a.field("joints", t.joints), a.field("offset", t.offset), a.field("path", t.path);
  a.field("stiffness", t.stiffness), a.field("damping", t.damping), a.field("rest", t.rest),
      a.field("line", t.line);
  a.field("friction", t.friction), a.field("armature", t.armature), a.field("range", t.range),
      a.field("force", t.force);
}
template <class A>
void fields(A& a, CouplingDescription& c) {
  a.field("name", c.name), a.field("tendons", c.tendons), a.field("y", c.y), a.field("x", c.x),
      a.field("y0", c.y0);
  a.field("x0", c.x0), a.field("coefficients", c.coefficients), a.field("line", c.line);
}
template <class A>
void fields(A& a, MuscleCurves& m) {
  a.field("length_range", m.length_range), a.field("range", m.range), a.field("peak", m.peak),
      a.field("lmin", m.lmin);
  a.field("lmax", m.lmax), a.field("vmax", m.vmax), a.field("fpmax", m.fpmax), a.field("fvmax", m.fvmax);
}
template <class A>
void fields(A& a, DriveDescription& d) {
  a.later_field("tendon", d.tendon), a.later_field("frame", d.frame), a.later_field("reference", d.reference);
  a.later_field("slider", d.slider), a.later_field("in_parent", d.in_parent), a.later_field("rod", d.rod);
  a.later_field("muscle_gain", d.muscle_gain), a.later_field("muscle_bias", d.muscle_bias);
  a.later_field("dynamics", d.dynamics), a.later_field("time_constants", d.time_constants);
  a.later_field("activation", d.activation);
  a.field("name", d.name), a.field("joint", d.joint), a.field("gear", d.gear), a.field("line", d.line);
  a.field("gain", d.gain), a.field("bias", d.bias), a.field("control", d.control), a.field("force", d.force);
}
template <class A>
void fields(A& a, KeyframeJoint& k) {
  a.field("joint", k.joint), a.field("q", k.q), a.field("v", k.v);
}
template <class A>
void fields(A& a, KeyframeDescription& k) {
  a.field("name", k.name), a.field("time", k.time), a.field("joints", k.joints), a.field("ctrl", k.ctrl);
  a.field("line", k.line), a.later_field("activation", k.activation);
}
template <class A>
void fields(A& a, ShapeReference& r) {
  a.field("body", r.body), a.field("shape", r.shape);
}
template <class A>
void fields(A& a, ContactPairDescription& p) {
  a.field("name", p.name), a.field("a", p.a), a.field("b", p.b), a.field("friction", p.friction);
  a.field("margin", p.margin), a.field("line", p.line);
}
template <class A>
void fields(A& a, ContactExclusion& e) {
  a.field("body_a", e.body_a), a.field("body_b", e.body_b), a.field("line", e.line);
}
template <class A>
void fields(A& a, ContactRules& r) {
  a.field("pairs", r.pairs), a.field("exclusions", r.exclusions), a.field("neighbors_touch", r.neighbors_touch);
}
template <class A>
void fields(A& a, Problem& p) {
  a.field("severity", p.severity), a.field("file", p.file), a.field("line", p.line);
  a.field("element", p.element), a.field("reason", p.reason);
}
template <class A>
void fields(A& a, ModelDescription& d) {
  a.field("name", d.name), a.field("gravity", d.gravity), a.field("bodies", d.bodies), a.field("joints", d.joints);
  a.field("loops", d.loops), a.field("frames", d.frames), a.field("world_visuals", d.world_visuals);
  a.field("world_collisions", d.world_collisions), a.field("file", d.file), a.field("findings", d.findings);
  a.later_field("springs", d.springs), a.later_field("rollings", d.rollings);
  a.later_field("tendons", d.tendons), a.later_field("couplings", d.couplings);
  a.later_field("drives", d.drives), a.later_field("keyframes", d.keyframes);
  a.later_field("contact", d.contact);
}

/// The parser needs memory for each value, and a stack of its own for nesting.
json parsed(const std::string& text) {
  constexpr int kDeepest = 20;  // a description has no more than 10
  check_limit(Limit::file_bytes, static_cast<double>(text.size()), "its size");
  double values = 0;
  return json::parse(text, [&](int depth, json::parse_event_t, json&) {
    if (depth > kDeepest) throw Error(fmt::format("it is nested more than {} deep", kDeepest));
    check_limit(Limit::elements, ++values, "the number of its values");
    return true;
  });
}

void refuse_custom(const std::string& name, const std::shared_ptr<const CustomJoint>& custom) {
  if (custom) throw Error("joint '" + name + "' is custom: its code cannot be written down");
}

}  // namespace

std::string serialize(const ModelDescription& description) {
  for (const JointDescription& j : description.joints) refuse_custom(j.name, j.custom);
  for (const LoopDescription& l : description.loops) refuse_custom(l.name, l.custom);
  json out = Writer::write(description);
  out["amble_description"] = kVersion;
  return out.dump(-1, ' ', false, json::error_handler_t::replace);
}

ModelDescription deserialize(const std::string& text) {
  try {
    const json in = parsed(text);
    int version = 0;
    Reader::read(in.at("amble_description"), version);
    if (version < 1 || version > kVersion) throw Error("written by another version");
    ModelDescription description;
    Reader::read(in, description);
    return description;
  } catch (const std::exception& e) {
    throw Error(std::string("not a serialized mechanism: ") + e.what());
  }
}

}  // namespace amble
