#include "amble/contact/solvers/random_friction.hpp"

#include <cmath>
#include <limits>
#include <numbers>

#include "amble/contact/contact_space.hpp"
#include "amble/mechanism/builder.hpp"
#include "amble/mechanism/random_mechanism.hpp"

namespace amble {

namespace {

using Vec3 = Vector3<double>;

constexpr double kFall = 0.01;  // speed that gravity adds in a step (m/s)

Vec3 random_unit(Random& r) { return Vec3(r.normal(), r.normal(), r.normal()).normalized(); }

ContactSpace::Axes axes_along(const Vec3& n) {
  const Vec3 other = std::abs(n[0]) < 0.7 ? Vec3::UnitX() : Vec3::UnitY();
  const Vec3 t = (other - n.dot(other) * n).normalized();
  return {n, t, cross<double>(n, t)};
}

/// Coefficients of one scene: of one sort, all alike or each its own.
class Coefficients {
 public:
  explicit Coefficients(Random& r) : sort_(r.integer(0, 4)), alike_(r.integer(0, 1) == 1), one_(draw(r)) {}
  double next(Random& r) const { return alike_ ? one_ : draw(r); }

 private:
  double draw(Random& r) const {
    const int sort = sort_ < 4 ? sort_ : r.integer(0, 5);
    if (sort == 1) return 0.0;
    if (sort == 2) return std::numeric_limits<double>::infinity();
    return sort == 3 ? r.uniform(0.2, 0.9) : r.uniform(0.0, 2.0);
  }

  int sort_;
  bool alike_;
  double one_;
};

/// A mechanism in motion, and the problem as it grows. Free bodies are links 1, 2, ... in the order they were
/// added.
class Scene {
 public:
  Scene(Random& r, const Mechanism& m, const VectorRef& q, const Eigen::VectorXd& v)
      : random_(r), space_(m), friction_(r), v_(v) {
    space_.set_state(q, v);
    space_.factor(nullptr);
    problem_.clear(m.nv());
  }

  const Pose& pose(int link) const { return space_.poses()[link]; }
  void contact(int a, int b, const Vec3& point, const Vec3& normal) {
    add(FrictionLaw::contact(friction_.next(random_)), a, b, point, axes_along(normal));
  }
  void tie(int a, int b, const Vec3& point) {
    add(FrictionLaw::bilateral(3), a, b, point, axes_along(Vec3::UnitZ()));
  }
  void along(const FrictionLaw& law, int v, double sign) {
    double velocity = 0.0;
    const int block = space_.add_velocity(problem_, law, v, sign, &velocity);
    problem_.w(problem_.block(block).row) = velocity;
  }
  FrictionProblem take() { return std::move(problem_); }

 private:
  void add(const FrictionLaw& law, int a, int b, const Vec3& point, const ContactSpace::Axes& axes) {
    double velocities[3];
    const int row = problem_.block(space_.add_point(problem_, law, a, b, point, axes, velocities)).row;
    for (int k = 0; k < 3; ++k) problem_.w(row + k) = velocities[k];
  }

