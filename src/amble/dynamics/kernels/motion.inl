// No include guard, see arithmetic.inl. Poses of nodes on their parents, and what a joint adds to a motion.

/// True for one state where quads.inl takes vectors in registers of four; lanes of states and other kinds of numbers go
/// number by number.
template <class T>
constexpr bool kInQuads = false;
template <class T>
constexpr std::size_t kVectorAlignment = alignof(T);
template <>
constexpr std::size_t kVectorAlignment<double> = 4 * sizeof(double);

/// What the sweeps keep of a node, for one state or for lanes of states.
template <class T>
struct Body {
  T R[9];      // on its parent
  V3<T> p;     // on its parent, for motions that change it
  V3<T> w, v;  // angular and linear velocity, own axes and origin
  V3<T> aw, av;
  alignas(kVectorAlignment<T>) V3<T> n;  // moment
  alignas(kVectorAlignment<T>) V3<T> f;  // force
};

template <class T>
struct State {
  const Tree& tree;
  const T *q, *v, *custom;
  T *sine, *cosine;
  Body<T>* bodies;
};

template <class T>
AMBLE_KERNEL T coordinate(const Node& node, const T* q) {
  return node.ratio * q[node.q] + node.offset;
}

/// Sines and cosines of all angles of the tree: one state in lanes of angles, or lanes of states angle by angle.
AMBLE_KERNEL void find_angles(const Tree& t, const double* q, double* sine, double* cosine) {
  for (int i = 1; i < t.count; ++i)
    if (const Node& node = t.nodes[i]; node.angle >= 0) sine[node.angle] = coordinate(node, q);
  for (int i = t.angles; i % AMBLE_LANES != 0; ++i) sine[i] = 0.0;  // the arrays have room for whole lanes
  LaneBits far{};
  for (int i = 0; i < t.angles; i += AMBLE_LANES) {
    Lanes x, s, c;
    __builtin_memcpy(&x, sine + i, sizeof x);
    far |= too_far(x);
    sine_cosine(x, s, c);
    __builtin_memcpy(sine + i, &s, sizeof s);
    __builtin_memcpy(cosine + i, &c, sizeof c);
  }
  if (!any(far)) return;
  for (int i = 1; i < t.count; ++i) {
    const Node& node = t.nodes[i];
    const double x = coordinate(node, q);
    if (node.angle >= 0 && too_far(x)) sine[node.angle] = __builtin_sin(x), cosine[node.angle] = __builtin_cos(x);
  }
}
AMBLE_KERNEL void find_angles(const Tree& t, const Lanes* q, Lanes* sine, Lanes* cosine) {
  LaneBits far{};
  for (int i = 1; i < t.count; ++i) {
    const Node& node = t.nodes[i];
    if (node.angle < 0) continue;
    const Lanes x = coordinate(node, q);
    far |= too_far(x);
    sine_cosine(x, sine[node.angle], cosine[node.angle]);
  }
  if (!any(far)) return;
  for (int i = 1; i < t.count; ++i) {
    const Node& node = t.nodes[i];
    for (int lane = 0; node.angle >= 0 && lane < AMBLE_LANES; ++lane) {
      const double x = coordinate(node, q)[lane];
      if (!too_far(x)) continue;  // a state's result must not depend on its neighbours
      sine[node.angle][lane] = __builtin_sin(x), cosine[node.angle][lane] = __builtin_cos(x);
    }
  }
}

/// Any other kind of number brings sin() and cos() of its own.
template <class T>
AMBLE_KERNEL void find_angles(const Tree& t, const T* q, T* sine, T* cosine) {
  for (int i = 1; i < t.count; ++i) {
    const Node& node = t.nodes[i];
    if (node.angle < 0) continue;
    const T x = coordinate(node, q);
    sine[node.angle] = sin(x), cosine[node.angle] = cos(x);
  }
}

/// R_PN Rz(angle): only the first two columns change.
template <class T>
AMBLE_KERNEL void turned(const Node& node, const T& s, const T& c, T* R) {
  for (int r = 0; r < 3; ++r) {
    const double a = node.R[3 * r], b = node.R[3 * r + 1];
    R[3 * r] = c * a + s * b;
    R[3 * r + 1] = c * b - s * a;
    R[3 * r + 2] = number<T>(node.R[3 * r + 2]);
  }
}

/// R_PN times a rotation.
template <class T>
AMBLE_KERNEL void turned(const Node& node, const T* Q, T* R) {
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c)
      R[3 * r + c] = node.R[3 * r] * Q[c] + node.R[3 * r + 1] * Q[3 + c] + node.R[3 * r + 2] * Q[6 + c];
}

template <class T>
AMBLE_KERNEL void quaternion_matrix(const T* q, T* Q) {
  const T x = q[0], y = q[1], z = q[2], w = q[3];
  Q[0] = 1.0 - 2.0 * (y * y + z * z), Q[1] = 2.0 * (x * y - w * z), Q[2] = 2.0 * (x * z + w * y);
  Q[3] = 2.0 * (x * y + w * z), Q[4] = 1.0 - 2.0 * (x * x + z * z), Q[5] = 2.0 * (y * z - w * x);
  Q[6] = 2.0 * (x * z - w * y), Q[7] = 2.0 * (y * z + w * x), Q[8] = 1.0 - 2.0 * (x * x + y * y);
}

