// No include guard, see arithmetic.inl. Accelerations and their derivatives: da/dq = -M^-1 dtau/dq at the accelerations
// that the forces give, and so in v. All in world axes: M comes out by rows along paths, ready to be factored.
// Needs independent coordinates (not `coupled`).

template <class T>
struct ForwardDerivativeScratch {
  Factor<T> L;
  World6<T>* wrench;  // of each column, composite inertia times S
  World6<T>* rest;    // of each node, the wrench of what moves on it
  T* b;               // right-hand sides: -dtau/dq, -dtau/dv, 1
  int stride, pitch;  // from row to row, from matrix to matrix
};

/// What the motion takes without accelerations: gravity and velocity, less the wrenches from outside.
template <class T>
AMBLE_KERNEL void start_bias(const State<T>& s, int i, const WorldScratch<T>& x, const T* external) {
  const Tree& t = s.tree;
  const Node& node = t.nodes[i];
  World6<T> A = node.parent > 0 ? x.A[node.parent] : upward<T>(t);
  for (int k = 0; k < node.freedoms; ++k) add(A, scaled(s.v[node.v + k], x.columns[node.column + k].S_dot));
  x.A[i] = A;
  start_force(x.V[i], A, x.moving[i]);
  if (external != nullptr) add(x.moving[i].F, scaled(-1.0, wrench_to_world(x.placed[i], external + 6 * i)));
}

/// Rows of M along paths, and tau - bias into `a`.
template <class T>
AMBLE_KERNEL void put_equations(const State<T>& s, const WorldScratch<T>& x, const DerivativeScratch<T>& y,
                                const ForwardDerivativeScratch<T>& z, const T* tau, T* a) {
  const Tree& t = s.tree;
  for (int i = 1; i < t.count; ++i) {
    const Node& node = t.nodes[i];
    const Moving<T>& m = x.moving[i];
    T bias[6] = {};
    if (node.group_armature) add_armature_bias(t, node, s.v, bias);
    for (int k = 0; k < node.freedoms; ++k) {
      const int c = node.column + k;
      const World6<T>& S = x.columns[c].S;
      z.wrench[c] = inertia_times(m, S);
      const Spread6<T> across(by_numbers(z.wrench[c]));
      T* row = z.L.row(c);
      for (int at = 0; at < node.depth; at += Wide<T>::kColumns) put_wide(row + at, across.dot(y.S, at));
      for (int j = 0; j <= k; ++j) row[node.depth + j] = dot(z.wrench[c], x.columns[node.column + j].S);
      row[node.depth + k] += t.armature[c];
      y.S.put(node.depth + k, by_numbers(S));
      a[c] = tau[c] - (dot(S, m.F) + bias[k]);
    }
  }
}

/// L^-T b in place, for one right-hand side.
template <class T>
AMBLE_KERNEL void solve_one_inward(const Tree& t, const Factor<T>& L, T* b) {
  for (int c = t.nv - 1; c >= 0; --c) {
    T x = b[c];
    // The newest last, so that the others need not wait for it.
    for (int k = t.column_end[c] - 1; k > c; --k) x -= L.row(k)[t.column_depth[c]] * b[k];
    b[c] = x;
  }
}
/// L^-1 D^-1 b in place, for one.
template <class T>
AMBLE_KERNEL void solve_one_outward(const Tree& t, const Factor<T>& L, T* b) {
  for (int c = 0; c < t.nv; ++c) {
    const int *above = t.path_v + t.nodes[t.column_node[c]].path, depth = t.column_depth[c];
    T x = b[c] * L.row(c)[depth];
    for (int at = 0; at < depth; ++at) x -= L.row(c)[at] * b[above[at]];
    b[c] = x;
  }
}

/// The forces of composites, now with accelerations: each has its bias, its inertia times the change of the node's own
/// acceleration (in `x.A` on return, as the accelerations themselves), and what moves on it.
template <class T>
AMBLE_KERNEL void add_accelerations(const State<T>& s, const WorldScratch<T>& x, const ForwardDerivativeScratch<T>& z,
                                    const T* a) {
  const Tree& t = s.tree;
  for (int i = 0; i < t.count; ++i) z.rest[i] = still6<T>();
  for (int i = t.count - 1; i >= 1; --i) {
    const Node& node = t.nodes[i];
    if (node.parent == 0) continue;
    World6<T> F = z.rest[i];
    for (int c = node.column; c < node.end_own(); ++c) add(F, scaled(a[c], z.wrench[c]));
    add(z.rest[node.parent], F);
  }
  // `rest` turns into the acceleration that was missing, from the root on.
  for (int i = 1; i < t.count; ++i) {
    const Node& node = t.nodes[i];
    World6<T> more = node.parent > 0 ? z.rest[node.parent] : still6<T>();
    for (int c = node.column; c < node.end_own(); ++c) add(more, scaled(a[c], x.columns[c].S));
    add(x.moving[i].F, z.rest[i] + inertia_times(x.moving[i], more));
    z.rest[i] = more;
  }
}

