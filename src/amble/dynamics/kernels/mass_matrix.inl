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

template <class T>
AMBLE_KERNEL Composite<T> own_body(const Node& node) {
  Composite<T> c;
  c.h = {number<T>(node.h[0]), number<T>(node.h[1]), number<T>(node.h[2])};
  for (int k = 0; k < 6; ++k) c.I[k] = number<T>(node.I[k]);
  return c;
}

/// Adds what a node carries to its parent, in the parent's frame; the first to get there finds the parent's own body.
template <class T>
AMBLE_KERNEL void add_composite(const Tree& t, const Node& node, const Body<T>& b, const Composite<T>& c,
                                Composite<T>& parent) {
  Composite<T> turned, sum = node.last_child ? own_body<T>(t.nodes[node.parent]) : parent;
  turn_symmetric(b.R, c.I, turned.I);
  turned.h = rotate(b.R, c.h);
  add_moved(turned, node.composite_mass, origin_on_parent(node, b), sum);
  parent = sum;
}

/// What the sweep keeps of it; composite_quads.inl has another way for one state.
template <class T>
struct KeptComposite {
  using Type = Composite<T>;
};
template <class T>
AMBLE_KERNEL const Composite<T>& by_numbers(const Composite<T>& x) {
  return x;
}
template <class T>
AMBLE_KERNEL void start_composite(const Node& node, Composite<T>& x) {
  x = own_body<T>(node);
}

/// The wrench that accelerates the composite along the twist (linear, angular).
template <class T>
AMBLE_KERNEL void composite_times(const Node& node, const Composite<T>& c, const V3<T>& linear, const V3<T>& angular,
                                  V3<T>& f, V3<T>& n) {
  f = scaled(node.composite_mass, linear) - cross(c.h, angular);
  n = symmetric_times(c.I, angular) + cross(c.h, linear);
}

/// The wrench for the only freedom of a node, in its own frame.
template <class T>
AMBLE_KERNEL V6<T> lone_wrench(const Node& node, const State<T>& s, const Composite<T>& c) {
  if (node.move == Move::turn) return {{-c.h.y, c.h.x, T{}}, {c.I[2], c.I[4], c.I[5]}};  // a column of the inertia
  V3<T> linear, angular;
  V6<T> F;
  subspace_column(node, s, 0, linear, angular);
  composite_times(node, c, linear, angular, F.l, F.w);
  return F;
}

/// Wrenches for all freedoms of a node.
template <class T>
AMBLE_KERNEL void put_wrenches(const Node& node, const State<T>& s, const Composite<T>& c, const Columns<T>& F) {
  for (int k = 0; k < node.freedoms; ++k) {
    V3<T> linear, angular, f, n;
    subspace_column(node, s, k, linear, angular);
    composite_times(node, c, linear, angular, f, n);
    F.put(node.column + k, scaled(node.ratio, V6<T>{f, n}));
  }
}

/// Row `row` of M from column `first` on and its mirror image, from `product(j)`, the entries for columns j and its next
/// neighbours.
template <class T, class G>
AMBLE_KERNEL void put_symmetric(const Tree& t, const Node& node, int row, int first, const G& product, T* M) {
  T* to = M + row * t.nv;
  int j = first;
  for (; j + Wide<T>::kColumns <= node.end; j += Wide<T>::kColumns) put_wide(to + j, product(j));
  if (j < node.end) put_wide(to + j, product(j), node.end - j);
  T* down = M + node.end_own() * t.nv + row;
#pragma GCC unroll 4
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
  typename KeptComposite<T>::Type* composites;
  Columns<T> F;
  T* row;
};

template <class T>
AMBLE_KERNEL void fill_lone(const State<T>& s, const Node& node, const V6<T>& own, const Columns<T>& F, T* M) {
  const Tree& t = s.tree;
  const int c = node.column;
  if (node.move == Move::turn) {
    M[c * t.nv + c] = own.w.z;
    put_symmetric(t, node, c, c + 1, [&](int j) { return wide(F.row(5) + j); }, M);
    return;
  }
  V6<T> S;
  subspace_column(node, s, 0, S.l, S.w);
  M[c * t.nv + c] = dot(S, own);
  const Spread6<T> spread_S(S);
  put_symmetric(t, node, c, c + 1, [&](int j) { return spread_S.dot(F, j); }, M);
}

/// The rows of M of all freedoms of a node.
template <bool kCoupled, class T>
AMBLE_KERNEL void fill_many(const State<T>& s, const Node& node, const MassScratch<T>& x, T* M) {
  for (int k = 0; k < node.freedoms; ++k) {
    V6<T> S;
    subspace_column(node, s, k, S.l, S.w);
    const Spread6<T> spread_S(scaled(node.ratio, S));
    const auto product = [&](int j) { return spread_S.dot(x.F, j); };
    if constexpr (kCoupled)
      add_symmetric(s.tree, node, node.column + k, product, x.row, M);
    else if (node.move == Move::free)  // S is the identity
      put_symmetric(s.tree, node, node.column + k, node.column, [&](int j) { return wide(x.F.row(k) + j); }, M);
    else
      put_symmetric(s.tree, node, node.column + k, node.column, product, M);
  }
}

