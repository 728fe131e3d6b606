#include "amble/geometry/ground.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "amble/base/error.hpp"
#include "amble/geometry/ground_description.hpp"

namespace amble {

Vector3<double> GroundPoint::normal() const {
  return Vector3<double>(-gradient.x(), -gradient.y(), 1.0) / std::sqrt(1.0 + gradient.squaredNorm());
}

namespace {

void require(bool holds, const char* what, double value, const char* expected) {
  if (!holds) throw Error(fmt::format("the ground has a {} of {}: expected {}", what, value, expected));
}

/// The grounds of this file can tell what they are made of.
class DescribedGround : public Ground {
 public:
  virtual GroundDescription description() const = 0;
};

class Plane : public DescribedGround {
 public:
  Plane(double slope_deg, double height) : slope_deg_(slope_deg), height_(height), slope_(-std::tan(slope_deg * std::numbers::pi / 180.0)) {
    require(std::abs(slope_deg) < 90.0, "slope_deg", slope_deg, "less than 90");
    require(std::isfinite(height), "height", height, "a number");
  }
  GroundPoint at(double x, double) const override { return {.height = height_ + slope_ * x, .gradient = {slope_, 0.0}}; }
  std::optional<Pose> plane() const override {
    const double angle = -std::atan(slope_);  // about y: x goes downhill
    return Pose(SO3<double>::exp(Vector3<double>(0.0, angle, 0.0)), Vector3<double>(0.0, 0.0, height_));
  }
  GroundDescription description() const override { return {"plane", {slope_deg_, height_}}; }

 private:
  double slope_deg_, height_, slope_;
};

class StairsGround : public DescribedGround {
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
  GroundDescription description() const override {
    return {"stairs", {stairs_.start, stairs_.length, stairs_.rise, static_cast<double>(stairs_.count)}};
  }

 private:
  Stairs stairs_;
};

class SineGround : public DescribedGround {
 public:
  explicit SineGround(const Waves& waves)
      : waves_(waves),
        amplitude_(waves.amplitude),
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
  GroundDescription description() const override {
    return {"sine", {waves_.amplitude, waves_.frequency, waves_.direction_deg}};
  }

 private:
  Waves waves_;
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

class HeightFieldGround : public DescribedGround {
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
  GroundDescription description() const override {
    const double rows = static_cast<double>(field_.heights.size());
    GroundDescription out{"height_field", {field_.x0, field_.y0, field_.spacing, rows}};
    for (const std::vector<double>& row : field_.heights) out.numbers.insert(out.numbers.end(), row.begin(), row.end());
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

namespace {

/// A whole number of things, from a file.
int count_of(double number, double most) {
  require(number >= 1.0 && number <= most && number == std::floor(number), "count", number, "a whole number above 0");
  return static_cast<int>(number);
}

GroundPtr height_field_of(const std::vector<double>& x) {
  constexpr std::size_t kHead = 4;
  const int rows = count_of(x[3], static_cast<double>(x.size()));
  const std::size_t columns = (x.size() - kHead) / static_cast<std::size_t>(rows);
  require(columns * static_cast<std::size_t>(rows) == x.size() - kHead, "count of heights",
          static_cast<double>(x.size() - kHead), "as many in each row");
  HeightField field{x[0], x[1], x[2], {}};
  for (auto at = x.begin() + kHead; at != x.end(); at += static_cast<std::ptrdiff_t>(columns))
    field.heights.emplace_back(at, at + static_cast<std::ptrdiff_t>(columns));
  return height_field_ground(field);
}

}  // namespace

GroundDescription description_of(const Ground& ground) {
  const auto* const described = dynamic_cast<const DescribedGround*>(&ground);
  if (described == nullptr) throw Error("a ground of a kind of its own cannot be described by numbers");
  return described->description();
}

GroundPtr ground_of(const GroundDescription& d) {
  const std::vector<double>& x = d.numbers;
  const auto has = [&](const char* kind, std::size_t least, std::size_t most) {
    if (d.kind == kind && (x.size() < least || x.size() > most))
      throw Error(fmt::format("a ground of kind '{}' has {} numbers: expected {}", d.kind, x.size(), least));
    return d.kind == kind;
  };
  if (d.kind.empty()) return nullptr;
  if (has("plane", 2, 2)) return plane_ground(x[0], x[1]);
  if (has("stairs", 4, 4)) return stairs_ground({x[0], x[1], x[2], count_of(x[3], 1e9)});
  if (has("sine", 3, 3)) return sine_ground({x[0], x[1], x[2]});
  if (has("height_field", 5, x.max_size())) return height_field_of(x);
  throw Error(fmt::format("a ground of kind '{}': expected plane, stairs, sine or height_field", d.kind));
}

}  // namespace amble
