// No include guard, see arithmetic.inl. M = L^T D L with L as sparse as the tree (Featherstone 2008, 8.5), by rows along
// paths, and the solution of M x = b for many right-hand sides side by side. Needs independent coordinates (not
// `coupled`), so that columns and velocities are the same.

/// The row of column c has L below the diagonal by depth, then 1 / D.
template <class T>
struct Factor {
  T* rows;
  int stride;
  AMBLE_KERNEL T* row(int c) const { return rows + c * stride; }
};

/// M by rows along paths, from its triangle column >= row.
template <class T>
AMBLE_KERNEL void put_rows(const Tree& t, const T* M, const Factor<T>& L) {
  for (int c = 0; c < t.nv; ++c) {
    const int *above = t.path_v + t.nodes[t.column_node[c]].path, depth = t.column_depth[c];
    for (int at = 0; at <= depth; ++at) L.row(c)[at] = M[above[at] * t.nv + c];
  }
}

/// Takes M by rows along paths to its factors, in place; returns the smallest pivot.
template <class T>
AMBLE_KERNEL T factor_rows(const Tree& t, const Factor<T>& L) {
  T smallest = number<T>(1e300);
  for (int c = t.nv - 1; c >= 0; --c) {
    T* row = L.row(c);
    const int *above = t.path_v + t.nodes[t.column_node[c]].path, depth = t.column_depth[c];
    smallest = row[depth] < smallest ? row[depth] : smallest;
    const T inverse = 1.0 / row[depth];
    for (int at = depth - 1; at >= 0; --at) {
      const auto less = spread<T>(-inverse * row[at]);
      T* to = L.row(above[at]);  // what is written beyond its end is never read as its own
      for (int j = 0; j <= at; j += Wide<T>::kColumns) put_wide(to + j, wide(to + j) + less * wide(row + j));
    }
    for (int j = 0; j < depth; j += Wide<T>::kColumns) put_wide(row + j, spread<T>(inverse) * wide(row + j));
    row[depth] = inverse;
  }
  return smallest;
}

/// L^-T b in place, what all columns beyond leave: kBlocks times as many right-hand sides as are wide, b row by row.
template <int kBlocks, class T>
AMBLE_KERNEL void solve_inward(const Tree& t, const Factor<T>& L, T* b, int stride) {
  using W = typename Wide<T>::Type;
  constexpr int kStep = Wide<T>::kColumns;
  for (int c = t.nv - 1; c >= 0; --c) {
    T* own = b + c * stride;
    const T* factor = L.row(c + 1) + t.column_depth[c];
    W x[kBlocks];
    for (int n = 0; n < kBlocks; ++n) x[n] = wide(own + n * kStep);
    const T* other = own + stride;
    for (int k = c + 1; k < t.column_end[c]; ++k, factor += L.stride, other += stride) {
      const W share = spread<T>(*factor);
      for (int n = 0; n < kBlocks; ++n) x[n] -= share * wide(other + n * kStep);
    }
    for (int n = 0; n < kBlocks; ++n) put_wide(own + n * kStep, x[n]);
  }
}

/// L^-1 D^-1 b in place.
template <int kBlocks, class T>
AMBLE_KERNEL void solve_outward(const Tree& t, const Factor<T>& L, T* b, int stride) {
  using W = typename Wide<T>::Type;
  constexpr int kStep = Wide<T>::kColumns;
  for (int c = 0; c < t.nv; ++c) {
    T* own = b + c * stride;
    const int *above = t.path_v + t.nodes[t.column_node[c]].path, depth = t.column_depth[c];
    const T* row = L.row(c);
    const W inverse = spread<T>(row[depth]);
    W x[kBlocks];
    for (int n = 0; n < kBlocks; ++n) x[n] = inverse * wide(own + n * kStep);
    for (int at = 0; at < depth; ++at) {
      const W share = spread<T>(row[at]);
      const T* other = b + above[at] * stride;
      for (int n = 0; n < kBlocks; ++n) x[n] -= share * wide(other + n * kStep);
    }
    for (int n = 0; n < kBlocks; ++n) put_wide(own + n * kStep, x[n]);
  }
}

/// f(blocks, first) for `count` right-hand sides: as many blocks at a time as registers hold, a constant.
template <class T, class F>
AMBLE_KERNEL void for_blocks(int count, const F& f) {
  constexpr int kStep = Wide<T>::kColumns, kMost = AMBLE_LANES == 8 ? 15 : 12;
  int left = (count + kStep - 1) / kStep, first = 0;
  const auto some = [&](auto blocks) { f(blocks, first), left -= blocks, first += blocks * kStep; };
  while (left >= kMost) some(std::integral_constant<int, kMost>());
  if (left >= 8) some(std::integral_constant<int, 8>());
  if (left >= 4) some(std::integral_constant<int, 4>());
  if (left >= 2) some(std::integral_constant<int, 2>());
  if (left >= 1) some(std::integral_constant<int, 1>());
}

/// M x = b for `count` right-hand sides, b row by row with room for whole lanes in each, in place.
template <class T>
AMBLE_KERNEL void solve_rows(const Tree& t, const Factor<T>& L, T* b, int count, int stride) {
  for_blocks<T>(count, [&](auto blocks, int first) {
    solve_inward<blocks>(t, L, b + first, stride);
    solve_outward<blocks>(t, L, b + first, stride);
  });
}

template <class T>
AMBLE_KERNEL void take_columns(const Tree& t, const T* b, int rows, int stride, int from, T* out) {
  constexpr int kStep = Wide<T>::kColumns;
  const int last = t.nv - kStep;  // where whole lanes still fit, over others if need be
  for (int i = 0; i < rows; ++i) {
    const T* row = b + i * stride + from;
    T* to = out + i * t.nv;
    for (int j = 0; j < last; j += kStep) put_wide(to + j, wide(row + j));
    if (last >= 0)
      put_wide(to + last, wide(row + last));
    else
      for (int j = 0; j < t.nv; ++j) to[j] = row[j];
  }
}
