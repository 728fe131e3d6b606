// No include guard, see arithmetic.inl. First derivatives of inverse dynamics on the manifold, in closed form. A column c
// that moves everything beyond it changes the force of each body there by
//   in q:  S x* F + I S'' + 2 B S'    with S' = V_parent x S, S'' = A_parent x S + V_parent x S',
//   in v:  I (S' + dS/dt) + 2 B S,
// so that sums over what a node carries are all that is needed. (The terms of Singh, Russo & Wensing 2022, with B by
// its twelve numbers.)

template <class T>
struct Derivatives {
  T *dq, *dv, *M;
};

template <class T>
struct DerivativeScratch {
  Columns<T> S, S_parent, S_second, S_both;  // of S_parent the angular part only
  T *q_across, *q_down, *v_across, *v_down, *M_across;
};

/// Gravity as an acceleration of the world.
template <class T>
AMBLE_KERNEL World6<T> upward(const Tree& t) {
  World6<T> A = still6<T>();
  A.l = world3(V3<T>{number<T>(-t.gravity[0]), number<T>(-t.gravity[1]), number<T>(-t.gravity[2])});
  return A;
}

/// Accelerations, and the changes that the node's columns bring about.
template <class T>
AMBLE_KERNEL void accelerate_node(const State<T>& s, const T* a, int i, const WorldScratch<T>& x) {
  const Tree& t = s.tree;
  const Node& node = t.nodes[i];
  World6<T> A_parent = upward<T>(t), V_parent = still6<T>();
  if (node.parent > 0) A_parent = x.A[node.parent], V_parent = x.V[node.parent];
  World6<T> A = A_parent;
  for (int k = 0; k < node.freedoms; ++k) {
    Column<T>& c = x.columns[node.column + k];
    // A lone axis does not move itself.
    c.S_parent = node.freedoms == 1 && node.move != Move::custom ? c.S_dot : cross_motion(V_parent, c.S);
    c.S_both = c.S_parent + c.S_dot;
    c.S_second = cross_motion(A_parent, c.S) + cross_motion(V_parent, c.S_parent);
    add(A, scaled(a[node.v + k], c.S)), add(A, scaled(s.v[node.v + k], c.S_dot));
  }
  x.A[i] = A;
}

/// A custom joint's subspace changes with its own coordinates: extra velocity and acceleration along each column.
template <class T>
AMBLE_KERNEL void add_custom_changes(const State<T>& s, const T* a, int i, const WorldScratch<T>& x) {
  const Node& node = s.tree.nodes[i];
  const Placed<T>& at = x.placed[i];
  const World6<T> both = node.parent > 0 ? x.V[i] + x.V[node.parent] : x.V[i];
  for (int k = 0; k < node.freedoms; ++k) {
    World6<T> velocity = still6<T>();
    World6<T> acceleration = to_world(at, s.custom + node.custom * kCustomBlock + kCustomBiasChange + 6 * k);
    for (int j = 0; j < node.freedoms; ++j) {
      const World6<T> change = custom_change(node, s, at, k, j);
      add(velocity, scaled(s.v[node.v + j], change));
      add(acceleration, scaled(a[node.v + j], change));
    }
    Column<T>& c = x.columns[node.column + k];
    add(c.S_parent, velocity), add(c.S_both, velocity);
    add(c.S_second, acceleration + cross_motion(both, velocity));
  }
}

/// External wrenches are fixed to their bodies.
template <class T>
AMBLE_KERNEL World6<T> wrench_to_world(const Placed<T>& x, const T* six) {
  const World3<T> f = rotate(x.R, world3(six));
  return {f, rotate(x.R, world3(six + 3)) + cross(x.p, f)};
}

/// I A + V x* I V, of which the linear momentum is known.
template <class T>
AMBLE_KERNEL void start_force(const World6<T>& V, const World6<T>& A, Moving<T>& m) {
  const World3<T> spin = symmetric_times(m.I, V.w) + cross(m.h, V.l);
  m.F = inertia_times(m, A);
  add(m.F.l, cross(V.w, m.P));
  add(m.F.w, cross(V.w, spin) + cross(V.l, m.P));
}

/// f(row, column, entry) for what a custom joint's changing subspace adds to its own block: (dS_i/dq_k) . F.
template <class T, class G>
AMBLE_KERNEL void for_custom_block(const State<T>& s, const Node& node, const Placed<T>& at, const World6<T>& F, const G& f) {
  for (int k = 0; k < node.freedoms; ++k)
    for (int j = 0; j < node.freedoms; ++j) {
      const World6<T> change = custom_change(node, s, at, k, j);
      f(node.v + j, node.v + k, dot(change, F));
    }
}

template <class T>
AMBLE_KERNEL void put_path(const Node& node, const Column<T>* columns, const DerivativeScratch<T>& y) {
  for (int k = 0; k < node.freedoms; ++k) {
    const int at = node.depth + k;
    y.S.put(at, by_numbers(columns[k].S)), y.S_second.put(at, by_numbers(columns[k].S_second));
    y.S_both.put(at, by_numbers(columns[k].S_both)), y.S_parent.put(at, by_numbers(columns[k].S_parent.w), 0);
  }
}

