#include "amble/dynamics/workspace_memory.hpp"
#include "amble/mechanism/joints/list.hpp"

namespace amble {

namespace {

using Subspace = std::array<Twist<double>, 6>;

void put_subspace(const CustomJoint& joint, const double* q, double* out) {
  Subspace S;
  joint.subspace(q, S.data());
  for (int k = 0; k < joint.nv(); ++k) Eigen::Map<Vector6<double>>(out + 6 * k) = S[k].vector();
}

/// How the subspace and the bias change along velocity k of the joint. A custom joint says what they are, not how they
/// change, so this is an eighth-order central difference: for a joint that varies over a length or angle of 1 its error
/// is 1e-13.
void put_changes(const CustomJoint& joint, const double* q, const double* v, int k, double* S_change, double* bias_change) {
  constexpr double kStep = 0.02;
  constexpr double kWeights[] = {4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280};
  Eigen::Map<Eigen::VectorXd> S_sum(S_change, 6 * joint.nv());
  Eigen::Map<Vector6<double>> bias_sum(bias_change);
  S_sum.setZero(), bias_sum.setZero();
  for (int n = 1; n <= 4; ++n)
    for (const double side : {1.0, -1.0}) {
      std::array<double, 6> along{};
      std::array<double, kMostJointCoordinates> there{};
      std::array<double, 36> S{};
      along[k] = side * n * kStep;
      joint.integrate(q, along.data(), there.data());
      put_subspace(joint, there.data(), S.data());
      const double weight = side * kWeights[n - 1] / kStep;
      S_sum += weight * Eigen::Map<Eigen::VectorXd>(S.data(), 6 * joint.nv());
      if (v != nullptr) bias_sum += weight * joint.bias(there.data(), v).vector();
    }
}

}  // namespace

void fill_custom_block(const Link& link, const double* q, const double* v, CustomNumbers numbers, double* block) {
  const CustomJoint& joint = *link.parameters.custom;
  const Pose X = joint.pose(q);
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 3; ++c) block[3 * r + c] = X.rotation().matrix()(r, c);
    block[9 + r] = X.translation()[r];
  }
  put_subspace(joint, q, block + 12);
  Eigen::Map<Vector6<double>>(block + 48) = v == nullptr ? Vector6<double>::Zero() : joint.bias(q, v).vector();
  for (int k = 0; numbers == CustomNumbers::changes && k < joint.nv(); ++k)
    put_changes(joint, q, v, k, block + kernels::kCustomChange + 36 * k, block + kernels::kCustomBiasChange + 6 * k);
}

}  // namespace amble
