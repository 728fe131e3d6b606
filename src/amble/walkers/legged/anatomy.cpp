#include "amble/walkers/legged/anatomy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "amble/base/error.hpp"
#include "amble/mechanism/joints/list.hpp"
#include "amble/walkers/legged/facing.hpp"
#include "amble/walkers/legged/foot_support.hpp"
#include "amble/walkers/legged/limbs.hpp"
#include "amble/walkers/legged/standing_guess.hpp"

namespace amble {

namespace {

constexpr double kKeyframeWeight = 0.9,
                 kRangesWeight = 0.7;    // of looks at other postures than the neutral one
constexpr double kStandingScore = 0.02;  // of a keyframe, for its knees to count
constexpr std::size_t kAnkleJoints = 5;  // legs with fewer have no ankle: their feet are points
constexpr double kSameSpot = 0.02;       // m along the robot, for legs to be a pair
// What a guessed sole may be at most, shares of the way from hip to ankle. People: 0.31 long, 0.11 wide,
// ankle 0.08 high.
constexpr double kLongSole = 0.32, kWideSole = 0.14, kHighAnkle = 0.2, kAnkleHeight = 0.1;
constexpr double kPlate = 0.15;       // from its middle to a corner, to be a sole of a leg without ankle
constexpr double kAnkleAhead = 0.25;  // of its length, from the ankle to its middle
constexpr double kTorsoMass = 0.25;   // of the base's

using Supports = std::vector<FootSupport>;

std::string names_of(const Mechanism& m, const std::vector<int>& links) {
  std::vector<std::string> out;
  for (const int i : links) out.push_back(m.joints()[m.links()[i].joint].name);
  return fmt::format("{}", fmt::join(out, ", "));
}

class Finder {
 public:
  Finder(const Mechanism& m, const LeggedRobotSettings& settings)
      : m_(m), settings_(settings), out_{.robot = {.mechanism = m}} {}

  Anatomy run() {
    base_ = floating_link(m_);
    if (base_ < 0) return refuse(fixed_base_text());
    out_.robot.base = main_body(m_, base_).name;
    if (!look()) return std::move(out_);
    if (const std::string loop = loop_in_legs(); !loop.empty()) return refuse(loop);
    supports();
    write_foot_warnings();
    if (const std::string wheel = wheel_text(); !wheel.empty()) return refuse(wheel);
    bend();
    face();
    rectangles();
    write_legs();
    write_mirror();
    write_torso();
    write_actuated();
    compare_limits(out_.robot.mirror, settings_, out_.robot);
    return std::move(out_);
  }

 private:
  LeggedRobot& robot() { return out_.robot; }
  template <class... Args>
  void found(fmt::format_string<Args...> text, Args&&... args) {
    robot().evidence.push_back(fmt::format(text, std::forward<Args>(args)...));
  }
  /// The same of several feet is said once.
  void warn_foot(int leg, std::string text) {
    foot_warnings_.push_back({std::move(text), main_body(m_, guess_.legs[leg].foot()).name});
  }
  void write_foot_warnings() {
    if (!mesh_trouble_.empty()) warn("{}", mesh_trouble_);
    std::vector<std::string> said;
    for (const auto& [text, first] : foot_warnings_) {
      if (std::find(said.begin(), said.end(), text) != said.end()) continue;
      said.push_back(text);
      std::vector<std::string> feet;
      for (const auto& [other, name] : foot_warnings_)
        if (other == text) feet.push_back(fmt::format("'{}'", name));
      warn("{} {}: {}", feet.size() == 1 ? "foot" : "feet", fmt::join(feet, ", "), text);
    }
  }
  template <class... Args>
  void warn(fmt::format_string<Args...> text, Args&&... args) {
    robot().warnings.push_back(fmt::format(text, std::forward<Args>(args)...));
  }
  Anatomy refuse(std::string text) {
    robot().refusal = std::move(text);
    return std::move(out_);
  }

