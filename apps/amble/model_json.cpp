#include "model_json.hpp"

#include <map>

#include "amble/mechanism/joints/list.hpp"

namespace amble::app {

namespace {

using Json = nlohmann::ordered_json;

Json rows(const Eigen::Ref<const Eigen::MatrixXd>& m) {
  Json out = Json::array();
  for (Eigen::Index i = 0; i < m.rows(); ++i) out.push_back(numbers(m.row(i)));
  return out;
}
Json pose(const Pose& X) { return rows(X.matrix()); }

/// Files that stack joints on one body have frames in between that the user never named: the body they belong to.
int listed_parent(const Mechanism& m, int body) {
  while (body >= 0 && m.bodies()[body].auxiliary) body = m.bodies()[body].parent;
  return body;
}
int listed_child(const Mechanism& m, int body) {
  while (m.bodies()[body].auxiliary) ++body;  // depth first: what follows a frame in between is what it carries
  return body;
}

template <class Entry>
std::map<std::string, const Entry*> by_name(const std::vector<Entry>& list) {
  std::map<std::string, const Entry*> out;
  for (const Entry& entry : list) out.emplace(entry.name, &entry);
  return out;
}

/// `values` of a description, or the default for each of `count` coordinates.
Json listed(const std::vector<double>& values, int count, double usual) {
  return values.empty() ? Json(std::vector<double>(static_cast<std::size_t>(count), usual)) : Json(values);
}

class Writer {
 public:
  explicit Writer(const Mechanism& m)
      : m_(m),
        joints_(by_name(m.description().joints)),
        loops_(by_name(m.description().loops)),
        frames_(by_name(m.description().frames)) {}

  Json write() const {
    Json out{{"name", m_.name()}, {"file", m_.description().file}, {"nq", m_.nq()}, {"nv", m_.nv()},
             {"mass", m_.mass()}, {"gravity", numbers(m_.gravity())}, {"mobility", m_.counted_mobility()}};
    out["bases"] = bases();
    for (const char* list :
         {"bodies", "auxiliary_bodies", "joints", "loops", "springs", "rollings", "frames", "warnings", "notes"})
      out[list] = Json::array();
    for (const Body& b : m_.bodies())
      b.auxiliary ? out["auxiliary_bodies"].push_back(auxiliary(b)) : out["bodies"].push_back(body(b));
    for (const Joint& j : m_.joints()) out["joints"].push_back(joint(j));
    for (const Loop& l : m_.loops()) out["loops"].push_back(loop(l));
    for (const SpringDescription& s : m_.description().springs) out["springs"].push_back(spring(s));
    for (const RollingDescription& r : m_.description().rollings) out["rollings"].push_back(rolling(r));
    for (const Frame& f : m_.frames())
      out["frames"].push_back(
          {{"name", f.name}, {"body", body_name(m_, f.body)}, {"pose", pose(frames_.at(f.name)->X_BF)}});
    for (const Problem& p : m_.findings())
      out[p.severity == Severity::note ? "notes" : "warnings"].push_back(p.text());
    return out;
  }

 private:
  /// Bodies that stand on the world, and by which joint: null for those that nothing holds.
  Json bases() const {
    Json out = Json::array();
    for (const Body& b : m_.bodies())
      if (b.name != kWorld && (b.parent < 0 || m_.bodies()[b.parent].name == kWorld))
        out.push_back({{"body", b.name},
                       {"joint", joint_name(b)},
                       {"type", b.joint < 0 ? "fixed" : m_.joints()[b.joint].type}});
    return out;
  }

  Json joint_name(const Body& b) const { return b.joint < 0 ? Json() : Json(m_.joints()[b.joint].name); }

  Json body(const Body& b) const {
    return {{"name", b.name},
            {"mass", b.inertia.mass()},
            {"com", numbers(b.inertia.com())},
            {"inertia", rows(b.inertia.about_com())},
            {"parent", b.name == kWorld ? Json() : Json(body_name(m_, listed_parent(m_, b.parent)))},
            {"joint", joint_name(b)}};
  }

  Json auxiliary(const Body& b) const {
    return {{"name", b.name}, {"parent", body_name(m_, b.parent)}, {"joint", joint_name(b)}};
  }

  Json joint(const Joint& j) const {
    Json out{{"name", j.name},
             {"type", j.type},
             {"parent", body_name(m_, listed_parent(m_, j.parent))},
             {"child", body_name(m_, listed_child(m_, j.child))},
             {"frame_parent", body_name(m_, j.parent)},
             {"frame_child", body_name(m_, j.child)},
             {"pose", pose(j.X_PF)},
             {"child_pose", pose(j.X_CM)}};
    add_axes(j, out);
    if (j.kind == kJointKind<Helical>) out["pitch"] = j.parameters.pitch;
    if (j.leader >= 0)
      out["mimic"] = {{"joint", m_.joints()[j.leader].name}, {"ratio", j.ratio}, {"offset", j.offset}};
    out["q"] = {j.q.start, j.q.size};
    out["v"] = {j.v.start, j.v.size};
    if (j.leader >= 0)
      add_follower_properties(j, out);
    else if (j.link >= 0)
      add_properties(j, out);
    return out;
  }

