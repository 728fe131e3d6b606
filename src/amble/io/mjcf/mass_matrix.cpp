#include "amble/io/mjcf/mass_matrix.hpp"

#include <Eigen/Cholesky>

namespace amble {

namespace {

Twist<double> turning(const Vector3<double>& axis, const Vector3<double>& point) {
  return {Vector3<double>(cross<double>(point, axis)), axis};
}
Twist<double> sliding(const Vector3<double>& axis) { return {axis, Vector3<double>::Zero()}; }

double power(const Wrench<double>& F, const Twist<double>& V) {
  return F.linear().dot(V.linear()) + F.angular().dot(V.angular());
}

}  // namespace

CompiledMassMatrix::CompiledMassMatrix(const CompiledModel& model) {
  const std::size_t bodies = model.bodies.size();
  last_.assign(bodies, -1), composites_.resize(bodies);
  for (std::size_t i = 1; i < bodies; ++i) {
    const CompiledBody& b = model.bodies[i];
    add_freedoms(b, static_cast<int>(i));
    composites_[i] =
        b.X_WB * b.X_BI * Inertia<double>::from_com(b.mass, Vector3<double>::Zero(), b.moments.asDiagonal());
  }
  for (std::size_t i = bodies; i-- > 1;) {
    Inertia<double>& parent = composites_[static_cast<std::size_t>(model.bodies[i].parent)];
    parent = parent + composites_[i];
  }
  for (const Freedom& f : freedoms_)
    diagonal_.push_back(power(composites_[static_cast<std::size_t>(f.body)] * f.S, f.S) + f.armature);
}

int CompiledMassMatrix::add(int body, int parent, const Twist<double>& S, double armature) {
  freedoms_.push_back({body, parent, S, armature});
  return static_cast<int>(freedoms_.size()) - 1;
}

void CompiledMassMatrix::add_freedoms(const CompiledBody& body, int index) {
  int last = last_[static_cast<std::size_t>(body.parent)];
  const Vector3<double> origin = body.X_WB.translation();
  for (const CompiledJoint& j : body.joints) {
    const Vector3<double> anchor = body.X_WB * j.anchor, axis = body.X_WB.rotation() * j.axis;
    const auto put = [&](const Twist<double>& S) { last = add(index, last, S, j.armature); };
    if (j.type == CompiledJoint::Type::hinge) put(turning(axis, anchor));
    if (j.type == CompiledJoint::Type::slide) put(sliding(axis));
    if (j.type == CompiledJoint::Type::free)
      for (int k = 0; k < 3; ++k) put(sliding(Vector3<double>::Unit(k)));
    if (j.type == CompiledJoint::Type::free || j.type == CompiledJoint::Type::ball)
      for (int k = 0; k < 3; ++k)
        put(turning(body.X_WB.rotation().matrix().col(k),
                    j.type == CompiledJoint::Type::free ? origin : anchor));
  }
  last_[static_cast<std::size_t>(index)] = last;
}

void CompiledMassMatrix::add_force(int body, int until, const Wrench<double>& F, double factor,
                                   std::vector<double>& row) const {
  const int end = last_[static_cast<std::size_t>(until)];
  for (int i = last_[static_cast<std::size_t>(body)]; i != end;
       i = freedoms_[static_cast<std::size_t>(i)].parent)
    row[static_cast<std::size_t>(i)] += factor * power(F, freedoms_[static_cast<std::size_t>(i)].S);
}

Eigen::MatrixXd CompiledMassMatrix::matrix() const {
  const auto n = static_cast<Eigen::Index>(freedoms_.size());
  Eigen::MatrixXd M = Eigen::MatrixXd::Zero(n, n);
  for (Eigen::Index j = 0; j < n; ++j) {
    const Freedom& at = freedoms_[static_cast<std::size_t>(j)];
    const Wrench<double> F = composites_[static_cast<std::size_t>(at.body)] * at.S;
    for (int i = static_cast<int>(j); i >= 0; i = freedoms_[static_cast<std::size_t>(i)].parent)
      M(i, j) = M(j, i) = power(F, freedoms_[static_cast<std::size_t>(i)].S);
    M(j, j) = diagonal_[static_cast<std::size_t>(j)];
  }
  return M;
}

const Eigen::MatrixXd& CompiledMassMatrix::inverse() const {
  constexpr std::size_t kMost = 1000;
  if (is_inverted_ || freedoms_.size() > kMost) return inverse_;
  is_inverted_ = true;
  const Eigen::LLT<Eigen::MatrixXd> cholesky(matrix());
  if (cholesky.info() == Eigen::Success)
    inverse_ = cholesky.solve(Eigen::MatrixXd::Identity(cholesky.rows(), cholesky.cols()));
  return inverse_;
}

std::vector<double> CompiledMassMatrix::inverse_diagonal() const {
  std::vector<double> out;
  for (Eigen::Index i = 0; i < inverse().rows(); ++i) out.push_back(inverse()(i, i));
  return out;
}

double CompiledMassMatrix::acceleration(const std::vector<double>& row) const {
  if (inverse().size() == 0) return 0.0;
  return (inverse() * Eigen::Map<const Eigen::VectorXd>(row.data(), static_cast<Eigen::Index>(row.size())))
      .norm();
}

}  // namespace amble