  std::string fixed_base_text() const {
    for (const Body& b : m_.bodies())
      if (b.parent < 0 && b.name != kWorld)
        return fmt::format(
            "the base '{}' is fixed to the world: load the model with a floating base (command line: --base "
            "floating; Python: floating_base=True; C++: LoadOptions::base)",
            b.name);
    return "the model has no body that moves";
  }

  /// The posture to look at the robot in, its legs and its up direction; false: it has none.
  bool look() {
    struct Look {
      std::string name;
      OwnedVector q;
      double weight;
    };
    std::vector<Look> postures{{"the neutral posture", m_.neutral(), 1.0}};
    for (const Keyframe& k : m_.keyframes())
      postures.push_back({fmt::format("keyframe '{}'", k.name), k.q, kKeyframeWeight});
    postures.push_back({"the middle of the joint ranges", middle_of_ranges(), kRangesWeight});
    std::vector<int> feet;
    for (const FootSettings& f : settings_.feet) feet.push_back(m_.place(f.body).link);
    std::string where;
    for (const auto& [name, q, weight] : postures) {
      const PosedLinks at(m_, q);
      std::optional<Vector3<double>> up;
      if (settings_.up) up = (at.X_WL[base_].rotation() * base_axes() * *settings_.up).normalized();
      StandingGuess guess = find_standing(at, base_, feet, up);
      guess.score *= weight;
      if (where.empty() || guess.score > guess_.score)
        guess_ = std::move(guess), where = name, out_.drawn = q;
    }
    if (guess_.score <= 0.0) {
      robot().refusal = fmt::format(
          "no legs were found: {}; name their feet as [[feet]] where there are legs", guess_.reason);
      return false;
    }
    at_.emplace(m_, out_.drawn);
    find_keyframe(feet);
    const Vector3<double> up_Base =
        base_axes().inverse() * (at_->X_WL[base_].rotation().inverse() * guess_.up);
    robot().up_Base = up_Base;
    found("seen in {} (fit {:.2f}); up is ({:.3g}, {:.3g}, {:.3g}) in base axes{}", where, guess_.score,
          up_Base[0], up_Base[1], up_Base[2],
          guess_.up.dot(m_.gravity()) < -0.999 * m_.gravity().norm() ? ", against gravity"
                                                                     : ", by the axes of the legs");
    found("{} of {} chains of joints reach down: they are legs", guess_.legs.size(), limbs(m_, base_).size());
    return true;
  }
  /// R_LB of the base: its link's axes are those of its joint.
  SO3<double> base_axes() const { return main_body(m_, base_).X_LB.rotation(); }
  OwnedVector middle_of_ranges() const {
    OwnedVector q = m_.neutral();
    for (const Link& l : m_.links())
      if (l.kind == kJointKind<Revolute> || l.kind == kJointKind<Prismatic>)
        if (const double lower = m_.lower()[l.q.start], upper = m_.upper()[l.q.start];
            std::isfinite(upper - lower))
          q[l.q.start] = 0.5 * (lower + upper);
    return q;
  }
  void find_keyframe(const std::vector<int>& feet) {
    for (const Keyframe& k : m_.keyframes()) {
      const PosedLinks at(m_, k.q);
      const Vector3<double> up =
          at.X_WL[base_].rotation() * (at_->X_WL[base_].rotation().inverse() * guess_.up);
      const StandingGuess guess = guess_standing(at, base_, up, feet);
      if (guess.score < kStandingScore || guess.legs.size() != guess_.legs.size()) continue;
      out_.stands = k.q;
      found("it stands in keyframe '{}'", k.name);
      return;
    }
  }

  std::string loop_in_legs() const {
    for (const Loop& loop : m_.loops())
      for (const int end : {loop.link_a, loop.link_b})
        for (const LegChain& leg : guess_.legs)
          for (const int link : carried_links(m_, leg.links[0]))
            if (link == end)
              return fmt::format(
                  "loop '{}' closes on a leg at body '{}': legs with closed loops cannot be walked, use a "
                  "model whose legs are open chains",
                  loop.name, main_body(m_, end).name);
    return {};
  }

