// No include guard, see arithmetic.inl. Articulated inertias (Featherstone 2008, 7.3) by their 21 numbers, for lanes of
// states and any kind of number.

/// Inertia of a node as felt at its joint, with everything it carries free to move:
/// n = A alpha + B a, f = B^T alpha + C a. A and C are symmetric, B is row by row.
template <class T>
struct Articulated {
  T A[6], B[9], C[6];
};

/// What a sweep keeps of it; articulated_quads.inl has another way for one state.
template <class T>
struct KeptInertia {
  using Type = Articulated<T>;
};
template <class T>
using Kept = typename KeptInertia<T>::Type;

template <class T>
AMBLE_KERNEL const Articulated<T>& by_numbers(const Articulated<T>& x) {
  return x;
}

/// What the inward sweep leaves for the outward one, for motions with one freedom.
template <class T>
struct OneAxis {
  V3<T> Un, Uf;  // inertia times the axis
  T u, inverse;  // force left for the axis; 1 / (axis . inertia . axis)
};

template <class T>
AMBLE_KERNEL void start_articulated(const Node& node, Articulated<T>& x) {
  const T zero{};
  const double* h = node.h;
  for (int k = 0; k < 6; ++k) x.A[k] = number<T>(node.I[k]);
  x.B[0] = zero, x.B[1] = number<T>(-h[2]), x.B[2] = number<T>(h[1]);
  x.B[3] = number<T>(h[2]), x.B[4] = zero, x.B[5] = number<T>(-h[0]);
  x.B[6] = number<T>(-h[1]), x.B[7] = number<T>(h[0]), x.B[8] = zero;
  x.C[0] = x.C[3] = x.C[5] = number<T>(node.mass);
  x.C[1] = x.C[2] = x.C[4] = zero;
}

/// Adds an articulated inertia, turned by R and moved by p, to the parent's:
/// B' = B + [p] C, A' = A - B [p] + [p] B'^T. `kTurn` knows that the last row and column of A and the last row of B
/// are zero, as they are after a motion about z.
template <bool kTurn, class T, class P>
AMBLE_KERNEL void add_articulated(const T* R, const P& p, const Articulated<T>& x, const Articulated<T>& before,
                                  Articulated<T>& parent) {
  T C[6], B[9], A[6];
  turn_symmetric(R, x.C, C);
  constexpr int kRows = kTurn ? 2 : 3;
  T BR[9], AR[9];  // B R^T and R A, as far as they are not zero
  for (int r = 0; r < kRows; ++r)
    for (int c = 0; c < 3; ++c)
      BR[3 * r + c] = x.B[3 * r] * R[3 * c] + x.B[3 * r + 1] * R[3 * c + 1] + x.B[3 * r + 2] * R[3 * c + 2];
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c) {
      B[3 * r + c] = R[3 * r] * BR[c] + R[3 * r + 1] * BR[3 + c];
      if constexpr (!kTurn) B[3 * r + c] += R[3 * r + 2] * BR[6 + c];
    }
  if constexpr (kTurn) {
    for (int r = 0; r < 3; ++r) {
      AR[3 * r] = R[3 * r] * x.A[0] + R[3 * r + 1] * x.A[1];
      AR[3 * r + 1] = R[3 * r] * x.A[1] + R[3 * r + 1] * x.A[3];
    }
    A[0] = AR[0] * R[0] + AR[1] * R[1], A[1] = AR[0] * R[3] + AR[1] * R[4], A[2] = AR[0] * R[6] + AR[1] * R[7];
    A[3] = AR[3] * R[3] + AR[4] * R[4], A[4] = AR[3] * R[6] + AR[4] * R[7], A[5] = AR[6] * R[6] + AR[7] * R[7];
  } else {
    turn_symmetric(R, x.A, A);
  }
  const auto px = p.x, py = p.y, pz = p.z;
  const T full[9] = {C[0], C[1], C[2], C[1], C[3], C[4], C[2], C[4], C[5]};
  T moved[9];
  for (int c = 0; c < 3; ++c) {
    moved[c] = B[c] + py * full[6 + c] - pz * full[3 + c];
    moved[3 + c] = B[3 + c] + pz * full[c] - px * full[6 + c];
    moved[6 + c] = B[6 + c] + px * full[3 + c] - py * full[c];
  }
  const T* m = moved;
  parent.A[0] = before.A[0] + A[0] - (B[1] * pz - B[2] * py) + (py * m[2] - pz * m[1]);
  parent.A[1] = before.A[1] + A[1] - (B[2] * px - B[0] * pz) + (py * m[5] - pz * m[4]);
  parent.A[2] = before.A[2] + A[2] - (B[0] * py - B[1] * px) + (py * m[8] - pz * m[7]);
  parent.A[3] = before.A[3] + A[3] - (B[5] * px - B[3] * pz) + (pz * m[3] - px * m[5]);
  parent.A[4] = before.A[4] + A[4] - (B[3] * py - B[4] * px) + (pz * m[6] - px * m[8]);
  parent.A[5] = before.A[5] + A[5] - (B[6] * py - B[7] * px) + (px * m[7] - py * m[6]);
  for (int k = 0; k < 9; ++k) parent.B[k] = before.B[k] + moved[k];
  for (int k = 0; k < 6; ++k) parent.C[k] = before.C[k] + C[k];
}

