// No include guard, see arithmetic.inl. The Coriolis matrix of the Levi-Civita connection of M:
// C_ij = S_i . (B S_j + I dS_j/dt) with the composite of whichever of the two is carried by the other.

/// As in mass_matrix(), only entries of nodes that carry each other are written.
template <bool kCoupled, class T>
AMBLE_KERNEL void coriolis_matrix(const State<T>& s, const WorldScratch<T>& x, T* C) {
  const Tree& t = s.tree;
  if constexpr (kCoupled) clear(C, t);
  place_all(s, x.placed, x.S);
  for (int i = 1; i < t.count; ++i) {
    move_node(t.nodes[i], s, i, x);
    start_inertia(t.nodes[i], x.placed[i], x.moving[i]);
    start_momentum(x.V[i], x.moving[i]);
    x.moving[i].F = zero6<T>();
  }
  for (int i = t.count - 1; i >= 1; --i) {
    const Node& node = t.nodes[i];
    const Moving<T>& m = x.moving[i];
    for (int c = node.column; c < node.end_own(); ++c) {
      const V6<T> S = column(x.S, c);
      const Spread6<T> down(bias_times(m, S) + inertia_times(m, column(x.S_dot, c))), across(inertia_times(m, S));
      const Spread3<T> turned(bias_transposed_times(m, S));
      for_runs(t, node, [&](int first, int end) {
        put_row<kCoupled>(t, c, first, end,
                          [&](int j) { return turned.dot_angular(x.S, j) + across.dot(x.S_dot, j); }, x.row, C);
        put_column<kCoupled>(t, c, first, least(end, node.column), [&](int j) { return down.dot(x.S, j); }, x.row, C);
      });
    }
    if (node.parent > 0) add(x.moving[node.parent], m);
    if (node.group_armature) add_armature_connection(t, node, s.v, C);
  }
}