  // Feet.

  std::vector<int> foot_links(int leg) const { return carried_links(m_, guess_.legs[leg].foot()); }
  Vector3<double> up_in(int link) const { return at_->X_WL[link].rotation().inverse() * guess_.up; }

  void supports() {
    for (std::size_t i = 0; i < guess_.legs.size(); ++i) {
      move_foot_above_toe(guess_.legs[i]);
      supports_.push_back(settings_.feet.empty() ? found_support(static_cast<int>(i))
                                                 : stated_support(static_cast<int>(i)));
    }
  }
  /// Where the link above the end touches the ground too, the end is a toe of its foot.
  void move_foot_above_toe(LegChain& leg) {
    if (!settings_.feet.empty() || leg.links.size() < kAnkleJoints) return;
    const int above = leg.links[leg.links.size() - 2];
    const std::optional<double> end = lowest_point(*at_, leg.foot(), guess_.up),
                                other = lowest_point(*at_, above, guess_.up);
    if (!end || !other || *other > *end + kSupportBand) return;
    found("body '{}' is a toe of '{}'", main_body(m_, leg.foot()).name, main_body(m_, above).name);
    leg.links.pop_back();
  }

  bool has_ankle(int leg) const { return guess_.legs[leg].links.size() >= kAnkleJoints; }
  /// The end of a leg without ankle is no sole, which the leg could not keep flat, but a point in its middle;
  /// unless it is a plate.
  FootSupport tip(int leg, const FootSupport& s) const {
    if (has_ankle(leg) || s.shape == Foot::Shape::ball || s.shape == Foot::Shape::point) return s;
    for (const Vector3<double>& c : s.corners)
      if ((c - s.center()).norm() > kPlate * hip_to_ankle(leg)) return s;
    return {.shape = Foot::Shape::point, .up = s.up, .corners = {s.center()}, .radius = 0.0, .body = s.body};
  }
  FootSupport found_support(int leg) {
    const int foot = guess_.legs[leg].foot();
    const Vector3<double> up = up_in(foot);
    std::string trouble;
    auto s = support_of_shapes(*at_, foot_links(leg), up, ShapeUse::collision, has_ankle(leg), trouble);
    if (!trouble.empty() && mesh_trouble_.empty()) mesh_trouble_ = trouble;
    if (s) {
      if (!trouble.empty()) warn_foot(leg, "some of its collision meshes cannot be had");
      sources_.push_back("collision shapes");
      return tip(leg, *s);
    }
    const std::string why =
        trouble.empty() ? "it has no collision shapes" : "its collision meshes cannot be had";
    if (!has_ankle(leg)) return found_point(leg, up, why);
    std::string no_visuals;
    const auto visual = support_of_shapes(*at_, foot_links(leg), up, ShapeUse::visual, true, no_visuals);
    if (const auto frame = sole_frame(*at_, foot, up)) return framed_support(leg, *frame, visual, why);
    if (visual) {
      sources_.push_back("visual shapes");
      warn_foot(leg, why + "; its sole is that of its visual shapes");
      return *visual;
    }
    return boxed_support(leg, up, why);
  }
  /// The plane of a frame; the size is that of the visual shapes, or comes later.
  FootSupport framed_support(int leg, const SoleFrame& frame, const std::optional<FootSupport>& visual,
                             const std::string& why) {
    FootSupport out{.up = frame.X_FS.rotation() * Vector3<double>::UnitZ(), .body = frame.body};
    if (visual && visual->shape == Foot::Shape::sole) {
      for (const Vector3<double>& c : visual->corners)
        out.corners.push_back(c - out.up.dot(c - frame.X_FS.translation()) * out.up);
      sources_.push_back(fmt::format("frame '{}' and visual shapes", frame.name));
      warn_foot(leg, why + "; its sole is the plane of its lowest frame, as large as its visual shapes");
      return out;
    }
    sources_.push_back(fmt::format("frame '{}' and moments of inertia", frame.name));
    warn_foot(
        leg, why +
                 "; its sole is the plane of its lowest frame, and its length and width are guessed from its "
                 "moments of inertia: state them as [[feet]]");
    out.corners = {frame.X_FS.translation()};
    guessed_.push_back(leg);
    return out;
  }
  /// The box that has the link's moments of inertia.
  FootSupport boxed_support(int leg, const Vector3<double>& up, const std::string& why) {
    const int foot = guess_.legs[leg].foot();
    const Inertia<double>& I = m_.links()[foot].inertia;
    FootSupport out{.up = up};
    const Vector3<double> half = inertia_box(I, rotation_from_z(up));
    const Vector3<double> com = I.mass() > 0.0 ? I.com() : Vector3<double>::Zero();
    double height = up.dot(com - half[2] * up);  // over the joint
    if (-height > kHighAnkle * hip_to_ankle(leg) || height > 0.0) height = -kAnkleHeight * hip_to_ankle(leg);
    out.corners = {com + (height - up.dot(com)) * up};
    sources_.push_back("moments of inertia");
    warn_foot(leg, why +
                       ", and no frame shows its sole, which is guessed from its moments of inertia: state "
                       "it as [[feet]]");
    guessed_.push_back(leg);
    return out;
  }
  FootSupport found_point(int leg, const Vector3<double>& up, const std::string& why) {
    const int foot = guess_.legs[leg].foot();
    std::string no_visuals;
    if (auto visual = support_of_shapes(*at_, foot_links(leg), up, ShapeUse::visual, false, no_visuals)) {
      sources_.push_back("visual shapes");
      warn_foot(leg, why + "; it touches the ground with its visual shapes");
      return tip(leg, *visual);
    }
    FootSupport out{.shape = Foot::Shape::point, .up = up};
    if (const auto frame = lowest_frame(*at_, foot, up)) {
      out.corners = {frame->X_FS.translation()}, out.body = frame->body;
      sources_.push_back(fmt::format("frame '{}'", frame->name));
      warn_foot(leg, why + "; it is a point at its lowest frame: state its radius as [[feet]]");
    } else {
      const Inertia<double>& I = m_.links()[foot].inertia;
      const double half = inertia_box(I, rotation_from_z(up))[2];
      const Vector3<double> com = I.mass() > 0.0 ? I.com() : Vector3<double>(Vector3<double>::Zero());
      out.corners = {Vector3<double>(com - half * up)};
      sources_.push_back("moments of inertia");
      warn_foot(
          leg, why + "; it is a point at the end of a rod with its moments of inertia: state it as [[feet]]");
    }
    return out;
  }

