#include <cmath>

#include "amble/contact/models/surface_law.hpp"
#include "amble/ports/checks.hpp"

namespace amble {

namespace {

double sign(double x) { return x > 0.0 ? 1.0 : x < 0.0 ? -1.0 : 0.0; }

/// f_slip of DS (3.26).
double slip(double strain, double velocity, double most) {
  return 1.0 - (1.0 + sign(velocity * strain)) * std::abs(strain) / (2.0 * most);
}

class PrintedMap : public SurfaceLaw {
 public:
  explicit PrintedMap(const PrintedNumbers& numbers) : numbers_(numbers) {
    check_strength("printed map", "stiffness", numbers.stiffness);
    check_strength("printed map", "twist stiffness", numbers.twist_stiffness);
    check_strength("printed map", "damping", numbers.damping);
    check_strength("printed map", "twist damping", numbers.twist_damping);
    check_above_zero("printed map", "most stretch", numbers.most_stretch);
    check_above_zero("printed map", "most twist", numbers.most_twist);
    check_strength("printed map", "relief", numbers.relief);
  }

  /// T_d = X_d T with the nonzero entries of DS (3.25), W_d by DS (3.34) and r T_d, and X_d^T W_d back, DS
  /// (3.27).
  SurfaceForce at(const SurfaceMotion& x) const override {
    const Vector2<double>& s = x.strain.stretch;
    const StrainEnergy spring = energy(x.strain, x.factor);
    SurfaceForce out;
    Vector2<double> passes, relieved;
    for (int i = 0; i < 2; ++i) {
      passes[i] = slip(s[i], x.slide[i], numbers_.most_stretch);
      relieved[i] = -numbers_.relief * s[i] * sign(x.roll[i]);
    }
    const double turns = slip(x.strain.twist, x.spin, numbers_.most_twist);
    out.slide_d = passes.cwiseProduct(x.slide) + relieved.cwiseProduct(x.roll);
    out.spin_d = turns * x.spin;
    const Vector2<double> force_d = spring.pull + numbers_.damping * out.slide_d;
    const double moment_d =
        spring.moment + spring.pull.dot(turned(x.strain.stretch_b)) + numbers_.twist_damping * out.spin_d;
    out.force = passes.cwiseProduct(force_d), out.roll_moment = relieved.cwiseProduct(force_d);
    out.moment = turns * moment_d;
    out.energy = spring.energy;
    out.dissipated =
        numbers_.damping * out.slide_d.squaredNorm() + numbers_.twist_damping * out.spin_d * out.spin_d;
    return out;
  }

  StrainEnergy energy(const Strain& strain, double factor) const override {
    const double K = factor * numbers_.stiffness, K_twist = factor * numbers_.twist_stiffness;
    return {.energy = 0.5 * K * strain.stretch.squaredNorm() + 0.5 * K_twist * strain.twist * strain.twist,
            .pull = K * strain.stretch,
            .moment = K_twist * strain.twist};
  }

 private:
  PrintedNumbers numbers_;
};

}  // namespace

SurfaceLawPtr printed_map(const PrintedNumbers& numbers) { return std::make_shared<PrintedMap>(numbers); }

}  // namespace amble
