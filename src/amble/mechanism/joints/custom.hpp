#pragma once

#include <array>
#include <string>

#include "amble/base/error.hpp"
#include "amble/mechanism/joints/joint.hpp"

namespace amble {

/// A joint type of the user's own. Derive from CustomJointOf when the coordinates are plain numbers, which leaves only
/// pose() to write; derive from this class when they are not. At most 7 coordinates and 6 velocities.
class CustomJoint {
 public:
  virtual ~CustomJoint() = default;
  virtual std::string name() const = 0;
  virtual int nq() const = 0;
  virtual int nv() const = 0;
  virtual Pose pose(const double* q) const = 0;
  virtual void subspace(const double* q, Twist<double>* S) const = 0;
  virtual Twist<double> bias(const double* q, const double* v) const = 0;
  virtual void integrate(const double* q, const double* d, double* out) const = 0;
  virtual void difference(const double* q0, const double* q1, double* d) const = 0;
  /// v = S ddot for the motion integrate(q, d(t)), in the first nv rows and columns of S. Unless overridden, by
  /// differences of order eight.
  virtual void local_jacobian(const double* q, const double* d, Matrix6<double>& S) const;
  virtual void neutral(double* q) const = 0;
  virtual double project(const double* q, double* out) const = 0;
  virtual void random(Random& random, const double* lower, const double* upper, double* q) const = 0;
};

/// A user's joint with N coordinates that add. `Derived` has
///   template <class T> SE3<T> motion(const T* q) const;   // X_FM, with motion(0) the identity
/// and the motion subspace and the bias follow by automatic differentiation.
template <class Derived, int N>
class CustomJointOf : public CustomJoint, protected VectorCoordinates<N> {
 public:
  int nq() const final { return N; }
  int nv() const final { return N; }
  Pose pose(const double* q) const final { return derived().motion(q); }
  void subspace(const double* q, Twist<double>* S) const final { differentiate(q, S); }
  Twist<double> bias(const double* q, const double* v) const final {
    using Along = Dual<double, 1>;  // time along q + v t
    std::array<Along, N> path;
    for (int i = 0; i < N; ++i) path[i].value = q[i], path[i].grad[0] = v[i];
    std::array<Twist<Along>, N> S;
    differentiate(path.data(), S.data());
    Vector6<double> sum = Vector6<double>::Zero();
    for (int k = 0; k < N; ++k)
      sum += v[k] * S[k].vector().unaryExpr([](const Along& x) { return x.grad[0]; });
    return Twist<double>(sum);
  }
  void integrate(const double* q, const double* d, double* out) const final {
    VectorCoordinates<N>::integrate(q, d, out);
  }
  void difference(const double* q0, const double* q1, double* d) const final {
    VectorCoordinates<N>::difference(q0, q1, d);
  }
  void local_jacobian(const double* q, const double* d, Matrix6<double>& S) const final {
    VectorCoordinates<N>::local_jacobian(q, d, S);
  }
  void neutral(double* q) const final { VectorCoordinates<N>::neutral(q); }
  double project(const double* q, double* out) const final { return VectorCoordinates<N>::project(q, out); }
  void random(Random& r, const double* lower, const double* upper, double* q) const override {
    for (int i = 0; i < N; ++i) q[i] = random_coordinate(r, lower[i], upper[i], kReach);
  }

 private:
  const Derived& derived() const { return static_cast<const Derived&>(*this); }

  /// S_k = (X^-1 dX/dq_k) as a twist.
  template <class T>
  void differentiate(const T* q, Twist<T>* S) const {
    using D = Dual<T, N>;
    std::array<D, N> x;
    for (int i = 0; i < N; ++i) x[i] = D::variable(q[i], i);
    const SE3<D> X = derived().motion(x.data());
    const Matrix3<T> Rt = X.rotation().matrix().unaryExpr([](const D& d) { return d.value; }).transpose();
    for (int k = 0; k < N; ++k) {
      const auto slope = [k](const D& d) { return d.grad[k]; };
      const Matrix3<T> dR = X.rotation().matrix().unaryExpr(slope);
      const Vector3<T> dp = X.translation().unaryExpr(slope);
      S[k] = Twist<T>(Rt * dp, unskew<T>(Rt * dR));
    }
  }
};

/// The open slot of the joint list: forwards to the user's object, lane by lane where there are lanes.
struct Custom {
  static constexpr std::string_view kName = "custom";
  static constexpr const char* kPlainNumbers =
      "a custom joint has no automatic derivatives: its interface is in plain numbers";
  static constexpr int kAxes = 0;
  const CustomJoint* joint;
  explicit Custom(const JointParameters& p) : joint(p.custom) {}
  static NormalisedJoint normalise(const JointGeometry& g) { return {{}, {.custom = g.custom.get()}}; }
  int nq() const { return joint->nq(); }
  int nv() const { return joint->nv(); }