  FootSupport stated_support(int leg) {
    const int foot = guess_.legs[leg].foot();
    const FootSettings* stated = nullptr;
    for (const FootSettings& f : settings_.feet)
      if (m_.place(f.body).link == foot) stated = &f;
    if (!stated)
      throw Error(fmt::format("foot '{}' is not one of the feet that are stated", main_body(m_, foot).name));
    const Place place = m_.place(stated->body);
    const Pose& X_FP = place.X_LP;
    const Vector3<double> z = X_FP.rotation() * Vector3<double>::UnitZ(), up = up_in(foot);
    FootSupport out{.up = z.dot(up) > 0.7 ? z : up, .body = place.body};
    const Vector3<double> center = X_FP * stated->center.value_or(Vector3<double>::Zero());
    if (!stated->corners.empty()) {
      for (const Vector3<double>& c : stated->corners) out.corners.push_back(X_FP * c);
      if (out.corners.size() >= 3)
        out.up = plane_normal(out.corners, up), out.corners = support_hull(out.corners, out.up);
      out.shape = out.corners.size() >= 3   ? Foot::Shape::sole
                  : out.corners.size() == 2 ? Foot::Shape::line
                                            : Foot::Shape::point;
    } else if (stated->radius > 0.0) {
      out = {.shape = Foot::Shape::ball,
             .up = up,
             .corners = {center},
             .radius = stated->radius,
             .body = place.body};
    } else if (stated->length > 0.0) {
      out.corners = {center};
      sized_.push_back({leg, 0.5 * stated->length, 0.5 * stated->width});
    } else {
      return found_support(leg);
    }
    sources_.push_back("as stated");
    return out;
  }
  static Vector3<double> plane_normal(const std::vector<Vector3<double>>& corners,
                                      const Vector3<double>& up) {
    Vector3<double> n = Vector3<double>::Zero();
    for (std::size_t i = 0; i < corners.size(); ++i)
      for (std::size_t j = i + 1; j < corners.size(); ++j) {
        const Vector3<double> d = cross<double>(corners[i] - corners[0], corners[j] - corners[0]);
        if (d.norm() > n.norm()) n = d;
      }
    if (!(n.norm() > 1e-9)) return up;
    return n.dot(up) < 0.0 ? Vector3<double>(-n.normalized()) : Vector3<double>(n.normalized());
  }

