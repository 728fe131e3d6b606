#include "amble/control/legged/nominal_posture.hpp"

#include <fmt/format.h>

#include <Eigen/SVD>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "amble/base/error.hpp"
#include "amble/control/posture/inverse_kinematics.hpp"
#include "amble/dynamics/dynamics.hpp"
#include "amble/dynamics/kinematics.hpp"
#include "amble/dynamics/momentum.hpp"
#include "amble/mechanism/joints/list.hpp"

namespace amble {

namespace {

constexpr double kHindReach = 0.6;                       // of the step, from the hip to the hind foot
constexpr double kBipedStep = 0.8, kManyLegsStep = 1.0;  // longest step, share of the leg length
constexpr double kSoleGap = 0.02;                        // m, between soles that stand side by side
constexpr double kSeedMargin = 0.1;                      // rad or m from limits, and at most
constexpr double kSeedShare = 0.1;                       // of the range
constexpr double kStretchedOut = 0.7;                    // rad of a joint from where its limb hangs
constexpr double kFeltLever = 2e-3;  // m, weight of the whole robot: less is not worth a move
constexpr int kSweeps = 12;
constexpr double kLoosely = 1e-4;        // weight of the base's attitude on one leg
constexpr double kOneLegError = 2e-3;    // m, rad
constexpr double kIkTolerance = 1e-8;    // m, rad
constexpr double kRankTolerance = 0.02;  // of the largest singular value, moments over the leg length
constexpr double kHeights[] = {1.0, 0.97, 0.94, 1.03, 0.9, 1.06, 0.86, 0.82, 1.1, 0.77, 0.7, 0.62};

Pose sole_on_link(const Mechanism& m, const Foot& foot) {
  return m.bodies()[m.body_index(foot.body)].X_LB * foot.X_BS;
}

bool flat(const Foot& foot) { return foot.shape == Foot::Shape::sole || foot.shape == Foot::Shape::line; }

/// Where the feet stand, x ahead and y to the left; their middle is the origin.
struct Places {
  std::vector<Vector3<double>> p;
};

class Standing {
 public:
  Standing(Anatomy& anatomy, const LeggedRobotSettings& settings)
      : anatomy_(anatomy), robot_(anatomy.robot), m_(anatomy.robot.mechanism), settings_(settings) {}

  void run() {
    base_targets();
    OwnedVector seed = seed_posture();
    choose_places(seed);
    for (const Leg& leg : robot_.legs) length_ += leg.length / static_cast<double>(robot_.legs.size());
    const double wanted = settings_.hip_height.value_or(hip_height_share(robot_.legs.size()) * length_);
    std::string trouble;
    for (const double factor : kHeights) {
      const double height = wanted * factor;
      if (factor != 1.0 && (settings_.hip_height || height > 0.985 * length_)) continue;
      if (try_height(seed, height, trouble)) return finish(height, factor);
    }
    robot_.refusal = fmt::format("no posture stands on all feet within the joint limits: {}", trouble);
  }

 private:
  void base_targets() {
    const Vector3<double> z = robot_.up_Base, x = robot_.forward_Base;
    Matrix3<double> R;  // R_BR: axes forward, left, up in the base
    R.col(0) = x, R.col(1) = cross<double>(z, x), R.col(2) = z;
    R_WB_ = SO3<double>(R).inverse();
  }

