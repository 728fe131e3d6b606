// No include guard, see arithmetic.inl. Articulated bodies (Featherstone 2008, 7.3): a = M^-1 (tau - bias) in O(n).

/// The same for motions with several: U by columns (n, f), u, and the factors L D L^T of S^T U, up to 6 x 6.
template <class T>
struct ManyAxes {
  T U[36], u[6], L[36], inverse_D[6];
};

template <class T>
struct ForwardScratch {
  Kept<T>* articulated;
  OneAxis<T>* one;
  ManyAxes<T>* many;
};

/// The velocity part of newton_euler().
template <class T>
AMBLE_KERNEL void gyroscopic(const Node& node, Body<T>& b) {
  const V3<T> momentum = scaled(node.mass, b.v) - cross(node.h, b.w);
  const V3<T> spin = symmetric_times(node.I, b.w) + cross(node.h, b.v);
  b.f = cross(b.w, momentum);
  b.n = cross(b.w, spin) + cross(b.v, momentum);
}

/// V x S v + Sdot v, as carry_acceleration() adds it.
template <class T>
AMBLE_KERNEL void velocity_bias(const Node& node, const State<T>& s, const Body<T>& b, V3<T>& linear, V3<T>& angular) {
  Body<T> still_parent, c;
  still_parent.aw = still_parent.av = zero3<T>();
  for (int k = 0; k < 9; ++k) c.R[k] = T{};
  c.p = zero3<T>();
  c.w = b.w, c.v = b.v;
  carry_acceleration(node, s, still_parent, c);
  linear = c.av, angular = c.aw;
}

/// Any one-axis motion: S is (along z: slide, about z: turn).
template <class T>
AMBLE_KERNEL T reduce_one(const Node& node, const State<T>& s, const T& tau, double armature, Body<T>& b, Body<T>& parent,
                          const Articulated<T>& x, Kept<T>& below, OneAxis<T>& one) {
  const double slide = node.move == Move::slide ? 1.0 : node.pitch, turn = node.move == Move::slide ? 0.0 : 1.0;
  articulated_times(x, V3<T>{T{}, T{}, number<T>(turn)}, V3<T>{T{}, T{}, number<T>(slide)}, one.Un, one.Uf);
  const T inertia = turn * one.Un.z + slide * one.Uf.z + armature;
  one.inverse = 1.0 / inertia;
  one.u = tau - (turn * b.n.z + slide * b.f.z);
  if (node.parent == 0) return inertia;
  const T Un[3] = {one.Un.x, one.Un.y, one.Un.z}, Uf[3] = {one.Uf.x, one.Uf.y, one.Uf.z};
  Articulated<T> r;
  constexpr int kRow[6] = {0, 0, 0, 1, 1, 2}, kCol[6] = {0, 1, 2, 1, 2, 2};
  for (int k = 0; k < 6; ++k) {
    r.A[k] = x.A[k] - one.inverse * Un[kRow[k]] * Un[kCol[k]];
    r.C[k] = x.C[k] - one.inverse * Uf[kRow[k]] * Uf[kCol[k]];
  }
  for (int k = 0; k < 9; ++k) r.B[k] = x.B[k] - one.inverse * Un[k / 3] * Uf[k % 3];
  V3<T> linear, angular, n, f;
  velocity_bias(node, s, b, linear, angular);
  articulated_times(r, angular, linear, n, f);
  const T g = one.inverse * one.u;
  add(n, b.n), add(f, b.f);
  add(n, scaled(g, one.Un)), add(f, scaled(g, one.Uf));
  pass_articulated<false>(s.tree, node, b, r, below);
  hand_down(node, b, f, n, parent);
  return inertia;
}

