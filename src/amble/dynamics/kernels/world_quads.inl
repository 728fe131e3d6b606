// No include guard, see arithmetic.inl. Vectors and matrices of one state in world axes in registers of four numbers.

/// In place of a kind of number: V3<Packed> is one register, matrices are three.
struct Packed;

template <>
struct InWorld<double> {
  using Type = Packed;
};

template <>
struct V3<Packed> {
  Quad k;
};
using P3 = V3<Packed>;
using P6 = V6<Packed>;

template <>
AMBLE_KERNEL P3 zero3<Packed>() {
  return {Quad{}};
}
AMBLE_KERNEL void set(P3& to, const V3<double>& x) { to.k = Quad{x.x, x.y, x.z, 0.0}; }
AMBLE_KERNEL V3<double> by_numbers(const P3& x) { return vector(x.k); }
AMBLE_KERNEL V6<double> by_numbers(const P6& x) { return {vector(x.l.k), vector(x.w.k)}; }

AMBLE_KERNEL P3 operator+(const P3& a, const P3& b) { return {a.k + b.k}; }
AMBLE_KERNEL P3 operator-(const P3& a, const P3& b) { return {a.k - b.k}; }
AMBLE_KERNEL void add(P3& a, const P3& b) { a.k += b.k; }
AMBLE_KERNEL P3 scaled(double s, const P3& a) { return {s * a.k}; }
AMBLE_KERNEL P3 cross(const P3& a, const P3& b) { return {cross(a.k, b.k)}; }
AMBLE_KERNEL double sum(const Quad& x) { return x[0] + x[1] + x[2]; }
AMBLE_KERNEL double dot(const P3& a, const P3& b) { return sum(a.k * b.k); }
AMBLE_KERNEL double dot(const P6& a, const P6& b) { return sum(a.l.k * b.l.k + a.w.k * b.w.k); }

template <>
struct M3<Packed> : Quads {};
template <>
struct Symmetric<Packed> : Quads {};

AMBLE_KERNEL void add_quads(Quads& a, const Quads& b) {
  for (int k = 0; k < 3; ++k) a.c[k] += b.c[k];
}
AMBLE_KERNEL void add(M3<Packed>& a, const M3<Packed>& b) { add_quads(a, b); }
AMBLE_KERNEL void add(Symmetric<Packed>& a, const Symmetric<Packed>& b) { add_quads(a, b); }
AMBLE_KERNEL void set_columns(M3<Packed>& R, const P3& x, const P3& y, const P3& z) {
  R.c[0] = x.k, R.c[1] = y.k, R.c[2] = z.k;
}
AMBLE_KERNEL P3 column(const M3<Packed>& R, int k) { return {R.c[k]}; }
AMBLE_KERNEL P3 rotate(const M3<Packed>& R, const P3& a) { return {turned(R, a.k)}; }
AMBLE_KERNEL P3 rotate_back(const M3<Packed>& R, const P3& a) { return {turned(transposed(R), a.k)}; }
AMBLE_KERNEL P3 symmetric_times(const Symmetric<Packed>& I, const P3& a) { return {turned(I, a.k)}; }
