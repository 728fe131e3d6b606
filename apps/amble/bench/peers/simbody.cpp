#include <Simbody.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "bench/convention.hpp"
#include "bench/peer.hpp"

namespace amble::bench {

namespace {

SimTK::Vec3 vec3(const Eigen::Vector3d& v) { return {v[0], v[1], v[2]}; }
SimTK::Mat33 mat33(const Eigen::Matrix3d& m) {
  return {m(0, 0), m(0, 1), m(0, 2), m(1, 0), m(1, 1), m(1, 2), m(2, 0), m(2, 1), m(2, 2)};
}
SimTK::Vector vector(const Eigen::VectorXd& v) { return SimTK::Vector(static_cast<int>(v.size()), v.data()); }
Eigen::VectorXd eigen(const SimTK::Vector& v) { return Eigen::Map<const Eigen::VectorXd>(&v[0], v.size()); }

SimTK::Body::Rigid body_of(const TreeLink& link) {
  const Eigen::Matrix3d& I = link.inertia;
  const SimTK::Inertia about_com(SimTK::Vec3(I(0, 0), I(1, 1), I(2, 2)), SimTK::Vec3(I(0, 1), I(0, 2), I(1, 2)));
  const SimTK::Vec3 com = vec3(link.com);
  return SimTK::Body::Rigid(SimTK::MassProperties(link.mass, com, about_com.shiftFromMassCenter(com, link.mass)));
}

SimTK::MobilizedBody add(SimTK::MobilizedBody parent, const TreeLink& link) {
  const SimTK::Transform F(SimTK::Rotation(mat33(link.R_PN), true), vec3(link.p_PN)), M;
  const SimTK::Body::Rigid body = body_of(link);
  if (link.armature != 0.0) throw std::runtime_error(fmt::format("no armature (joint '{}')", link.joint));
  if (link.type == "revolute") return SimTK::MobilizedBody::Pin(parent, F, body, M);
  if (link.type == "helical") return SimTK::MobilizedBody::Screw(parent, F, body, M, link.pitch);
  if (link.type == "spherical") return SimTK::MobilizedBody::Ball(parent, F, body, M);
  if (link.type == "free") return SimTK::MobilizedBody::Free(parent, F, body, M);
  // A Slider moves along x, a Universal turns about x, then y: both frames turned so that those are our z and x.
  const SimTK::Transform z_first(SimTK::Rotation(SimTK::Mat33(0, 1, 0, 0, 0, 1, 1, 0, 0), true));
  if (link.type == "prismatic") return SimTK::MobilizedBody::Slider(parent, F * z_first, body, z_first);
  if (link.type == "universal" && std::abs(std::cos(link.angle)) < 1e-12)
    return SimTK::MobilizedBody::Universal(parent, F * z_first, body, z_first);
  throw std::runtime_error(fmt::format("no {} joint (joint '{}')", link.type, link.joint));
}

/// The rows are those of our own constraint of that type.
void close(SimTK::MobilizedBody a, SimTK::MobilizedBody b, const TreeLoop& loop) {
  const auto axis = [](const Eigen::Matrix3d& R, int k) { return SimTK::UnitVec3(vec3(R.col(k))); };
  if (loop.type == "revolute" || loop.type == "spherical") {
    SimTK::Constraint::Ball(a, vec3(loop.p_A), b, vec3(loop.p_B));
    for (int k = 0; k < 2 && loop.type == "revolute"; ++k)
      SimTK::Constraint::ConstantAngle(a, axis(loop.R_A, k), b, axis(loop.R_B, 2));
  } else if (loop.type == "point_on_axis") {
    SimTK::Constraint::PointOnLine(a, axis(loop.R_A, 2), vec3(loop.p_A), b, vec3(loop.p_B));
  } else if (loop.type == "fixed") {
    SimTK::Constraint::Weld(a, SimTK::Transform(SimTK::Rotation(mat33(loop.R_A), true), vec3(loop.p_A)), b,
                            SimTK::Transform(SimTK::Rotation(mat33(loop.R_B), true), vec3(loop.p_B)));
  } else {
    throw std::runtime_error(fmt::format("no {} loop (loop '{}')", loop.type, loop.name));
  }
}

constexpr Convention kConvention{true, true, true};

struct SimbodyState {
  SimTK::Vector q, u, udot, tau;
};

class SimbodyPeer : public Peer {
 public:
  SimbodyPeer(const Tree& tree, const std::vector<State>& states)
      : matter_(system_),
        forces_(system_),
        gravity_(forces_, matter_, vec3(tree.gravity)),
        applied_(forces_, matter_),
        closed_(!tree.loops.empty()) {
    for (const TreeLink& link : tree.links) bodies_.push_back(add(body(link.parent), link));
    for (const TreeLoop& loop : tree.loops) close(body(loop.link_a), body(loop.link_b), loop);
    state_ = system_.realizeTopology();
    system_.realizeModel(state_);
    conversion_ = std::make_unique<Conversion>(tree, states, kConvention, velocity_starts());
    for (int i = 0; i < static_cast<int>(states.size()); ++i)
      states_.push_back({configuration(tree, states[i].q), vector(conversion_->velocity(i)),
                         vector(conversion_->acceleration(i)), vector(conversion_->force(i))});
  }

