#pragma once

#include <nlohmann/json.hpp>

#include "amble/mechanism/mechanism.hpp"

namespace amble::app {

/// A mechanism as `inspect --json` prints it: enough to rebuild its kinematics (docs/models.md).
nlohmann::ordered_json model_json(const Mechanism& m);

template <class V>
nlohmann::ordered_json numbers(const V& v) {
  nlohmann::ordered_json out = nlohmann::ordered_json::array();
  for (Eigen::Index i = 0; i < v.size(); ++i) out.push_back(v.coeff(i));
  return out;
}

std::string body_name(const Mechanism& m, int body);
/// How many axes a joint's type has.
int joint_axes(const Joint& joint);

}  // namespace amble::app