/// All products of one column with those of its path; those of M only where it is wanted.
template <bool kMass, class T>
AMBLE_KERNEL void derivative_products(const Node& node, const Column<T>& c, const Moving<T>& m,
                                      const DerivativeScratch<T>& y) {
  const World6<T> in_q =
      scaled(2.0, bias_times(m, c.S_parent)) + inertia_times(m, c.S_second) + cross_force(c.S, m.F);
  const World6<T> in_v = scaled(2.0, bias_times(m, c.S)) + inertia_times(m, c.S_both);
  const World6<T> I_S = inertia_times(m, c.S);
  const World3<T> B_S = scaled(2.0, bias_transposed_times(m, c.S));
  const Spread6<T> q_down(by_numbers(in_q)), v_down(by_numbers(in_v)), across(by_numbers(I_S));
  const Spread3<T> turned(by_numbers(B_S));
  for (int at = 0; at < node.depth + node.freedoms; at += Wide<T>::kColumns) {
    put_wide(y.q_across + at, turned.dot(y.S_parent, 0, at) + across.dot(y.S_second, at));
    put_wide(y.v_across + at, turned.dot(y.S, 3, at) + across.dot(y.S_both, at));
    if constexpr (kMass) put_wide(y.M_across + at, across.dot(y.S, at));
    put_wide(y.q_down + at, q_down.dot(y.S, at));
    put_wide(y.v_down + at, v_down.dot(y.S, at));
  }
}

/// As put_entries() of path.inl, for all three matrices at once.
template <bool kCoupled, class T>
AMBLE_KERNEL void put_entries(const Tree& t, const Node& node, int own, const DerivativeScratch<T>& y,
                              const Derivatives<T>& out) {
  if constexpr (kCoupled) {
    put_entries<true>(t, node, own, y.q_across, y.q_down, out.dq);
    put_entries<true>(t, node, own, y.v_across, y.v_down, out.dv);
    put_entries<true>(t, node, own, y.M_across, y.M_across, out.M);
    return;
  }
  const int *v = t.path_v + node.path, row = own * t.nv;
#pragma GCC unroll 4
  for (int at = 0; at < node.depth; ++at) {
    const int right = row + v[at], down = v[at] * t.nv + own;
    out.dq[right] = y.q_across[at], out.dq[down] = y.q_down[at];
    out.dv[right] = y.v_across[at], out.dv[down] = y.v_down[at];
    out.M[right] = out.M[down] = y.M_across[at];
  }
  for (int at = node.depth; at < node.depth + node.freedoms; ++at) {
    const int right = row + v[at];
    out.dq[right] = y.q_across[at], out.dv[right] = y.v_across[at], out.M[right] = y.M_across[at];
  }
}

/// Poses, velocities and inertias of all nodes, which do not depend on accelerations; for derivatives also what inertias
/// change by.
template <bool kDerivatives, class T>
AMBLE_KERNEL void move_all(const State<T>& s, const WorldScratch<T>& x) {
  const Tree& t = s.tree;
  find_angles(t, s.q, s.sine, s.cosine);
  for (int i = 1; i < t.count; ++i) {
    place_node(s, i, x);
    move_node(s, i, x);
    start_inertia(t.nodes[i], x.placed[i], x.moving[i]);
    if constexpr (kDerivatives)
      start_momentum(x.V[i], x.moving[i]);
    else
      x.moving[i].P = scaled(x.moving[i].mass, x.V[i].l) + cross(x.V[i].w, x.moving[i].h);
  }
}

/// Accelerations and forces of all nodes.
template <class T>
AMBLE_KERNEL void accelerate_all(const State<T>& s, const WorldScratch<T>& x, const T* a, const T* external) {
  const Tree& t = s.tree;
  for (int i = 1; i < t.count; ++i) {
    accelerate_node(s, a, i, x);
    if (t.nodes[i].move == Move::custom) add_custom_changes(s, a, i, x);
    start_force(x.V[i], x.A[i], x.moving[i]);
    if (external != nullptr) add(x.moving[i].F, scaled(-1.0, wrench_to_world(x.placed[i], external + 6 * i)));
  }
}

/// As in mass_matrix(), only entries of nodes that carry each other are written.
template <bool kCoupled, class T>
AMBLE_KERNEL void inverse_derivatives(const State<T>& s, const WorldScratch<T>& x, const DerivativeScratch<T>& y,
                                      const T* a, const T* external, const Derivatives<T>& out) {
  const Tree& t = s.tree;
  if constexpr (kCoupled) clear(out.dq, t), clear(out.dv, t), clear(out.M, t);
  move_all<true>(s, x);
  accelerate_all(s, x, a, external);
  for (int i = t.count - 1; i >= 1; --i) {
    if (t.nodes[i].parent == 0) continue;
    Moving<T>& parent = x.moving[t.nodes[i].parent];
    add_inertia(parent, x.moving[i]);
    add(parent.F, x.moving[i].F);
  }
  for (int i = 1; i < t.count; ++i) {
    const Node& node = t.nodes[i];
    put_path(node, x.columns + node.column, y);
    for (int k = 0; k < node.freedoms; ++k) {
      derivative_products<true>(node, x.columns[node.column + k], x.moving[i], y);
      put_entries<kCoupled>(t, node, node.v + k, y, out);
    }
    if (node.move == Move::custom)
      for_custom_block(s, node, x.placed[i], x.moving[i].F, [&](int r, int c, const T& e) { out.dq[r * t.nv + c] += e; });
    if (node.group_armature)
      for_armature_derivative(t, node, s.v, [&](int r, int c, const T& e) { out.dv[r * t.nv + c] += e; });
  }
  for (int k = 0; k < t.nv; ++k) out.M[k * t.nv + k] += t.armature[k];
}