/// L D L^T of a symmetric positive definite matrix (n <= 6, lower triangle read); returns its smallest pivot.
template <class T>
AMBLE_KERNEL T factor(const T* M, int n, ManyAxes<T>& x) {
  T D[6], smallest = M[0];
  for (int j = 0; j < n; ++j) {
    T d = M[j * n + j], scaled_row[6] = {};
    for (int k = 0; k < j; ++k) scaled_row[k] = x.L[j * n + k] * D[k], d -= x.L[j * n + k] * scaled_row[k];
    D[j] = d;
    x.inverse_D[j] = 1.0 / d;
    smallest = d < smallest ? d : smallest;
    for (int i = j + 1; i < n; ++i) {
      T sum = M[i * n + j];
      for (int k = 0; k < j; ++k) sum -= x.L[i * n + k] * scaled_row[k];
      x.L[i * n + j] = sum * x.inverse_D[j];
    }
  }
  return smallest;
}

template <class T>
AMBLE_KERNEL void solve(const ManyAxes<T>& x, int n, T* b) {
  for (int i = 1; i < n; ++i)
    for (int k = 0; k < i; ++k) b[i] -= x.L[i * n + k] * b[k];
  for (int i = n - 1; i >= 0; --i) {
    b[i] = b[i] * x.inverse_D[i];
    for (int k = i + 1; k < n; ++k) b[i] -= x.L[k * n + i] * b[k];
  }
}

/// What is left of an articulated inertia when a motion with several freedoms gives way: x - U (S^T U)^-1 U^T.
template <class T>
AMBLE_KERNEL void subtract_many(const ManyAxes<T>& many, int n, Articulated<T>& r) {
  constexpr int kRow[6] = {0, 0, 0, 1, 1, 2}, kCol[6] = {0, 1, 2, 1, 2, 2};
  T G[36];  // (S^T U)^-1 U^T by columns
  for (int c = 0; c < 6; ++c) {
    for (int k = 0; k < n; ++k) G[c * n + k] = many.U[6 * k + c];
    solve(many, n, G + c * n);
  }
  for (int k = 0; k < n; ++k) {
    const T* U = many.U + 6 * k;
    for (int e = 0; e < 6; ++e) {
      r.A[e] -= U[kRow[e]] * G[kCol[e] * n + k];
      r.C[e] -= U[3 + kRow[e]] * G[(3 + kCol[e]) * n + k];
    }
    for (int e = 0; e < 9; ++e) r.B[e] -= U[e / 3] * G[(3 + e % 3) * n + k];
  }
}

/// Motions with several freedoms, column by column. kFreedoms is their number where it is known, else 0.
template <int kFreedoms, class T>
AMBLE_KERNEL T reduce_many(const Node& node, const State<T>& s, const T* tau, const double* armature, Body<T>& b,
                           Body<T>& parent, const Articulated<T>& x, Kept<T>& below, ManyAxes<T>& many) {
  const int n = kFreedoms > 0 ? kFreedoms : node.freedoms;
  V3<T> linear, angular;
  T D[36], left[6] = {};
  project_force(node, s, b.f, b.n, left);
  if (node.group_armature) add_armature_bias(s.tree, node, s.v, left);
  for (int k = 0; k < n; ++k) {
    V3<T> Un, Uf;
    subspace_column(node, s, k, linear, angular);
    articulated_times(x, angular, linear, Un, Uf);
    T *U = many.U + 6 * k, row[6] = {};
    U[0] = Un.x, U[1] = Un.y, U[2] = Un.z, U[3] = Uf.x, U[4] = Uf.y, U[5] = Uf.z;
    project_force(node, s, Uf, Un, row);
    for (int j = 0; j < n; ++j) D[k * n + j] = row[j];
    D[k * n + k] += armature[k];
    many.u[k] = tau[k] - left[k];
  }
  const T smallest = factor(D, n, many);
  if (node.parent == 0) return smallest;
  Articulated<T> r = x;
  subtract_many(many, n, r);
  V3<T> nn, f;
  velocity_bias(node, s, b, linear, angular);
  articulated_times(r, angular, linear, nn, f);
  add(nn, b.n), add(f, b.f);
  T g[6];
  for (int k = 0; k < n; ++k) g[k] = many.u[k];
  solve(many, n, g);
  for (int k = 0; k < n; ++k) {
    const T* U = many.U + 6 * k;
    add(nn, scaled(g[k], V3<T>{U[0], U[1], U[2]}));
    add(f, scaled(g[k], V3<T>{U[3], U[4], U[5]}));
  }
  pass_articulated<false>(s.tree, node, b, r, below);
  hand_down(node, b, f, nn, parent);
  return smallest;
}

