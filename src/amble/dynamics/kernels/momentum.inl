// No include guard, see arithmetic.inl. Motion and momentum of all nodes in world axes about the tree's point (see
// world.inl), and how both change to first order: the ground on which Coriolis matrix, momentum matrix and derivatives
// stand.

/// Inertia of a node, later of all that it carries, and what its motion adds. The change of momentum along a twist
/// (l, w), while the body moves, is B (l, w) = (w x P, K w): K = (h.L) 1 - L h^T - [W] Sigma for a body that moves with
/// (L, W), Sigma its second moment of mass. This is the matrix B of Echeandia & Wensing 2021 with its zeros left out.
template <class T>
struct Moving {
  T mass;
  World3<T> h;
  Symmetric<typename InWorld<T>::Type> I;
  World3<T> P;  // linear momentum
  M3<typename InWorld<T>::Type> K;
  World6<T> F;  // force that the motion takes
};

template <class T>
AMBLE_KERNEL World6<T> inertia_times(const Moving<T>& x, const World6<T>& S) {
  return {scaled(x.mass, S.l) + cross(S.w, x.h), symmetric_times(x.I, S.w) + cross(x.h, S.l)};
}
/// B S
template <class T>
AMBLE_KERNEL World6<T> bias_times(const Moving<T>& x, const World6<T>& S) {
  return {cross(S.w, x.P), rotate(x.K, S.w)};
}
/// The angular part of B^T S; its linear part is zero.
template <class T>
AMBLE_KERNEL World3<T> bias_transposed_times(const Moving<T>& x, const World6<T>& S) {
  return cross(x.P, S.l) + rotate_back(x.K, S.w);
}
/// The rate of the inertia times S: its mass is constant, its first moment changes by P and its inertia by K + K^T.
template <class T>
AMBLE_KERNEL World6<T> inertia_rate_times(const Moving<T>& x, const World6<T>& S) {
  return {cross(S.w, x.P), rotate(x.K, S.w) + rotate_back(x.K, S.w) + cross(x.P, S.l)};
}

/// All but the force; what the inertia changes by only on demand.
template <bool kChange = true, class T>
AMBLE_KERNEL void add_inertia(Moving<T>& a, const Moving<T>& b) {
  a.mass += b.mass;
  add(a.h, b.h), add(a.I, b.I);
  if constexpr (kChange) add(a.P, b.P), add(a.K, b.K);
}

/// A node's own inertia about the tree's point.
template <class T>
AMBLE_KERNEL void start_inertia(const Node& node, const Placed<T>& x, Moving<T>& m) {
  T I[6];
  for (int k = 0; k < 6; ++k) I[k] = number<T>(node.I[k]);
  Composite<T> own, moved{zero3<T>(), {}};
  turn_symmetric(x.R.k, I, own.I);
  own.h = rotate(x.R.k, V3<T>{number<T>(node.h[0]), number<T>(node.h[1]), number<T>(node.h[2])});
  add_moved(own, node.mass, x.p, moved);
  m.mass = number<T>(node.mass), m.h = moved.h;
  for (int k = 0; k < 6; ++k) m.I.k[k] = moved.I[k];
}

/// P and K of a node that moves with V.
template <class T>
AMBLE_KERNEL void start_momentum(const V6<T>& V, Moving<T>& m) {
  const V3<T>&L = V.l, &W = V.w, &h = m.h;
  const T* I = m.I.k;
  T* K = m.K.k;
  m.P = scaled(m.mass, L) + cross(W, h);
  const T half = 0.5 * (I[0] + I[3] + I[5]), along = dot(h, L);
  const T sxx = half - I[0], syy = half - I[3], szz = half - I[5], sxy = -I[1], sxz = -I[2], syz = -I[4];
  K[0] = along - L.x * h.x - (W.y * sxz - W.z * sxy);
  K[1] = -(L.x * h.y) - (W.y * syz - W.z * syy);
  K[2] = -(L.x * h.z) - (W.y * szz - W.z * syz);
  K[3] = -(L.y * h.x) - (W.z * sxx - W.x * sxz);
  K[4] = along - L.y * h.y - (W.z * sxy - W.x * syz);
  K[5] = -(L.y * h.z) - (W.z * sxz - W.x * szz);
  K[6] = -(L.z * h.x) - (W.x * sxy - W.y * sxx);
  K[7] = -(L.z * h.y) - (W.x * syy - W.y * sxy);
  K[8] = along - L.z * h.z - (W.x * syz - W.y * sxz);
}

/// K - x [W]
template <class T>
AMBLE_KERNEL void add_turning(Moving<T>& m, double x, const V6<T>& V) {
  const V3<T> w = scaled(number<T>(x), V.w);
  T* K = m.K.k;
  K[1] += w.z, K[2] -= w.y, K[3] -= w.z, K[5] += w.x, K[6] += w.y, K[7] -= w.x;
}

/// A column of the motion subspace about the tree's point, its rate, its rate were it fixed to the parent, how
/// acceleration changes along it, and the sum of the two rates.
template <class T>
struct Column {
  World6<T> S, S_dot, S_parent, S_second, S_both;
};

template <class T>
AMBLE_KERNEL World6<T> still6() {
  return zero6<typename InWorld<T>::Type>();
}

/// What the world-axes kernels keep.
template <class T>
struct WorldScratch {
  Placed<T>* placed;
  World6<T>*V, *A;  // twist and acceleration of each node
  Moving<T>* moving;
  Column<T>* columns;
};

template <class T>
AMBLE_KERNEL void place_node(const State<T>& s, int i, const WorldScratch<T>& x) {
  const Node& node = s.tree.nodes[i];
  place(node, s, s.bodies[i]);
  place_in_world(node, s.bodies[i], x.placed[node.parent], x.placed[i]);
  Column<T>* columns = x.columns + node.column;
  subspace_in_world(node, s, x.placed[i], [&](int k, const World6<T>& S) { columns[k].S = S; });
}

/// How a custom joint's column c changes along its column k, see kCustomBlock.
template <class T>
AMBLE_KERNEL World6<T> custom_change(const Node& node, const State<T>& s, const Placed<T>& x, int k, int c) {
  return to_world(x, s.custom + node.custom * kCustomBlock + kCustomChange + 36 * k + 6 * c);
}

/// Velocities: V and the rate of every column.
template <class T>
AMBLE_KERNEL void move_node(const State<T>& s, int i, const WorldScratch<T>& x) {
  const Node& node = s.tree.nodes[i];
  Column<T>* columns = x.columns + node.column;
  World6<T> V = node.parent == 0 ? still6<T>() : x.V[node.parent];
  for (int k = 0; k < node.freedoms; ++k) add(V, scaled(s.v[node.v + k], columns[k].S));
  x.V[i] = V;
  for (int k = 0; k < node.freedoms; ++k) {
    columns[k].S_dot = cross_motion(V, columns[k].S);
    if (node.move == Move::custom)
      for (int j = 0; j < node.freedoms; ++j)
        add(columns[k].S_dot, scaled(s.v[node.v + j], custom_change(node, s, x.placed[i], j, k)));
  }
}
