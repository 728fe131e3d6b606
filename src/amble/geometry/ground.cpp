#include "amble/geometry/ground.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "amble/base/error.hpp"

namespace amble {

Vector3<double> GroundPoint::normal() const {
  return Vector3<double>(-gradient.x(), -gradient.y(), 1.0) / std::sqrt(1.0 + gradient.squaredNorm());
}

namespace {

void require(bool holds, const char* what, double value, const char* expected) {
  if (!holds) throw Error(fmt::format("the ground has a {} of {}: expected {}", what, value, expected));
}

class Plane : public Ground {
 public:
  Plane(double slope_deg, double height) : height_(height), slope_(-std::tan(slope_deg * std::numbers::pi / 180.0)) {
    require(std::abs(slope_deg) < 90.0, "slope_deg", slope_deg, "less than 90");
    require(std::isfinite(height), "height", height, "a number");
  }
  GroundPoint at(double x, double) const override { return {.height = height_ + slope_ * x, .gradient = {slope_, 0.0}}; }
  std::optional<Pose> plane() const override {
    const double angle = -std::atan(slope_);  // about y: x goes downhill
    return Pose(SO3<double>::exp(Vector3<double>(0.0, angle, 0.0)), Vector3<double>(0.0, 0.0, height_));
  }

 private:
  double height_, slope_;
};

class StairsGround : public Ground {
 public:
  explicit StairsGround(const Stairs& stairs) : stairs_(stairs) {
    require(stairs.length > 0.0 && std::isfinite(stairs.length), "step length", stairs.length, "more than 0");
    require(std::isfinite(stairs.rise), "rise", stairs.rise, "a number");
    require(stairs.count >= 1, "count of steps", stairs.count, "one or more");
  }
  GroundPoint at(double x, double) const override {
    const double step = std::floor((x - stairs_.start) / stairs_.length) + 1.0;
    return {stairs_.rise * std::clamp(step, 0.0, static_cast<double>(stairs_.count))};
  }

 private:
  Stairs stairs_;
};

class SineGround : public Ground {
 public:
  explicit SineGround(const Waves& waves)
      : amplitude_(waves.amplitude),
        rate_(2.0 * std::numbers::pi * waves.frequency),
        along_(std::cos(waves.direction_deg * std::numbers::pi / 180.0), std::sin(waves.direction_deg * std::numbers::pi / 180.0)) {
    require(std::isfinite(waves.amplitude), "wave amplitude", waves.amplitude, "a number");
    require(waves.frequency > 0.0 && std::isfinite(waves.frequency), "wave frequency", waves.frequency, "more than 0");
    require(std::isfinite(waves.direction_deg), "wave direction", waves.direction_deg, "a number");
  }
  GroundPoint at(double x, double y) const override {
    const double angle = rate_ * (x * along_.x() + y * along_.y()), height = amplitude_ * std::sin(angle);
    return {height, rate_ * amplitude_ * std::cos(angle) * along_, -rate_ * rate_ * height * along_ * along_.transpose()};
  }

 private:
  double amplitude_, rate_;
  Vector2<double> along_;
};

/// Weights of four neighbours at a fraction of the way between the middle two, with first and second derivatives; cubics
/// of Catmull and Rom.
struct CubicWeights {
  std::array<double, 4> value, slope, bend;
};
CubicWeights cubic_weights(double s) {
  return {{0.5 * s * (-1.0 + s * (2.0 - s)), 0.5 * (2.0 + s * s * (-5.0 + 3.0 * s)), 0.5 * s * (1.0 + s * (4.0 - 3.0 * s)),
           0.5 * s * s * (s - 1.0)},
          {0.5 * (-1.0 + s * (4.0 - 3.0 * s)), 0.5 * s * (-10.0 + 9.0 * s), 0.5 * (1.0 + s * (8.0 - 9.0 * s)),
           0.5 * s * (3.0 * s - 2.0)},
          {2.0 - 3.0 * s, -5.0 + 9.0 * s, 4.0 - 9.0 * s, 3.0 * s - 1.0}};
}

class HeightFieldGround : public Ground {
 public:
  explicit HeightFieldGround(const HeightField& field) : field_(field) {
    require(field.spacing > 0.0 && std::isfinite(field.spacing), "grid spacing", field.spacing, "more than 0");
    require(!field.heights.empty() && !field.heights[0].empty(), "count of heights", 0, "one or more");
    for (const std::vector<double>& row : field.heights) {
      require(row.size() == field.heights[0].size(), "row of heights", static_cast<double>(row.size()),
              "as many as in the first row");
      for (const double height : row) require(std::isfinite(height), "height", height, "a number");
    }
  }

  GroundPoint at(double x, double y) const override {
    const Place i = place((x - field_.x0) / field_.spacing, field_.heights.size());
    const Place j = place((y - field_.y0) / field_.spacing, field_.heights[0].size());
    const CubicWeights wx = cubic_weights(i.fraction), wy = cubic_weights(j.fraction);
    GroundPoint out;
    for (int a = 0; a < 4; ++a)
      for (int b = 0; b < 4; ++b) {
        const double h = height(i.first + a, j.first + b), d = 1.0 / field_.spacing;
        out.height += h * wx.value[a] * wy.value[b];
        out.gradient += h * d * Vector2<double>(i.inside * wx.slope[a] * wy.value[b], j.inside * wx.value[a] * wy.slope[b]);
        const double xy = i.inside * j.inside * wx.slope[a] * wy.slope[b];
        out.curvature += h * d * d * (Matrix2<double>() << i.inside * wx.bend[a] * wy.value[b], xy, xy,
                                      j.inside * wx.value[a] * wy.bend[b]).finished();
      }
    return out;
  }

 private:
  struct Place {
    long first;         // of four neighbours; may be beyond the edge
    double fraction;    // between the second and the third
    double inside;      // 0 beyond the edges, where nothing changes
  };
  static Place place(double at, std::size_t count) {
    const double last = static_cast<double>(count - 1), within = std::clamp(at, 0.0, last);
    const double cell = std::min(std::floor(within), std::max(0.0, last - 1.0));
    return {static_cast<long>(cell) - 1, within - cell, at == within ? 1.0 : 0.0};
  }
  /// Beyond an edge the grid goes on in a straight line.
  double height(long i, long j) const {
    const auto beyond = [](long k, std::size_t count) {
      const long last = static_cast<long>(count) - 1, edge = std::clamp(k, 0L, last);
      return std::pair(edge, std::clamp(2 * edge - k, 0L, last));
    };
    const auto [i0, i1] = beyond(i, field_.heights.size());
    const auto [j0, j1] = beyond(j, field_.heights[0].size());
    const double along_i = 2.0 * field_.heights[i0][j0] - field_.heights[i1][j0];
    const double along_i_mirrored = 2.0 * field_.heights[i0][j1] - field_.heights[i1][j1];
    return 2.0 * along_i - along_i_mirrored;
  }

  HeightField field_;
};

}  // namespace

GroundPtr plane_ground(double slope_deg, double height) { return std::make_shared<Plane>(slope_deg, height); }
GroundPtr stairs_ground(const Stairs& stairs) { return std::make_shared<StairsGround>(stairs); }
GroundPtr sine_ground(const Waves& waves) { return std::make_shared<SineGround>(waves); }
GroundPtr height_field_ground(const HeightField& field) { return std::make_shared<HeightFieldGround>(field); }

}  // namespace amble