  /// The keyframe or the drawn posture, within limits and off them, knees bent, the base upright.
  OwnedVector seed_posture() {
    OwnedVector q = anatomy_.stands.value_or(anatomy_.drawn);
    for (const auto& [name, angle] : settings_.posture) q[m_.q_slice(name).start] = angle;
    for (const Link& l : m_.links()) {
      if (l.joint < 0 || l.q.size != 1 || m_.joints()[l.joint].leader >= 0) continue;
      const int i = l.q.start;
      const double lower = m_.lower()[i], upper = m_.upper()[i];
      const double margin =
          std::isfinite(upper - lower) ? std::min(kSeedMargin, kSeedShare * (upper - lower)) : 0.0;
      q[i] = std::clamp(q[i], lower + margin, std::max(lower + margin, upper - margin));
    }
    if (!anatomy_.stands) hang_arms(q);
    const double bend = 2.0 * std::acos(hip_height_share(robot_.legs.size()));
    for (const Knee& knee : anatomy_.knees) {
      if (knee.link < 0) continue;
      const int i = m_.links()[knee.link].q.start;
      if (anatomy_.stands && knee.sense * (q[i] - knee.straight) > 0.5 * bend) continue;
      q[i] = std::clamp(knee.straight + knee.sense * bend, m_.lower()[i], m_.upper()[i]);
    }
    const Joint& base = m_.joints()[m_.bodies()[m_.body_index(robot_.base)].joint];
    put_base(base, q);
    return q;
  }
  /// Joints of limbs on one side of the robot that are no legs.
  std::vector<int> arm_joints() const {
    std::vector<int> out;
    for (int i = 0; i < static_cast<int>(robot_.mirror.joint.size()); ++i) {
      const Joint& j = m_.joints()[i];
      if (robot_.mirror.joint[i] == i || j.kind != kJointKind<Revolute> || j.leader >= 0) continue;
      bool in_leg = false;
      for (const Leg& leg : robot_.legs)
        in_leg = in_leg || std::find(leg.joints.begin(), leg.joints.end(), i) != leg.joints.end();
      if (!in_leg && settings_.posture.count(j.name) == 0) out.push_back(i);
    }
    return out;
  }
  /// Where arms are drawn stretched out, each joint in turn goes where its limb is lowest, within its limits:
  /// the potential energy is c - A cos(angle - lowest) of every joint alone.
  void hang_arms(OwnedVector& q) const {
    const Joint& base = m_.joints()[m_.bodies()[m_.body_index(robot_.base)].joint];
    put_base(base, q);
    Workspace work(m_);
    const std::vector<int> arms = arm_joints();
    const auto energy = [&](int i, double angle) {
      OwnedVector at = q;
      at[i] = angle;
      return potential_energy(m_, work, at);
    };
    bool stretched = false;
    for (int sweep = 0; sweep < kSweeps && (sweep == 0 || stretched); ++sweep)
      for (const int j : arms) {
        const int i = m_.joints()[j].q.start;
        const double here = energy(i, q[i]), more = energy(i, q[i] + 0.5 * std::numbers::pi),
                     less = energy(i, q[i] - 0.5 * std::numbers::pi);
        const double cosine = 0.5 * (more + less) - here,
                     sine = -0.5 * (more - less);  // A times those of the way to go
        const double amplitude = std::hypot(cosine, sine);
        if (!(amplitude > kFeltLever * m_.mass() * m_.gravity().norm())) continue;
        const double way = std::atan2(sine, cosine);
        if (sweep == 0) {
          stretched = stretched || std::abs(way) > kStretchedOut;
          continue;
        }
        const double lower = m_.lower()[i], upper = m_.upper()[i];
        const double margin =
            std::isfinite(upper - lower) ? std::min(kSeedMargin, kSeedShare * (upper - lower)) : 0.0;
        const double low = lower + margin, high = std::max(low, upper - margin);
        double best = std::clamp(q[i] + way, low, high);
        for (const double turn : {-2.0 * std::numbers::pi, 2.0 * std::numbers::pi})
          if (const double other = std::clamp(q[i] + way + turn, low, high);
              energy(i, other) < energy(i, best) - 1e-9)
            best = other;
        q[i] = best;
      }
  }
  void put_base(const Joint& base, OwnedVector& q) const {
    const SO3<double> R = base.X_PF.rotation().inverse() * R_WB_ * base.X_CM.rotation();
    const Vector3<double> p = base.X_PF.inverse().translation();
    for (int i = 0; i < 3; ++i) q[base.q.start + i] = p[i];
    R.quaternion().to_xyzw(q.data() + base.q.start + 3);
  }

