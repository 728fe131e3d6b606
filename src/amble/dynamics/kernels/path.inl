// No include guard, see arithmetic.inl. Matrices with the sparsity of the tree, by rows along paths: the row of column c
// has one number for each column that moves it, by depth from the root, and itself last. What a row shares with the row
// of a column above it comes first in both, so products and eliminations run over contiguous numbers.

/// Twists or wrenches kept number by number, so that neighbouring ones can be taken side by side. On a path they stand by
/// depth: nodes are visited parents first, each putting its own after those of its parent.
template <class T>
struct Columns {
  T* data;
  int stride;
  AMBLE_KERNEL T* row(int k) const { return data + k * stride; }
  AMBLE_KERNEL void put(int at, const V3<T>& a, int first) const {
    row(first)[at] = a.x, row(first + 1)[at] = a.y, row(first + 2)[at] = a.z;
  }
  AMBLE_KERNEL void put(int at, const V6<T>& x) const { put(at, x.l, 0), put(at, x.w, 3); }
};

/// One factor of products with columns, ready for wide arithmetic.
template <class T>
struct Spread3 {
  typename Wide<T>::Type k[3];
  AMBLE_KERNEL explicit Spread3(const V3<T>& x) : k{spread(x.x), spread(x.y), spread(x.z)} {}
  /// With rows first, first + 1, first + 2 of columns `at` and the next ones.
  AMBLE_KERNEL auto dot(const Columns<T>& x, int first, int at) const {
    return k[0] * wide(x.row(first) + at) + k[1] * wide(x.row(first + 1) + at) + k[2] * wide(x.row(first + 2) + at);
  }
};
template <class T>
struct Spread6 {
  Spread3<T> l, w;
  AMBLE_KERNEL explicit Spread6(const V6<T>& x) : l(x.l), w(x.w) {}
  AMBLE_KERNEL auto dot(const Columns<T>& x, int at) const { return l.dot(x, 0, at) + w.dot(x, 3, at); }
};

/// Zeros in all of an nv x nv matrix.
template <class T>
AMBLE_KERNEL void clear(T* M, const Tree& t) {
  for (int k = 0; k < t.nv * t.nv; ++k) M[k] = T{};
}

/// Entries (own, j) from `across` and (j, own) from `down`, for the columns j above the own ones of a node, and
/// (own, j) for those. Columns that share a velocity (kCoupled) make entries sums.
template <bool kCoupled, class T>
AMBLE_KERNEL void put_entries(const Tree& t, const Node& node, int own, const T* across, const T* down, T* M) {
  const int* v = t.path_v + node.path;
  T *row = M + own * t.nv, *column = M + own;
#pragma GCC unroll 4
  for (int at = 0; at < node.depth; ++at) {
    if constexpr (kCoupled)
      row[v[at]] += across[at], column[v[at] * t.nv] += down[at];
    else
      row[v[at]] = across[at], column[v[at] * t.nv] = down[at];
  }
  for (int at = node.depth; at < node.depth + node.freedoms; ++at) {
    if constexpr (kCoupled)
      row[v[at]] += across[at];
    else
      row[v[at]] = across[at];
  }
}