/// Accelerations of a motion with several freedoms, from what reduce_many() left.
template <int kFreedoms, class T>
AMBLE_KERNEL void solve_many(const Node& node, const ManyAxes<T>& many, const Body<T>& b, T* a) {
  const int n = kFreedoms > 0 ? kFreedoms : node.freedoms;
  for (int k = 0; k < n; ++k) {
    const T* U = many.U + 6 * k;
    a[k] = many.u[k] - (dot(V3<T>{U[0], U[1], U[2]}, b.aw) + dot(V3<T>{U[3], U[4], U[5]}, b.av));
  }
  solve(many, n, a);
}

/// Returns the smallest inertia met along an axis: zero or less means that M is singular there. Needs independent
/// coordinates (not `coupled`).
template <class T>
AMBLE_KERNEL T forward_dynamics(const State<T>& s, const ForwardScratch<T>& x, const T* tau, const T* external, T* a) {
  const Tree& t = s.tree;
  Body<T>* bodies = s.bodies;
  find_angles(t, s.q, s.sine, s.cosine);
  start_at_world(t, bodies[0]);
  for (int i = 1; i < t.count; ++i) {
    const Node& node = t.nodes[i];
    Body<T>& b = bodies[i];
    place(node, s, b);
    carry_velocity(node, s, bodies[node.parent], b);
    if constexpr (!kStartsLate<T>) start_articulated(node, x.articulated[i]);
    gyroscopic(node, b);
    if (external == nullptr) continue;
    const T* e = external + 6 * i;
    b.f = b.f - V3<T>{e[0], e[1], e[2]};
    b.n = b.n - V3<T>{e[3], e[4], e[5]};
  }
  T smallest = number<T>(1e300);
  for (int k = 0; k < t.count - 1; ++k) {
    // In quads a node waits for its numbers more than they take: meanwhile, another limb's can go on.
    const int i = kInQuads<T> ? t.inward[k] : t.count - 1 - k;
    const Node& node = t.nodes[i];
    Body<T>&b = bodies[i], &parent = bodies[node.parent];
    Kept<T>&own = x.articulated[i], &below = x.articulated[node.parent];
    if (kStartsLate<T> && node.leaf) start_articulated(node, own);
    const double* armature = t.armature + node.v;
    const T* force = tau + node.v;
    const auto numbers = [&]() -> decltype(auto) { return by_numbers(own); };
    T inertia;
    switch (node.move) {
      case Move::turn: inertia = reduce_turn(node, s, force[0], armature[0], b, parent, own, below, x.one[i]); break;
      case Move::slide:
      case Move::helix: inertia = reduce_one(node, s, force[0], armature[0], b, parent, numbers(), below, x.one[i]); break;
      case Move::ball: inertia = reduce_many<3>(node, s, force, armature, b, parent, numbers(), below, x.many[i]); break;
      case Move::free: inertia = reduce_many<6>(node, s, force, armature, b, parent, numbers(), below, x.many[i]); break;
      default: inertia = reduce_many<0>(node, s, force, armature, b, parent, numbers(), below, x.many[i]);
    }
    smallest = inertia < smallest ? inertia : smallest;
  }
  for (int i = 1; i < t.count; ++i) {
    const Node& node = t.nodes[i];
    Body<T>& b = bodies[i];
    carry_acceleration(node, s, bodies[node.parent], b);
    switch (node.move) {
      case Move::turn:
      case Move::slide:
      case Move::helix: {
        const OneAxis<T>& one = x.one[i];
        a[node.v] = one.inverse * (one.u - (dot(one.Un, b.aw) + dot(one.Uf, b.av)));
        break;
      }
      case Move::ball: solve_many<3>(node, x.many[i], b, a + node.v); break;
      case Move::free: solve_many<6>(node, x.many[i], b, a + node.v); break;
      default: solve_many<0>(node, x.many[i], b, a + node.v);
    }
    add_joint_acceleration(node, s, a, b);
  }
  return smallest;
}
