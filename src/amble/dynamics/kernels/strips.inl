// No include guard, see arithmetic.inl. solve_inward() for right-hand sides that are three nv x nv matrices as sparse as
// the tree: entry (i, j) is zero unless one of the two freedoms carries the other, and stays so.

/// Blocks of columns in a strip: narrow ones reach fewer rows, but each factor of L is loaded for every strip.
template <class T>
constexpr int kStripBlocks = Wide<T>::kColumns > 1 ? 1 : 4;

/// The same kWide blocks of columns of three matrices, `pitch` numbers apart.
template <int kWide, class T>
struct Strips {
  using W = typename Wide<T>::Type;
  static constexpr int kStep = Wide<T>::kColumns;
  W x[3 * kWide];

  AMBLE_KERNEL Strips(const T* row, int pitch) {
    for (int n = 0; n < 3 * kWide; ++n) x[n] = wide(place(row, pitch, n));
  }
  AMBLE_KERNEL void subtract(const T& factor, const T* row, int pitch) {
    const W share = spread<T>(factor);
    for (int n = 0; n < 3 * kWide; ++n) x[n] -= share * wide(place(row, pitch, n));
  }
  AMBLE_KERNEL void put(T* row, int pitch) const {
    for (int n = 0; n < 3 * kWide; ++n) put_wide(place(row, pitch, n), x[n]);
  }

 private:
  template <class U>
  AMBLE_KERNEL static U* place(U* row, int pitch, int n) {
    return row + n / kWide * pitch + n % kWide * kStep;
  }
};

/// The columns from `first` on. They have entries in the rows of its path, and in those of what they carry.
template <int kWide, class T>
AMBLE_KERNEL void strip_inward(const Tree& t, const Factor<T>& L, T* b, int stride, int pitch, int first) {
  const int width = kWide * Wide<T>::kColumns, last = first + width < t.nv ? first + width : t.nv;
  int end = last;  // of all rows that columns from `first` to `last` carry
  for (int j = first; j < last; ++j) end = t.column_end[j] > end ? t.column_end[j] : end;
  const auto row = [&](int c) { return b + c * stride + first; };
  const auto subtract = [&](Strips<kWide, T>& x, int c, int k) {
    x.subtract(L.row(k)[t.column_depth[c]], row(k), pitch);
  };
  for (int c = end - 1; c >= first; --c) {
    Strips<kWide, T> x(row(c), pitch);
    for (int k = t.column_end[c] - 1; k > c; --k) subtract(x, c, k);
    x.put(row(c), pitch);
  }
  const int *path = t.path_v + t.nodes[t.column_node[first]].path, depth = t.column_depth[first];
  for (int at = depth - 1; at >= 0; --at) {  // the only other rows with entries here
    const int c = path[at];
    Strips<kWide, T> x(row(c), pitch);
    for (int k = (t.column_end[c] < end ? t.column_end[c] : end) - 1; k >= first; --k) subtract(x, c, k);
    for (int below = depth - 1; below > at; --below) subtract(x, c, path[below]);
    x.put(row(c), pitch);
  }
}
template <class T>
AMBLE_KERNEL void solve_strips_inward(const Tree& t, const Factor<T>& L, T* b, int stride, int pitch) {
  for (int first = 0; first < t.nv; first += kStripBlocks<T> * Wide<T>::kColumns)
    strip_inward<kStripBlocks<T>>(t, L, b, stride, pitch, first);
}
