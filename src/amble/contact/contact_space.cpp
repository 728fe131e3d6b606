#include "amble/contact/contact_space.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "amble/dynamics/kinematics.hpp"
#include "amble/dynamics/place_reader.hpp"
#include "amble/dynamics/workspace_memory.hpp"

namespace amble {

namespace {

/// The velocities that move a link, in rising order, and the runs that they make.
struct Path {
  std::vector<int> v;
  std::vector<Support> runs;
};

void find_runs(const std::vector<int>& v, std::vector<Support>& runs) {
  runs.clear();
  for (const int i : v) {
    if (!runs.empty() && runs.back().end == i)
      ++runs.back().end;
    else
      runs.push_back({i, i + 1});
  }
}

/// One number of each of the three rows of a point, and one to spare: what a processor takes two at a time.
struct Rows {
  typedef double Two __attribute__((vector_size(16)));
  Two first{}, last{};

  void operator+=(const Rows& x) { first += x.first, last += x.last; }
  void operator-=(const Rows& x) { first -= x.first, last -= x.last; }
  friend Rows operator*(double s, const Rows& x) { return {s * x.first, s * x.last}; }
};

}  // namespace

struct ContactSpace::Memory {
  explicit Memory(const Mechanism& m)
      : mechanism(m),
        work(m),
        nv(m.nv()),
        links(static_cast<int>(m.links().size())),
        coupled(tree().coupled),
        poses(links),
        origin_speeds(links),
        turn_speeds(links),
        linear(tree().count, Vector3<double>::Zero()),
        angular(tree().count, Vector3<double>::Zero()),
        L(static_cast<std::size_t>(nv) * nv),
        root(nv),
        dense(nv),
        point_rows(nv),
        held(nv),
        wrenches(tree().count, Vector6::Zero()) {
    find_chains();
    find_paths();
  }

  const kernels::Tree& tree() { return work.memory().tree.tree(); }
  int node(int link) { return work.memory().tree.node_of_link(link); }
  /// Of a velocity: those before it on the way to the world, the root's first, and itself. Velocities that several
  /// joints share make the whole one chain.
  std::span<const int> chain(int v) const { return {chain_v.data() + chain_start[v], std::size_t(depth[v] + 1)}; }
  double* row(int v) { return L.data() + static_cast<std::size_t>(v) * nv; }
  const double* row(int v) const { return L.data() + static_cast<std::size_t>(v) * nv; }

  void find_chains();
  void find_paths();
  void find_speeds(const double* v);
  void add_wrenches(int link, double sign, const Vector3<double>& point, const Axes& axes);
  const Path& path(int link_a, int link_b);
  template <class T>
  void eliminate(const Path& path, T* b) const;
  int add(FrictionProblem& problem, const FrictionLaw& law, const Path& path);
  int add_point(FrictionProblem& problem, const FrictionLaw& law, const Path& path);
  Vector3<double> arm(int node, const Vector3<double>& point);

  using Vector6 = Eigen::Matrix<double, 6, 1>;

