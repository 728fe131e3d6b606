#include "amble/report/scene_stream.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "amble/dynamics/kinematics.hpp"
#include "amble/dynamics/momentum.hpp"
#include "amble/mechanism/coordinate_names.hpp"
#include "amble/report/scene_format.hpp"
#include "amble/report/scene_model.hpp"

namespace amble {

namespace {

using namespace scene_format;

constexpr std::size_t kMostEvents = 20000;
constexpr std::size_t kGroundCells = 96;

// ---- what there is to draw

Json mesh_json(const Triangles& mesh, Blocks& blocks) {
  std::vector<double> corners;
  std::vector<std::uint32_t> faces;
  for (const Vector3<double>& p : mesh.corners) corners.insert(corners.end(), p.begin(), p.end());
  for (const std::array<int, 3>& f : mesh.faces) faces.insert(faces.end(), f.begin(), f.end());
  return {{"corners", blocks.add<float>(corners)},
          {"corner_count", mesh.corners.size()},
          {"faces", blocks.add<std::uint32_t>(faces)},
          {"face_count", mesh.faces.size()}};
}

Json shape_json(const ViewShape& shape, Blocks& blocks) {
  Json out{{"kind", shape_name(shape.kind)}, {"size", json_of(shape.size)},
           {"pose", json_of(shape.X_LS)},    {"body", shape.body},
           {"made_up", shape.made_up},       {"color", nullptr}};
  if (shape.color) out["color"] = *shape.color;
  if (shape.mesh) out["mesh"] = mesh_json(*shape.mesh, blocks);
  return out;
}

Json links_json(const Mechanism& m, const SceneModel& model, Blocks& blocks) {
  const std::vector<std::string> names = link_names(m);
  Json out = Json::array();
  for (std::size_t i = 0; i < model.links.size(); ++i) {
    Json shapes = Json::array();
    for (const ViewShape& shape : model.links[i]) shapes.push_back(shape_json(shape, blocks));
    out.push_back({{"name", names[i]}, {"parent", m.links()[i].parent}, {"shapes", shapes}});
  }
  return out;
}

/// Where each joint is: at the origin of the link that it moves, whose z is its axis where it has one.
Json joints_json(const Mechanism& m) {
  constexpr std::array kWithAxis = {"revolute", "continuous",  "prismatic",
                                    "helical",  "cylindrical", "planar"};
  Json out = Json::array();
  for (const Joint& joint : m.joints())
    if (joint.link > 0)
      out.push_back(
          {{"name", joint.name},
           {"type", joint.type},
           {"link", joint.link},
           {"has_axis", std::find(kWithAxis.begin(), kWithAxis.end(), joint.type) != kWithAxis.end()}});
  return out;
}

/// Places whose way is drawn: on links that end a chain or touch something, the frame farthest out, or else
/// their origin.
Json tips_json(const Mechanism& m, const RecordedContacts& contacts) {
  constexpr std::size_t kMostTips = 12;
  std::vector<char> chosen(m.links().size(), 1);
  for (const Link& link : m.links())
    if (link.parent >= 0) chosen[static_cast<std::size_t>(link.parent)] = 0;
  for (std::size_t i = 0; i < contacts.rows(); ++i)
    for (const int side : {1, 2})
      if (const int body = static_cast<int>(contacts.row(i)[side]); body >= 0)
        chosen[m.bodies()[body].link] = 1;
  const std::vector<std::string> names = link_names(m);
  Json out = Json::array();
  for (std::size_t i = 1; i < chosen.size() && out.size() < kMostTips; ++i) {
    Vector3<double> point = Vector3<double>::Zero();
    for (const Frame& frame : m.frames())
      if (frame.link == static_cast<int>(i) && frame.X_LF.translation().norm() > point.norm())
        point = frame.X_LF.translation();
    if (chosen[i]) out.push_back({{"name", names[i]}, {"link", i}, {"point", json_of(point)}});
  }
  return out;
}

/// Where things went, seen from above.
struct Extent {
  Vector2<double> low{-1.0, -1.0}, high{1.0, 1.0};
};

Json ground_json(const GroundDescription& described, const Extent& extent, Blocks& blocks) {
  const GroundPtr ground = ground_of(described);
  if (ground == nullptr) return nullptr;
  if (const std::optional<Pose> plane = ground->plane())
    return {{"kind", "plane"}, {"pose", json_of(*plane)}};
  const Vector2<double> size = extent.high - extent.low + Vector2<double>(4.0, 4.0);
  const double spacing = size.maxCoeff() / kGroundCells;
  const Vector2<double> first = extent.low - Vector2<double>(2.0, 2.0);
  const std::size_t columns = static_cast<std::size_t>(size[0] / spacing) + 1,
                    rows = static_cast<std::size_t>(size[1] / spacing) + 1;
  std::vector<double> heights;
  for (std::size_t j = 0; j < rows; ++j)
    for (std::size_t i = 0; i < columns; ++i)
      heights.push_back(
          ground->at(first[0] + spacing * static_cast<double>(i), first[1] + spacing * static_cast<double>(j))
              .height);
  return {{"kind", "heights"},
          {"x", first[0]},
          {"y", first[1]},
          {"spacing", spacing},
          {"columns", columns},
          {"rows", rows},
          {"heights", blocks.add<float>(heights)}};
}

// ---- signals

struct Signal {
  std::string name, unit, group;
  std::vector<double> numbers;
};

/// Rows gathered into one: the first of them, and the least and the greatest.
struct Gathered {
  std::vector<double> first, low, high;
};
Gathered gathered(const std::vector<double>& numbers, std::size_t stride) {
  Gathered out;
  for (std::size_t i = 0; i < numbers.size(); i += stride) {
    const auto begin = numbers.begin() + static_cast<std::ptrdiff_t>(i),
               end = numbers.begin() + static_cast<std::ptrdiff_t>(std::min(i + stride, numbers.size()));
    const auto [least, greatest] = std::minmax_element(begin, end);
    out.first.push_back(*begin), out.low.push_back(*least), out.high.push_back(*greatest);
  }
  return out;
}

std::size_t stride_for(std::size_t rows, std::size_t columns, std::size_t bytes) {
  const std::size_t plain = rows * (columns * sizeof(float) + sizeof(double));
  if (plain <= bytes) return 1;
  const std::size_t each = 3 * columns * sizeof(float) + sizeof(double),
                    most = std::max<std::size_t>(bytes / each, 1);
  return std::max<std::size_t>((rows + most - 1) / most, 2);
}

class TableWriter {
 public:
  explicit TableWriter(Blocks& blocks) : blocks_(blocks) {}