  Random& random_;
  ContactSpace space_;
  Coefficients friction_;
  Eigen::VectorXd v_;
  FrictionProblem problem_;
};

struct Box {
  Vec3 at, half;
};

/// Free boxes, falling for a step and pushed by `push` (m/s, rad/s).
Scene boxes(Random& r, const std::vector<Box>& list, double push) {
  Builder builder("boxes");
  const double apart = r.integer(0, 1) == 1 ? 1e4 : 10.0;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const Vec3 s = list[i].half.cwiseAbs2();
    const double mass = std::pow(apart, r.uniform(-0.5, 0.5));
    const Matrix3<double> I = (mass / 3.0 * Vec3(s[1] + s[2], s[0] + s[2], s[0] + s[1])).asDiagonal();
    const std::string name = "box" + std::to_string(i);
    builder.body({.name = name, .inertia = Inertia<double>::from_com(mass, Vec3::Zero(), I)});
    builder.joint({.name = "free" + std::to_string(i), .type = "free", .parent = kWorld, .child = name});
  }
  const Mechanism m = builder.build();
  OwnedVector q(m.neutral());
  Eigen::VectorXd v(m.nv());
  for (std::size_t i = 0; i < list.size(); ++i) {
    q.segment<3>(7 * i) = list[i].at;
    for (int k = 0; k < 6; ++k) v[6 * i + k] = push * r.normal() - (k == 2 ? kFall : 0.0);
  }
  return Scene(r, m, q, v);
}

FrictionProblem mechanism_scene(Random& r) {
  const int bodies = r.integer(1, 12);
  const RandomMechanism from = random_mechanism(
      r.bits(),
      {.bodies = bodies, .types = {"revolute", "prismatic", "spherical", "free", "universal", "planar"}});
  const Mechanism& m = from.mechanism;
  const double push = r.integer(0, 1) == 1 ? 1.0 : kFall;
  Eigen::VectorXd v(m.nv());
  for (double& x : v) x = push * r.normal();
  Scene scene(r, m, from.q, v);
  const int links = static_cast<int>(m.links().size()), contacts = r.integer(1, 2 + m.nv() / 2);
  for (int i = 0; i < contacts && links > 1; ++i) {
    const int b = r.integer(1, links - 1), a = r.integer(0, 3) == 0 ? r.integer(0, links - 1) : 0;
    const Vec3 point = scene.pose(b).translation() + 0.3 * random_unit(r);
    scene.contact(a == b ? 0 : a, b, point, (Vec3::UnitZ() + 0.4 * random_unit(r)).normalized());
  }
  for (int i = 0; i < m.nv(); ++i) {
    if (r.integer(0, 4) == 0) scene.along(FrictionLaw::unilateral(), i, r.integer(0, 1) == 0 ? 1.0 : -1.0);
    if (r.integer(0, 4) == 0) scene.along(FrictionLaw::box(r.uniform(0.0, 0.1)), i, 1.0);
  }
  return scene.take();
}

double random_push(Random& r) { return std::array{0.0, 0.3 * kFall, 1.0}[r.integer(0, 2)]; }

FrictionProblem stack_scene(Random& r) {
  std::vector<Box> list(r.integer(1, 14));
  for (std::size_t i = 0; i < list.size(); ++i)
    list[i] = {{0.02 * r.normal(), 0.02 * r.normal(), 0.5 + static_cast<double>(i)}, Vec3::Constant(0.5)};
  Scene scene = boxes(r, list, random_push(r));
  for (int i = 0; i < static_cast<int>(list.size()); ++i)
    for (int k = 0; k < 4; ++k)
      scene.contact(i, i + 1, {(k & 1) - 0.5, (k >> 1) - 0.5, double(i)}, Vec3::UnitZ());
  return scene.take();
}

FrictionProblem table_scene(Random& r) {
  Scene scene = boxes(r, {{{0, 0, 1}, {1, 0.6, 0.1}}}, random_push(r));
  const int legs = r.integer(3, 20), walls = r.integer(0, 4);
  for (int k = 0; k < legs; ++k) {
    const double at = 2.0 * std::numbers::pi * k / legs;
    scene.contact(0, 1, {std::cos(at), 0.6 * std::sin(at), 0.0}, Vec3::UnitZ());
  }
  for (int k = 0; k < walls; ++k) {
    const Vec3 n = (k % 2 == 0 ? 1.0 : -1.0) * (k < 2 ? Vec3::UnitX() : Vec3::UnitY());
    for (const double side : {-0.3, 0.3})
      scene.contact(0, 1, {-n[0] + side * n[1], -0.6 * n[1] + side * n[0], 1.0 + 0.1 * side}, n);
  }
  return scene.take();
}

FrictionProblem bricks_scene(Random& r) {
  const int across = r.integer(1, 3), up = r.integer(1, 3);
  std::vector<Box> list;
  for (int z = 0; z < up; ++z)
    for (int x = 0; x < across; ++x) list.push_back({{double(x), 0.0, z + 0.5}, Vec3::Constant(0.5)});
  Scene scene = boxes(r, list, random_push(r));
  const auto link = [&](int x, int z) { return z < 0 || x < 0 ? 0 : 1 + z * across + x; };
  for (int z = 0; z < up; ++z)
    for (int x = 0; x < across; ++x) {
      for (int k = 0; k < 4; ++k)
        scene.contact(link(x, z - 1), link(x, z), {x + (k & 1) - 0.5, (k >> 1) - 0.5, double(z)},
                      Vec3::UnitZ());
      for (int k = 0; k < 2 && (x > 0 || r.integer(0, 1) == 1); ++k)
        scene.contact(link(x - 1, z), link(x, z), {x - 0.5, 0.0, double(z + k)}, Vec3::UnitX());
    }
  return scene.take();
}

FrictionProblem bodies_scene(Random& r) {
  std::vector<Box> list(r.integer(1, 8));
  for (Box& box : list) box = {{r.normal(), r.normal(), r.normal()}, {0.3, 0.4, 0.5}};
  Scene scene = boxes(r, list, random_push(r));
  const int count = static_cast<int>(list.size()), contacts = r.integer(1, 7 * count);
  for (int i = 0; i < contacts; ++i) {
    const int b = r.integer(1, count), a = r.integer(0, count);
    scene.contact(a == b ? 0 : a, b, list[b - 1].at + 0.5 * random_unit(r), random_unit(r));
  }
  return scene.take();
}

FrictionProblem chain_scene(Random& r) {
  std::vector<Box> list(r.integer(2, 8));
  for (std::size_t i = 0; i < list.size(); ++i)
    list[i] = {{double(i), 0.3 * r.normal(), 0.5}, {0.5, 0.3, 0.4}};
  Scene scene = boxes(r, list, 0.3);
  const int count = static_cast<int>(list.size()), contacts = r.integer(1, 24);
  for (int i = 1; i < count; ++i) scene.tie(i, i + 1, {i - 0.5, 0.0, 0.5});
  for (int i = 0; i < contacts; ++i) {
    const int b = r.integer(1, count);
    const Vec3 under(r.uniform(-0.5, 0.5), r.uniform(-0.3, 0.3), -0.5);
    scene.contact(0, b, list[b - 1].at + under, (Vec3::UnitZ() + 0.1 * random_unit(r)).normalized());
  }
  for (int i = 0; i < count; ++i) {
    scene.along(FrictionLaw::box(r.uniform(0.0, 0.02)), 6 * i + 3 + r.integer(0, 2), 1.0);
    if (r.integer(0, 1) == 1) scene.along(FrictionLaw::unilateral(), 6 * i + 3, 1.0);
  }
  return scene.take();
}

FrictionProblem pile_scene(Random& r) {
  std::vector<Box> list(r.integer(2, 20));
  for (Box& box : list) box = {{r.uniform(-1.0, 1.0), r.uniform(-1.0, 1.0), r.uniform(0.0, 2.0)}, {0.3, 0.2, 0.25}};
  Scene scene = boxes(r, list, random_push(r));
  const int count = static_cast<int>(list.size()), contacts = r.integer(count, 4 * count);
  for (int i = 0; i < contacts; ++i) {
    const int b = r.integer(1, count), other = r.integer(0, count), a = other == b ? 0 : other;
    const Vec3 at_b = list[b - 1].at, at_a = a == 0 ? Vec3(at_b - 0.5 * Vec3::UnitZ()) : list[a - 1].at;
    scene.contact(a, b, 0.5 * (at_a + at_b) + 0.15 * random_unit(r),
                  ((at_b - at_a).normalized() + 0.3 * random_unit(r)).normalized());
  }
  return scene.take();
}

FrictionProblem patches_scene(Random& r) {
  std::vector<Box> list(r.integer(1, 6));
  for (std::size_t i = 0; i < list.size(); ++i)
    list[i] = {{0.01 * r.normal(), 0.01 * r.normal(), 0.5 + static_cast<double>(i)}, Vec3::Constant(0.5)};
  Scene scene = boxes(r, list, random_push(r));
  for (int i = 0; i < static_cast<int>(list.size()); ++i)
    for (int k = r.integer(3, 16); k > 0; --k)
      scene.contact(i, i + 1, {r.uniform(-0.5, 0.5), r.uniform(-0.5, 0.5), double(i)}, Vec3::UnitZ());
  return scene.take();
}

}  // namespace

FrictionProblem random_friction(std::uint64_t seed) {
  return random_friction(seed, static_cast<FrictionScene>(seed % kFrictionScenes));
}

FrictionProblem random_friction(std::uint64_t seed, FrictionScene scene) {
  Random r(seed);
  switch (scene) {
    case FrictionScene::mechanism:
      return mechanism_scene(r);
    case FrictionScene::stack:
      return stack_scene(r);
    case FrictionScene::table:
      return table_scene(r);
    case FrictionScene::bricks:
      return bricks_scene(r);
    case FrictionScene::bodies:
      return bodies_scene(r);
    case FrictionScene::chain:
      return chain_scene(r);
    case FrictionScene::pile:
      return pile_scene(r);
    case FrictionScene::patches:
      return patches_scene(r);
  }
  return FrictionProblem();
}

}  // namespace amble
