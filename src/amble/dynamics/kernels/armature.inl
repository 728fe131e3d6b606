// No include guard, see arithmetic.inl. Armature of ball and free nodes. Their velocities are not rates of coordinates, so
// a constant metric diag(armature) on them has forces of its own: v x* A v, as a spinning body has.

/// Velocity coordinates of a ball or free node as a twist, and back.
template <class T>
AMBLE_KERNEL V6<T> group_twist(bool free, const T* d) {
  if (free) return {{d[0], d[1], d[2]}, {d[3], d[4], d[5]}};
  return {zero3<T>(), {d[0], d[1], d[2]}};
}
template <class T>
AMBLE_KERNEL T entry(bool free, const V6<T>& x, int k) {
  const V3<T>& part = free && k < 3 ? x.l : x.w;
  return k % 3 == 0 ? part.x : k % 3 == 1 ? part.y : part.z;
}
template <class T>
AMBLE_KERNEL V6<T> group_axis(bool free, int k) {
  T d[6] = {};
  d[k] = number<T>(1.0);
  return group_twist(free, d);
}
/// The Levi-Civita connection of the constant metric A = diag(armature) on the group:
/// 1/2 (A (v x w) + v x* A w + w x* A v).
template <class T>
AMBLE_KERNEL V6<T> armature_connection(const double* A, bool free, const V6<T>& v, const V6<T>& w) {
  const double *linear = A, *angular = free ? A + 3 : A;
  const auto momentum = [&](const V6<T>& x) {
    V6<T> p = zero6<T>();
    if (free) p.l = {linear[0] * x.l.x, linear[1] * x.l.y, linear[2] * x.l.z};
    p.w = {angular[0] * x.w.x, angular[1] * x.w.y, angular[2] * x.w.z};
    return p;
  };
  return scaled(0.5, momentum(cross_motion(v, w)) + cross_force(v, momentum(w)) + cross_force(w, momentum(v)));
}

/// v x* A v
template <class T>
AMBLE_KERNEL void add_armature_bias(const Tree& t, const Node& node, const T* v, T* tau) {
  const bool free = node.move == Move::free;
  const V6<T> V = group_twist(free, v + node.v), bias = armature_connection(t.armature + node.v, free, V, V);
  for (int k = 0; k < node.freedoms; ++k) tau[k] += entry(free, bias, k);
}

/// What armature adds to the own block of a ball or free node.
template <class T>
AMBLE_KERNEL void add_armature_connection(const Tree& t, const Node& node, const T* v, T* C) {
  const bool free = node.move == Move::free;
  const V6<T> V = group_twist(free, v + node.v);
  for (int j = 0; j < node.freedoms; ++j) {
    const V6<T> column = armature_connection(t.armature + node.v, free, V, group_axis<T>(free, j));
    for (int k = 0; k < node.freedoms; ++k) C[(node.v + k) * t.nv + node.v + j] += entry(free, column, k);
  }
}

/// f(row, column, entry) for the derivative in v of the bias that armature adds to a ball or free node: v x* A v is
/// bilinear.
template <class T, class F>
AMBLE_KERNEL void for_armature_derivative(const Tree& t, const Node& node, const T* v, const F& f) {
  const bool free = node.move == Move::free;
  const V6<T> V = group_twist(free, v + node.v);
  for (int j = 0; j < node.freedoms; ++j) {
    const V6<T> axis = group_axis<T>(free, j);
    const V6<T> column = armature_connection(t.armature + node.v, free, V, axis) +
                         armature_connection(t.armature + node.v, free, axis, V);
    for (int k = 0; k < node.freedoms; ++k) f(node.v + k, node.v + j, entry(free, column, k));
  }
}