  Json write(const char* name, const std::vector<double>& t, const std::vector<Signal>& signals,
             std::size_t bytes, std::size_t stride) {
    if (stride == 0) stride = stride_for(t.size(), signals.size(), bytes);
    const bool exact = stride == 1 && t.size() * signals.size() * sizeof(double) <= bytes;
    Json columns = Json::array();
    for (const Signal& s : signals) columns.push_back(column(s, stride, exact));
    const std::vector<double> times = gathered(t, stride).first;
    return {{"name", name},      {"rows", times.size()}, {"samples", t.size()},
            {"stride", stride},  {"exact", exact},       {"time", blocks_.add<double>(times)},
            {"columns", columns}};
  }

 private:
  std::size_t add(const std::vector<double>& numbers, bool exact) {
    return exact ? blocks_.add<double>(numbers) : blocks_.add<float>(numbers);
  }
  Json column(const Signal& s, std::size_t stride, bool exact) {
    Json out{{"name", s.name}, {"unit", s.unit}, {"group", s.group}};
    const Gathered g = gathered(s.numbers, stride);
    out["value"] = add(g.first, exact);
    if (stride > 1) out["low"] = add(g.low, exact), out["high"] = add(g.high, exact);
    return out;
  }

  Blocks& blocks_;
};

/// The part of a recording that a scene tells.
struct Part {
  std::size_t first_row = 0, first_ledger = 0;
};

class SceneWriter {
 public:
  SceneWriter(const Recording& r, const SceneSettings& settings)
      : r_(r), settings_(settings), m_(r.mechanism()), work_(m_), tables_(blocks_) {
    const auto after = [&](const std::vector<double>& t) {
      return static_cast<std::size_t>(std::upper_bound(t.begin(), t.end(), settings.after) - t.begin());
    };
    part_ = {after(r.t()), after(r.ledgers().t())};
  }