  std::vector<PeerFunction> functions() override {
    const auto our_force = [this](int i) { return conversion_->our_force(i, eigen(result_)); };
    if (closed_)
      return {{"constrained_dynamics", [this](int i) { constrained_dynamics(i); },
               [this](int i) { return conversion_->our_acceleration(i, eigen(state_.getUDot())); }}};
    return {
        {"forward_kinematics", [this](int i) { kinematics(i); }, {}},
        {"inverse_dynamics", [this](int i) { inverse_dynamics(i); }, our_force},
        // At another zero than ours: its accelerations of a free joint are in world axes. So nothing to compare.
        {"bias_forces", [this](int i) { bias(i); }, {}},
        {"mass_matrix", [this](int i) { mass_matrix(i); }, [this](int i) { return our_mass_matrix(i); }},
        {"forward_dynamics", [this](int i) { forward_dynamics(i); },
         [this](int i) { return conversion_->our_acceleration(i, eigen(result_)); }},
    };
  }

 private:
  SimTK::MobilizedBody body(int link) { return link < 0 ? matter_.updGround() : bodies_[link]; }

  std::vector<int> velocity_starts() const {
    std::vector<int> starts;
    for (const SimTK::MobilizedBody& body : bodies_) starts.push_back(body.getFirstUIndex(state_));
    return starts;
  }

  /// Quaternions come first here, and w first in them.
  SimTK::Vector configuration(const Tree& tree, const Eigen::VectorXd& q) const {
    SimTK::Vector out = state_.getQ();
    for (std::size_t i = 0; i < tree.links.size(); ++i) {
      const TreeLink& link = tree.links[i];
      double* at = &out[bodies_[i].getFirstQIndex(state_)];
      std::copy_n(q.data() + link.q, link.nq, at);
      if (link.nq >= 4) std::rotate(at, at + link.nq - 1, at + link.nq);  // w to the front
      if (link.nq == 7) std::rotate(at + 1, at + 4, at + 7);              // then x, y, z of the same
    }
    return out;
  }

  void kinematics(int i) {
    state_.updQ() = states_[i].q;
    system_.realize(state_, SimTK::Stage::Position);
  }
  void velocities(int i) {
    state_.updQ() = states_[i].q;
    state_.updU() = states_[i].u;
    system_.realize(state_, SimTK::Stage::Velocity);
  }
  void inverse_dynamics(int i) {
    velocities(i);
    matter_.calcResidualForceIgnoringConstraints(state_, SimTK::Vector(), gravity_.getBodyForces(state_),
                                                 states_[i].udot, result_);
  }
  void bias(int i) {
    velocities(i);
    matter_.calcResidualForceIgnoringConstraints(state_, SimTK::Vector(), gravity_.getBodyForces(state_),
                                                 SimTK::Vector(), result_);
  }
  void mass_matrix(int i) {
    kinematics(i);
    matter_.calcM(state_, M_);
  }
  Eigen::MatrixXd our_mass_matrix(int i) const {
    Eigen::MatrixXd M(M_.nrow(), M_.ncol());
    for (int r = 0; r < M_.nrow(); ++r)
      for (int c = 0; c < M_.ncol(); ++c) M(r, c) = M_(r, c);
    return conversion_->our_mass_matrix(i, M);
  }
  void forward_dynamics(int i) {
    velocities(i);
    system_.realize(state_, SimTK::Stage::Dynamics);
    matter_.calcAccelerationIgnoringConstraints(state_, states_[i].tau, gravity_.getBodyForces(state_), result_,
                                                A_GB_);
  }

  void constrained_dynamics(int i) {
    state_.updQ() = states_[i].q;
    state_.updU() = states_[i].u;
    applied_.setAllMobilityForces(state_, states_[i].tau);
    system_.realize(state_, SimTK::Stage::Acceleration);
  }

  SimTK::MultibodySystem system_;
  SimTK::SimbodyMatterSubsystem matter_;
  SimTK::GeneralForceSubsystem forces_;
  SimTK::Force::Gravity gravity_;
  SimTK::Force::DiscreteForces applied_;
  bool closed_;
  std::vector<SimTK::MobilizedBody> bodies_;
  SimTK::State state_;
  std::unique_ptr<Conversion> conversion_;
  std::vector<SimbodyState> states_;
  SimTK::Vector result_;
  SimTK::Vector_<SimTK::SpatialVec> A_GB_;
  SimTK::Matrix M_;
};

/// "debug" for a library with assertions, as Debian's; the layout of Simbody's types depends on that.
std::string library_mode() {
  char mode[32] = "";
  SimTK_about_SimTKcommon("debug", sizeof mode, mode);
  return mode;
}

#ifdef NDEBUG
constexpr const char* kOwnMode = "release";
#else
constexpr const char* kOwnMode = "debug";
#endif

std::unique_ptr<Peer> make(const Tree& tree, const std::vector<State>& states) {
  if (library_mode() != kOwnMode) throw std::runtime_error("its library has assertions where we expect none, or not");
  try {
    return std::make_unique<SimbodyPeer>(tree, states);
  } catch (const SimTK::Exception::Base& e) {
    throw std::runtime_error(e.getMessage());
  }
}

std::string version() {
  int major = 0, minor = 0, build = 0;
  SimTK_version_simbody(&major, &minor, &build);
  return fmt::format("{}.{}", major, minor);
}

std::string remark() { return library_mode() == "debug" ? "its library was built with assertions" : ""; }

}  // namespace

}  // namespace amble::bench

extern "C" const amble::bench::PeerModule* amble_bench_peer() {
  static const amble::bench::PeerModule module{"Simbody", amble::bench::version(), amble::bench::remark(),
                                               amble::bench::make, true};
  return &module;
}
