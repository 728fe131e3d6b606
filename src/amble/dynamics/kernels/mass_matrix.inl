// No include guard, see arithmetic.inl. Composite rigid bodies (Featherstone 2008, 6.2). The wrenches that accelerate a
// composite along each freedom it carries go down the tree together, as neighbouring columns: one row of M a node.

/// First moment and inertia of a node with all that it carries; its mass is a constant of the tree.
template <class T>
struct Composite {
  V3<T> h;
  T I[6];
};

/// An inertia seen from a point p before its own, added to another: I + (p.h + p.h')1 - (h p^T + p h'^T) with
/// h' = h + m p, the parallel-axis theorem.
template <class T>
AMBLE_KERNEL void add_moved(const Composite<T>& c, double mass, const V3<T>& p, Composite<T>& to) {
  const V3<T> h = c.h, moved = h + scaled(mass, p), both = h + moved;
  const T trace = dot(both, p);
  to.I[0] += c.I[0] + trace - both.x * p.x;
  to.I[3] += c.I[3] + trace - both.y * p.y;
  to.I[5] += c.I[5] + trace - both.z * p.z;
  to.I[1] += c.I[1] - h.x * p.y - p.x * moved.y;
  to.I[2] += c.I[2] - h.x * p.z - p.x * moved.z;
  to.I[4] += c.I[4] - h.y * p.z - p.y * moved.z;
  add(to.h, moved);
}

/// Adds what a node carries to its parent, in the parent's frame.
template <class T>
AMBLE_KERNEL void add_composite(const Node& node, const Body<T>& b, const Composite<T>& c, Composite<T>& parent) {
  Composite<T> turned;
  turn_symmetric(b.R, c.I, turned.I);
  turned.h = rotate(b.R, c.h);
  add_moved(turned, node.composite_mass, origin_on_parent(node, b), parent);
}

/// The wrench that accelerates the composite along the twist (linear, angular).
template <class T>
AMBLE_KERNEL void composite_times(const Node& node, const Composite<T>& c, const V3<T>& linear, const V3<T>& angular,
                                  V3<T>& f, V3<T>& n) {
  f = scaled(node.composite_mass, linear) - cross(c.h, angular);
  n = symmetric_times(c.I, angular) + cross(c.h, linear);
}

/// Wrenches for a node's own freedoms, in its own frame.
template <bool kCoupled, class T>
AMBLE_KERNEL void put_wrenches(const Node& node, const State<T>& s, const Composite<T>& c, const Columns<T>& F) {
  if (!kCoupled && node.move == Move::turn) {  // inertia times z is a column: no arithmetic
    F.put(node.column, V6<T>{{-c.h.y, c.h.x, T{}}, {c.I[2], c.I[4], c.I[5]}});
    return;
  }
  for (int k = 0; k < node.freedoms; ++k) {
    V3<T> linear, angular, f, n;
    subspace_column(node, s, k, linear, angular);
    composite_times(node, c, linear, angular, f, n);
    F.put(node.column + k, scaled(node.ratio, V6<T>{f, n}));
  }
}

/// Row `row` of M and its mirror image, from `product(j)`, the entries for columns j and its next neighbours.
template <class T, class G>
AMBLE_KERNEL void put_symmetric(const Tree& t, const Node& node, int row, const G& product, T* M) {
  T* to = M + row * t.nv;
  for (int j = node.column; j < node.end; j += Wide<T>::kColumns)
    put_wide(to + j, product(j), node.end - j);
  T* down = M + node.end_own() * t.nv + row;
  for (const T* from = to + node.end_own(); from < to + node.end; ++from, down += t.nv) *down = *from;
}

/// The same where columns share velocities and entries are sums.
template <class T, class G>
AMBLE_KERNEL void add_symmetric(const Tree& t, const Node& node, int row, const G& product, T* buffer, T* M) {
  for (int j = node.column; j < node.end; j += Wide<T>::kColumns) put_wide(buffer + j, product(j));
  const int own = t.column_v[row];
  for (int j = node.column; j < node.end; ++j) M[own * t.nv + t.column_v[j]] += buffer[j];
  for (int j = node.end_own(); j < node.end; ++j) M[t.column_v[j] * t.nv + own] += buffer[j];
}

template <class T>
struct MassScratch {
  Composite<T>* composites;
  Columns<T> F;
  T* row;
};

template <bool kCoupled, class T>
AMBLE_KERNEL void fill_node(const State<T>& s, const Node& node, const MassScratch<T>& x, T* M) {
  const auto put = [&](int row, const auto& product) {
    if constexpr (kCoupled)
      add_symmetric(s.tree, node, row, product, x.row, M);
    else
      put_symmetric(s.tree, node, row, product, M);
  };
  if (!kCoupled && node.move == Move::turn) {
    put(node.column, [&](int j) { return wide(x.F.row(5) + j); });
    return;
  }
  for (int k = 0; k < node.freedoms; ++k) {
    V6<T> S;
    subspace_column(node, s, k, S.l, S.w);
    const Spread6<T> spread_S(scaled(node.ratio, S));
    put(node.column + k, [&](int j) { return spread_S.dot(x.F, j); });
  }
}

/// All wrenches of a node, carried to its parent's frame.
template <class T>
AMBLE_KERNEL void hand_down_columns(const Node& node, const Body<T>& b, const Columns<T>& F) {
  using W = typename Wide<T>::Type;
  W R[9];
  for (int k = 0; k < 9; ++k) R[k] = spread(b.R[k]);
  const V3<T> p = origin_on_parent(node, b);
  const V3<W> arm{spread(p.x), spread(p.y), spread(p.z)};
  for (int j = node.column; j < node.end; j += Wide<T>::kColumns) {
    const V3<W> f = rotate(R, V3<W>{wide(F.row(0) + j), wide(F.row(1) + j), wide(F.row(2) + j)});
    const V3<W> n = rotate(R, V3<W>{wide(F.row(3) + j), wide(F.row(4) + j), wide(F.row(5) + j)}) + cross(arm, f);
    const W parts[6] = {f.x, f.y, f.z, n.x, n.y, n.z};  // what lies beyond node.end belongs to others
    for (int k = 0; k < 6; ++k) put_wide(F.row(k) + j, parts[k], node.end - j);
  }
}

/// Entries between nodes that do not carry each other are not written (unless entries are sums): the caller clears M
/// once and for all.
template <bool kCoupled, class T>
AMBLE_KERNEL void mass_matrix(const State<T>& s, const MassScratch<T>& x, T* M) {
  const Tree& t = s.tree;
  if constexpr (kCoupled) clear(M, t);
  find_angles(t, s.q, s.sine, s.cosine);
  for (int i = 1; i < t.count; ++i) {
    const Node& node = t.nodes[i];
    place(node, s, s.bodies[i]);
    x.composites[i].h = {number<T>(node.h[0]), number<T>(node.h[1]), number<T>(node.h[2])};
    for (int k = 0; k < 6; ++k) x.composites[i].I[k] = number<T>(node.I[k]);
  }
  for (int i = t.count - 1; i >= 1; --i) {
    const Node& node = t.nodes[i];
    put_wrenches<kCoupled>(node, s, x.composites[i], x.F);
    fill_node<kCoupled>(s, node, x, M);
    if (node.parent == 0) continue;
    hand_down_columns(node, s.bodies[i], x.F);
    add_composite(node, s.bodies[i], x.composites[i], x.composites[node.parent]);
  }
  for (int k = 0; k < t.nv; ++k) M[k * t.nv + k] += t.armature[k];
}