  std::string write() {
    Json head{{"format", "amble scene"}, {"version", 1}, {"name", m_.name()}, {"file", settings_.file}};
    head["complete"] = r_.complete();
    head["amble"] = r_.origin().version;
    head["origin"] = {{"scenario", r_.origin().file},
                      {"settings", r_.origin().settings},
                      {"seed", r_.origin().seed},
                      {"command", r_.origin().command}};
    head["mass"] = m_.mass(), head["gravity"] = json_of(m_.gravity());
    const SceneModel model = model_to_draw();
    head["notes"] = notes(model);
    head["links"] = links_json(m_, model, blocks_);
    head["joints"] = joints_json(m_), head["springs"] = springs_json(m_);
    head["tips"] = tips_json(m_, r_.contacts());
    head["states"] = states();
    head["frames"] = frames();
    head["ground"] = ground_json(r_.ground(), extent_, blocks_);
    head["ledger"] = ledger();
    head["events"] = events();
    return joined(head, blocks_);
  }

 private:
  /// A page that has the rest has the shapes, too.
  SceneModel model_to_draw() const {
    if (std::isinf(settings_.after)) return scene_model(m_);
    SceneModel bare;
    bare.links.resize(m_.links().size());
    return bare;
  }

  Json notes(const SceneModel& model) const {
    Json out = r_.origin().notes;
    for (const std::string& note : model.notes) out.push_back(note);
    if (r_.events().size() > kMostEvents)
      out.push_back(fmt::format("of {} events the first {} are shown", r_.events().size(), kMostEvents));
    return out;
  }

  template <class Numbers>
  std::vector<double> tail(const Numbers& numbers, std::size_t first) const {
    return {numbers.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(first, numbers.size())),
            numbers.end()};
  }
  std::size_t rows() const { return r_.t().size() - part_.first_row; }

  Json states() {
    std::vector<Signal> all;
    add_columns(q_names(m_), q_units(m_), "q", r_.q(), all);
    add_columns(v_names(m_), v_units(m_), "v", r_.v(), all);
    all.push_back({"kinetic", "J", "energy", tail(r_.kinetic(), part_.first_row)});
    all.push_back({"potential", "J", "energy", tail(r_.potential(), part_.first_row)});
    all.push_back({"kinetic + potential", "J", "energy", sum(r_.kinetic(), r_.potential())});
    if (m_.mass() > 0.0) add_center(all);
    add_contact_forces(all);
    return tables_.write("states", tail(r_.t(), part_.first_row), all, settings_.state_bytes,
                         settings_.stride);
  }

  void add_columns(const std::vector<std::string>& names, const std::vector<std::string>& units,
                   const char* group, const Eigen::Map<const Recording::Rows>& table,
                   std::vector<Signal>& out) const {
    for (std::size_t k = 0; k < names.size(); ++k) {
      Signal s{fmt::format("{}:{}", group, names[k]), units[k], group, {}};
      s.numbers.reserve(rows());
      for (std::size_t i = part_.first_row; i < r_.t().size(); ++i)
        s.numbers.push_back(table(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(k)));
      out.push_back(std::move(s));
    }
  }

  std::vector<double> sum(const std::vector<double>& a, const std::vector<double>& b) const {
    std::vector<double> out(rows());
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = a[part_.first_row + i] + b[part_.first_row + i];
    return out;
  }

