// No include guard, see arithmetic.inl. Three-vectors and 3 x 3 matrices of one state in registers of four numbers: what
// the fourth holds does not matter, and nothing reads it. Only for instruction sets that have such registers.

using Quad = double __attribute__((vector_size(4 * sizeof(double))));

template <>
constexpr bool kInQuads<double> = true;

AMBLE_KERNEL Quad load_quad(const double* at) {
  Quad x;
  __builtin_memcpy(&x, at, sizeof x);
  return x;
}
AMBLE_KERNEL Quad load_quad(const V3<double>& at) { return load_quad(&at.x); }
/// Into a vector with room for a fourth number after it.
AMBLE_KERNEL void store_quad(V3<double>& at, const Quad& x) { __builtin_memcpy(&at.x, &x, sizeof x); }
AMBLE_KERNEL V3<double> vector(const Quad& x) { return {x[0], x[1], x[2]}; }

/// (y, z, x)
AMBLE_KERNEL Quad cycled(const Quad& x) { return __builtin_shufflevector(x, x, 1, 2, 0, 3); }
AMBLE_KERNEL Quad cross(const Quad& a, const Quad& b) { return cycled(a * cycled(b) - cycled(a) * b); }

/// A 3 x 3 matrix by columns.
struct Quads {
  Quad c[3];
};

/// From xx, xy, xz, yy, yz, zz.
AMBLE_KERNEL Quads symmetric_quads(const double* I) {
  const Quad second = load_quad(I + 1), third = load_quad(I + 2);
  return {{load_quad(I), __builtin_shufflevector(second, second, 0, 2, 3, 3),
           __builtin_shufflevector(third, third, 0, 2, 3, 3)}};
}

AMBLE_KERNEL Quads transposed(const Quads& x) {
  const Quad low = __builtin_shufflevector(x.c[0], x.c[1], 0, 4, 2, 6);
  const Quad high = __builtin_shufflevector(x.c[0], x.c[1], 1, 5, 3, 7);
  return {{__builtin_shufflevector(low, x.c[2], 0, 1, 4, 5), __builtin_shufflevector(high, x.c[2], 0, 1, 5, 5),
           __builtin_shufflevector(low, x.c[2], 2, 3, 6, 7)}};
}

/// x R^T, of x the first kColumns columns: the others are zero.
template <int kColumns>
AMBLE_KERNEL Quads times_back(const Quads& x, const double* R) {
  Quads y;
  for (int k = 0; k < 3; ++k) {
    y.c[k] = x.c[0] * R[3 * k] + x.c[1] * R[3 * k + 1];
    if constexpr (kColumns == 3) y.c[k] += x.c[2] * R[3 * k + 2];
  }
  return y;
}

/// x + y [p]^T
AMBLE_KERNEL Quads plus_crossed(const Quads& x, const Quads& y, const V3<double>& p) {
  return {{x.c[0] + p.y * y.c[2] - p.z * y.c[1], x.c[1] + p.z * y.c[0] - p.x * y.c[2],
           x.c[2] + p.x * y.c[1] - p.y * y.c[0]}};
}

/// R x R^T for a symmetric x, which is its own transpose.
AMBLE_KERNEL Quads turned_symmetric(const Quads& x, const double* R) {
  return times_back<3>(transposed(times_back<3>(x, R)), R);
}
/// The columns of a rotation, for R a with turned().
AMBLE_KERNEL Quads rotation_quads(const double* R) {
  return transposed({{load_quad(R), load_quad(R + 3), load_quad(R + 6)}});
}
AMBLE_KERNEL Quad turned(const Quads& R, const Quad& a) { return R.c[0] * a[0] + R.c[1] * a[1] + R.c[2] * a[2]; }