  /// An end that is round about a joint without limits.
  std::string wheel_text() const {
    for (const LegChain& leg : guess_.legs) {
      const Link& l = m_.links()[leg.foot()];
      if (l.kind != kJointKind<Revolute> ||
          !(m_.upper()[l.q.start] - m_.lower()[l.q.start] > 4.0 * std::numbers::pi))
        continue;
      const Vector3<double> axis = at_->axis(leg.foot());
      if (std::abs(axis.dot(guess_.up)) > 0.2) continue;
      double least = kUnlimited, most = 0.0;
      for (int k = 0; k < 8; ++k) {
        const Vector3<double> up = SO3<double>::exp(0.25 * k * std::numbers::pi * axis) * guess_.up;
        const std::optional<double> low = lowest_point(*at_, leg.foot(), up);
        if (!low) return {};
        const double reach = up.dot(at_->origin(leg.foot())) - *low;
        least = std::min(least, reach), most = std::max(most, reach);
      }
      if (least > 0.01 && most - least < 0.03 * most)
        return fmt::format(
            "body '{}' at the end of a leg is a wheel (radius {:.3g} m on joint '{}', which has no limits): "
            "wheels for feet cannot be walked on",
            main_body(m_, leg.foot()).name, most, m_.joints()[l.joint].name);
    }
    return {};
  }

  // Knees, forward.

  Vector3<double> foot_W(std::size_t leg) const {
    return at_->X_WL[guess_.legs[leg].foot()] * supports_[leg].center();
  }

