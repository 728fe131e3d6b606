#include "amble/walkers/legged/foot_support.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "amble/base/error.hpp"
#include "amble/contact/collision_shape.hpp"
#include "amble/walkers/legged/limbs.hpp"

namespace amble {

namespace {

constexpr double kFlatTilt = 0.71;     // cosine: faces that look down within 45 degrees
constexpr double kLeastWidth = 8e-3;   // of a polygon; less is a line, or a point (m)
constexpr double kPointRadius = 2e-3;  // a ball that is smaller is a point (m)
constexpr double kBallBand =
    10e-3;  // above the lowest vertex of a mesh: these are on its sphere, if it has one (m)
constexpr double kFlatBand = 0.1e-3;    // whose points are flat (m)
constexpr double kBallMisfit = 0.5e-3;  // of vertices from that sphere (m)
constexpr double kLargestBall = 0.08;   // m
constexpr double kFrameTilt = 0.9962;   // cosine of 5 degrees

/// A point of the surface; of a sphere its center and radius too.
struct SurfacePoint {
  Vector3<double> p, center;
  double radius = 0.0;
  int body = -1;
  bool mesh = false;
};

/// The shapes of a foot, in F.
class Surface {
 public:
  Surface(const PosedLinks& at, const std::vector<int>& links, ShapeUse use) {
    const Mechanism& m = at.mechanism;
    for (std::size_t b = 0; b < m.bodies().size(); ++b) {
      const Body& body = m.bodies()[b];
      if (std::find(links.begin(), links.end(), body.link) == links.end()) continue;
      const BodyDescription* described = description_of(m, body.name);
      if (!described) continue;
      const Pose X_FB = at.X_WL[links[0]].inverse() * at.X_WL[body.link] * body.X_LB;
      for (const PlacedShape& s : use == ShapeUse::collision ? described->collisions : described->visuals)
        add(s, X_FB * s.X_BS, static_cast<int>(b));
    }
  }

  const std::string& trouble() const { return trouble_; }
  bool empty() const { return shapes_.empty(); }

  /// Points that may be the lowest ones along -up.
  std::vector<SurfacePoint> points(const Vector3<double>& up) const {
    std::vector<SurfacePoint> out;
    for (const Part& part : shapes_) put(part, up, out);
    return out;
  }

 private:
  struct Part {
    CollisionShape shape;
    Pose X_FS;
    int body;
  };

  static const BodyDescription* description_of(const Mechanism& m, const std::string& name) {
    for (const BodyDescription& b : m.description().bodies)
      if (b.name == name) return &b;
    return nullptr;
  }
  void add(const PlacedShape& s, const Pose& X_FS, int body) {
    if (s.shape.kind == Shape::Kind::plane) return;
    try {
      shapes_.push_back({collision_shape(s.shape), X_FS, body});
    } catch (const Error& e) {
      if (trouble_.empty()) trouble_ = e.what();
    }
  }

  static void put(const Part& part, const Vector3<double>& up, std::vector<SurfacePoint>& out) {
    const Vector3<double>& size = part.shape.size;
    const auto corner = [&](const Vector3<double>& p_S) {
      const Vector3<double> p = part.X_FS * p_S;
      out.push_back({p, p, 0.0, part.body, false});
    };
    const auto sphere = [&](const Vector3<double>& center_S, double radius) {
      const Vector3<double> center = part.X_FS * center_S;
      out.push_back({center - radius * up, center, radius, part.body, false});
    };
    using Kind = CollisionShape::Kind;
    switch (part.shape.kind) {
      case Kind::sphere:
        return sphere(Vector3<double>::Zero(), size[0]);
      case Kind::capsule:
        for (const double end : {-size[1], size[1]}) sphere({0.0, 0.0, end}, size[0]);
        return;
      case Kind::box:
        for (int i = 0; i < 8; ++i)
          corner({i & 1 ? size[0] : -size[0], i & 2 ? size[1] : -size[1], i & 4 ? size[2] : -size[2]});
        return;
      case Kind::cylinder:
        return put_cylinder(part, up, corner);
      case Kind::ellipsoid: {  // the lowest point: where the gradient of its equation is along -up
        const Vector3<double> d = part.X_FS.rotation().inverse() * up;
        return corner(-Vector3<double>(size.cwiseProduct(size).cwiseProduct(d)) /
                      size.cwiseProduct(d).norm());
      }
      case Kind::mesh:
        for (const Vector3<double>& v : part.shape.mesh->vertices()) corner(v), out.back().mesh = true;
        return;
      case Kind::plane:
      case Kind::ground:
        return;
    }
  }
  /// Rims of a standing cylinder, as twelve points inside; of a lying one its lowest line.
  template <class Put>
  static void put_cylinder(const Part& part, const Vector3<double>& up, const Put& corner) {
    const double radius = part.shape.size[0], half = part.shape.size[1];
    Vector3<double> d = part.X_FS.rotation().inverse() * up;
    const bool lies = std::abs(d[2]) < 0.17;
    d[2] = 0.0;
    const double start = d.norm() > 1e-9 ? std::atan2(-d[1], -d[0]) : 0.0;
    constexpr int kRim = 12;
    for (const double z : {-half, half})
      for (int i = 0; i < (lies ? 1 : kRim); ++i) {
        const double a = start + 2.0 * std::numbers::pi * i / kRim;
        corner({radius * std::cos(a), radius * std::sin(a), z});
      }
  }

