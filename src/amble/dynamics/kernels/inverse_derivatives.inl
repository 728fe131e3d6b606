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

/// Accelerations, and the changes that the node's columns bring about.
template <class T>
AMBLE_KERNEL void accelerate_node(const Node& node, const State<T>& s, const T* a, int i, const WorldScratch<T>& x) {
  const Tree& t = s.tree;
  V6<T> A_parent = {{number<T>(-t.gravity[0]), number<T>(-t.gravity[1]), number<T>(-t.gravity[2])}, zero3<T>()};
  V6<T> V_parent = zero6<T>();
  if (node.parent > 0) A_parent = x.A[node.parent], V_parent = x.V[node.parent];
  V6<T> A = A_parent;
  for (int k = 0; k < node.freedoms; ++k) {
    const int c = node.column + k;
    const V6<T> S = column(x.S, c), S_dot = column(x.S_dot, c), S_parent = cross_motion(V_parent, S);
    add(A, scaled(a[node.v + k], S)), add(A, scaled(s.v[node.v + k], S_dot));
    put(x.S_parent, c, S_parent);
    put(x.S_both, c, S_parent + S_dot);
    put(x.S_second, c, cross_motion(A_parent, S) + cross_motion(V_parent, S_parent));
  }
  x.A[i] = A;
}

/// A custom joint's subspace changes with its own coordinates: extra velocity and acceleration along each column.
template <class T>
AMBLE_KERNEL void add_custom_changes(const Node& node, const State<T>& s, const T* a, int i, const WorldScratch<T>& x) {
  const Placed<T>& at = x.placed[i];
  const V6<T> both = node.parent > 0 ? x.V[i] + x.V[node.parent] : x.V[i];
  for (int k = 0; k < node.freedoms; ++k) {
    const int c = node.column + k;
    V6<T> velocity = zero6<T>();
    V6<T> acceleration = to_world(at, s.custom + node.custom * kCustomBlock + kCustomBiasChange + 6 * k);
    for (int j = 0; j < node.freedoms; ++j) {
      const V6<T> change = custom_change(node, s, at, k, j);
      add(velocity, scaled(s.v[node.v + j], change));
      add(acceleration, scaled(a[node.v + j], change));
    }
    put(x.S_parent, c, column(x.S_parent, c) + velocity);
    put(x.S_second, c, column(x.S_second, c) + acceleration + cross_motion(both, velocity));
    put(x.S_both, c, column(x.S_both, c) + velocity);
  }
}

template <class T>
AMBLE_KERNEL void start_force(const V6<T>& V, const V6<T>& A, Moving<T>& m) {
  const V6<T> momentum = inertia_times(m, V);
  m.F = inertia_times(m, A) + cross_force(V, momentum);
}

/// What a custom joint's changing subspace adds to its own block: (dS_i/dq_k) . F.
template <class T>
AMBLE_KERNEL void add_custom_block(const Tree& t, const Node& node, const State<T>& s, const Placed<T>& at,
                                   const V6<T>& F, T* dq) {
  for (int k = 0; k < node.freedoms; ++k)
    for (int j = 0; j < node.freedoms; ++j) {
      const V6<T> change = custom_change(node, s, at, k, j);
      dq[(node.v + j) * t.nv + node.v + k] += dot(change.l, F.l) + dot(change.w, F.w);
    }
}

template <bool kCoupled, class T>
AMBLE_KERNEL void put_derivatives(const State<T>& s, const Node& node, int c, const Moving<T>& m,
                                  const WorldScratch<T>& x, const Derivatives<T>& out) {
  const Tree& t = s.tree;
  const V6<T> S = column(x.S, c), S_parent = column(x.S_parent, c);
  const V6<T> in_q = scaled(2.0, bias_times(m, S_parent)) + inertia_times(m, column(x.S_second, c)) + cross_force(S, m.F);
  const V6<T> in_v = scaled(2.0, bias_times(m, S)) + inertia_times(m, column(x.S_both, c));
  const Spread6<T> q_down(in_q), v_down(in_v), across(inertia_times(m, S));
  const Spread3<T> turned(scaled(2.0, bias_transposed_times(m, S)));
  for_runs(t, node, [&](int first, int end) {
    const int above = least(end, node.column);
    put_row<kCoupled>(t, c, first, end,
                      [&](int j) { return turned.dot_angular(x.S_parent, j) + across.dot(x.S_second, j); }, x.row, out.dq);
    put_row<kCoupled>(t, c, first, end,
                      [&](int j) { return turned.dot_angular(x.S, j) + across.dot(x.S_both, j); }, x.row, out.dv);
    put_row<kCoupled>(t, c, first, end, [&](int j) { return across.dot(x.S, j); }, x.row, out.M);
    put_column<kCoupled>(t, c, first, above, [&](int j) { return q_down.dot(x.S, j); }, x.row, out.dq);
    put_column<kCoupled>(t, c, first, above, [&](int j) { return v_down.dot(x.S, j); }, x.row, out.dv);
    put_column<kCoupled>(t, c, first, above, [&](int j) { return across.dot(x.S, j); }, x.row, out.M);
  });
}

/// External wrenches are fixed to their bodies.
template <class T>
AMBLE_KERNEL V6<T> wrench_to_world(const Placed<T>& x, const T* six) {
  const V3<T> f = rotate(x.R, V3<T>{six[0], six[1], six[2]});
  return {f, rotate(x.R, V3<T>{six[3], six[4], six[5]}) + cross(x.p, f)};
}

/// As in mass_matrix(), only entries of nodes that carry each other are written.
template <bool kCoupled, class T>
AMBLE_KERNEL void inverse_derivatives(const State<T>& s, const WorldScratch<T>& x, const T* a, const T* external,
                                      const Derivatives<T>& out) {
  const Tree& t = s.tree;
  if constexpr (kCoupled) clear(out.dq, t), clear(out.dv, t), clear(out.M, t);
  place_all(s, x.placed, x.S);
  for (int i = 1; i < t.count; ++i) {
    const Node& node = t.nodes[i];
    move_node(node, s, i, x);
    accelerate_node(node, s, a, i, x);
    if (node.move == Move::custom) add_custom_changes(node, s, a, i, x);
    Moving<T>& m = x.moving[i];
    start_inertia(node, x.placed[i], m);
    start_momentum(x.V[i], m);
    start_force(x.V[i], x.A[i], m);
    if (external != nullptr) add(m.F, scaled(-1.0, wrench_to_world(x.placed[i], external + 6 * i)));
  }
  for (int i = t.count - 1; i >= 1; --i) {
    const Node& node = t.nodes[i];
    const Moving<T>& m = x.moving[i];
    for (int c = node.column; c < node.end_own(); ++c) put_derivatives<kCoupled>(s, node, c, m, x, out);
    if (node.move == Move::custom) add_custom_block(t, node, s, x.placed[i], m.F, out.dq);
    if (node.group_armature) add_armature_derivative(t, node, s.v, out.dv);
    if (node.parent > 0) add(x.moving[node.parent], m);
  }
  for (int k = 0; k < t.nv; ++k) out.M[k * t.nv + k] += t.armature[k];
}
