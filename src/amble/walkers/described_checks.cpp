#include "amble/walkers/described_checks.hpp"

#include <fmt/format.h>

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>

#include "amble/base/error.hpp"
#include "amble/base/names.hpp"
#include "amble/base/random.hpp"
#include "amble/dynamics/kinematics.hpp"
#include "amble/dynamics/momentum.hpp"
#include "amble/walkers/foot_model.hpp"
#include "amble/walkers/sides.hpp"

namespace amble {

namespace {

using Phase = WalkerDescription::Phase;
using Symmetry = WalkerDescription::Symmetry;

/// Checks one description; every complaint begins with the walker's name.
class Checks {
 public:
  explicit Checks(const WalkerDescription& w) : w_(w) {
    const auto joints = w.model.joint_names();
    joints_.assign(joints.begin(), joints.end());
    for (const WalkerDescription::Foot& foot : w.feet) feet_.push_back(foot.name);
  }

  void run() {
    floor();
    model();
    coordinates_ = foot_angle_names(w_.planar);
    for (const std::string& joint : joints_)
      if (joint != root_joint(w_.model).name) coordinates_.push_back(joint);
    feet();
    if (w_.phases.empty()) fail("it has no phases");
    if (w_.symmetry) symmetry(*w_.symmetry);
    for (const Phase& phase : w_.phases) one_phase(phase);
    for (std::size_t i = 0; i < w_.phases.size(); ++i) order(i);
    for (const WalkerDescription::Bound& b : w_.bounds) {
      coordinate(b.coordinate, "a bound");
      if (!(b.lower < b.upper))
        fail(fmt::format("'{}' is bounded by {} and {}: expected the smaller first", b.coordinate, b.lower,
                         b.upper));
    }
    region();
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw Error(fmt::format("walker '{}': {}", w_.name, what));
  }

  void known(const std::string& name, const std::vector<std::string>& names, const std::string& where,
             const char* kind) const {
    if (std::find(names.begin(), names.end(), name) == names.end())
      fail(fmt::format("{} names {} '{}', which it does not have{}; it has {}", where, kind, name,
                       suggestion(name, names), fmt::join(names, ", ")));
  }
  void coordinate(const std::string& name, const std::string& where) const {
    known(name, coordinates_, where, "the coordinate");
  }
  void joint(const std::string& name, const std::string& where) const {
    const std::vector<std::string> joints(coordinates_.begin() + (w_.planar ? 1 : 3), coordinates_.end());
    known(name, joints, where, "the joint");
  }
  void foot(const std::string& name, const std::string& where) const {
    known(name, feet_, where, "the foot");
  }

  void floor() const {
    if (!(w_.gravity > 0.0)) fail(fmt::format("its gravity is {}: expected more than 0", w_.gravity));
    if (!(std::abs(w_.slope) < 0.5 * std::numbers::pi)) fail("its floor is upright");
  }

  void model() const {
    const Mechanism& m = w_.model;
    const auto free = std::ranges::count_if(m.joints(), [](const Joint& j) { return j.type == "free"; });
    const auto roots = std::ranges::count_if(m.joints(), [](const Joint& j) { return j.parent < 0; });
    if (free != 1 || roots != 1 || root_joint(m).parent >= 0)
      fail(fmt::format("its model '{}' has to have one root, with a free joint to the world", m.name()));
    if (!m.loops().empty() || !m.springs().empty() || !m.rollings().empty())
      fail(fmt::format(
          "its model '{}' has loops, springs between points or rolling wheels, which gaits do not know",
          m.name()));
    for (const Joint& j : m.joints()) {
      if (j.type == "free" || j.link < 0) continue;
      if (j.q.size != 1)
        fail(fmt::format("joint '{}' is {}: gaits know joints with one axis", j.name, j.type));
      if (j.leader < 0 && m.friction()[j.v.start] != 0.0)
        fail(fmt::format("joint '{}' has dry friction, which gaits do not know", j.name));
      for (const char* taken : {"x", "y", "z", "yaw", "pitch", "roll"})
        if (j.name == taken) fail(fmt::format("joint '{}' has the name of a coordinate of its feet", j.name));
    }
  }

