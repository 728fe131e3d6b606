#include "amble/control/walking/velocity_field.hpp"

namespace amble {

OwnedVector rate_along(const Mechanism& m, const VelocityField& field, const VectorRef& q,
                       const VectorRef& v) {
  constexpr double kWay =
      1e-3;  // rad or m: fields that turn within 0.01 are still seen, rounding stays near 1e-12
  OwnedVector rate(m.nv()), w(m.nv());
  const double speed = v.norm();
  if (speed == 0.0) return rate;
  const double h = kWay / speed;
  constexpr double kWeights[] = {45.0 / 60.0, -9.0 / 60.0, 1.0 / 60.0};
  for (int i = 1; i <= 3; ++i)
    for (const int side : {1, -1}) {
      w.setZero();
      field(m.integrate(q, side * i * h * v), w);
      rate += side * kWeights[i - 1] / h * w;
    }
  return rate;
}

}  // namespace amble