  /// Side by side under the hips for two legs; for more, below the hips along the robot, as drawn across.
  void choose_places(const OwnedVector& seed) {
    Workspace work(m_);
    const std::size_t n = robot_.legs.size();
    OwnedVector drawn = anatomy_.stands.value_or(anatomy_.drawn);
    const Joint& base = m_.joints()[m_.bodies()[m_.body_index(robot_.base)].joint];
    put_base(base, drawn);
    std::vector<Vector3<double>> foot(n), hip(n);
    for (std::size_t i = 0; i < n; ++i) {
      const Foot& f = robot_.legs[i].foot;
      foot[i] = pose(m_, work, drawn, f.body) * f.X_BS.translation();
      hip[i] = pose(m_, work, seed, robot_.base) * robot_.legs[i].p_BaseHip;
    }
    places_.p.assign(n, Vector3<double>::Zero());
    for (std::size_t i = 0; i < n; ++i) {
      const Vector3<double>& under = anatomy_.stands || n > 4 ? foot[i] : hip[i];
      places_.p[i] = {n > 2 ? under[0] : 0.0, foot[i][1], 0.0};
      if (n > 4)  // legs drawn stretched to the side
        for (int k : {0, 1})
          places_.p[i][k] = std::clamp(places_.p[i][k], hip[i][k] - 0.6 * robot_.legs[i].length,
                                       hip[i][k] + 0.6 * robot_.legs[i].length);
    }
    if (n == 2) side_by_side(foot, hip);
    const std::vector<Vector3<double>> as_drawn = places_.p;
    for (std::size_t i = 0; i < n; ++i)
      if (const int j = robot_.legs[i].mirror; j >= 0)
        places_.p[i][0] = 0.5 * (as_drawn[i][0] + as_drawn[j][0]),
        places_.p[i][1] = 0.5 * (as_drawn[i][1] - as_drawn[j][1]);
    Vector3<double> middle = Vector3<double>::Zero();
    for (const Vector3<double>& p : places_.p) middle += p / static_cast<double>(n);
    for (Vector3<double>& p : places_.p) p -= middle;
  }
  void side_by_side(const std::vector<Vector3<double>>& foot, const std::vector<Vector3<double>>& hip) {
    double width = std::abs(foot[0][1] - foot[1][1]), hips = std::abs(hip[0][1] - hip[1][1]);
    if (width < 0.5 * hips || width > 1.8 * hips) width = hips;
    double inside = 0.0;
    for (const int i : {0, 1})
      for (const Vector3<double>& c : robot_.legs[i].foot.corners)
        inside = std::max(inside, i == 0 ? -c[1] : c[1]);
    width = settings_.stance_width.value_or(std::max(width, 2.0 * inside + kSoleGap));
    places_.p[0][1] = 0.5 * width, places_.p[1][1] = -0.5 * width;
  }

  /// Rows of a sole's pose that its leg can give, weight one each.
  Vector6<double> free_rows(const OwnedVector& q, std::size_t i) const {
    const Foot& f = robot_.legs[i].foot;
    Vector6<double> weights = Vector6<double>::Ones();
    if (!flat(f)) weights.tail<3>().setZero();
    Workspace work(m_);
    const MatrixView J =
        jacobian(m_, work, q, f.body, {.point = f.X_BS.translation(), .frame = JacobianFrame::aligned});
    Eigen::MatrixXd leg(6, static_cast<Eigen::Index>(robot_.legs[i].joints.size()));
    for (std::size_t k = 0; k < robot_.legs[i].joints.size(); ++k)
      leg.col(static_cast<Eigen::Index>(k)) = J.col(m_.joints()[robot_.legs[i].joints[k]].v.start);
    leg.bottomRows(3) *= robot_.legs[i].length;
    for (;;) {
      Eigen::MatrixXd rows = weights.asDiagonal() * leg;
      const Eigen::JacobiSVD<Eigen::MatrixXd> svd(rows, Eigen::ComputeFullU);
      const int wanted = static_cast<int>(weights.sum());
      int rank = 0;
      for (Eigen::Index k = 0; k < svd.singularValues().size(); ++k)
        rank += svd.singularValues()[k] > kRankTolerance * svd.singularValues()[0];
      if (rank >= wanted) return weights;
      // A motion that no joint makes: the first of yaw, sideways, along, roll, pitch that is in it is given
      // up.
      Vector6<double> lost = Vector6<double>::Zero();
      for (Eigen::Index k = rank; k < 6; ++k)
        for (int r = 0; r < 6; ++r)
          if (weights[r] > 0.0) lost[r] = std::max(lost[r], std::abs(svd.matrixU()(r, k)));
      const double most = lost.maxCoeff();
      bool dropped = false;
      for (const int r : {5, 1, 0, 3, 4})
        if (!dropped && weights[r] > 0.0 && lost[r] > 0.2 * most) weights[r] = 0.0, dropped = true;
      if (!dropped) return weights;
    }
  }

