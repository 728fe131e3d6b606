#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <numbers>

#include "amble/base/error.hpp"
#include "amble/base/random.hpp"
#include "bench/area.hpp"
#include "bench/contact_meter.hpp"
#include "bench/instructions.hpp"
#include "bench/interrupt.hpp"
#include "bench/peers.hpp"
#include "bench/scene_of.hpp"

// Robots on the ground and a stack of boxes in steps of one length: how long a step takes, and how well
// contact is kept.
namespace amble::bench {

namespace {

constexpr double kStiffness = 500.0,
                 kDamping = 5.0;  // N m/rad, N m s/rad: of the joints of a robot that stands

/// A motion that steps are measured on.
struct Course {
  std::string what;
  Mechanism m;
  std::vector<OwnedVector> starts;  ///< at rest; one, or some to go through from start to end
  double settling;  ///< s, before anything is measured
  double measured;  ///< s; steps are timed from there on, where it goes on as before
  bool whole = false;  ///< what is timed is all of it from each start, as it never goes on as before
};

/// A library with its setting for a course, and what it did there.
struct Contestant {
  std::string library, remark;
  std::function<std::unique_ptr<SceneStepper>(const Scene&)> make;
};

int steps_of(double seconds) { return static_cast<int>(std::lround(seconds / kSceneStep)); }

// ---- how robots start

/// Springs that hold every joint where it is at zero.
Mechanism held(const Mechanism& m) {
  ModelDescription description = m.description();
  for (JointDescription& joint : description.joints) {
    const bool turns = joint.type == "revolute" || joint.type == "continuous";
    if (turns) joint.properties.stiffness = {kStiffness}, joint.properties.damping = {kDamping};
  }
  return compile(description, Physics::warn);
}

/// With its lowest point so high above the ground.
OwnedVector raised(const Mechanism& m, const Scene& scene, OwnedVector q, double height) {
  const ContactMeter meter(scene);
  q[2] += height - meter.height(link_poses(m, q));
  return q;
}

/// On its face, leaning to a side.
OwnedVector lying(const Mechanism& m) {
  constexpr double kLean = 0.3;
  const SO3<double> R = SO3<double>::exp(Vector3<double>(0.0, 0.5 * std::numbers::pi, 0.0)) *
                        SO3<double>::exp(Vector3<double>(0.0, 0.0, kLean));
  OwnedVector q = m.neutral();
  R.quaternion().to_xyzw(q.data() + 3);
  return q;
}

/// Upright and leaning forward.
OwnedVector leaning(const Mechanism& m) {
  constexpr double kLean = 0.24;
  OwnedVector q = m.neutral();
  SO3<double>::exp(Vector3<double>(0.0, kLean, 0.0)).quaternion().to_xyzw(q.data() + 3);
  return q;
}

/// Lying in the air anyhow, joints bent.
OwnedVector anyhow(const Mechanism& m, std::uint64_t seed) {
  constexpr double kTurn = 2.0, kBend = 0.6;  // rad
  Random random(seed);
  OwnedVector q = m.neutral();
  const Vector3<double> turn(random.uniform(-kTurn, kTurn), random.uniform(-kTurn, kTurn), random.uniform(-kTurn, kTurn));
  SO3<double>::exp(turn).quaternion().to_xyzw(q.data() + 3);
  for (Eigen::Index i = 7; i < q.size(); ++i)
    q[i] = std::clamp(random.uniform(-kBend, kBend), m.lower()[i], m.upper()[i]);
  return q;
}

std::vector<OwnedVector> dropped(const Mechanism& m, const Scene& scene) {
  constexpr int kFalls = 4;
  constexpr double kHeight = 0.2;  // m
  std::vector<OwnedVector> out;
  for (int seed = 1; seed <= kFalls; ++seed) out.push_back(raised(m, scene, anyhow(m, seed), kHeight));
  return out;
}

std::shared_ptr<const ContactScene> contacts_of(const Mechanism& m) {
  return contact_scene("contacts", m, {.material = {.friction = kSceneFriction}});
}

std::vector<Course> courses_of(const Subject& subject) {
  const Mechanism& m = subject.robot;
  if (subject.stands.size() > 0) return {{"standing", m, {subject.stands}, 0.2, 0.1}};
  const Scene scene = scene_of(m, *contacts_of(m));
  return {{"standing", held(m), {raised(m, scene, m.neutral(), 0.0)}, 0.5, 0.5},
          {"lying", m, {raised(m, scene, lying(m), 0.01)}, 1.5, 0.5},
          {"falling", m, {raised(m, scene, leaning(m), 0.0)}, 0.0, 1.0, true},
          {"being dropped", m, dropped(m, scene), 0.0, 1.0, true}};
}

// ---- who steps

std::vector<Contestant> contestants(const Course& course) {
  std::vector<Contestant> out;
  out.push_back({"amble", "time_stepping as it comes",
                 [&m = course.m](const Scene&) { return our_stepper(m, contacts_of(m)); }});
  for (const PeerModule* module : peers().modules)
    for (const SceneSetting& setting : module->scenes)
      out.push_back({setting.name.empty() ? module->name : fmt::format("{} {}", module->name, setting.name),
                     setting.remark, setting.make});
  return out;
}

/// What is worst over all starts; points and drift of the last.
struct Measured {
  ContactMeasures contact;
  double residual = NAN;
};

Measured measures_of(const Course& course, const Scene& scene, SceneStepper& stepper) {
  Measured out;
  for (const OwnedVector& q : course.starts) {
    std::vector<LinkPose> poses = link_poses(course.m, q);
    std::vector<SceneContact> contacts;
    ContactMeter meter(scene);
    stepper.reset(q, poses);
    for (int i = 0; i < steps_of(course.settling); ++i) check_interrupt(), stepper.step();
    stepper.find_poses(poses);
    meter.start(poses);
    for (int i = 0; i < steps_of(course.measured); ++i) {
      check_interrupt();
      stepper.step();
      stepper.find_poses(poses), stepper.find_contacts(contacts);
      meter.add_step(poses, contacts);
    }
    const ContactMeasures before = out.contact;
    out.contact = meter.measures();
    out.contact.penetration = std::max(out.contact.penetration, before.penetration);
    out.contact.cone_violation = std::max(out.contact.cone_violation, before.cone_violation);
    out.contact.friction_error = std::max(out.contact.friction_error, before.friction_error);
    out.residual = std::fmax(out.residual, stepper.worst_residual());
  }
  return out;
}

std::string text_of(const ContactMeasures& measures, double residual) {
  return fmt::format(
      "penetration {:.1e} m, drift {:.1e} m/s, cone violation {:.1e}, friction error {:.1e}, {:.3g} points "
      "that carry load, residual {:.1e}",
      measures.penetration, measures.drift, measures.cone_violation, measures.friction_error,
      measures.points, residual);
}

double thread_seconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

/// A course from its starts, some times over.
struct Rounds {
  std::vector<double> whole;  ///< ns, of each round
  /// s, of steps, rising: what another program took from this one is in it, so the least of all rounds.
  std::vector<double> steps;
};

Rounds rounds_of(const Course& course, SceneStepper& stepper) {
  constexpr int kRounds = 2;
  const std::size_t steps = steps_of(course.measured);
  Rounds out;
  out.steps.assign(steps * course.starts.size(), HUGE_VAL);
  for (int round = 0; round < kRounds; ++round) {
    double sum = 0.0;
    for (std::size_t k = 0; k < out.steps.size(); ++k) {
      check_interrupt();
      if (const OwnedVector& q = course.starts[k / steps]; k % steps == 0) stepper.reset(q, link_poses(course.m, q));
      const double start = thread_seconds();
      stepper.step();
      const double taken = thread_seconds() - start;
      out.steps[k] = std::min(out.steps[k], taken), sum += taken;
    }
    out.whole.push_back(1e9 * sum);
  }
  std::sort(out.steps.begin(), out.steps.end());
  return out;
}

void add_fall(const Course& course, const std::string& library, SceneStepper& stepper, Figures figures,
              std::vector<Task>& tasks, Notes& notes) {
  const Rounds rounds = rounds_of(course, stepper);
  const double slowest = rounds.steps.back(), slow = rounds.steps[rounds.steps.size() * 99 / 100];
  const double rate = 1e9 * static_cast<double>(rounds.steps.size()) / *std::min_element(rounds.whole.begin(), rounds.whole.end());
  figures.emplace_back("slowest_step_s", slowest);
  figures.emplace_back("slow_step_s", slow);
  figures.emplace_back("steps_per_second", rate);
  tasks.push_back({.what = fmt::format("{:g} s of {} in steps of {:g} ms", course.measured * static_cast<double>(course.starts.size()),
                                       course.what, 1e3 * kSceneStep),
                   .library = library, .figures = figures, .samples = rounds.whole});
  add_note(notes, fmt::format("{}: {}: {:.0f} steps/s; slowest step {:.2g} ms, 99 of 100 below {:.2g} ms", course.what, library, rate,
                              1e3 * slowest, 1e3 * slow));
}

void add_task(const Course& course, const Scene& scene, const Contestant& contestant,
              std::vector<Task>& tasks, Notes& notes) {
  const auto stepper = std::shared_ptr<SceneStepper>(contestant.make(scene));
  const auto [measures, residual] = measures_of(course, scene, *stepper);
  const Figures figures = {{"penetration_m", measures.penetration},
                           {"drift_mps", measures.drift},
                           {"cone_violation", measures.cone_violation},
                           {"friction_error", measures.friction_error},
                           {"contacts", measures.points},
                           {"residual", residual}};
  add_note(notes, fmt::format("{}: {}: {}", course.what, contestant.library, text_of(measures, residual)));
  if (course.whole) return add_fall(course, contestant.library, *stepper, figures, tasks, notes);
  tasks.push_back({.what = fmt::format("step of {:g} ms, {}", 1e3 * kSceneStep, course.what),
                   .library = contestant.library,
                   .run = [stepper](int) { stepper->step(); },
                   .figures = figures});
}

void add_course(const Course& course, std::vector<Task>& tasks, Notes& notes) {
  const Scene scene = scene_of(course.m, *contacts_of(course.m));
  for (const Contestant& contestant : contestants(course)) try {
      add_task(course, scene, contestant, tasks, notes);
    } catch (const std::exception& e) {
      add_note(notes, fmt::format("{}: {} failed: {}", course.what, contestant.library, e.what()));
    }
}

void add_settings(const Course& course, Notes& notes) {
  for (const Contestant& c : contestants(course)) add_note(notes, fmt::format("{}: {}", c.library, c.remark));
}

bool has_shapes(const Mechanism& m) {
  const auto& bodies = m.description().bodies;
  return std::any_of(bodies.begin(), bodies.end(),
                     [](const BodyDescription& b) { return !b.collisions.empty(); });
}

bool stands(const Subject& subject) {
  const Mechanism& m = subject.robot;
  return has_shapes(m) && m.loops().empty() && m.rollings().empty() && !m.joints().empty() &&
         m.joints().front().type == "free";
}

}  // namespace

std::vector<Task> contact_tasks(const Subject& subject, Notes& notes) {
  if (subject.growth || subject.closed.size() > 0 || !subject.walker.empty() || counting() || !stands(subject)) return {};
  std::vector<Task> tasks;
  try {
    const std::vector<Course> courses = courses_of(subject);
    for (const Course& course : courses) add_course(course, tasks, notes);
    add_settings(courses.front(), notes);
  } catch (const Error& e) {
    add_note(notes, std::string("no contacts: ") + e.what());
  }
  return tasks;
}

}  // namespace amble::bench