  Mechanism mechanism;
  Workspace work;
  int nv, links;
  bool coupled;
  OwnedVector v;
  std::vector<Pose> poses;
  std::vector<double> origin_speeds, turn_speeds;
  std::vector<Vector3<double>> linear, angular;  // of each node, its twist about its root's origin
  std::vector<int> chain_v, chain_start, depth;
  std::vector<double> L, root;   // row c of L along its chain; 1 / sqrt(D)
  std::vector<double> dense;     // a row in all velocities
  std::vector<Rows> point_rows;  // those of a point
  std::vector<Path> path_of_link, path_of_velocity;
  Path all, both;  // all velocities; those of two links
  std::vector<char> held;  // by velocity: chains and paths do without these
  std::vector<Vector6> wrenches;  // on each node, about its root's origin: see held_impulses()
  bool mass_known = false;        // M and the bias, of the state
};

void ContactSpace::Memory::find_chains() {
  const kernels::Tree& t = tree();
  const auto add = [&](int v) {
    if (!held[v]) chain_v.push_back(v);
  };
  chain_v.clear(), chain_start.resize(nv), depth.resize(nv);
  for (int c = 0; c < nv; ++c) {
    chain_start[c] = static_cast<int>(chain_v.size());
    if (coupled) {
      for (int i = 0; i < c; ++i) add(i);
    } else {
      const int* above = t.path_v + t.nodes[t.column_node[c]].path;
      std::for_each_n(above, t.column_depth[c], add);
    }
    chain_v.push_back(c);
    depth[c] = static_cast<int>(chain_v.size()) - chain_start[c] - 1;
  }
}

void ContactSpace::Memory::find_paths() {
  const kernels::Tree& t = tree();
  const auto take = [&](auto from, auto end, Path& to) {
    to.v.clear(), to.runs.reserve(nv);
    std::copy_if(from, end, std::back_inserter(to.v), [&](int v) { return !held[v]; });
    find_runs(to.v, to.runs);
  };
  std::vector<int>& every = both.v;  // room for it
  every.resize(nv);
  std::iota(every.begin(), every.end(), 0);
  take(every.begin(), every.end(), all);
  path_of_link.resize(links), path_of_velocity.resize(nv);
  for (int i = 1; i < links; ++i) {
    const kernels::Node& n = t.nodes[node(i)];
    const int* v_of_path = t.path_v + n.path;
    if (coupled)
      take(every.begin(), every.end(), path_of_link[i]);
    else
      take(v_of_path, v_of_path + n.depth + n.freedoms, path_of_link[i]);
  }
  for (int i = 0; i < nv; ++i) {
    if (!held[i]) take(chain(i).begin(), chain(i).end(), path_of_velocity[i]);
  }
  both.v.reserve(nv), both.runs.reserve(nv);
}

const Path& ContactSpace::Memory::path(int link_a, int link_b) {
  if (link_a == 0) return path_of_link[link_b];
  if (link_b == 0) return path_of_link[link_a];
  const std::vector<int> &a = path_of_link[link_a].v, &b = path_of_link[link_b].v;
  both.v.clear();
  std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both.v));
  find_runs(both.v, both.runs);
  return both;
}

/// Twists of all nodes about their roots' origins, and from them the speeds of the links.
void ContactSpace::Memory::find_speeds(const double* velocity) {
  const kernels::Tree& t = tree();
  const double* S = work.memory().columns.numbers();
  const KinematicsNumbers numbers{work.memory().poses.numbers(), nullptr, nullptr, 1};
  for (int n = 1; n < t.count; ++n) {
    const kernels::Node& at = t.nodes[n];
    Vector3<double> l = linear[at.parent], w = angular[at.parent];
    for (int c = at.column; c < at.end_own(); ++c) {
      const double rate = velocity[t.column_v[c]];
      const auto number = [&](int k) { return S[k * t.columns + c]; };
      l += rate * Vector3<double>(number(0), number(1), number(2));
      w += rate * Vector3<double>(number(3), number(4), number(5));
    }
    linear[n] = l, angular[n] = w;
  }
  for (int i = 1; i < links; ++i) {
    const int n = node(i);
    origin_speeds[i] = (linear[n] + angular[n].cross(node_pose(numbers, n).p)).norm();
    turn_speeds[i] = angular[n].norm();
  }
}

ContactSpace::ContactSpace(const Mechanism& m) : memory_(std::make_unique<Memory>(m)) {}
ContactSpace::ContactSpace(ContactSpace&&) noexcept = default;
ContactSpace::~ContactSpace() = default;

std::span<const Pose> ContactSpace::poses() const { return memory_->poses; }
std::span<const double> ContactSpace::origin_speeds() const { return memory_->origin_speeds; }
std::span<const double> ContactSpace::turn_speeds() const { return memory_->turn_speeds; }
const double* ContactSpace::bias() const { return memory_->work.memory().bias.numbers(); }

void ContactSpace::set_state(const VectorRef& q, const VectorRef& v) {
  Memory& x = *memory_;
  load_state(x.mechanism, x.work, q, &v);
  run_kinematics(x.work, nullptr);
  x.v = v;
  Workspace::Memory& w = x.work.memory();
  const KinematicsNumbers numbers{w.poses.numbers(), w.columns.numbers(), nullptr, 1};
  for (int i = 1; i < x.links; ++i)
    x.poses[i] = node_pose(numbers, x.node(i)).in_world() * Pose(w.tree.turn_of_link(i));
  x.find_speeds(v.data());
  x.mass_known = false;
}

void ContactSpace::set_velocity(const VectorRef& v) { memory_->v = v; }