  void add_center(std::vector<Signal>& out) {
    std::array<Signal, 3> center;
    for (int k = 0; k < 3; ++k)
      center[k] = {fmt::format("centre of mass {}", "xyz"[k]), "m", "centre of mass",
                   std::vector<double>(rows())};
    for (std::size_t i = 0; i < rows(); ++i) {
      const Vector3<double> c =
          center_of_mass(m_, work_, r_.q().row(static_cast<Eigen::Index>(part_.first_row + i)).transpose());
      for (int k = 0; k < 3; ++k) center[k].numbers[i] = c[k];
    }
    for (Signal& s : center) out.push_back(std::move(s));
  }

  /// Contacts of the step that a time lies in: rows of r_.contacts().
  std::pair<std::size_t, std::size_t> contacts_at(double t) const {
    const std::vector<double>& ends = r_.ledgers().t();
    const auto end = std::lower_bound(ends.begin(), ends.end(), t);
    if (end == ends.end()) return {0, 0};
    const RecordedContacts& all = r_.contacts();
    std::size_t low = 0, high = all.rows();
    while (low < high)
      (all.row((low + high) / 2)[0] < *end) ? low = (low + high) / 2 + 1 : high = (low + high) / 2;
    std::size_t last = low;
    while (last < all.rows() && all.row(last)[0] == *end) ++last;
    return {low, last};
  }

  /// What presses on each body, in all.
  void add_contact_forces(std::vector<Signal>& out) const {
    std::vector<Signal> of_body(m_.bodies().size());
    for (std::size_t i = 0; i < r_.contacts().rows(); ++i)
      for (int side : {1, 2})
        if (const double body = r_.contacts().row(i)[side]; body >= 0.0)
          of_body[static_cast<std::size_t>(body)].unit = "N";
    for (std::size_t b = 0; b < of_body.size(); ++b)
      if (!of_body[b].unit.empty()) {
        of_body[b].name = fmt::format("contact force on {}", m_.bodies()[b].name);
        of_body[b].group = "contact", of_body[b].numbers.assign(rows(), 0.0);
      }
    for (std::size_t i = 0; i < rows() && r_.contacts().rows() > 0; ++i) put_contact_forces(i, of_body);
    for (Signal& s : of_body)
      if (!s.numbers.empty()) out.push_back(std::move(s));
  }
  void put_contact_forces(std::size_t row, std::vector<Signal>& of_body) const {
    const auto [first, last] = contacts_at(r_.t()[part_.first_row + row]);
    std::vector<Vector3<double>> sums(of_body.size(), Vector3<double>::Zero());
    for (std::size_t k = first; k < last; ++k) {
      const double* const c = r_.contacts().row(k);
      const Eigen::Map<const Eigen::Vector3d> force(c + 6);
      if (c[1] >= 0.0) sums[static_cast<std::size_t>(c[1])] -= force;
      if (c[2] >= 0.0) sums[static_cast<std::size_t>(c[2])] += force;
    }
    for (std::size_t b = 0; b < sums.size(); ++b)
      if (!of_body[b].numbers.empty()) of_body[b].numbers[row] = sums[b].norm();
  }

  // ---- poses

  std::size_t frame_columns() const { return 7 * (m_.links().size() - 1) + 3; }

  /// Rows of the recording that become frames: the first at or after each tick of a clock, and the last.
  std::vector<std::size_t> frame_rows() const {
    const std::vector<double>& t = r_.t();
    std::vector<std::size_t> out;
    if (rows() == 0) return out;
    const double contacts =
        static_cast<double>(r_.contacts().rows()) / static_cast<double>(rows());  // in the mean
    const double each =
        static_cast<double>(frame_columns() * sizeof(float) + sizeof(double)) +
        contacts * static_cast<double>((RecordedContacts::kColumns.size() - 1) * sizeof(float));
    const double length = std::max(t.back() - t[0], 1e-9);
    const double rate =
        std::min(settings_.frame_rate, static_cast<double>(settings_.frame_bytes) / each / length);
    double tick = -1.0;
    for (std::size_t i = part_.first_row; i < t.size(); ++i) {
      const double now = std::floor((t[i] - t[0]) * rate + 1e-6);
      if (now > tick || i + 1 == t.size()) out.push_back(i), tick = now;
    }
    return out;
  }