  void add_axes(const Joint& j, Json& out) const {
    const Matrix3<double>& R = j.R_FN.matrix();
    if (joint_axes(j) > 0) out["axis"] = numbers(Vector3<double>(R.col(2)));
    if (j.kind == kJointKind<Universal>)
      out["axis2"] = numbers(Vector3<double>(joints_.at(j.name)->axis2.normalized()));
    if (j.kind == kJointKind<Planar>) out["axis2"] = numbers(Vector3<double>(R.col(0)));
  }

  void add_properties(const Joint& j, Json& out) const {
    out["lower"] = numbers(m_.lower().segment(j.q.start, j.q.size));
    out["upper"] = numbers(m_.upper().segment(j.q.start, j.q.size));
    for (const auto& [key, array] :
         {std::pair{"velocity", &m_.velocity_limit()}, {"effort", &m_.effort_limit()}, {"damping", &m_.damping()},
          {"friction", &m_.friction()}, {"armature", &m_.armature()}, {"stiffness", &m_.stiffness()},
          {"reference", &m_.spring_reference()}})
      out[key] = numbers(array->segment(j.v.start, j.v.size));
  }

  /// The file's own numbers of a joint that has no coordinate to list them by.
  void add_follower_properties(const Joint& j, Json& out) const {
    const JointProperties& p = joints_.at(j.name)->properties;
    out["lower"] = listed(p.lower, j.v.size, -kUnlimited);
    out["upper"] = listed(p.upper, j.v.size, kUnlimited);
    for (const auto& [key, values] : {std::pair{"velocity", &p.velocity}, {"effort", &p.effort}})
      out[key] = listed(*values, j.v.size, kUnlimited);
    for (const auto& [key, values] :
         {std::pair{"damping", &p.damping}, {"friction", &p.friction}, {"armature", &p.armature},
          {"stiffness", &p.stiffness}, {"reference", &p.reference}})
      out[key] = listed(*values, j.v.size, 0.0);
  }

  Json loop(const Loop& l) const {
    Json out{{"name", l.name},
             {"type", l.type},
             {"body_a", body_name(m_, l.body_a)},
             {"body_b", body_name(m_, l.body_b)},
             {"constrains", 6 - l.freedoms}};
    // A loop of the file, or a joint that closes one.
    if (const auto own = loops_.find(l.name); own != loops_.end())
      add_closure(l.kind, own->second->X_AF, own->second->X_BM, *own->second, out);
    else
      add_closure(l.kind, joints_.at(l.name)->X_PF, joints_.at(l.name)->X_CM, *joints_.at(l.name), out);
    return out;
  }

  static Json spring(const SpringDescription& s) {
    return {{"name", s.name},
            {"body_a", s.body_a},
            {"body_b", s.body_b},
            {"point_a", numbers(s.point_a)},
            {"point_b", numbers(s.point_b)},
            {"stiffness", s.stiffness},
            {"length", s.length},
            {"damping", s.damping}};
  }

  static Json rolling(const RollingDescription& r) {
    return {{"name", r.name},
            {"body", r.body},
            {"radius", r.radius},
            {"axis", numbers(Vector3<double>(r.axis.normalized()))},
            {"center", numbers(r.center)},
            {"constrains", kRollingRows}};
  }

  template <class Closure>
  static void add_closure(int kind, const Pose& X_AF, const Pose& X_BM, const Closure& c, Json& out) {
    out["pose_a"] = pose(X_AF);
    out["pose_b"] = pose(X_BM);
    const int axes = visit_joint_type(kind, []<class Type>() { return Type::kAxes; });
    if (axes > 0) out["axis"] = numbers(Vector3<double>(c.axis.normalized()));
    if (axes > 1) out["axis2"] = numbers(Vector3<double>(c.axis2.normalized()));
    if (kind == kJointKind<Helical>) out["pitch"] = c.pitch;
  }

  const Mechanism& m_;
  std::map<std::string, const JointDescription*> joints_;
  std::map<std::string, const LoopDescription*> loops_;
  std::map<std::string, const FrameDescription*> frames_;
};

}  // namespace

Json model_json(const Mechanism& m) { return Writer(m).write(); }

std::string body_name(const Mechanism& m, int body) { return body < 0 ? kWorld : m.bodies()[body].name; }

int joint_axes(const Joint& joint) {
  return visit_joint_type(joint.kind, []<class Type>() { return Type::kAxes; });
}

}  // namespace amble::app