  std::vector<Part> shapes_;
  std::string trouble_;
};

double lowest(const std::vector<SurfacePoint>& points, const Vector3<double>& up) {
  double out = kUnlimited;
  for (const SurfacePoint& s : points) out = std::min(out, up.dot(s.p));
  return out;
}

std::vector<SurfacePoint> band(const std::vector<SurfacePoint>& points, const Vector3<double>& up,
                               double depth) {
  const double least = lowest(points, up);
  std::vector<SurfacePoint> out;
  for (const SurfacePoint& s : points)
    if (up.dot(s.p) <= least + depth) out.push_back(s);
  return out;
}

/// The smallest distance of parallel lines that hold the polygon.
double width(const std::vector<Vector3<double>>& corners, const Vector3<double>& up) {
  if (corners.size() < 3) return 0.0;
  double out = kUnlimited;
  for (std::size_t i = 0; i < corners.size(); ++i) {
    const Vector3<double> edge = corners[(i + 1) % corners.size()] - corners[i];
    const Vector3<double> across = cross<double>(up, edge).normalized();
    double reach = 0.0;
    for (const Vector3<double>& c : corners) reach = std::max(reach, across.dot(c - corners[i]));
    out = std::min(out, reach);
  }
  return out;
}

double area(const std::vector<Vector3<double>>& corners, const Vector3<double>& up) {
  double twice = 0.0;
  for (std::size_t i = 2; i < corners.size(); ++i)
    twice += cross<double>(corners[i - 1] - corners[0], corners[i] - corners[0]).dot(up);
  return 0.5 * twice;
}

std::vector<Vector3<double>> band_polygon(const std::vector<SurfacePoint>& points, const Vector3<double>& up,
                                          double depth = kSupportBand) {
  const double least = lowest(points, up);
  std::vector<Vector3<double>> flat;
  for (const SurfacePoint& s : band(points, up, depth)) flat.push_back(s.p - (up.dot(s.p) - least) * up);
  return support_hull(std::move(flat), up);
}

/// The normal of the largest face that looks down, area counted by the cosine of its tilt.
std::optional<Vector3<double>> flattest(const std::vector<SurfacePoint>& points, const Vector3<double>& up,
                                        double& largest) {
  std::vector<Vector3<double>> all;
  for (const SurfacePoint& s : points) all.push_back(s.p);
  std::optional<Vector3<double>> out;
  try {
    const ConvexMesh hull(all);
    for (const ConvexMesh::Face& face : hull.faces()) {
      const double tilt = -face.normal.dot(up);
      if (tilt < kFlatTilt) continue;
      const Vector3<double> normal = -face.normal;
      const double found = area(band_polygon(points, normal), normal) * tilt;
      if (found > largest) largest = found, out = normal;
    }
  } catch (const Error&) {  // flat or too few: the lowest points are all there is
  }
  return out;
}

/// The sphere through the lowest vertices of a mesh, where they lie on one.
std::optional<std::pair<Vector3<double>, double>> fitted_ball(const std::vector<SurfacePoint>& points,
                                                              const Vector3<double>& up) {
  const std::vector<SurfacePoint> low = band(points, up, kBallBand);
  if (low.size() < 8 || !std::all_of(low.begin(), low.end(), [](const SurfacePoint& s) { return s.mesh; }))
    return std::nullopt;
  if (width(band_polygon(points, up, kFlatBand), up) > kLeastWidth) return std::nullopt;
  Eigen::MatrixXd A(low.size(), 4);
  Eigen::VectorXd b(low.size());
  for (std::size_t i = 0; i < low.size(); ++i) {
    const Vector3<double> p = low[i].p - low[0].p;
    A.row(i) << 2.0 * p.transpose(), 1.0;
    b[i] = p.squaredNorm();
  }
  const Eigen::Vector4d x = (A.transpose() * A).ldlt().solve(A.transpose() * b);
  const Vector3<double> center = x.head<3>();
  const double radius = std::sqrt(std::max(0.0, x[3] + center.squaredNorm()));
  if (!(radius > kPointRadius && radius < kLargestBall)) return std::nullopt;
  for (const SurfacePoint& s : low)
    if (!(std::abs((s.p - low[0].p - center).norm() - radius) < kBallMisfit)) return std::nullopt;
  return std::pair{Vector3<double>(center + low[0].p), radius};
}

/// The one sphere that bears, where all lowest points are within its shadow.
const SurfacePoint* bearing_ball(const std::vector<SurfacePoint>& low, const Vector3<double>& up) {
  const auto first = std::min_element(
      low.begin(), low.end(),
      [&](const SurfacePoint& a, const SurfacePoint& b) { return up.dot(a.p) < up.dot(b.p); });
  if (first->radius < kPointRadius) return nullptr;
  for (const SurfacePoint& s : low) {
    const Vector3<double> d = s.p - first->p;
    if (!((d - up.dot(d) * up).norm() < first->radius)) return nullptr;
  }
  return &*first;
}

FootSupport ball(const Vector3<double>& center, double radius, const Vector3<double>& up, int body) {
  return {.shape = Foot::Shape::ball, .up = up, .corners = {center}, .radius = radius, .body = body};
}

/// Polygon, line or point.
FootSupport flat_support(std::vector<Vector3<double>> corners, const Vector3<double>& up, int body) {
  FootSupport out{
      .shape = Foot::Shape::sole, .up = up, .corners = std::move(corners), .radius = 0.0, .body = body};
  if (width(out.corners, up) >= kLeastWidth) return out;
  std::pair<int, int> ends{0, 0};
  double length = 0.0;
  const int n = static_cast<int>(out.corners.size());
  for (int i = 0; i < n; ++i)
    for (int j = i + 1; j < n; ++j)
      if (const double d = (out.corners[i] - out.corners[j]).norm(); d > length) length = d, ends = {i, j};
  if (length < kLeastWidth) {
    out.shape = Foot::Shape::point, out.corners = {out.center()};
  } else {
    out.shape = Foot::Shape::line, out.corners = {out.corners[ends.first], out.corners[ends.second]};
  }
  return out;
}

}  // namespace

std::optional<FootSupport> support_of_shapes(const PosedLinks& at, const std::vector<int>& links,
                                             const Vector3<double>& up_F, ShapeUse use, bool tilts,
                                             std::string& trouble) {
  const Surface surface(at, links, use);
  trouble = surface.trouble();
  if (surface.empty()) return std::nullopt;
  std::vector<SurfacePoint> points = surface.points(up_F);
  const std::vector<SurfacePoint> low = band(points, up_F, kSupportBand);
  if (const SurfacePoint* round = bearing_ball(low, up_F))
    return ball(round->center, round->radius, up_F, round->body);
  if (const auto fitted = fitted_ball(points, up_F))
    return ball(fitted->first, fitted->second, up_F, low[0].body);

  Vector3<double> up = up_F;
  std::vector<Vector3<double>> corners = band_polygon(points, up);
  double largest = 1.5 * area(corners, up);  // a face that is tilted has to be clearly larger
  if (const auto normal = tilts ? flattest(points, up, largest) : std::nullopt) {
    up = *normal;
    points = surface.points(up);
    corners = band_polygon(points, up);
  }
  return flat_support(std::move(corners), up, band(points, up, kSupportBand)[0].body);
}

std::optional<double> lowest_point(const PosedLinks& at, int link, const Vector3<double>& up_W) {
  const Surface surface(at, {link}, ShapeUse::collision);
  if (surface.empty()) return std::nullopt;
  const Vector3<double> up_F = at.X_WL[link].rotation().inverse() * up_W;
  return lowest(surface.points(up_F), up_F) + up_W.dot(at.origin(link));
}

namespace {

template <class Fits>
std::optional<SoleFrame> lowest_place(const PosedLinks& at, int link, const Vector3<double>& up_F,
                                      const Fits& fits) {
  const Mechanism& m = at.mechanism;
  std::optional<SoleFrame> out;
  const auto consider = [&](const std::string& name, int body, const Pose& X_FS) {
    const double height = up_F.dot(X_FS.translation());  // over the joint
    if (height > -1e-3 || !fits(X_FS)) return;
    if (!out || height < up_F.dot(out->X_FS.translation()) - 1e-9) out = SoleFrame{name, body, X_FS};
  };
  for (std::size_t b = 0; b < m.bodies().size(); ++b)
    if (m.bodies()[b].link == link) consider(m.bodies()[b].name, static_cast<int>(b), m.bodies()[b].X_LB);
  for (const Frame& f : m.frames())
    if (f.link == link) consider(f.name, f.body, f.X_LF);
  return out;
}

}  // namespace

std::optional<SoleFrame> sole_frame(const PosedLinks& at, int link, const Vector3<double>& up_F) {
  return lowest_place(at, link, up_F, [&](const Pose& X_FS) {
    return (X_FS.rotation() * Vector3<double>::UnitZ()).dot(up_F) > kFrameTilt;
  });
}

std::optional<SoleFrame> lowest_frame(const PosedLinks& at, int link, const Vector3<double>& up_F) {
  return lowest_place(at, link, up_F, [](const Pose&) { return true; });
}

Vector3<double> inertia_box(const Inertia<double>& inertia, const SO3<double>& R_FA) {
  if (!(inertia.mass() > 0.0)) return Vector3<double>::Zero();
  const Matrix3<double> I = R_FA.matrix().transpose() * inertia.about_com() * R_FA.matrix();
  Vector3<double> out;
  for (int i = 0; i < 3; ++i) {  // a box of half edge h: the mean of x^2 is h^2 / 3
    const double spread = 0.5 * (I.trace() - 2.0 * I(i, i)) / inertia.mass();
    out[i] = std::sqrt(3.0 * std::max(0.0, spread));
  }
  return out;
}

}  // namespace amble