  void bend() {
    const OwnedVector* stands = out_.stands ? &*out_.stands : nullptr;
    for (std::size_t i = 0; i < guess_.legs.size(); ++i)
      out_.knees.push_back(find_knee(*at_, guess_.legs[i].links, foot_W(i), stands));
  }
  void face() {
    const Vector3<double> across = guess_.plane.normal;
    Vector3<double> forward = cross<double>(across, guess_.up).normalized();
    if (settings_.forward) {
      Vector3<double> f = at_->X_WL[base_].rotation() * base_axes() * *settings_.forward;
      f -= guess_.up.dot(f) * guess_.up;
      if (!(f.norm() > 0.1)) throw Error("forward is vertical: expected a direction across up, in base axes");
      forward_ = f.normalized();
      found("forward is as stated");
    } else {
      const Facing facing = find_facing(*at_, base_, guess_, supports_, guessed_, out_.knees, forward);
      forward_ = facing.sign * forward;
      const Vector3<double> f = to_base(forward_);
      found("forward is ({:.3g}, {:.3g}, {:.3g}) in base axes: {}", f[0], f[1], f[2],
            fmt::join(facing.evidence, "; "));
      if (!facing.sure)
        warn("forward is doubtful ({}): state it under [legs] where it is wrong",
             fmt::join(facing.evidence, "; "));
    }
    left_ = cross<double>(guess_.up, forward_);
    robot().forward_Base = to_base(forward_);
    choose_senses();
  }
  Vector3<double> to_base(const Vector3<double>& d_W) const {
    return base_axes().inverse() * (at_->X_WL[base_].rotation().inverse() * d_W);
  }
  /// Where nothing says how a knee bends: forward on two legs; on more, towards the middle of the robot.
  void choose_senses() {
    double middle = 0.0;
    for (std::size_t i = 0; i < guess_.legs.size(); ++i)
      middle += ahead(i) / static_cast<double>(guess_.legs.size());
    for (std::size_t i = 0; i < out_.knees.size(); ++i) {
      Knee& knee = out_.knees[i];
      if (knee.link < 0 || knee.sense != 0.0) continue;
      knee.sense = 1.0;
      const double goes = forward_.dot(knee_direction(*at_, knee, foot_W(i), guess_.up));
      const double wanted = out_.knees.size() == 2 ? 1.0 : middle - ahead(i);
      if (goes * wanted < 0.0) knee.sense = -1.0;
      knee.evidence = out_.knees.size() == 2
                          ? "nothing in the file says how it bends; chosen forward"
                          : "nothing in the file says how it bends; chosen towards the middle";
    }
  }
  double ahead(std::size_t leg) const { return forward_.dot(at_->origin(guess_.legs[leg].links[0])); }

  /// Rectangles on soles of which only the middle is known.
  void rectangles() {
    for (const int leg : guessed_) {
      const int foot = guess_.legs[leg].foot();
      FootSupport& s = supports_[leg];
      const SO3<double> R_FS = sole_axes(leg);
      const Inertia<double>& I = m_.links()[foot].inertia;
      const Vector3<double> half = inertia_box(I, R_FS);
      const double size = hip_to_ankle(leg);
      const double x = std::min(half[0], 0.5 * kLongSole * size),
                   y = std::min(half[1], 0.5 * kWideSole * size);
      const Vector3<double> x_F = R_FS * Vector3<double>::UnitX();
      Vector3<double> middle = I.mass() > 0.0 ? I.com() : s.corners[0];
      const double ahead = x_F.dot(middle - ankle_F(leg)), most = 2.0 * kAnkleAhead * x;
      middle += (std::clamp(ahead, -most, most) - ahead) * x_F;
      rectangle(s, middle - s.up.dot(middle - s.corners[0]) * s.up, R_FS, x, y);
    }
    for (const auto& [leg, length, width] : sized_)
      rectangle(supports_[leg], supports_[leg].corners[0], sole_axes(leg), length, width);
  }
  double hip_to_ankle(int leg) const {
    const std::vector<int>& links = guess_.legs[leg].links;
    return (at_->origin(links.back()) - hip_center(*at_, links, links.back())).norm();
  }
  Vector3<double> ankle_F(int leg) const {
    return at_->X_WL[guess_.legs[leg].foot()].inverse() * ankle(*at_, guess_.legs[leg], guess_.plane.normal);
  }
  static void rectangle(FootSupport& s, const Vector3<double> middle, const SO3<double>& R_FS, double x,
                        double y) {
    s.corners.clear();
    for (const auto& [i, j] : {std::pair{1, 1}, {-1, 1}, {-1, -1}, {1, -1}})
      s.corners.push_back(middle + R_FS * Vector3<double>(i * x, j * y, 0.0));
  }
  /// R_FS: z is the sole's normal, x the robot's forward direction along it.
  SO3<double> sole_axes(int leg) const {
    const Vector3<double> z = supports_[leg].up;
    Vector3<double> x = at_->X_WL[guess_.legs[leg].foot()].rotation().inverse() * forward_;
    x = (x - z.dot(x) * z).normalized();
    Matrix3<double> R;
    R.col(0) = x, R.col(1) = cross<double>(z, x), R.col(2) = z;
    return SO3<double>(R);
  }