  std::vector<KinematicTarget> targets(const OwnedVector& q, std::optional<double> height) const {
    std::vector<KinematicTarget> out{orientation_target(robot_.base, R_WB_)};
    if (height) {
      Vector3<double> hip = Vector3<double>::Zero();
      for (const Leg& leg : robot_.legs) hip += leg.p_BaseHip / static_cast<double>(robot_.legs.size());
      KinematicTarget t = position_target(robot_.base, {0.0, 0.0, *height}, hip);
      t.weights << 0.0, 0.0, 1.0, 0.0, 0.0, 0.0;
      out.push_back(t);
    }
    KinematicTarget com = center_of_mass_target(over_);
    com.weights << 1.0, 1.0, 0.0, 0.0, 0.0, 0.0;
    out.push_back(com);
    for (std::size_t i = 0; i < robot_.legs.size(); ++i) {
      const Foot& f = robot_.legs[i].foot;
      KinematicTarget t = pose_target(f.body, Pose(SO3<double>(), places_.p[i]));
      t.X_PF = f.X_BS;
      if (f.shape == Foot::Shape::ball) {
        t.X_PF = f.X_BS * Pose(SO3<double>(), f.corners[0]);
        t.X_RT = Pose(SO3<double>(), places_.p[i] + f.radius * Vector3<double>::UnitZ());
      }
      t.weights = free_rows(q, i);
      out.push_back(t);
    }
    return out;
  }

  /// Joints that are not the legs', or, with `knees`, that are knees. A joint that follows another moves as
  /// its leader.
  std::vector<std::string> held(bool knees) const {
    std::vector<char> moves(m_.nv(), 0);
    for (const Leg& leg : robot_.legs) {
      for (const int j : leg.joints)
        for (int k = 0; k < m_.joints()[j].v.size; ++k) moves[m_.joints()[j].v.start + k] = 1;
      if (knees && leg.knee >= 0) moves[m_.joints()[leg.knee].v.start] = 0;
    }
    std::vector<std::string> out;
    for (const Joint& j : m_.joints())
      if (j.link >= 0 && j.leader < 0 && j.kind != kJointKind<Free> && !moves[j.v.start])
        out.push_back(j.name);
    return out;
  }

  /// First with the knees as they are, so that they bend their own way, then at the height that is wanted.
  bool try_height(const OwnedVector& seed, double height, std::string& trouble) {
    OwnedVector q = inverse_kinematics(m_, targets(seed, std::nullopt), seed,
                                       {.tolerance = kIkTolerance, .iterations = 100, .held = held(true)})
                        .q;
    const std::vector<KinematicTarget> wanted = targets(q, height);
    const IkResult found = inverse_kinematics(
        m_, wanted, q, {.tolerance = kIkTolerance, .iterations = 200, .held = held(false)});
    if (!found.solved()) {
      if (trouble.empty()) trouble = trouble_text(wanted, found);
      return false;
    }
    for (const Knee& knee : anatomy_.knees)
      if (knee.link >= 0 && knee.sense * (found.q[m_.links()[knee.link].q.start] - knee.straight) < 0.0) {
        if (trouble.empty())
          trouble =
              fmt::format("joint '{}' bends the wrong way", m_.joints()[m_.links()[knee.link].joint].name);
        return false;
      }
    robot_.nominal = found.q;
    return true;
  }
  std::string trouble_text(const std::vector<KinematicTarget>& wanted, const IkResult& found) const {
    std::size_t worst = 0;
    for (std::size_t i = 0; i < wanted.size(); ++i)
      if (std::max(found.residuals[i].position, found.residuals[i].orientation) >
          std::max(found.residuals[worst].position, found.residuals[worst].orientation))
        worst = i;
    std::vector<std::string> at_limits;
    for (const Leg& leg : robot_.legs)
      for (const int j : leg.joints) {
        const int i = m_.joints()[j].q.start;
        if (found.q[i] <= m_.lower()[i] + 1e-6 || found.q[i] >= m_.upper()[i] - 1e-6)
          at_limits.push_back(
              fmt::format("{} [{:.3g}, {:.3g}]", m_.joints()[j].name, m_.lower()[i], m_.upper()[i]));
      }
    return fmt::format(
        "'{}' stays {:.3g} m and {:.3g} rad away{}", wanted[worst].name(), found.residuals[worst].position,
        found.residuals[worst].orientation,
        at_limits.empty() ? std::string() : fmt::format(" with {} at the limit", fmt::join(at_limits, ", ")));
  }

