#include "amble/io/mesh/polygon.hpp"

#include <algorithm>

namespace amble {

namespace {

constexpr std::size_t kMostEarCorners = 1000, kTriesPerCorner = 20, kTestsPerCorner = 2000;

struct Point {
  double x, y;
};

/// Twice the signed area of a triangle.
double area(const Point& a, const Point& b, const Point& c) {
  return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

bool same(const Point& a, const Point& b) { return a.x == b.x && a.y == b.y; }

/// Newell's normal: twice the area vector of a polygon that need not be flat.
Vector3<double> area_vector(std::span<const int> corners, const std::vector<Vector3<double>>& vertices) {
  Vector3<double> sum = Vector3<double>::Zero();
  for (std::size_t i = 0; i < corners.size(); ++i)
    sum += cross<double>(vertices[corners[i]] - vertices[corners[0]],
                         vertices[corners[(i + 1) % corners.size()]] - vertices[corners[0]]);
  return sum;
}

/// The polygon along its largest normal component, counterclockwise.
std::vector<Point> flattened(std::span<const int> corners, const std::vector<Vector3<double>>& vertices) {
  const Vector3<double> normal = area_vector(corners, vertices);
  int k = 0;
  normal.cwiseAbs().maxCoeff(&k);
  const int i = (k + 1) % 3, j = (k + 2) % 3;
  const double side = normal[k] < 0.0 ? -1.0 : 1.0;
  std::vector<Point> out;
  for (const int c : corners) out.push_back({side * vertices[c][i], vertices[c][j]});
  return out;
}

/// Cuts off ears, a list of remaining corners linked both ways (Eberly, "Triangulation by ear clipping").
class EarCutter {
 public:
  EarCutter(std::span<const int> corners, TriangleMesh& mesh)
      : corners_(corners), mesh_(mesh), points_(flattened(corners, mesh.vertices)) {
    const int n = static_cast<int>(corners.size());
    for (int i = 0; i < n; ++i) next_.push_back((i + 1) % n), before_.push_back((i + n - 1) % n);
    for (int i = 0; i < n; ++i)
      if (!is_convex(i)) reflex_.push_back(i);
  }

  void run() {
    // A polygon that crosses itself runs out of ears: then any cut is as good as another.
    std::size_t tries = kTriesPerCorner * corners_.size();
    int at = 0;
    for (std::size_t left = corners_.size(); left > 3;) {
      const bool goes = tries == 0 || is_ear(at);
      tries -= tries > 0;
      at = goes ? cut(at) : next_[at];
      left -= goes;
    }
    put(at);
  }

 private:
  bool is_convex(int i) const { return area(points_[before_[i]], points_[i], points_[next_[i]]) > 0.0; }

  bool is_ear(int i) const {
    return is_convex(i) &&
           std::none_of(reflex_.begin(), reflex_.end(), [&](int other) { return is_inside(other, i); });
  }

  /// Of the triangle that the corner makes with its neighbors, which are not inside themselves.
  bool is_inside(int other, int corner) const {
    const int a = before_[corner], c = next_[corner];
    if (other == a || other == corner || other == c) return false;
    const Point& p = points_[other];
    if (same(p, points_[a]) || same(p, points_[corner]) || same(p, points_[c]))
      return false;  // a bridge to a hole
    return area(points_[a], points_[corner], p) >= 0.0 && area(points_[corner], points_[c], p) >= 0.0 &&
           area(points_[c], points_[a], p) >= 0.0;
  }

  void put(int i) { mesh_.triangles.push_back({corners_[before_[i]], corners_[i], corners_[next_[i]]}); }

  /// Cuts a corner off and returns where to look for the next ear.
  int cut(int i) {
    put(i);
    const int a = before_[i], c = next_[i];
    next_[a] = c, before_[c] = a;
    std::erase_if(reflex_, [&](int r) { return r == i || ((r == a || r == c) && is_convex(r)); });
    return c;
  }

  std::span<const int> corners_;
  TriangleMesh& mesh_;
  std::vector<Point> points_;
  std::vector<int> next_, before_, reflex_;
};

/// The first ear from a corner on, as single-precision numbers show it: where they are in doubt, another
/// choice is another surface.
class OrderedEars {
 public:
  OrderedEars(std::span<const int> corners, TriangleMesh& mesh)
      : mesh_(mesh), left_(corners.begin(), corners.end()), tests_(kTestsPerCorner * corners.size()) {
    choose_axes();
    for (std::size_t k = 0; k < left_.size(); ++k) {
      const auto [a, b] = std::pair{at(k), at(k + 1)};
      area_ += (a.x * b.y - a.y * b.x) * 0.5F;
    }
  }

  void run() {
    std::size_t tries = left_.size();
    for (std::size_t guess = 0; left_.size() > 3 && tries > 0 && tests_ > 0;) {
      if (guess >= left_.size()) guess -= left_.size();
      if (!is_ear(guess)) {
        ++guess, --tries;
        continue;
      }
      put(guess);
      left_.erase(left_.begin() + static_cast<std::ptrdiff_t>((guess + 1) % left_.size()));
      tries = left_.size();
    }
    if (left_.size() == 3) put(0);
  }

 private:
  struct Flat {
    float x, y;
  };

  Vector3<double> corner(std::size_t k) const { return mesh_.vertices[left_[k % left_.size()]]; }
  Flat at(std::size_t k) const {
    const Vector3<double> v = corner(k);
    return {static_cast<float>(v[first_]), static_cast<float>(v[second_])};
  }

  /// The plane in which the first corner that bends is seen best.
  void choose_axes() {
    for (std::size_t k = 0; k < left_.size(); ++k) {
      const Vector3<double> bend =
          cross<double>(corner(k + 1) - corner(k), corner(k + 2) - corner(k + 1)).cwiseAbs();
      if (bend.maxCoeff() <= 1.1920929e-7) continue;
      if (bend[0] > bend[1] && bend[0] > bend[2]) return;
      first_ = 0;
      if (bend[2] > bend[0] && bend[2] > bend[1]) second_ = 1;
      return;
    }
  }

  bool is_ear(std::size_t k) {
    tests_ -= std::min(tests_, left_.size());
    const Flat a = at(k), b = at(k + 1), c = at(k + 2);
    const float turn = (b.x - a.x) * (c.y - b.y) - (b.y - a.y) * (c.x - b.x);
    if (turn * area_ < 0.0F) return false;
    for (std::size_t other = 3; other < left_.size(); ++other)
      if (is_inside({a, b, c}, at(k + other))) return false;
    return true;
  }

  /// By the edges that a ray to the right crosses.
  static bool is_inside(const std::array<Flat, 3>& t, const Flat& p) {
    bool inside = false;
    for (std::size_t i = 0, j = 2; i < 3; j = i++)
      if ((t[i].y > p.y) != (t[j].y > p.y) &&
          p.x < (t[j].x - t[i].x) * (p.y - t[i].y) / (t[j].y - t[i].y) + t[i].x)
        inside = !inside;
    return inside;
  }

  void put(std::size_t k) {
    const std::size_t n = left_.size();
    mesh_.triangles.push_back({left_[k % n], left_[(k + 1) % n], left_[(k + 2) % n]});
  }

  TriangleMesh& mesh_;
  std::vector<int> left_;
  std::size_t tests_;  ///< that it may still make
  int first_ = 1, second_ = 2;
  float area_ = 0.0F;
};

void add_fan(std::span<const int> corners, TriangleMesh& mesh) {
  for (std::size_t i = 2; i < corners.size(); ++i)
    mesh.triangles.push_back({corners[0], corners[i - 1], corners[i]});
}

bool is_convex(const std::vector<Point>& p) {
  const std::size_t n = p.size();
  for (std::size_t i = 0; i < n; ++i)
    if (area(p[i], p[(i + 1) % n], p[(i + 2) % n]) < 0.0) return false;
  return true;
}

void add_convex_quad(std::span<const int> c, TriangleMesh& mesh) {
  const auto length = [&](int i, int j) { return (mesh.vertices[c[i]] - mesh.vertices[c[j]]).squaredNorm(); };
  if (length(0, 2) < length(1, 3)) return add_fan(c, mesh);
  mesh.triangles.push_back({c[0], c[1], c[3]});
  mesh.triangles.push_back({c[1], c[2], c[3]});
}

}  // namespace

void add_polygon(std::span<const int> corners, TriangleMesh& mesh, PolygonCut cut) {
  if (corners.size() == 3 || corners.size() > kMostEarCorners) return add_fan(corners, mesh);
  if (cut == PolygonCut::ears_in_order) return OrderedEars(corners, mesh).run();
  if (!is_convex(flattened(corners, mesh.vertices))) return EarCutter(corners, mesh).run();
  corners.size() == 4 ? add_convex_quad(corners, mesh) : add_fan(corners, mesh);
}

}  // namespace amble