  static JointSteps steps() { return {.steps = {{{Elementary::custom, {}}}}, .count = 1}; }
  template <class T>
  SE3<T> pose(const T* q) const {
    SE3<T> X;
    each_lane(q, nq(), [&](const double* lane, auto put) {
      const Pose one = joint->pose(lane);
      X = SE3<T>(SO3<T>(put(X.rotation().matrix(), one.rotation().matrix())),
                 put(X.translation(), one.translation()));
    });
    return X;
  }
  template <class T>
  void subspace(const T* q, Twist<T>* S) const {
    each_lane(q, nq(), [&](const double* lane, auto put) {
      std::array<Twist<double>, 6> one;
      joint->subspace(lane, one.data());
      for (int k = 0; k < nv(); ++k)
        S[k] = Twist<T>(put(S[k].linear(), one[k].linear()), put(S[k].angular(), one[k].angular()));
    });
  }
  template <class T>
  Twist<T> bias(const T* q, const T* v) const {
    std::array<T, 13> both;
    std::copy_n(q, nq(), both.data());
    std::copy_n(v, nv(), both.data() + nq());
    Twist<T> sum;
    each_lane(both.data(), nq() + nv(), [&](const double* lane, auto put) {
      const Twist<double> one = joint->bias(lane, lane + nq());
      sum = Twist<T>(put(sum.linear(), one.linear()), put(sum.angular(), one.angular()));
    });
    return sum;
  }
  template <class T>
  void integrate(const T* q, const T* d, T* out) const {
    pairwise(q, nq(), d, nv(), out, nq(), [&](const double* a, const double* b, double* c) { joint->integrate(a, b, c); });
  }
  template <class T>
  void difference(const T* q0, const T* q1, T* d) const {
    pairwise(q0, nq(), q1, nq(), d, nv(), [&](const double* a, const double* b, double* c) { joint->difference(a, b, c); });
  }
  template <class T>
  void local_jacobian(const T* q, const T* d, Matrix6<T>& S) const {
    if constexpr (std::is_same_v<T, double>)
      joint->local_jacobian(q, d, S);
    else
      throw Error(kPlainNumbers);
  }
  void local_rates(const double* q, const double* d, const double* v, double* ddot) const;
  void neutral(double* q) const { joint->neutral(q); }
  double project(const double* q, double* out) const { return joint->project(q, out); }
  void random(Random& r, const double* lower, const double* upper, double* q) const {
    joint->random(r, lower, upper, q);
  }

 private:
  /// Calls f(numbers, put) once per lane; put(all, one) writes the lane of `one` into `all` and returns it.
  template <class T, class F>
  static void each_lane(const T* in, int n, F f) {
    if constexpr (std::is_same_v<T, double>) {
      f(in, [](const auto&, const auto& one) { return one; });
    } else if constexpr (is_batch<T>) {
      for (int i = 0; i < T::kWidth; ++i) {
        std::array<double, 14> lane{};
        for (int k = 0; k < n; ++k) lane[k] = in[k].lane[i];
        f(lane.data(), [i](auto all, const auto& one) {
          for (Eigen::Index k = 0; k < all.size(); ++k) all.coeffRef(k).lane[i] = one.coeff(k);
          return all;
        });
      }
    } else {
      throw Error(kPlainNumbers);
    }
  }
  template <class T, class F>
  static void pairwise(const T* a, int na, const T* b, int nb, T* out, int n, F f) {
    if constexpr (std::is_same_v<T, double>) {
      f(a, b, out);
    } else {
      std::array<T, 14> both;
      std::copy_n(a, na, both.data());
      std::copy_n(b, nb, both.data() + na);
      Matrix<T, 7, 1> result = Matrix<T, 7, 1>::Constant(T(0.0));
      each_lane(both.data(), na + nb, [&](const double* lane, auto put) {
        Matrix<double, 7, 1> one = Matrix<double, 7, 1>::Zero();
        f(lane, lane + na, one.data());
        result = put(result, one);
      });
      std::copy_n(result.data(), n, out);
    }
  }
};

}  // namespace amble