void ContactSpace::hold(std::span<const char> held) {
  Memory& x = *memory_;
  if (std::equal(held.begin(), held.end(), x.held.begin(), x.held.end())) return;
  x.held.assign(held.begin(), held.end());
  x.find_chains();
  x.find_paths();
}

// ---- M = U U^T with U = L^T D^1/2 (Featherstone 2008, 8.5)

void ContactSpace::factor(const double* added) {
  Memory& x = *memory_;
  if (!x.mass_known) {
    run_mass_matrix(x.work);
    run_inverse_dynamics(x.work, x.v.data(), nullptr, nullptr, x.work.memory().bias);
    x.mass_known = true;
  }
  const double* M = x.work.memory().M.numbers();
  const int nv = x.nv;
  for (const int c : x.all.v) {
    const int* above = x.chain_v.data() + x.chain_start[c];
    double* row = x.row(c);
    for (int at = 0; at <= x.depth[c]; ++at) row[at] = M[c * nv + above[at]];
    if (added != nullptr) row[x.depth[c]] += added[c];
  }
  for (auto at_c = x.all.v.rbegin(); at_c != x.all.v.rend(); ++at_c) {
    const int c = *at_c;
    double* row = x.row(c);
    const int* above = x.chain_v.data() + x.chain_start[c];
    const int depth = x.depth[c];
    const double pivot = row[depth];
    if (!(pivot > 0.0) || !std::isfinite(pivot)) throw_singular(x.mechanism, x.work);
    const double inverse = 1.0 / pivot;
    for (int at = depth - 1; at >= 0; --at) {
      const double share = inverse * row[at];
      double* to = x.row(above[at]);
      for (int j = 0; j <= at; ++j) to[j] -= share * row[j];
    }
    for (int j = 0; j < depth; ++j) row[j] *= inverse;
    x.root[c] = std::sqrt(inverse);
  }
}

void ContactSpace::solve_inward(double* b) const {
  for (int c = 0; c < memory_->nv; ++c)
    if (memory_->held[c]) b[c] = 0.0;
  memory_->eliminate(memory_->all, b);
}

void ContactSpace::solve_outward(double* b) const {
  const Memory& x = *memory_;
  for (const int c : x.all.v) {
    const int* above = x.chain_v.data() + x.chain_start[c];
    const double* row = x.row(c);
    double sum = b[c] * x.root[c];
    for (int at = 0; at < x.depth[c]; ++at) sum -= row[at] * b[above[at]];
    b[c] = sum;
  }
}

void ContactSpace::add_stopping(const double* v, double* b) {
  Memory& x = *memory_;
  const double* M = x.work.memory().M.numbers();
  for (int s = 0; s < x.nv; ++s) {
    if (!x.held[s] || v[s] == 0.0) continue;
    for (const int c : x.all.v) b[c] += M[s * x.nv + c] * v[s];
  }
}

/// U^-1 b for numbers on a path alone, of one row or several.
template <class T>
void ContactSpace::Memory::eliminate(const Path& path, T* b) const {
  for (std::size_t k = path.v.size(); k-- > 0;) {
    const int c = path.v[k];
    const T own = b[c];
    const int* above = chain_v.data() + chain_start[c];
    const double* from = row(c);
    for (int at = 0; at < depth[c]; ++at) b[above[at]] -= from[at] * own;
    b[c] = root[c] * own;
  }
}

// ---- rows

/// A point from the origin of the root of a node.
Vector3<double> ContactSpace::Memory::arm(int node, const Vector3<double>& point) {
  const double* origin = work.memory().poses.numbers() + kernels::kPose * node + 12;
  return point - Vector3<double>(origin[0], origin[1], origin[2]);
}

/// Adds to the rows of a point what a link does: d . (S.l + S.w x p) of every column S that is not held.
void ContactSpace::Memory::add_wrenches(int link, double sign, const Vector3<double>& point, const Axes& axes) {
  const kernels::Tree& t = tree();
  const double* S = work.memory().columns.numbers();
  const int first = node(link);
  const Vector3<double> p = arm(first, point);
  const Vector3<double> moments[3] = {p.cross(axes[0]), p.cross(axes[1]), p.cross(axes[2])};
  Rows wrench[6];
  for (int k = 0; k < 3; ++k) {
    wrench[k] = sign * Rows{{axes[0][k], axes[1][k]}, {axes[2][k], 0.0}};
    wrench[3 + k] = sign * Rows{{moments[0][k], moments[1][k]}, {moments[2][k], 0.0}};
  }
  for (int n = first; n > 0; n = t.nodes[n].parent)
    for (int c = t.nodes[n].column; c < t.nodes[n].end_own(); ++c) {
      if (held[t.column_v[c]]) continue;
      Rows sum = S[c] * wrench[0];
      for (int k = 1; k < 6; ++k) sum += S[k * t.columns + c] * wrench[k];
      point_rows[t.column_v[c]] += sum;
    }
}

