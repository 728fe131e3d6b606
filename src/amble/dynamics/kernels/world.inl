// No include guard, see arithmetic.inl. Nodes in world axes about one fixed point per tree: the place of its root's
// origin at this instant. There, twists and wrenches of different nodes add without being carried over, and the
// products that fill a matrix run over contiguous columns.

/// A node in world axes; places are from the root's origin.
template <class T>
struct Placed {
  T R[9];
  V3<T> d;  // from the parent's origin
  V3<T> p;
};

/// Columns of six numbers (linear, angular), kept number by number so that neighbouring columns are contiguous.
template <class T>
struct Columns {
  T* data;
  int stride;

  AMBLE_KERNEL T* row(int k) const { return data + k * stride; }
  AMBLE_KERNEL V3<T> linear(int c) const { return {row(0)[c], row(1)[c], row(2)[c]}; }
  AMBLE_KERNEL V3<T> angular(int c) const { return {row(3)[c], row(4)[c], row(5)[c]}; }
  AMBLE_KERNEL void put(int c, const V3<T>& l, const V3<T>& w) const {
    row(0)[c] = l.x, row(1)[c] = l.y, row(2)[c] = l.z, row(3)[c] = w.x, row(4)[c] = w.y, row(5)[c] = w.z;
  }
};

/// A wrench or twist about the tree's point.
template <class T>
struct V6 {
  V3<T> l, w;
};

template <class T>
AMBLE_KERNEL V6<T> operator+(const V6<T>& a, const V6<T>& b) {
  return {a.l + b.l, a.w + b.w};
}
template <class T>
AMBLE_KERNEL V6<T> zero6() {
  return {zero3<T>(), zero3<T>()};
}
template <class S, class T>
AMBLE_KERNEL V6<T> scaled(const S& s, const V6<T>& a) {
  return {scaled(s, a.l), scaled(s, a.w)};
}
template <class T>
AMBLE_KERNEL void add(V6<T>& a, const V6<T>& b) {
  add(a.l, b.l), add(a.w, b.w);
}
/// V x S for twists.
template <class T>
AMBLE_KERNEL V6<T> cross_motion(const V6<T>& V, const V6<T>& S) {
  return {cross(V.w, S.l) + cross(V.l, S.w), cross(V.w, S.w)};
}
/// V x* F for a wrench.
template <class T>
AMBLE_KERNEL V6<T> cross_force(const V6<T>& V, const V6<T>& F) {
  return {cross(V.w, F.l), cross(V.w, F.w) + cross(V.l, F.l)};
}

/// R_WP R_PN in world axes, from the pose on the parent in `b`.
template <class T>
AMBLE_KERNEL void place_in_world(const Node& node, const Body<T>& b, const Placed<T>& parent, Placed<T>& x) {
  const T *A = parent.R, *B = b.R;
  if (node.parent == 0) {
    for (int k = 0; k < 9; ++k) x.R[k] = B[k];
    x.d = x.p = zero3<T>();
    return;
  }
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c) x.R[3 * r + c] = A[3 * r] * B[c] + A[3 * r + 1] * B[3 + c] + A[3 * r + 2] * B[6 + c];
  x.d = rotate(A, origin_on_parent(node, b));
  x.p = parent.p + x.d;
}

template <class T>
AMBLE_KERNEL V3<T> axis(const Placed<T>& x, int k) {
  return {x.R[k], x.R[3 + k], x.R[6 + k]};
}

/// The node's motion subspace as columns about the tree's point.
template <class T>
AMBLE_KERNEL void put_subspace(const Node& node, const State<T>& s, const Placed<T>& x, const Columns<T>& S) {
  const int c = node.column;
  switch (node.move) {
    case Move::turn: {
      const V3<T> w = scaled(node.ratio, axis(x, 2));
      S.put(c, cross(x.p, w), w);
      return;
    }
    case Move::slide: S.put(c, scaled(node.ratio, axis(x, 2)), zero3<T>()); return;
    case Move::helix: {
      const V3<T> w = scaled(node.ratio, axis(x, 2));
      S.put(c, cross(x.p, w) + scaled(node.pitch, w), w);
      return;
    }
    case Move::ball:
      for (int k = 0; k < 3; ++k) S.put(c + k, cross(x.p, axis(x, k)), axis(x, k));
      return;
    case Move::free:
      for (int k = 0; k < 3; ++k) {
        S.put(c + k, axis(x, k), zero3<T>());
        S.put(c + 3 + k, cross(x.p, axis(x, k)), axis(x, k));
      }
      return;
    case Move::custom: {
      const T* block = s.custom + node.custom * kCustomBlock;
      for (int k = 0; k < node.freedoms; ++k) {
        const V3<T> w = rotate(x.R, custom_angular(block, k));
        S.put(c + k, rotate(x.R, custom_linear(block, k)) + cross(x.p, w), w);
      }
    }
  }
}

