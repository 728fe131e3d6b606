#include "amble/riemann/curvature.hpp"
#include "amble/riemann/task_inverse.hpp"
#include "bench/area.hpp"
#include "bench/state.hpp"

// Geometry of the kinetic metric. No other library has these; Christoffel symbols are what others ask for.
namespace amble::bench {

namespace {

struct Bed {
  explicit Bed(const Subject& s)
      : robot(s.robot),
        work(robot),
        gamma(robot.nv()),
        states(random_states(robot)),
        lift(kinetic_lift(center_of_mass_task(robot))) {}
  Mechanism robot;
  Workspace work;
  Christoffel gamma;
  std::vector<State> states;
  InversePtr lift;
};

}  // namespace

std::vector<Task> geometry_tasks(const Subject& subject, Notes&) {
  const bool special =
      subject.growth || !subject.walker.empty() || subject.stands.size() > 0 || subject.closed.size() > 0;
  if (special || subject.robot.nv() < 2) return {};
  const auto bed = std::make_shared<Bed>(subject);
  return {
      {"christoffel", "amble",
       [bed](int i) { christoffel(bed->robot, bed->work, bed->states[i].q, bed->gamma); }},
      {"christoffel, second kind", "amble",
       [bed](int i) {
         christoffel(bed->robot, bed->work, bed->states[i].q, bed->gamma, ChristoffelKind::second);
       }},
      {"curvature tensor", "amble", [bed](int i) { Curvature(bed->robot, bed->states[i].q); }},
      {"lift of the centre of mass", "amble", [bed](int i) { bed->lift->value(bed->states[i].q); }},
      {"the same with its rate", "amble",
       [bed](int i) { bed->lift->rate(bed->states[i].q, bed->states[i].v); }},
  };
}

}  // namespace amble::bench