/// The block of what is in `dense` on a path, which is zero again afterwards.
int ContactSpace::Memory::add(FrictionProblem& problem, const FrictionLaw& law, const Path& path) {
  const int block = problem.add(law, path.runs);
  double* to = problem.numbers(block);
  eliminate(path, dense.data());
  for (const int i : path.v) *to++ = dense[i], dense[i] = 0.0;
  return block;
}

/// The same of `point_rows`.
int ContactSpace::Memory::add_point(FrictionProblem& problem, const FrictionLaw& law, const Path& path) {
  const int block = problem.add(law, path.runs);
  eliminate(path, point_rows.data());
  double *n = problem.numbers(block), *t1 = n + path.v.size(), *t2 = t1 + path.v.size();
  for (const int i : path.v) {
    const Rows rows = point_rows[i];
    *n++ = rows.first[0], *t1++ = rows.first[1], *t2++ = rows.last[0];
    point_rows[i] = Rows{};
  }
  return block;
}

int ContactSpace::add_point(FrictionProblem& problem, const FrictionLaw& law, int link_a, int link_b,
                            const Vector3<double>& point, const Axes& axes, double* velocities) {
  Memory& x = *memory_;
  if (link_b > 0) x.add_wrenches(link_b, 1.0, point, axes);
  if (link_a > 0) x.add_wrenches(link_a, -1.0, point, axes);
  const Path& path = x.path(link_a, link_b);
  Rows sum;
  for (const int i : path.v) sum += x.v[i] * x.point_rows[i];
  velocities[0] = sum.first[0], velocities[1] = sum.first[1], velocities[2] = sum.last[0];
  return x.add_point(problem, law, path);
}

int ContactSpace::add_velocity(FrictionProblem& problem, const FrictionLaw& law, int v, double sign, double* velocity) {
  Memory& x = *memory_;
  x.dense[v] = sign, *velocity = sign * x.v[v];
  return x.add(problem, law, x.path_of_velocity[v]);
}

void ContactSpace::add_impulse(int link, const Vector3<double>& point, const Vector3<double>& impulse) {
  Memory& x = *memory_;
  if (link == 0) return;
  const int n = x.node(link);
  x.wrenches[n].head<3>() += impulse;
  x.wrenches[n].tail<3>() += x.arm(n, point).cross(impulse);
}

void ContactSpace::held_impulses(const double* given, const double* change, double* out) {
  Memory& x = *memory_;
  const kernels::Tree& t = x.tree();
  const double *S = x.work.memory().columns.numbers(), *M = x.work.memory().M.numbers();
  for (int s = 0; s < x.nv; ++s) out[s] = -given[s];
  for (int c = 0; c < x.nv; ++c)
    if (change[c] != 0.0)
      for (int s = 0; s < x.nv; ++s) out[s] += M[c * x.nv + s] * change[c];
  for (int n = t.count - 1; n > 0; --n) {
    const kernels::Node& at = t.nodes[n];
    for (int c = at.column; c < at.end_own(); ++c)
      if (x.held[t.column_v[c]])
        for (int k = 0; k < 6; ++k) out[t.column_v[c]] -= S[k * t.columns + c] * x.wrenches[n][k];
    x.wrenches[at.parent] += x.wrenches[n];
    x.wrenches[n].setZero();
  }
  x.wrenches[0].setZero();
}

int ContactSpace::add_rows(FrictionProblem& problem, int rows, const double* A) {
  Memory& x = *memory_;
  const int block = problem.add(FrictionLaw::bilateral(rows), x.all.runs);
  double* to = problem.numbers(block);
  std::copy_n(A, static_cast<std::size_t>(rows) * x.nv, to);
  for (int r = 0; r < rows; ++r) x.eliminate(x.all, to + r * x.nv);
  return block;
}

}  // namespace amble