  // The result.

  double left_of(std::size_t leg) const {
    return left_.dot(foot_W(leg)) - left_.dot(guess_.plane.normal) * guess_.plane.offset;
  }

  /// Front before hind, left before right.
  std::vector<int> order() const {
    std::vector<int> out(guess_.legs.size());
    std::iota(out.begin(), out.end(), 0);
    std::stable_sort(out.begin(), out.end(), [&](int a, int b) {
      return row(a) != row(b) ? row(a) < row(b) : left_of(a) > left_of(b);
    });
    return out;
  }
  /// How many pairs of legs are ahead of this one.
  int row(int leg) const {
    std::vector<double> places;
    for (std::size_t i = 0; i < guess_.legs.size(); ++i)
      if (ahead(i) > ahead(leg) + kSameSpot) places.push_back(ahead(i));
    std::sort(places.begin(), places.end());
    int out = 0;
    for (std::size_t i = 0; i < places.size(); ++i) out += i == 0 || places[i] > places[i - 1] + kSameSpot;
    return out;
  }
  std::string leg_name(int leg) const {
    const double left = left_of(leg);
    const std::string side = std::abs(left) < 0.01 ? "middle" : left > 0.0 ? "left" : "right";
    int rows = 0;
    for (std::size_t i = 0; i < guess_.legs.size(); ++i) rows = std::max(rows, row(static_cast<int>(i)) + 1);
    if (rows == 1) return side;
    const int at = row(leg);
    if (at == 0) return side + "_front";
    if (at == rows - 1) return side + "_hind";
    return rows == 3 ? side + "_middle" : fmt::format("{}_{}", side, at + 1);
  }

  void write_legs() {
    const std::vector<int> sorted = order();
    std::vector<Knee> knees;
    for (const int i : sorted) {
      const LegChain& chain = guess_.legs[i];
      Leg leg{.name = leg_name(i)};
      for (const int link : chain.links) leg.joints.push_back(m_.links()[link].joint);
      leg.foot = foot_of(i);
      leg.length = stretched_length(*at_, chain.links, out_.knees[i].link, supports_[i]);
      const Body& base = main_body(m_, base_);
      leg.p_BaseHip =
          (at_->X_WL[base_] * base.X_LB).inverse() * hip_point(*at_, chain.links, out_.knees[i].link);
      if (out_.knees[i].link >= 0)
        leg.knee = m_.links()[out_.knees[i].link].joint, leg.knee_sense = out_.knees[i].sense;
      if (guess_.mirrored)
        for (std::size_t j = 0; j < sorted.size(); ++j)
          if (guess_.images.image[chain.foot()] == guess_.legs[sorted[j]].foot() && sorted[j] != i)
            leg.mirror = static_cast<int>(j);
      found("leg '{}': {}", leg.name, names_of(m_, chain.links));
      found("  foot '{}' from {}", leg.foot.body, sources_[i]);
      if (leg.knee >= 0)
        found("  knee '{}' bends to {}: {}", m_.joints()[leg.knee].name,
              leg.knee_sense > 0 ? "plus" : "minus", out_.knees[i].evidence);
      else
        warn("leg '{}' has no knee: no joint brings its foot nearer to its hip", leg.name);
      robot().legs.push_back(std::move(leg));
      knees.push_back(out_.knees[i]);
      out_.links.push_back(chain.links);
    }
    out_.knees = std::move(knees);
  }
  Foot foot_of(int leg) const {
    const FootSupport& s = supports_[leg];
    const int link = guess_.legs[leg].foot();
    const Body& body =
        s.body >= 0 && m_.bodies()[s.body].link == link ? m_.bodies()[s.body] : main_body(m_, link);
    const Pose X_FS(sole_axes(leg), s.center());
    Foot out{.body = body.name,
             .X_BS = body.X_LB.inverse() * X_FS,
             .shape = s.shape,
             .corners = {},
             .radius = s.radius};
    for (const Vector3<double>& c : s.corners) out.corners.push_back(X_FS.inverse() * c);
    return out;
  }