  Json frames() {
    const std::vector<std::size_t> chosen = frame_rows();
    std::vector<double> t, poses, contacts;
    std::vector<std::uint32_t> first{0};
    for (const std::size_t row : chosen) {
      t.push_back(r_.t()[row]);
      add_pose(r_.q().row(static_cast<Eigen::Index>(row)).transpose(), poses);
      const auto [begin, end] = contacts_at(t.back());
      for (std::size_t k = begin; k < end; ++k) {
        const double* const c = r_.contacts().row(k);
        contacts.insert(contacts.end(), c + 1, c + RecordedContacts::kColumns.size());
      }
      first.push_back(static_cast<std::uint32_t>(contacts.size() / (RecordedContacts::kColumns.size() - 1)));
    }
    return {{"rows", chosen.size()},
            {"columns", frame_columns()},
            {"time", blocks_.add<double>(t)},
            {"poses", blocks_.add<float>(poses)},
            {"contact_first", blocks_.add<std::uint32_t>(first)},
            {"contact_rows", first.back()},
            {"contacts", blocks_.add<float>(contacts)}};
  }

  void add_pose(const VectorRef& q, std::vector<double>& out) {
    const Vector3<double> center = m_.mass() > 0.0 ? center_of_mass(m_, work_, q) : Vector3<double>::Zero();
    const LinkPoses poses = forward_kinematics(m_, work_, q);
    for (std::size_t link = 1; link < poses.size(); ++link) {
      const std::array<double, 7> numbers = numbers_of(poses[link]);
      out.insert(out.end(), numbers.begin(), numbers.end());
      extent_.low = extent_.low.cwiseMin(Vector2<double>(numbers[0], numbers[1]));
      extent_.high = extent_.high.cwiseMax(Vector2<double>(numbers[0], numbers[1]));
    }
    out.insert(out.end(), center.begin(), center.end());
  }

  // ---- the books

  Json ledger() {
    const LedgerHistory& books = r_.ledgers();
    std::vector<Signal> all;
    const std::size_t entries = books.names().size(), first = part_.first_ledger;
    for (std::size_t e = 0; e < entries; ++e)
      for (std::size_t k = 0; k < LedgerHistory::kParts.size(); ++k) {
        Signal s{books.names()[e], "J", LedgerHistory::kParts[k], {}};
        for (std::size_t i = first; i < books.rows(); ++i)
          s.numbers.push_back(books.part(k)[i * entries + e]);
        all.push_back(std::move(s));
      }
    all.push_back({"mechanism", "J", "energy", tail(books.energy(), first)});
    all.push_back({"events", "J", "losses", tail(books.losses(), first)});
    Json out =
        tables_.write("ledger", tail(books.t(), first), all, settings_.state_bytes / 2, settings_.stride);
    out["initial"] = books.initial();
    out["entries"] = books.names();
    out["residual"] = r_.ledger().residual(), out["exchanged"] = r_.ledger().exchanged;
    return out;
  }

  Json events() const {
    Json out = Json::array();
    for (const RecordedEvent& e : r_.events())
      if (e.t > settings_.after && out.size() < kMostEvents)
        out.push_back({{"t", e.t}, {"name", e.name}, {"lost", e.lost}});
    return out;
  }

  const Recording& r_;
  const SceneSettings& settings_;
  const Mechanism& m_;
  Workspace work_;
  Blocks blocks_;
  TableWriter tables_;
  Part part_;
  Extent extent_;
};

}  // namespace

std::string scene_stream(const Recording& recording, const SceneSettings& settings) {
  return SceneWriter(recording, settings).write();
}

}  // namespace amble