/// -dtau/dq and -dtau/dv of one column into the right-hand sides.
template <class T>
AMBLE_KERNEL void put_right_sides(const Tree& t, const Node& node, int own, const DerivativeScratch<T>& y,
                                  const ForwardDerivativeScratch<T>& z) {
  const int* v = t.path_v + node.path;
  T *row = z.b + own * z.stride, *column = z.b + own;
#pragma GCC unroll 4
  for (int at = 0; at < node.depth; ++at) {
    T* other = column + v[at] * z.stride;
    row[v[at]] = -y.q_across[at], row[z.pitch + v[at]] = -y.v_across[at];
    other[0] = -y.q_down[at], other[z.pitch] = -y.v_down[at];
  }
  for (int at = node.depth; at < node.depth + node.freedoms; ++at)
    row[v[at]] = -y.q_across[at], row[z.pitch + v[at]] = -y.v_across[at];
}

/// Takes back from row to row the sign that armature and custom joints add with.
template <class T>
AMBLE_KERNEL void add_own_blocks(const State<T>& s, int i, const WorldScratch<T>& x, const ForwardDerivativeScratch<T>& z) {
  const Tree& t = s.tree;
  const Node& node = t.nodes[i];
  if (node.group_armature)
    for_armature_derivative(t, node, s.v, [&](int k, int j, const T& e) { z.b[k * z.stride + z.pitch + j] -= e; });
  if (node.move == Move::custom)
    for_custom_block(s, node, x.placed[i], x.moving[i].F, [&](int k, int j, const T& e) { z.b[k * z.stride + j] -= e; });
}

/// The factors of M, and tau - bias in `a`; returns the smallest pivot. For derivatives also what inertias change by.
template <bool kDerivatives, class T>
AMBLE_KERNEL T find_equations(const State<T>& s, const WorldScratch<T>& x, const DerivativeScratch<T>& y,
                              const ForwardDerivativeScratch<T>& z, const T* tau, const T* external, T* a) {
  const Tree& t = s.tree;
  move_all<kDerivatives>(s, x);
  for (int i = 1; i < t.count; ++i) start_bias(s, i, x, external);
  for (int i = t.count - 1; i >= 1; --i) {
    if (t.nodes[i].parent == 0) continue;
    add_inertia<kDerivatives>(x.moving[t.nodes[i].parent], x.moving[i]);
    add(x.moving[t.nodes[i].parent].F, x.moving[i].F);
  }
  put_equations(s, x, y, z, tau, a);
  return factor_rows(t, z.L);
}

/// -dtau/dq, -dtau/dv and 1 as right-hand sides, for the accelerations `a`.
template <class T>
AMBLE_KERNEL void put_all_right_sides(const State<T>& s, const WorldScratch<T>& x, const DerivativeScratch<T>& y,
                                      const ForwardDerivativeScratch<T>& z, const T* a) {
  const Tree& t = s.tree;
  for (int k = 0; k < t.nv * z.stride; ++k) z.b[k] = T{};
  for (int i = 1; i < t.count; ++i) {
    const Node& node = t.nodes[i];
    accelerate_node(s, a, i, x);
    if (node.move == Move::custom) add_custom_changes(s, a, i, x);
    put_path(node, x.columns + node.column, y);
    for (int k = 0; k < node.freedoms; ++k) {
      derivative_products<false>(node, x.columns[node.column + k], x.moving[i], y);
      put_right_sides(t, node, node.v + k, y, z);
    }
    add_own_blocks(s, i, x, z);
  }
  for (int k = 0; k < t.nv; ++k) z.b[k * z.stride + 2 * z.pitch + k] = number<T>(1.0);
}

/// Returns the smallest pivot of M.
template <class T>
AMBLE_KERNEL T forward_derivatives(const State<T>& s, const WorldScratch<T>& x, const DerivativeScratch<T>& y,
                                   const ForwardDerivativeScratch<T>& z, const T* tau, const T* external, T* a) {
  const Tree& t = s.tree;
  const T smallest = find_equations<true>(s, x, y, z, tau, external, a);
  solve_one_inward(t, z.L, a);
  solve_one_outward(t, z.L, a);
  add_accelerations(s, x, z, a);
  put_all_right_sides(s, x, y, z, a);
  solve_strips_inward(t, z.L, z.b, z.stride, z.pitch);
  for_blocks<T>(3 * z.pitch, [&](auto blocks, int first) { solve_outward<blocks>(t, z.L, z.b + first, z.stride); });
  return smallest;
}
