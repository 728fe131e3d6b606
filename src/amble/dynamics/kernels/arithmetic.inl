// No include guard: each kernel file includes this once, inside the namespace of its instruction set, so that no
// function of one can be linked in place of another's.
//
// Arithmetic for one state (T = double) or for several in lanes (T = Lanes): three-vectors, rotations, symmetric
// matrices. A rotation R[9] is row by row and takes child coordinates to parent coordinates.

#define AMBLE_KERNEL inline __attribute__((always_inline))

using Lanes = double __attribute__((vector_size(AMBLE_LANES * sizeof(double))));
using LaneBits = long long __attribute__((vector_size(AMBLE_LANES * sizeof(double))));

template <class T>
AMBLE_KERNEL T number(double x) {
  return T{} + x;
}

AMBLE_KERNEL Lanes number_of_lane() {
  Lanes x;
  for (int i = 0; i < AMBLE_LANES; ++i) x[i] = i;
  return x;
}

template <class T>
struct V3 {
  T x, y, z;
};

template <class T>
AMBLE_KERNEL V3<T> zero3() {
  return {T{}, T{}, T{}};
}
template <class T>
AMBLE_KERNEL V3<T> operator+(const V3<T>& a, const V3<T>& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
template <class T>
AMBLE_KERNEL V3<T> operator-(const V3<T>& a, const V3<T>& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
template <class S, class T>
AMBLE_KERNEL V3<T> scaled(const S& s, const V3<T>& a) {
  return {s * a.x, s * a.y, s * a.z};
}
template <class T>
AMBLE_KERNEL void add(V3<T>& a, const V3<T>& b) {
  a.x += b.x, a.y += b.y, a.z += b.z;
}
template <class T>
AMBLE_KERNEL T dot(const V3<T>& a, const V3<T>& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
template <class S, class T>
AMBLE_KERNEL V3<T> cross(const V3<S>& a, const V3<T>& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
/// With a constant of the model on the left.
template <class T>
AMBLE_KERNEL V3<T> cross(const double* a, const V3<T>& b) {
  return {a[1] * b.z - a[2] * b.y, a[2] * b.x - a[0] * b.z, a[0] * b.y - a[1] * b.x};
}

template <class T>
AMBLE_KERNEL V3<T> rotate(const T* R, const V3<T>& a) {
  return {R[0] * a.x + R[1] * a.y + R[2] * a.z, R[3] * a.x + R[4] * a.y + R[5] * a.z,
          R[6] * a.x + R[7] * a.y + R[8] * a.z};
}
template <class T>
AMBLE_KERNEL V3<T> rotate_back(const T* R, const V3<T>& a) {
  return {R[0] * a.x + R[3] * a.y + R[6] * a.z, R[1] * a.x + R[4] * a.y + R[7] * a.z,
          R[2] * a.x + R[5] * a.y + R[8] * a.z};
}

/// Symmetric 3 x 3 as xx, xy, xz, yy, yz, zz.
template <class S, class T>
AMBLE_KERNEL V3<T> symmetric_times(const S* I, const V3<T>& w) {
  return {I[0] * w.x + I[1] * w.y + I[2] * w.z, I[1] * w.x + I[3] * w.y + I[4] * w.z,
          I[2] * w.x + I[4] * w.y + I[5] * w.z};
}

/// R I R^T for a symmetric I.
template <class T>
AMBLE_KERNEL void turn_symmetric(const T* R, const T* I, T* out) {
  T M[9];
  for (int r = 0; r < 3; ++r) {
    M[3 * r] = R[3 * r] * I[0] + R[3 * r + 1] * I[1] + R[3 * r + 2] * I[2];
    M[3 * r + 1] = R[3 * r] * I[1] + R[3 * r + 1] * I[3] + R[3 * r + 2] * I[4];
    M[3 * r + 2] = R[3 * r] * I[2] + R[3 * r + 1] * I[4] + R[3 * r + 2] * I[5];
  }
  out[0] = M[0] * R[0] + M[1] * R[1] + M[2] * R[2];
  out[1] = M[0] * R[3] + M[1] * R[4] + M[2] * R[5];
  out[2] = M[0] * R[6] + M[1] * R[7] + M[2] * R[8];
  out[3] = M[3] * R[3] + M[4] * R[4] + M[5] * R[5];
  out[4] = M[3] * R[6] + M[4] * R[7] + M[5] * R[8];
  out[5] = M[6] * R[6] + M[7] * R[7] + M[8] * R[8];
}

/// Sine and cosine of several angles at once, to about 1 ulp for |x| < 1e5: Cody-Waite reduction by pi/2 in three
/// parts and minimax polynomials on [-pi/4, pi/4]. Larger angles are find_angles()' business.
AMBLE_KERNEL void sine_cosine(const Lanes& x, Lanes& sine, Lanes& cosine) {
  constexpr double kRound = 6755399441055744.0;  // 1.5 * 2^52: adding it rounds to an integer in the low bits
  const Lanes shifted = x * 0.63661977236758134308 + kRound;
  const LaneBits n = (LaneBits)shifted;
  const Lanes turns = shifted - kRound;
  const Lanes r = ((x - turns * 1.57079632673412561417e+00) - turns * 6.07710050630396597660e-11) -
                  turns * 2.02226624879595063154e-21;
  const Lanes z = r * r;
  const Lanes s = r + r * z *
                          (-1.66666666666666324348e-01 +
                           z * (8.33333333332248946124e-03 +
                                z * (-1.98412698298579493134e-04 +
                                     z * (2.75573137070700676789e-06 +
                                          z * (-2.50507602534068634195e-08 + z * 1.58969099521155010221e-10)))));
  const Lanes c = 1.0 - 0.5 * z +
                  z * z *
                      (4.16666666666666019037e-02 +
                       z * (-1.38888888888741095749e-03 +
                            z * (2.48015872894767294178e-05 +
                                 z * (-2.75573143513906633035e-07 +
                                      z * (2.08757232129817482790e-09 + z * -1.13596475577881948265e-11)))));
  const LaneBits odd = -(n & 1);
  const LaneBits sine_bits = (~odd & (LaneBits)s) | (odd & (LaneBits)c);
  const LaneBits cosine_bits = (~odd & (LaneBits)c) | (odd & (LaneBits)s);
  sine = (Lanes)(sine_bits ^ ((n & 2) << 62));
  cosine = (Lanes)(cosine_bits ^ (((n + 1) & 2) << 62));
}
constexpr double kSineReach = 1e5;

/// All bits set in lanes whose angle is too large for sine_cosine().
AMBLE_KERNEL bool too_far(double x) { return x > kSineReach || x < -kSineReach; }
AMBLE_KERNEL LaneBits too_far(const Lanes& x) { return (x > kSineReach) | (x < -kSineReach); }
AMBLE_KERNEL bool any(const LaneBits& bits) {
  long long all = 0;
  for (int i = 0; i < AMBLE_LANES; ++i) all |= bits[i];
  return all != 0;
}
