#include "amble/control/legged/biped_state.hpp"

namespace amble {

const char* name_of(BipedPhase phase) {
  switch (phase) {
    case BipedPhase::stand:
      return "stand";
    case BipedPhase::start:
      return "start";
    case BipedPhase::single_support:
      return "single_support";
    case BipedPhase::double_support:
      return "double_support";
    case BipedPhase::stop:
      return "stop";
    case BipedPhase::rest:
      return "rest";
  }
  return "?";
}

}  // namespace amble
