// No include guard, see arithmetic.inl. Recursive Newton-Euler: tau = M a + bias - S^T external.

/// Force and moment that give a body its motion: I a + V x* I V.
template <class T>
AMBLE_KERNEL void newton_euler(const Node& node, Body<T>& b) {
  const V3<T> momentum = scaled(node.mass, b.v) - cross(node.h, b.w);
  const V3<T> spin = symmetric_times(node.I, b.w) + cross(node.h, b.v);
  b.f = scaled(node.mass, b.av) - cross(node.h, b.aw) + cross(b.w, momentum);
  b.n = symmetric_times(node.I, b.aw) + cross(node.h, b.av) + cross(b.w, spin) + cross(b.v, momentum);
}

template <class T>
AMBLE_KERNEL void start_at_world(const Tree& t, Body<T>& world) {
  world.w = world.v = world.aw = zero3<T>();
  world.n = world.f = zero3<T>();
  // Gravity as an upward acceleration of the world (Featherstone 2008, 5.3).
  world.av = {number<T>(-t.gravity[0]), number<T>(-t.gravity[1]), number<T>(-t.gravity[2])};
}

/// `a` may be null (zero accelerations); `external` has a wrench per node (force, moment in its own frame), or is null.
template <class T>
AMBLE_KERNEL void inverse_dynamics(const State<T>& s, const T* a, const T* external, T* tau) {
  const Tree& t = s.tree;
  Body<T>* bodies = s.bodies;
  find_angles(t, s.q, s.sine, s.cosine);
  start_at_world(t, bodies[0]);
  for (int i = 1; i < t.count; ++i) {
    const Node& node = t.nodes[i];
    Body<T>& b = bodies[i];
    place(node, s, b);
    carry_velocity(node, s, bodies[node.parent], b);
    carry_acceleration(node, s, bodies[node.parent], b);
    if (a != nullptr) add_joint_acceleration(node, s, a, b);
    newton_euler(node, b);
    if (external != nullptr) {
      const T* e = external + 6 * i;
      b.f = b.f - V3<T>{e[0], e[1], e[2]};
      b.n = b.n - V3<T>{e[3], e[4], e[5]};
    }
  }
  for (int k = 0; k < t.nv; ++k) tau[k] = a == nullptr ? T{} : t.armature[k] * a[k];
  for (int i = t.count - 1; i >= 1; --i) {
    const Node& node = t.nodes[i];
    project_force(node, s, bodies[i].f, bodies[i].n, tau + node.v);
    if (node.group_armature) add_armature_bias(t, node, s.v, tau + node.v);
    hand_down(node, bodies[i], bodies[i].f, bodies[i].n, bodies[node.parent]);
  }
}