  void feet() const {
    if (w_.feet.size() < 2) fail(fmt::format("it has {} feet: expected two or more", w_.feet.size()));
    for (const WalkerDescription::Foot& foot : w_.feet) {
      if (std::ranges::count(feet_, foot.name) > 1) fail(fmt::format("it has several feet '{}'", foot.name));
      const auto bodies = w_.model.body_names();
      known(foot.body, {bodies.begin(), bodies.end()}, fmt::format("foot '{}'", foot.name), "the body");
      if (!(foot.radius >= 0.0))
        fail(fmt::format("foot '{}' has the radius {}: expected 0 or more", foot.name, foot.radius));
      if (!w_.planar && foot.radius > 0.0)
        fail(
            fmt::format("foot '{}' is round: in space a ball rolls where its turning leads it, which no "
                        "angle tells; only points "
                        "stand there",
                        foot.name));
    }
  }

  void symmetry(const Symmetry& s) const {
    for (const auto& [one, other] : s.joints) {
      joint(one, "the symmetry"), joint(other.first, "the symmetry");
      const auto back = s.joints.find(other.first);
      if (back == s.joints.end() || back->second.first != one || back->second.second != other.second)
        fail(fmt::format("the symmetry takes joint '{}' to '{}', but not back", one, other.first));
    }
    for (const auto& [one, other] : s.feet) {
      foot(one, "the symmetry"), foot(other, "the symmetry");
      const auto back = s.feet.find(other);
      if (back == s.feet.end() || back->second != one)
        fail(fmt::format("the symmetry takes foot '{}' to '{}', but not back", one, other));
    }
  }

  void one_phase(const Phase& p) const {
    const std::string where = fmt::format("phase '{}'", p.name);
    foot(p.stance, where), foot(p.swing, where);
    if (p.stance == p.swing) fail(fmt::format("{} stands on foot '{}' and swings it", where, p.stance));
    for (const auto& [name, angle] : p.locked) joint(name, where);
    for (const auto& [name, factor] : p.passing) coordinate(name, where);
    for (const std::string& name : p.holds_joints) joint(name, where);
    for (const std::string& name : p.holds_feet) foot(name, where);
    for (const auto& [name, angle] : p.rest) {
      joint(name, where);
      if (w_.model.stiffness()[w_.model.v_slice(name).start] == 0.0)
        fail(fmt::format("{} says where the spring of joint '{}' rests, which has none", where, name));
    }
    if (!p.stop) return;
    joint(p.stop->joint, where);
    if (p.locked.contains(p.stop->joint))
      fail(fmt::format("{} ends with joint '{}', which is locked in it", where, p.stop->joint));
  }

  /// The next phase stands on the right foot, and its locked joints are where they are locked.
  void order(std::size_t i) const {
    const Phase &p = w_.phases[i], &after = w_.phases[(i + 1) % w_.phases.size()];
    const bool exchanged = i + 1 == w_.phases.size() && w_.symmetry;
    const SideNames sides(exchanged ? *w_.symmetry : Symmetry{});
    const std::string& stands = p.stop ? p.stance : p.swing;
    if (sides.foot(after.stance) != stands)
      fail(fmt::format("after phase '{}' it stands on foot '{}', but phase '{}' stands on '{}'{}", p.name,
                       stands, after.name, after.stance, exchanged ? ", with left and right exchanged" : ""));
    for (const auto& [name, angle] : after.locked) {
      const auto [own, sign] = sides.coordinate(name);
      const auto before = p.locked.find(own);
      const bool kept = before != p.locked.end() && before->second == sign * angle;
      if (!kept && !(p.stop && p.stop->joint == own && p.stop->at == sign * angle))
        fail(fmt::format(
            "phase '{}' has joint '{}' locked at {}, but it need not be there when phase '{}' ends",
            after.name, name, angle, p.name));
    }
  }

