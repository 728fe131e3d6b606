// No include guard, see arithmetic.inl. The Coriolis matrix of the Levi-Civita connection of M:
// C_ij = S_i . (B S_j + I dS_j/dt) with the composite of whichever of the two is carried by the other.
//
// Other matrices give the same forces C v, with dM/dt = C + C^T. With Tree::turning (half the trace of the inertias about
// the centres of mass) K gains -turning [W], and C becomes BK (26): its -[I w] differs from the connection by
// -tr(I)/2 [w], body by body.

template <class T>
struct CoriolisScratch {
  Columns<T> S, S_dot;
  T *across, *down;
};

/// As in mass_matrix(), only entries of nodes that carry each other are written.
template <bool kCoupled, class T>
AMBLE_KERNEL void coriolis_matrix(const State<T>& s, const WorldScratch<T>& x, const CoriolisScratch<T>& y, T* C) {
  const Tree& t = s.tree;
  if constexpr (kCoupled) clear(C, t);
  find_angles(t, s.q, s.sine, s.cosine);
  for (int i = 1; i < t.count; ++i) {
    place_node(s, i, x);
    move_node(s, i, x);
    start_inertia(t.nodes[i], x.placed[i], x.moving[i]);
    start_momentum(x.V[i], x.moving[i]);
    if (t.turning != nullptr) add_turning(x.moving[i], t.turning[i], x.V[i]);
  }
  for (int i = t.count - 1; i >= 1; --i)
    if (t.nodes[i].parent > 0) add_inertia(x.moving[t.nodes[i].parent], x.moving[i]);
  for (int i = 1; i < t.count; ++i) {
    const Node& node = t.nodes[i];
    const Moving<T>& m = x.moving[i];
    const Column<T>* columns = x.columns + node.column;
    for (int k = 0; k < node.freedoms; ++k) {
      const World6<T>& S = columns[k].S;
      const World6<T> wrench = inertia_times(m, S);
      const World3<T> turn = bias_transposed_times(m, S);
      const Spread6<T> down(by_numbers(bias_times(m, S) + inertia_times(m, columns[k].S_dot)));
      const Spread6<T> across(by_numbers(wrench));
      const Spread3<T> turned(by_numbers(turn));
      for (int at = 0; at < node.depth; at += Wide<T>::kColumns) {
        put_wide(y.across + at, turned.dot(y.S, 3, at) + across.dot(y.S_dot, at));
        put_wide(y.down + at, down.dot(y.S, at));
      }
      for (int j = 0; j < node.freedoms; ++j)
        y.across[node.depth + j] = dot(turn, columns[j].S.w) + dot(wrench, columns[j].S_dot);
      put_entries<kCoupled>(t, node, node.v + k, y.across, y.down, C);
    }
    // Only now: numbers just stored one by one cannot be loaded side by side without delay.
    for (int k = 0; k < node.freedoms; ++k) {
      y.S.put(node.depth + k, by_numbers(columns[k].S));
      y.S_dot.put(node.depth + k, by_numbers(columns[k].S_dot));
    }
    if (node.group_armature) add_armature_connection(t, node, s.v, C);
  }
}
