// No include guard, see arithmetic.inl. States row by row to states in lanes, and back; are they numbers at all?

/// One stage of a transpose: blocks of kDistance numbers off the diagonal change places.
template <int kDistance, int... kLane>
AMBLE_KERNEL void exchange(Lanes& a, Lanes& b, std::integer_sequence<int, kLane...>) {
  const Lanes x = __builtin_shufflevector(a, b, ((kLane & kDistance) == 0 ? kLane : AMBLE_LANES + kLane - kDistance)...);
  b = __builtin_shufflevector(a, b, ((kLane & kDistance) == 0 ? kLane + kDistance : AMBLE_LANES + kLane)...);
  a = x;
}
template <int kDistance>
AMBLE_KERNEL void exchange_all(Lanes* x) {
  if constexpr (kDistance < AMBLE_LANES) {
    for (int k = 0; k < AMBLE_LANES; ++k)
      if ((k & kDistance) == 0) exchange<kDistance>(x[k], x[k + kDistance], std::make_integer_sequence<int, AMBLE_LANES>());
    exchange_all<2 * kDistance>(x);
  }
}

AMBLE_KERNEL Lanes load_lanes(const double* at) {
  Lanes x;
  __builtin_memcpy(&x, at, sizeof x);
  return x;
}
AMBLE_KERNEL void store_lanes(double* at, const Lanes& x) { __builtin_memcpy(at, &x, sizeof x); }

/// x - x is zero for numbers and NaN for anything else. Several sums at once, so that none waits for the one before.
bool all_finite(const double* x, int count) {
  constexpr int kSums = 4, kStep = kSums * AMBLE_LANES;
  Lanes sums[kSums] = {};
  double rest = 0.0;
  int i = 0;
  for (; i + kStep <= count; i += kStep)
    for (int s = 0; s < kSums; ++s) sums[s] += load_lanes(x + i + s * AMBLE_LANES) - load_lanes(x + i + s * AMBLE_LANES);
  for (; i + AMBLE_LANES <= count; i += AMBLE_LANES) sums[0] += load_lanes(x + i) - load_lanes(x + i);
  for (; i < count; ++i) rest += x[i] - x[i];
  const Lanes sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
  for (int k = 0; k < AMBLE_LANES; ++k) rest += sum[k];
  return rest == 0.0;
}

void pack(const double* const* rows, int count, double* lanes) {
  int i = 0;
  for (; i + AMBLE_LANES <= count; i += AMBLE_LANES) {
    Lanes x[AMBLE_LANES];
    for (int k = 0; k < AMBLE_LANES; ++k) x[k] = load_lanes(rows[k] + i);
    exchange_all<1>(x);
    for (int k = 0; k < AMBLE_LANES; ++k) store_lanes(lanes + (i + k) * AMBLE_LANES, x[k]);
  }
  for (; i < count; ++i)
    for (int k = 0; k < AMBLE_LANES; ++k) lanes[i * AMBLE_LANES + k] = rows[k][i];
}

void unpack(const double* lanes, int count, int states, double* const* rows) {
  int i = 0;
  for (; i + AMBLE_LANES <= count; i += AMBLE_LANES) {
    Lanes x[AMBLE_LANES];
    for (int k = 0; k < AMBLE_LANES; ++k) x[k] = load_lanes(lanes + (i + k) * AMBLE_LANES);
    exchange_all<1>(x);
    for (int k = 0; k < states; ++k) store_lanes(rows[k] + i, x[k]);
  }
  for (; i < count; ++i)
    for (int k = 0; k < states; ++k) rows[k][i] = lanes[i * AMBLE_LANES + k];
}