/// The origin moved along the joint frame's axes by d.
template <class T>
AMBLE_KERNEL V3<T> moved(const Node& node, const V3<T>& d) {
  const double *R = node.R, *p = node.p;
  return {p[0] + R[0] * d.x + R[1] * d.y + R[2] * d.z, p[1] + R[3] * d.x + R[4] * d.y + R[5] * d.z,
          p[2] + R[6] * d.x + R[7] * d.y + R[8] * d.z};
}

template <class T>
AMBLE_KERNEL void place(const Node& node, const State<T>& s, Body<T>& b) {
  switch (node.move) {
    case Move::turn: turned(node, s.sine[node.angle], s.cosine[node.angle], b.R); return;
    case Move::slide:
      for (int k = 0; k < 9; ++k) b.R[k] = number<T>(node.R[k]);
      b.p = moved(node, V3<T>{T{}, T{}, coordinate(node, s.q)});
      return;
    case Move::helix:
      turned(node, s.sine[node.angle], s.cosine[node.angle], b.R);
      b.p = moved(node, V3<T>{T{}, T{}, node.pitch * coordinate(node, s.q)});
      return;
    case Move::ball: {
      T Q[9];
      quaternion_matrix(s.q + node.q, Q);
      turned(node, Q, b.R);
      return;
    }
    case Move::free: {
      T Q[9];
      const T* q = s.q + node.q;
      quaternion_matrix(q + 3, Q);
      turned(node, Q, b.R);
      b.p = moved(node, V3<T>{q[0], q[1], q[2]});
      return;
    }
    case Move::custom: {
      const T* block = s.custom + node.custom * kCustomBlock;
      turned(node, block, b.R);
      b.p = moved(node, V3<T>{block[9], block[10], block[11]});
      return;
    }
  }
  __builtin_unreachable();
}

/// True when the origin of the node stays where the model puts it.
AMBLE_KERNEL bool still(Move m) { return m == Move::turn || m == Move::ball; }

template <class T>
AMBLE_KERNEL V3<T> origin_on_parent(const Node& node, const Body<T>& b) {
  return still(node.move) ? V3<T>{number<T>(node.p[0]), number<T>(node.p[1]), number<T>(node.p[2])} : b.p;
}

/// p x a for the node's origin p on its parent.
template <class T>
AMBLE_KERNEL V3<T> arm_cross(const Node& node, const Body<T>& b, const V3<T>& a) {
  return still(node.move) ? cross(node.p, a) : cross(b.p, a);
}

/// A column of a custom joint's motion subspace.
template <class T>
AMBLE_KERNEL V3<T> custom_linear(const T* block, int k) {
  return {block[12 + 6 * k], block[13 + 6 * k], block[14 + 6 * k]};
}
template <class T>
AMBLE_KERNEL V3<T> custom_angular(const T* block, int k) {
  return {block[15 + 6 * k], block[16 + 6 * k], block[17 + 6 * k]};
}

/// The k-th column of a node's motion subspace.
template <class T>
AMBLE_KERNEL void subspace_column(const Node& node, const State<T>& s, int k, V3<T>& linear, V3<T>& angular) {
  linear = angular = zero3<T>();
  const T one = number<T>(1.0);
  switch (node.move) {
    case Move::turn: angular.z = one; return;
    case Move::slide: linear.z = one; return;
    case Move::helix: angular.z = one, linear.z = number<T>(node.pitch); return;
    case Move::ball: (k == 0 ? angular.x : k == 1 ? angular.y : angular.z) = one; return;
    case Move::free: {
      V3<T>& part = k < 3 ? linear : angular;
      (k % 3 == 0 ? part.x : k % 3 == 1 ? part.y : part.z) = one;
      return;
    }
    case Move::custom: {
      const T* block = s.custom + node.custom * kCustomBlock;
      linear = custom_linear(block, k), angular = custom_angular(block, k);
    }
  }
}

/// The joint's own velocity S v as (linear, angular); everything but one-axis motions.
template <class T>
AMBLE_KERNEL void joint_velocity(const Node& node, const State<T>& s, V3<T>& linear, V3<T>& angular) {
  const T* d = s.v + node.v;
  linear = angular = zero3<T>();
  if (node.move == Move::ball) {
    angular = {d[0], d[1], d[2]};
  } else if (node.move == Move::free) {
    linear = {d[0], d[1], d[2]}, angular = {d[3], d[4], d[5]};
  } else {
    const T* block = s.custom + node.custom * kCustomBlock;
    for (int k = 0; k < node.freedoms; ++k) {
      add(linear, scaled(d[k], custom_linear(block, k)));
      add(angular, scaled(d[k], custom_angular(block, k)));
    }
  }
}