/// Wrenches of neighbouring columns.
template <class T>
struct WideWrench {
  using W = typename Wide<T>::Type;
  V3<W> f, n;

  AMBLE_KERNEL WideWrench(const Columns<T>& F, int j)
      : f{wide(F.row(0) + j), wide(F.row(1) + j), wide(F.row(2) + j)},
        n{wide(F.row(3) + j), wide(F.row(4) + j), wide(F.row(5) + j)} {}
  AMBLE_KERNEL WideWrench(const V3<W>& force, const V3<W>& moment) : f(force), n(moment) {}

  AMBLE_KERNEL void put(const Columns<T>& F, int j) const {
    put_wide(F.row(0) + j, f.x), put_wide(F.row(1) + j, f.y), put_wide(F.row(2) + j, f.z);
    put_wide(F.row(3) + j, n.x), put_wide(F.row(4) + j, n.y), put_wide(F.row(5) + j, n.z);
  }
  /// This where `mask` is set, else the other.
  template <class Mask>
  AMBLE_KERNEL WideWrench where(const Mask& mask, const WideWrench& other) const {
    const auto pick = [&](const V3<W>& a, const V3<W>& b) {
      return V3<W>{mask ? a.x : b.x, mask ? a.y : b.y, mask ? a.z : b.z};
    };
    return {pick(f, other.f), pick(n, other.n)};
  }
};

/// A wrench in place of column `at` of several.
template <class T>
AMBLE_KERNEL WideWrench<T> with_own(const WideWrench<T>& x, const V6<T>& own, int at) {
  const WideWrench<T> spread_own({spread(own.l.x), spread(own.l.y), spread(own.l.z)},
                                 {spread(own.w.x), spread(own.w.y), spread(own.w.z)});
  if constexpr (Wide<T>::kColumns == 1)
    return spread_own;
  else
    return spread_own.where(number_of_lane() == spread<double>(at), x);
}

/// All wrenches of a node, carried to its parent's frame. The wrench of an only freedom comes in `own`, or null: it
/// joins the others in registers, for a load that gathers what several stores have left waits for all of them. For the
/// same reason columns are always taken in the same blocks.
template <class T>
AMBLE_KERNEL void hand_down_columns(const Node& node, const Body<T>& b, const V6<T>* own, const Columns<T>& F) {
  using W = typename Wide<T>::Type;
  constexpr int kStep = Wide<T>::kColumns;
  W R[9];
  for (int k = 0; k < 9; ++k) R[k] = spread(b.R[k]);
  const V3<T> p = origin_on_parent(node, b);
  const V3<W> arm{spread(p.x), spread(p.y), spread(p.z)};
  for (int j = node.column / kStep * kStep; j < node.end; j += kStep) {
    WideWrench<T> x(F, j);
    if (own != nullptr && j <= node.column) x = with_own(x, *own, node.column - j);
    const V3<W> f = rotate(R, x.f);
    WideWrench<T> down(f, rotate(R, x.n) + cross(arm, f));
    if constexpr (kStep > 1)  // what lies beyond node.end belongs to others
      if (j + kStep > node.end) down = down.where(number_of_lane() < spread<double>(node.end - j), x);
    down.put(F, j);
  }
}

/// Entries between nodes that do not carry each other are not written (unless entries are sums): the caller clears M
/// once and for all.
template <bool kCoupled, class T>
AMBLE_KERNEL void mass_matrix(const State<T>& s, const MassScratch<T>& x, T* M) {
  const Tree& t = s.tree;
  if constexpr (kCoupled) clear(M, t);
  find_angles(t, s.q, s.sine, s.cosine);
  for (int i = t.count - 1; i >= 1; --i) {
    const Node& node = t.nodes[i];
    if (node.leaf) start_composite(node, x.composites[i]);
    const bool lone = !kCoupled && node.freedoms == 1;
    V6<T> own;
    if (lone) {
      own = lone_wrench(node, s, by_numbers(x.composites[i]));
      fill_lone(s, node, own, x.F, M);
    } else {
      put_wrenches(node, s, by_numbers(x.composites[i]), x.F);
      fill_many<kCoupled>(s, node, x, M);
    }
    if (node.parent == 0) continue;
    Body<T> b;
    place(node, s, b);
    hand_down_columns(node, b, lone ? &own : nullptr, x.F);
    add_composite(t, node, b, x.composites[i], x.composites[node.parent]);
  }
  for (int k = 0; k < t.nv; ++k) M[k * t.nv + k] += t.armature[k];
}