/// Poses and subspaces of all nodes.
template <class T>
AMBLE_KERNEL void place_all(const State<T>& s, Placed<T>* placed, const Columns<T>& S) {
  const Tree& t = s.tree;
  find_angles(t, s.q, s.sine, s.cosine);
  for (int i = 1; i < t.count; ++i) {
    const Node& node = t.nodes[i];
    place(node, s, s.bodies[i]);
    place_in_world(node, s.bodies[i], placed[node.parent], placed[i]);
    put_subspace(node, s, placed[i], S);
  }
}

/// Several columns at once: neighbours of one state, or one column of several states.
template <class T>
struct Wide {
  using Type = T;
  static constexpr int kColumns = 1;
};
template <>
struct Wide<double> {
  using Type = Lanes;
  static constexpr int kColumns = AMBLE_LANES;
};

template <class T>
AMBLE_KERNEL typename Wide<T>::Type spread(const T& x) {
  return typename Wide<T>::Type{} + x;
}
template <class T>
AMBLE_KERNEL typename Wide<T>::Type wide(const T* at) {
  typename Wide<T>::Type x;
  __builtin_memcpy(&x, at, sizeof x);
  return x;
}
template <class T>
AMBLE_KERNEL void put_wide(T* at, const typename Wide<T>::Type& x) {
  __builtin_memcpy(at, &x, sizeof x);
}

/// One factor of products with many columns, ready for wide arithmetic.
template <class T>
struct Spread6 {
  typename Wide<T>::Type k[6];
  AMBLE_KERNEL explicit Spread6(const V6<T>& x)
      : k{spread(x.l.x), spread(x.l.y), spread(x.l.z), spread(x.w.x), spread(x.w.y), spread(x.w.z)} {}
  AMBLE_KERNEL auto dot(const Columns<T>& S, int c) const {
    return (k[0] * wide(S.row(0) + c) + k[1] * wide(S.row(1) + c) + k[2] * wide(S.row(2) + c)) +
           (k[3] * wide(S.row(3) + c) + k[4] * wide(S.row(4) + c) + k[5] * wide(S.row(5) + c));
  }
};
template <class T>
struct Spread3 {
  typename Wide<T>::Type k[3];
  AMBLE_KERNEL explicit Spread3(const V3<T>& x) : k{spread(x.x), spread(x.y), spread(x.z)} {}
  AMBLE_KERNEL auto dot_angular(const Columns<T>& S, int c) const {
    return k[0] * wide(S.row(3) + c) + k[1] * wide(S.row(4) + c) + k[2] * wide(S.row(5) + c);
  }
};

/// x into the first `count` of the columns at `at`; what follows in memory, up to `end`, keeps its values.
template <class T>
AMBLE_KERNEL void put_wide(T* at, const typename Wide<T>::Type& x, int count, const T* end) {
  if constexpr (Wide<T>::kColumns == 1) {
    *at = x;
  } else if (count >= Wide<T>::kColumns) {
    put_wide(at, x);
  } else if (end - at >= Wide<T>::kColumns) {
    put_wide(at, number_of_lane() < spread<double>(count) ? x : wide(at));
  } else {
    for (int k = 0; k < count; ++k) at[k] = x[k];
  }
}

/// f(first, end) for each contiguous run of columns that move a node, its own first.
template <class F>
AMBLE_KERNEL void for_runs(const Tree& t, const Node& node, const F& f) {
  const Run* runs = t.runs + node.runs;
  for (int r = 0; r < node.run_count; ++r) f(runs[r].first, runs[r].end);
}

AMBLE_KERNEL int least(int a, int b) { return a < b ? a : b; }

/// Zeros in all of an nv x nv matrix.
template <class T>
AMBLE_KERNEL void clear(T* M, const Tree& t) {
  for (int k = 0; k < t.nv * t.nv; ++k) M[k] = T{};
}

/// `product(j)` for columns j and its next neighbours, over a run, into row `c` of a matrix. Columns that share a
/// velocity (kCoupled) make entries sums, by way of `buffer`.
template <bool kCoupled, class T, class F>
AMBLE_KERNEL void put_row(const Tree& t, int c, int first, int end, const F& product, T* buffer, T* M) {
  if constexpr (kCoupled) {
    T* to = M + t.column_v[c] * t.nv;
    for (int j = first; j < end; j += Wide<T>::kColumns) put_wide(buffer + j, product(j));
    for (int j = first; j < end; ++j) to[t.column_v[j]] += buffer[j];
  } else {
    T* to = M + c * t.nv;
    for (int j = first; j < end; j += Wide<T>::kColumns) put_wide(to + j, product(j), end - j, M + t.nv * t.nv);
  }
}

/// The same into column `c`.
template <bool kCoupled, class T, class F>
AMBLE_KERNEL void put_column(const Tree& t, int c, int first, int end, const F& product, T* buffer, T* M) {
  for (int j = first; j < end; j += Wide<T>::kColumns) put_wide(buffer + j, product(j));
  if constexpr (kCoupled) {
    for (int j = first; j < end; ++j) M[t.column_v[j] * t.nv + t.column_v[c]] += buffer[j];
  } else {
    T* down = M + first * t.nv + c;
    for (int j = first; j < end; ++j, down += t.nv) *down = buffer[j];
  }
}