  void finish(double height, double factor) {
    robot_.hip_height = height;
    robot_.evidence.push_back(
        fmt::format("nominal posture: hips {:.3g} m over the soles, {:.0f} % of the leg length{}", height,
                    100.0 * height / length_, anatomy_.stands ? ", from the keyframe" : ""));
    if (factor != 1.0)
      robot_.warnings.push_back(
          fmt::format("no posture within the limits has the hips at {:.3g} m: {:.3g} m were taken",
                      height / factor, height));
    Workspace work(m_);
    for (Leg& leg : robot_.legs) {
      Foot& f = leg.foot;
      if (flat(f)) continue;
      const Pose X_WB = pose(m_, work, robot_.nominal, f.body);
      const Vector3<double> center = X_WB * (f.X_BS * f.corners[0]);  // of a point: the point
      const Vector3<double> lowest = center - f.radius * Vector3<double>::UnitZ();
      f.X_BS = X_WB.inverse() * Pose(SO3<double>(), lowest);
      f.corners = {Vector3<double>(0.0, 0.0, f.radius)};
    }
  }

  Anatomy& anatomy_;
  LeggedRobot& robot_;
  const Mechanism& m_;
  const LeggedRobotSettings& settings_;
  SO3<double> R_WB_;
  Places places_;
  Vector3<double> over_ = Vector3<double>::Zero();
  double length_ = 0.0;
};

}  // namespace

double hip_height_share(std::size_t legs) {
  const double step = legs == 2 ? kBipedStep : kManyLegsStep;
  return std::sqrt(1.0 - kHindReach * kHindReach * step * step);
}

void stand(Anatomy& anatomy, const LeggedRobotSettings& settings) { Standing(anatomy, settings).run(); }

std::optional<OwnedVector> posture_over_foot(const Anatomy& anatomy, int leg) {
  const LeggedRobot& robot = anatomy.robot;
  const Mechanism& m = robot.mechanism;
  Workspace work(m);
  const auto stays = [&](const std::string& body, const Pose& X_PF, const Vector6<double>& weights) {
    KinematicTarget t = pose_target(body, pose(m, work, robot.nominal, body) * X_PF);
    t.X_PF = X_PF, t.weights = weights;
    return t;
  };
  Vector6<double> turn = Vector6<double>::Zero(), all = Vector6<double>::Ones();
  turn.tail<3>().setOnes();
  std::vector<KinematicTarget> targets{
      stays(robot.base, Pose(), kLoosely * turn)};  // where the leg cannot, the base leans
  const Foot& foot = robot.legs[leg].foot;
  targets.push_back(stays(foot.body, foot.X_BS, all));
  const Vector3<double> over = pose(m, work, robot.nominal, foot.body) * foot.X_BS.translation();
  KinematicTarget com = center_of_mass_target(over);
  com.weights << 1.0, 1.0, 0.0, 0.0, 0.0, 0.0;
  targets.push_back(com);
  const IkResult found =
      inverse_kinematics(m, targets, robot.nominal, {.tolerance = 1e-6, .iterations = 100});
  for (std::size_t i = 1; i < targets.size(); ++i)
    if (found.residuals[i].position > kOneLegError || found.residuals[i].orientation > kOneLegError)
      return std::nullopt;
  return found.q;
}

OwnedVector holding_torques(const LeggedRobot& robot, const VectorRef& q, const std::vector<double>& share) {
  const Mechanism& m = robot.mechanism;
  Workspace work(m);
  OwnedVector out = gravity_forces(m, work, q);
  double weight = 0.0;
  for (const Link& l : m.links()) weight += l.inertia.mass() * m.gravity().norm();
  for (std::size_t i = 0; i < robot.legs.size(); ++i) {
    const Foot& foot = robot.legs[i].foot;
    const MatrixView J =
        jacobian(m, work, q, foot.body, {.point = foot.X_BS.translation(), .frame = JacobianFrame::aligned});
    out -= J.row(2).transpose() * (share[i] * weight);
  }
  return out;
}

}  // namespace amble