  void write_mirror() {
    if (!guess_.mirrored) {
      warn("the legs have no mirror images: gaits are planned without symmetry");
      return;
    }
    robot().mirror = mirror_map(*at_, base_, guess_.plane, guess_.images);
    const int all = static_cast<int>(carried_links(m_, base_).size());
    found("left and right: {} of {} links have mirror images, axes to {:.2g} rad",
          all - guess_.images.unmatched, all, guess_.images.error);
    if (guess_.images.unmatched > 0) {
      std::vector<int> alone;
      for (const int i : carried_links(m_, base_))
        if (guess_.images.image[i] < 0) alone.push_back(i);
      warn("joints without mirror image: {}", names_of(m_, alone));
    }
  }

  void write_torso() {
    if (!settings_.torso.empty()) {
      m_.place(settings_.torso);
      robot().torso = settings_.torso;
      return;
    }
    double hips = 0.0;
    for (const LegChain& leg : guess_.legs)
      hips += guess_.up.dot(at_->origin(leg.links[0])) / static_cast<double>(guess_.legs.size());
    double most = kTorsoMass * m_.links()[base_].inertia.mass();
    for (const int i : carried_links(m_, base_)) {
      if (i == base_ || guess_.legs.size() != 2 || (guess_.mirrored && guess_.images.image[i] != i)) continue;
      const double mass = m_.links()[i].inertia.mass();
      if (mass > most && guess_.up.dot(at_->center(i)) > hips)
        most = mass, robot().torso = main_body(m_, i).name;
    }
    if (robot().torso.empty())
      found("torso: the base");
    else
      found("torso '{}': {:.3g} kg above the hips", robot().torso, most);
  }

  void write_actuated() {
    const std::vector<DriveDescription>& drives = m_.description().drives;
    std::vector<int> passive;
    for (int i = 0; i < static_cast<int>(m_.links().size()); ++i) {
      const Link& l = m_.links()[i];
      if (i == 0 || l.kind == kJointKind<Free>) continue;
      const Joint& j = m_.joints()[l.joint];
      const bool driven =
          drives.empty() || std::any_of(drives.begin(), drives.end(),
                                        [&](const DriveDescription& d) { return d.joint == j.name; });
      if (driven)
        robot().actuated.push_back(l.joint);
      else if (j.leader < 0)
        passive.push_back(i);
    }
    if (drives.empty()) found("the file names no drives: every joint is taken to have one");
    if (!passive.empty()) warn("joints without drive: {}", names_of(m_, passive));
  }

  const Mechanism& m_;
  const LeggedRobotSettings& settings_;
  Anatomy out_;
  int base_ = -1;
  std::optional<PosedLinks> at_;
  StandingGuess guess_;
  Supports supports_;
  std::vector<std::string> sources_;
  std::string mesh_trouble_;  // why the first mesh of a foot cannot be had
  std::vector<std::pair<std::string, std::string>> foot_warnings_;  // text, foot
  std::vector<int> guessed_;  // legs whose rectangle is that of the inertia box
  struct Size {
    int leg;
    double length, width;  // halves
  };
  std::vector<Size> sized_;
  Vector3<double> forward_ = Vector3<double>::UnitX(), left_ = Vector3<double>::UnitY();
};

}  // namespace

Anatomy leg_anatomy(const Mechanism& m, const LeggedRobotSettings& settings) {
  settings.validate();
  return Finder(m, settings).run();
}

}  // namespace amble
