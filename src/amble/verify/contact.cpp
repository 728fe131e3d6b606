#include "amble/verify/contact/parts.hpp"

// Contact and impact: kinematics, compliant and rigid contact, impacts, many contacts at once.
namespace amble {

VerificationArea verify_contact() {
  VerificationArea area{"contact", {}};
  for (const auto part : {contact_kinematics, contact_compliant, contact_rigid, contact_solvers, contact_time_stepping})
    for (VerificationEntry& entry : part()) area.entries.push_back(std::move(entry));
  return area;
}

}  // namespace amble
