// No include guard, see arithmetic.inl. Momentum about the centre of mass as a matrix, its rate, and the energies.

template <class T>
AMBLE_KERNEL void sum_center(const State<T>& s, const WorldScratch<T>& x, T* summary) {
  const Tree& t = s.tree;
  V3<T> h = {number<T>(t.world_h[0]), number<T>(t.world_h[1]), number<T>(t.world_h[2])}, P = zero3<T>();
  for (int i = 1; i < t.count; ++i) {
    const Node& node = t.nodes[i];
    if (node.parent != 0) continue;
    add(h, by_numbers(x.moving[i].h) + scaled(x.moving[i].mass, origin_on_parent(node, s.bodies[i])));
    add(P, by_numbers(x.moving[i].P));
  }
  const double per_mass = t.mass > 0.0 ? 1.0 / t.mass : 0.0;
  summary[0] = h.x * per_mass, summary[1] = h.y * per_mass, summary[2] = h.z * per_mass;
  summary[3] = P.x * per_mass, summary[4] = P.y * per_mass, summary[5] = P.z * per_mass;
  summary[7] = -(t.gravity[0] * h.x + t.gravity[1] * h.y + t.gravity[2] * h.z);
}

/// A and A_dot are 6 x nv, row by row, linear part first, world axes; either may be null, as may `s.v`.
template <class T>
AMBLE_KERNEL void centroidal(const State<T>& s, const WorldScratch<T>& x, T* A, T* A_dot, T* summary) {
  const Tree& t = s.tree;
  T kinetic{};
  find_angles(t, s.q, s.sine, s.cosine);
  for (int i = 1; i < t.count; ++i) {
    Moving<T>& m = x.moving[i];
    place_node(s, i, x);
    start_inertia(t.nodes[i], x.placed[i], m);
    if (s.v != nullptr) move_node(s, i, x);
    const World6<T> V = s.v != nullptr ? x.V[i] : still6<T>();
    start_momentum(V, m);
    kinetic += 0.5 * dot(V, inertia_times(m, V));
  }
  for (int k = 0; s.v != nullptr && k < t.nv; ++k) kinetic += 0.5 * t.armature[k] * s.v[k] * s.v[k];
  summary[6] = kinetic;
  for (int i = t.count - 1; i >= 1; --i)
    if (t.nodes[i].parent > 0) add_inertia(x.moving[t.nodes[i].parent], x.moving[i]);
  sum_center(s, x, summary);
  if (A == nullptr) return;
  for (int k = 0; k < 6 * t.nv; ++k) A[k] = T{};
  for (int k = 0; A_dot != nullptr && k < 6 * t.nv; ++k) A_dot[k] = T{};
  const V3<T> center = {summary[0], summary[1], summary[2]}, moving = {summary[3], summary[4], summary[5]};
  const auto add_column = [&](T* to, int c, const V3<T>& l, const V3<T>& w) {
    T* at = to + t.column_v[c];
    at[0] += l.x, at[t.nv] += l.y, at[2 * t.nv] += l.z, at[3 * t.nv] += w.x, at[4 * t.nv] += w.y, at[5 * t.nv] += w.z;
  };
  for (int i = 1; i < t.count; ++i) {
    const Node& node = t.nodes[i];
    const V3<T> arm = center - origin_on_parent(t.nodes[node.root], s.bodies[node.root]);
    for (int c = node.column; c < node.end_own(); ++c) {
      const World6<T> S = x.columns[c].S, wrench = inertia_times(x.moving[i], S);
      const V6<T> F = by_numbers(wrench);
      add_column(A, c, F.l, F.w - cross(arm, F.l));
      if (A_dot == nullptr) continue;
      const World6<T> change = inertia_rate_times(x.moving[i], S) + inertia_times(x.moving[i], x.columns[c].S_dot);
      const V6<T> rate = by_numbers(change);
      add_column(A_dot, c, rate.l, rate.w - cross(arm, rate.l) - cross(moving, F.l));
    }
  }
}

/// Poses (R row by row, place from the root's origin, the root's origin: 15 numbers a node) and columns, 6 x columns
/// row by row, with their rates if there are velocities.
template <class T>
AMBLE_KERNEL void kinematics(const State<T>& s, const WorldScratch<T>& x, T* poses, T* S, T* S_dot) {
  const Tree& t = s.tree;
  find_angles(t, s.q, s.sine, s.cosine);
  for (int i = 1; i < t.count; ++i) {
    place_node(s, i, x);
    T* to = poses + 15 * i;
    const V3<T> p = by_numbers(x.placed[i].p), from = origin_on_parent(t.nodes[t.nodes[i].root], s.bodies[t.nodes[i].root]);
    for (int k = 0; k < 3; ++k) {
      const World3<T> axis = column(x.placed[i].R, k);
      to[k] = by_numbers(axis).x, to[3 + k] = by_numbers(axis).y, to[6 + k] = by_numbers(axis).z;
    }
    to[9] = p.x, to[10] = p.y, to[11] = p.z, to[12] = from.x, to[13] = from.y, to[14] = from.z;
    if (s.v != nullptr) move_node(s, i, x);
  }
  const auto put = [&](T* to, int c, const V6<T>& X) {
    const int n = t.columns;
    to[c] = X.l.x, to[n + c] = X.l.y, to[2 * n + c] = X.l.z;
    to[3 * n + c] = X.w.x, to[4 * n + c] = X.w.y, to[5 * n + c] = X.w.z;
  };
  for (int c = 0; c < t.columns; ++c) {
    put(S, c, by_numbers(x.columns[c].S));
    if (s.v != nullptr) put(S_dot, c, by_numbers(x.columns[c].S_dot));
  }
}