/// Velocity of a node from its parent's; `b.w`, `b.v` become the node's own.
template <class T>
AMBLE_KERNEL void carry_velocity(const Node& node, const State<T>& s, const Body<T>& parent, Body<T>& b) {
  b.w = rotate_back(b.R, parent.w);
  b.v = rotate_back(b.R, parent.v - arm_cross(node, b, parent.w));
  switch (node.move) {
    case Move::turn: b.w.z += node.ratio * s.v[node.v]; return;
    case Move::slide: b.v.z += node.ratio * s.v[node.v]; return;
    case Move::helix: {
      const T d = node.ratio * s.v[node.v];
      b.w.z += d, b.v.z += node.pitch * d;
      return;
    }
    default: {
      V3<T> linear, angular;
      joint_velocity(node, s, linear, angular);
      add(b.v, linear), add(b.w, angular);
    }
  }
}

/// The acceleration a node has when its own joint's velocities do not change: the parent's, carried over, and
/// V x S v + Sdot v.
template <class T>
AMBLE_KERNEL void carry_acceleration(const Node& node, const State<T>& s, const Body<T>& parent, Body<T>& b) {
  b.aw = rotate_back(b.R, parent.aw);
  b.av = rotate_back(b.R, parent.av - arm_cross(node, b, parent.aw));
  switch (node.move) {
    case Move::turn: {
      const T d = node.ratio * s.v[node.v];
      b.aw.x += b.w.y * d, b.aw.y -= b.w.x * d;
      b.av.x += b.v.y * d, b.av.y -= b.v.x * d;
      return;
    }
    case Move::slide: {
      const T d = node.ratio * s.v[node.v];
      b.av.x += b.w.y * d, b.av.y -= b.w.x * d;
      return;
    }
    case Move::helix: {
      const T d = node.ratio * s.v[node.v], l = node.pitch * d;
      b.aw.x += b.w.y * d, b.aw.y -= b.w.x * d;
      b.av.x += b.v.y * d + b.w.y * l, b.av.y -= b.v.x * d + b.w.x * l;
      return;
    }
    default: {
      V3<T> linear, angular;
      joint_velocity(node, s, linear, angular);
      add(b.aw, cross(b.w, angular));
      add(b.av, cross(b.w, linear) + cross(b.v, angular));
      if (node.move != Move::custom) return;
      const T* bias = s.custom + node.custom * kCustomBlock + 48;
      add(b.av, V3<T>{bias[0], bias[1], bias[2]});
      add(b.aw, V3<T>{bias[3], bias[4], bias[5]});
    }
  }
}

/// S^T (f, n) added to the node's own entries `tau`.
template <class T>
AMBLE_KERNEL void project_force(const Node& node, const State<T>& s, const V3<T>& f, const V3<T>& n, T* tau) {
  switch (node.move) {
    case Move::turn: tau[0] += node.ratio * n.z; return;
    case Move::slide: tau[0] += node.ratio * f.z; return;
    case Move::helix: tau[0] += node.ratio * (n.z + node.pitch * f.z); return;
    case Move::ball: tau[0] += n.x, tau[1] += n.y, tau[2] += n.z; return;
    case Move::free:
      tau[0] += f.x, tau[1] += f.y, tau[2] += f.z;
      tau[3] += n.x, tau[4] += n.y, tau[5] += n.z;
      return;
    case Move::custom: {
      const T* block = s.custom + node.custom * kCustomBlock;
      for (int k = 0; k < node.freedoms; ++k)
        tau[k] += dot(custom_linear(block, k), f) + dot(custom_angular(block, k), n);
    }
  }
}

/// S a added to an acceleration.
template <class T>
AMBLE_KERNEL void add_joint_acceleration(const Node& node, const State<T>& s, const T* a, Body<T>& b) {
  const T* d = a + node.v;
  switch (node.move) {
    case Move::turn: b.aw.z += node.ratio * d[0]; return;
    case Move::slide: b.av.z += node.ratio * d[0]; return;
    case Move::helix: b.aw.z += node.ratio * d[0], b.av.z += node.ratio * node.pitch * d[0]; return;
    case Move::ball: add(b.aw, V3<T>{d[0], d[1], d[2]}); return;
    case Move::free: add(b.av, V3<T>{d[0], d[1], d[2]}), add(b.aw, V3<T>{d[3], d[4], d[5]}); return;
    case Move::custom: {
      const T* block = s.custom + node.custom * kCustomBlock;
      for (int k = 0; k < node.freedoms; ++k) {
        add(b.av, scaled(d[k], custom_linear(block, k)));
        add(b.aw, scaled(d[k], custom_angular(block, k)));
      }
    }
  }
}

/// A wrench on a node, carried to its parent's frame and added there.
template <class T>
AMBLE_KERNEL void hand_down(const Node& node, const Body<T>& b, const V3<T>& f, const V3<T>& n, Body<T>& parent) {
  const V3<T> force = rotate(b.R, f);
  add(parent.f, force);
  add(parent.n, rotate(b.R, n) + arm_cross(node, b, force));
}