  void region() const {
    if (w_.region.empty()) fail("it has no region to look for cycles in");
    for (const WalkerDescription::Range& r : w_.region)
      if (!(r.lower <= r.upper))
        fail(fmt::format("its region has '{}' from {} to {}: expected the smaller first", r.name, r.lower,
                         r.upper));
  }

  const WalkerDescription& w_;
  std::vector<std::string> joints_, feet_, coordinates_;
};

// ---- what the mechanism can do

constexpr int kTrials = 6;
constexpr double kSame = 1e-9;  // of energies and lengths, relative

OwnedVector random_numbers(int size, Random& random) {
  OwnedVector x(size);
  for (double& number : x) number = random.uniform(-1.0, 1.0);
  return x;
}

void check_plane(const WalkerDescription& w, const Mechanism& m) {
  Workspace work(m);
  Random random(1);
  const OwnedVector q = random_numbers(m.nq(), random);
  for (const std::string& body : m.body_names()) {
    const Eigen::MatrixXd J = jacobian(m, work, q, body, {.frame = JacobianFrame::aligned});
    for (const int row : {1, 3, 5})
      for (int i = 0; i < m.nv(); ++i)
        if (std::abs(J(row, i)) > kSame)
          throw Error(fmt::format(
              "walker '{}' walks in the plane of x and z, but joint '{}' moves body '{}' out of it", w.name,
              m.joint_names()[i], body));
  }
}

[[noreturn]] void not_symmetric(const WalkerDescription& w, const std::string& what) {
  throw Error(fmt::format(
      "walker '{}' is not as its symmetry says: {}; where the sides differ, a full stride is the return "
      "(symmetry.returns = \"stride\")",
      w.name, what));
}

/// Springs whose rest the phases set themselves need not rest symmetrically.
OwnedVector own_rests(const WalkerDescription& w, const Mechanism& m) {
  OwnedVector rests = m.spring_reference().cwiseProduct(m.stiffness());
  for (const Phase& phase : w.phases)
    for (const auto& [joint, angle] : phase.rest) rests[m.v_slice(joint).start] = 0.0;
  return rests;
}

void check_springs(const WalkerDescription& w, const Mechanism& one, const Mechanism& other,
                   const OwnedMatrix& T) {
  const auto differ = [](const Eigen::VectorXd& a, const OwnedVector& b) {
    return (a - b).norm() > kSame * (1.0 + b.norm());
  };
  const Eigen::MatrixXd sizes = T.cwiseAbs();
  if (differ(sizes * one.stiffness(), other.stiffness()) || differ(sizes * one.damping(), other.damping()) ||
      differ(T * own_rests(w, one), own_rests(w, other)))
    not_symmetric(w, "its springs or dampers differ");
}

void check_symmetry(const WalkerDescription& w, const std::vector<Mechanism>& by_foot) {
  const SideNames sides(*w.symmetry);
  const std::string& stance = w.phases.front().stance;
  const Mechanism &one = by_foot[foot_index(w, stance)], &other = by_foot[foot_index(w, sides.foot(stance))];
  const OwnedMatrix T = sides.exchange(one, other);
  Workspace work(one), other_work(other);
  Random random(2);
  for (int trial = 0; trial < kTrials; ++trial) {
    const OwnedVector q = random_numbers(one.nq(), random), v = random_numbers(one.nv(), random);
    const OwnedVector q2 = T * q, v2 = T * v;
    const auto differ = [&](const char* what, double a, double b) {
      if (std::abs(a - b) > kSame * (1.0 + std::abs(a)))
        not_symmetric(w,
                      fmt::format("with left and right exchanged its {} is {:.9g}, not {:.9g}", what, b, a));
    };
    differ("kinetic energy", kinetic_energy(one, work, q, v), kinetic_energy(other, other_work, q2, v2));
    differ("potential energy", potential_energy(one, work, q), potential_energy(other, other_work, q2));
    for (const WalkerDescription::Foot& foot : w.feet)
      differ(("height of foot '" + foot.name + "'").c_str(),
             pose(one, work, q, foot_frame(foot.name)).translation().z(),
             pose(other, other_work, q2, foot_frame(sides.foot(foot.name))).translation().z());
  }
  for (const WalkerDescription::Foot& foot : w.feet)
    if (foot.radius != foot_named(w, sides.foot(foot.name)).radius)
      not_symmetric(w, "its feet have different radii");
  check_springs(w, one, other, T);
}

/// The velocities that a strike brings to rest at a configuration, each row of unit length.
Eigen::MatrixXd strike_rows(const PlasticStrike& strike, const Mechanism& full, const OwnedVector& q, bool planar) {
  Workspace work(full);
  const auto held = static_cast<Eigen::Index>(strike.held.size());
  const Eigen::Index each = planar ? 2 : 3, feet = each * static_cast<Eigen::Index>(strike.feet.size());
  Eigen::MatrixXd rows = Eigen::MatrixXd::Zero(feet + held, full.nv());
  for (Eigen::Index i = 0; i * each < feet; ++i) {
    const FootContact& foot = strike.feet[static_cast<std::size_t>(i)];
    const Eigen::MatrixXd J = jacobian(full, work, q, foot.place, {.frame = JacobianFrame::aligned});
    rows.row(i * each) = J.row(0) - foot.radius * J.row(4);  // where it touches, a radius below its centre
    if (!planar) rows.row(i * each + 1) = J.row(1) + foot.radius * J.row(3);
    rows.row(i * each + each - 1) = J.row(2);
  }
  for (Eigen::Index i = 0; i < held; ++i) rows(feet + i, strike.held[static_cast<std::size_t>(i)]) = 1.0;
  return rows.rowwise().normalized();
}

/// "feet 'left', 'right' and joint 'hip'".
std::string struck(const WalkerDescription& w, const PlasticStrike& strike, const Mechanism& full) {
  std::vector<std::string> feet, joints;
  for (const WalkerDescription::Foot& foot : w.feet)
    if (std::ranges::any_of(strike.feet, [&](const FootContact& c) { return c.place == foot_frame(foot.name); }))
      feet.push_back(foot.name);
  for (const int i : strike.held) joints.push_back(full.joint_names()[i]);
  const auto listed = [](const char* one, const char* many, const std::vector<std::string>& names) {
    return fmt::format("{} '{}'", names.size() == 1 ? one : many, fmt::join(names, "', '"));
  };
  if (joints.empty()) return listed("foot", "feet", feet);
  return listed("foot", "feet", feet) + " and " + listed("joint", "joints", joints);
}

}  // namespace

int foot_index(const WalkerDescription& walker, const std::string& name) {
  const auto found =
      std::ranges::find_if(walker.feet, [&](const WalkerDescription::Foot& f) { return f.name == name; });
  return static_cast<int>(found - walker.feet.begin());
}
const WalkerDescription::Foot& foot_named(const WalkerDescription& walker, const std::string& name) {
  return walker.feet[foot_index(walker, name)];
}

void check_description(const WalkerDescription& walker) { Checks(walker).run(); }

void check_models(const WalkerDescription& walker, const std::vector<Mechanism>& by_foot) {
  if (walker.planar)
    for (const Mechanism& m : by_foot) check_plane(walker, m);
  if (returns_after_step(walker)) check_symmetry(walker, by_foot);
}

void check_strikes(const WalkerDescription& walker, const MechanismWalkerSpec& spec) {
  Random random(3);
  for (const MechanismPhaseSpec& phase : spec.phases) {
    const Mechanism& full = phase.full ? *phase.full : spec.full;
    const Eigen::MatrixXd J = strike_rows(phase.strike, full, random_numbers(full.nq(), random), walker.planar);
    Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(J.transpose());
    qr.setThreshold(kSame);
    if (qr.rank() < J.rows())
      throw Error(
          fmt::format("walker '{}': phase '{}' ends with {} brought to rest: {} velocities, of which only {} are "
                      "independent; leave some out of holds_feet, holds_joints or locked",
                      walker.name, phase.name, struck(walker, phase.strike, full), J.rows(), qr.rank()));
  }
}

}  // namespace amble
