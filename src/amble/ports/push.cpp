#include "amble/ports/push.hpp"

#include <fmt/format.h>

#include <cmath>

#include "amble/base/error.hpp"
#include "amble/dynamics/kinematics.hpp"
#include "amble/ports/drive.hpp"

namespace amble {

ElementPtr push(std::string name, const Mechanism& m, const Push& push) {
  m.place(push.body);
  if (!push.force.allFinite() || !push.point.allFinite() || !std::isfinite(push.start) ||
      !(push.duration >= 0.0))
    throw Error(fmt::format(
        "push '{}': a force, a point or a time is not a number, or the duration is below 0", name));
  const JacobianOptions there{.point = push.point, .frame = JacobianFrame::aligned};
  const auto work = std::make_shared<Workspace>(m);
  return drive(std::move(name),
               [m, work, there, push](double t, const OwnedVector& q, const OwnedVector&, OwnedVector& tau) {
                 if (t < push.start || t >= push.start + push.duration) return;
                 tau.noalias() += jacobian(m, *work, q, push.body, there).topRows(3).transpose() * push.force;
               });
}

}  // namespace amble
