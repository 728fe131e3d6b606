// No include guard, see arithmetic.inl. M = L^T D L with L as sparse as the tree (Featherstone 2008, 8.5), and the
// solution of M x = b for many right-hand sides side by side. Needs independent coordinates (not `coupled`).

/// Rows of L below the diagonal, 1 / D on it.
template <class T>
struct Factor {
  T* rows;
  int stride;
  AMBLE_KERNEL T* row(int i) const { return rows + i * stride; }
};

/// f(i) for each column that moves column c, c itself not, from the highest.
template <class F>
AMBLE_KERNEL void for_columns_above(const Tree& t, int c, const F& f) {
  const Node& node = t.nodes[t.column_node[c]];
  for_runs(t, node, [&](int first, int end) {
    for (int i = least(end, c) - 1; i >= first; --i) f(i);
  });
}

/// Reads the triangle column >= row of M; returns the smallest pivot.
template <class T>
AMBLE_KERNEL T factor_mass_matrix(const Tree& t, const T* M, const Factor<T>& L) {
  for (int i = 0; i < t.nv; ++i)
    for (int j = 0; j <= i; ++j) L.row(i)[j] = M[j * t.nv + i];
  T smallest = number<T>(1e300);
  for (int k = t.nv - 1; k >= 0; --k) {
    T* row = L.row(k);
    smallest = row[k] < smallest ? row[k] : smallest;
    const T inverse = 1.0 / row[k];
    for_columns_above(t, k, [&](int i) {
      const auto share = spread<T>(-inverse * row[i]);
      for_runs(t, t.nodes[t.column_node[i]], [&](int first, int end) {
        const int stop = least(end, i + 1);
        for (int j = first; j < stop; j += Wide<T>::kColumns)
          put_wide(L.row(i) + j, wide(L.row(i) + j) + share * wide(row + j), stop - j, L.row(t.nv));
      });
    });
    for_columns_above(t, k, [&](int i) { row[i] = row[i] * inverse; });
    row[k] = inverse;
  }
  return smallest;
}

/// M x = b for `count` right-hand sides, b row by row with `stride`, in place; room for whole lanes.
template <int kBlocks, class T>
AMBLE_KERNEL void solve_some(const Tree& t, const Factor<T>& L, T* b, int stride) {
  using W = typename Wide<T>::Type;
  constexpr int kStep = Wide<T>::kColumns;
  for (int k = t.nv - 1; k >= 0; --k) {
    T* own = b + k * stride;
    W x[kBlocks];
    for (int n = 0; n < kBlocks; ++n) x[n] = wide(own + n * kStep);
    for_columns_above(t, k, [&](int i) {
      const W share = spread<T>(-L.row(k)[i]);
      for (int n = 0; n < kBlocks; ++n) {
        T* at = b + i * stride + n * kStep;
        put_wide(at, wide(at) + share * x[n]);
      }
    });
    const W inverse = spread(L.row(k)[k]);
    for (int n = 0; n < kBlocks; ++n) put_wide(own + n * kStep, x[n] * inverse);
  }
  for (int k = 0; k < t.nv; ++k) {
    T* own = b + k * stride;
    W x[kBlocks];
    for (int n = 0; n < kBlocks; ++n) x[n] = wide(own + n * kStep);
    for_columns_above(t, k, [&](int i) {
      const W share = spread<T>(-L.row(k)[i]);
      for (int n = 0; n < kBlocks; ++n) x[n] += share * wide(b + i * stride + n * kStep);
    });
    for (int n = 0; n < kBlocks; ++n) put_wide(own + n * kStep, x[n]);
  }
}
constexpr int kSolveBlocks = 3;

template <class T>
AMBLE_KERNEL void solve_mass_matrix(const Tree& t, const Factor<T>& L, T* b, int count, int stride) {
  constexpr int kStep = kSolveBlocks * Wide<T>::kColumns;
  for (int at = 0; at < count; at += kStep) solve_some<kSolveBlocks>(t, L, b + at, stride);
}

/// Right-hand sides side by side: -dq, -dv and the unit matrix.
template <class T>
AMBLE_KERNEL void put_right_sides(const Tree& t, const Derivatives<T>& d, T* b, int stride) {
  for (int i = 0; i < t.nv; ++i) {
    T* to = b + i * stride;
    for (int j = 0; j < t.nv; ++j) to[j] = -d.dq[i * t.nv + j], to[t.nv + j] = -d.dv[i * t.nv + j], to[2 * t.nv + j] = T{};
    to[2 * t.nv + i] = number<T>(1.0);
  }
}

template <class T>
AMBLE_KERNEL void take_columns(const Tree& t, const T* b, int stride, int from, T* out) {
  for (int i = 0; i < t.nv; ++i)
    for (int j = 0; j < t.nv; ++j) out[i * t.nv + j] = b[i * stride + from + j];
}
