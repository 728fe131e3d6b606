// No include guard, see arithmetic.inl. Composite rigid bodies (Featherstone 2008, 6.2): M row by row.

/// First moment and inertia of a node with all that it carries; its mass is a constant of the tree.
template <class T>
struct Composite {
  V3<T> h;
  T I[6];
};

/// Adds what a node carries to its parent, in the parent's frame.
template <class T>
AMBLE_KERNEL void add_composite(const Node& node, const Body<T>& b, const Composite<T>& c, Composite<T>& parent) {
  const V3<T> p = still(node.move) ? V3<T>{number<T>(node.p[0]), number<T>(node.p[1]), number<T>(node.p[2])} : b.p;
  T I[6];
  turn_symmetric(b.R, c.I, I);
  const V3<T> h = rotate(b.R, c.h), moved = h + scaled(node.composite_mass, p), both = h + moved;
  // I + (p.h + p.h')1 - (h p^T + p h'^T) with h' = h + m p, the parallel-axis theorem.
  const T trace = dot(both, p);
  parent.I[0] += I[0] + trace - both.x * p.x;
  parent.I[3] += I[3] + trace - both.y * p.y;
  parent.I[5] += I[5] + trace - both.z * p.z;
  parent.I[1] += I[1] - h.x * p.y - p.x * moved.y;
  parent.I[2] += I[2] - h.x * p.z - p.x * moved.z;
  parent.I[4] += I[4] - h.y * p.z - p.y * moved.z;
  add(parent.h, moved);
}

/// The wrench that accelerates the composite along the twist (linear, angular).
template <class T>
AMBLE_KERNEL void composite_times(const Node& node, const Composite<T>& c, const V3<T>& linear, const V3<T>& angular,
                                  V3<T>& f, V3<T>& n) {
  f = scaled(node.composite_mass, linear) - cross(c.h, angular);
  n = symmetric_times(c.I, angular) + cross(c.h, linear);
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

/// Where entries of M go. Coordinates that several nodes share make entries sums; lanes of states fill one triangle
/// (row >= column) only, and whoever unpacks them mirrors it.
template <bool kCoupled, class T>
struct Entries {
  T* M;
  int nv;

  AMBLE_KERNEL void put(int row, int column, const T& x) const {
    T& at = M[row * nv + column];
    if constexpr (kCoupled)
      at += x;
    else
      at = x;
  }
  /// An entry between a node and one below it, and its mirror image.
  AMBLE_KERNEL void put_pair(int row, int column, const T& x) const {
    if constexpr (kCoupled || sizeof(T) == sizeof(double)) put(column, row, x);
    put(row, column, x);
  }
};

/// The row of M for one velocity of a node: S^T of every node down to the world.
template <bool kCoupled, class T>
AMBLE_KERNEL void fill_row(const State<T>& s, int i, int row, double ratio, V3<T> f, V3<T> n,
                           const Entries<kCoupled, T>& M) {
  const Tree& t = s.tree;
  for (const Node* at = t.nodes + i; at->parent > 0;) {
    const Body<T>& b = s.bodies[at - t.nodes];
    f = rotate(b.R, f);
    n = rotate(b.R, n) + arm_cross(*at, b, f);
    at = t.nodes + at->parent;
    if (at->move == Move::turn) {
      M.put_pair(row, at->v, kCoupled ? ratio * at->ratio * n.z : n.z);
    } else {
      T part[6] = {};
      project_force(*at, s, f, n, part);
      for (int j = 0; j < at->freedoms; ++j) M.put_pair(row, at->v + j, ratio * part[j]);
    }
  }
}

/// All rows of one node.
template <bool kCoupled, class T>
AMBLE_KERNEL void fill_node(const State<T>& s, int i, const Composite<T>& c, const Entries<kCoupled, T>& M) {
  const Node& node = s.tree.nodes[i];
  if (node.move == Move::turn) {  // inertia times z is a column: no arithmetic
    M.put(node.v, node.v, kCoupled ? node.ratio * node.ratio * c.I[5] : c.I[5]);
    fill_row(s, i, node.v, node.ratio, V3<T>{-c.h.y, c.h.x, T{}}, V3<T>{c.I[2], c.I[4], c.I[5]}, M);
    return;
  }
  for (int k = 0; k < node.freedoms; ++k) {
    V3<T> linear, angular, f, n;
    subspace_column(node, s, k, linear, angular);
    composite_times(node, c, linear, angular, f, n);
    T part[6] = {};
    project_force(node, s, f, n, part);
    for (int j = 0; j < node.freedoms; ++j) M.put(node.v + k, node.v + j, node.ratio * part[j]);
    fill_row(s, i, node.v + k, node.ratio, f, n, M);
  }
}

template <bool kCoupled, class T>
AMBLE_KERNEL void mass_matrix(const State<T>& s, Composite<T>* composites, T* out) {
  const Tree& t = s.tree;
  const Entries<kCoupled, T> M{out, t.nv};
  find_angles(t, s.q, s.sine, s.cosine);
  __builtin_memset(out, 0, sizeof(T) * t.nv * t.nv);
  for (int i = 1; i < t.count; ++i) {
    const Node& node = t.nodes[i];
    place(node, s, s.bodies[i]);
    composites[i].h = {number<T>(node.h[0]), number<T>(node.h[1]), number<T>(node.h[2])};
    for (int k = 0; k < 6; ++k) composites[i].I[k] = number<T>(node.I[k]);
  }
  for (int i = t.count - 1; i >= 1; --i) {
    const Node& node = t.nodes[i];
    fill_node(s, i, composites[i], M);
    if (node.parent > 0) add_composite(node, s.bodies[i], composites[i], composites[node.parent]);
  }
  for (int k = 0; k < t.nv; ++k) out[k * t.nv + k] += t.armature[k];
}