template <bool kTurn, class T>
AMBLE_KERNEL void add_articulated(const Node& node, const Body<T>& b, const Articulated<T>& x,
                                  const Articulated<T>& before, Articulated<T>& parent) {
  if (still(node.move))
    add_articulated<kTurn>(b.R, V3<double>{node.p[0], node.p[1], node.p[2]}, x, before, parent);
  else
    add_articulated<kTurn>(b.R, b.p, x, before, parent);
}

/// Lanes of states are short of cache, and quads are made faster than loaded: there, articulated inertias do not start in
/// memory, but the first to reach a parent adds to the parent's own body.
template <class T>
constexpr bool kStartsLate = sizeof(T) > sizeof(double) || kInQuads<T>;

template <bool kTurn, class T>
AMBLE_KERNEL void pass_articulated(const Tree& t, const Node& node, const Body<T>& b, const Articulated<T>& x,
                                   Articulated<T>& parent) {
  if (kStartsLate<T> && node.last_child) {
    Articulated<T> body;
    start_articulated(t.nodes[node.parent], body);
    add_articulated<kTurn>(node, b, x, body, parent);
  } else {
    add_articulated<kTurn>(node, b, x, parent, parent);
  }
}

/// x times (angular, linear): the wrench it takes.
template <class T>
AMBLE_KERNEL void articulated_times(const Articulated<T>& x, const V3<T>& angular, const V3<T>& linear, V3<T>& n, V3<T>& f) {
  const T* B = x.B;
  n = symmetric_times(x.A, angular) + rotate(B, linear);
  f = rotate_back(B, angular) + symmetric_times(x.C, linear);
}

/// A turn: the axis is z, so inertia times axis is a column, and what passes on has a zero third row.
/// Returns the inertia seen along the axis.
template <class T>
AMBLE_KERNEL T reduce_turn(const Node& node, const State<T>& s, const T& tau, double armature, Body<T>& b, Body<T>& parent,
                           Articulated<T>& x, Articulated<T>& below, OneAxis<T>& one) {
  const T *A = x.A, *B = x.B, *C = x.C;
  const T d = node.ratio * s.v[node.v], inertia = A[5] + armature;
  one.Un = {A[2], A[4], A[5]};
  one.Uf = {B[6], B[7], B[8]};
  one.inverse = 1.0 / inertia;
  one.u = tau - b.n.z;
  if (node.parent == 0) return inertia;
  const V3<T> gn = scaled(one.inverse, one.Un), gf = scaled(one.inverse, one.Uf);
  Articulated<T> r;
  r.A[0] = A[0] - gn.x * one.Un.x, r.A[1] = A[1] - gn.x * one.Un.y, r.A[3] = A[3] - gn.y * one.Un.y;
  r.B[0] = B[0] - gn.x * one.Uf.x, r.B[1] = B[1] - gn.x * one.Uf.y, r.B[2] = B[2] - gn.x * one.Uf.z;
  r.B[3] = B[3] - gn.y * one.Uf.x, r.B[4] = B[4] - gn.y * one.Uf.y, r.B[5] = B[5] - gn.y * one.Uf.z;
  r.C[0] = C[0] - gf.x * one.Uf.x, r.C[1] = C[1] - gf.x * one.Uf.y, r.C[2] = C[2] - gf.x * one.Uf.z;
  r.C[3] = C[3] - gf.y * one.Uf.y, r.C[4] = C[4] - gf.y * one.Uf.z, r.C[5] = C[5] - gf.z * one.Uf.z;
  const T wx = b.w.y * d, wy = -b.w.x * d, vx = b.v.y * d, vy = -b.v.x * d, u = one.u;
  V3<T> n = {b.n.x + r.A[0] * wx + r.A[1] * wy + r.B[0] * vx + r.B[1] * vy + gn.x * u,
             b.n.y + r.A[1] * wx + r.A[3] * wy + r.B[3] * vx + r.B[4] * vy + gn.y * u, b.n.z + gn.z * u};
  V3<T> f = {b.f.x + r.B[0] * wx + r.B[3] * wy + r.C[0] * vx + r.C[1] * vy + gf.x * u,
             b.f.y + r.B[1] * wx + r.B[4] * wy + r.C[1] * vx + r.C[3] * vy + gf.y * u,
             b.f.z + r.B[2] * wx + r.B[5] * wy + r.C[2] * vx + r.C[4] * vy + gf.z * u};
  if (armature == 0.0) {
    pass_articulated<true>(s.tree, node, b, r, below);
  } else {  // the drive's inertia keeps the third row alive
    r.A[2] = A[2] - gn.x * one.Un.z, r.A[4] = A[4] - gn.y * one.Un.z, r.A[5] = A[5] - gn.z * one.Un.z;
    r.B[6] = B[6] - gn.z * one.Uf.x, r.B[7] = B[7] - gn.z * one.Uf.y, r.B[8] = B[8] - gn.z * one.Uf.z;
    n.z += r.A[2] * wx + r.A[4] * wy + r.B[6] * vx + r.B[7] * vy;
    pass_articulated<false>(s.tree, node, b, r, below);
  }
  hand_down(node, b, f, n, parent);
  return inertia;
}
