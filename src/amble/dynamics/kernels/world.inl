// No include guard, see arithmetic.inl. Twists and wrenches in world axes about one fixed point per tree: the place of
// its root's origin at this instant. There, those of different nodes add without being carried over.

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
AMBLE_KERNEL auto dot(const V6<T>& a, const V6<T>& b) {
  return dot(a.l, b.l) + dot(a.w, b.w);
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

/// Vectors by numbers, whatever they are kept in (see placed.inl).
template <class T>
AMBLE_KERNEL const V3<T>& by_numbers(const V3<T>& x) {
  return x;
}
template <class T>
AMBLE_KERNEL const V6<T>& by_numbers(const V6<T>& x) {
  return x;
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

/// x into the first `count` of the columns at `at`; what follows keeps its values, but must be memory that may be
/// read and written.
template <class T>
AMBLE_KERNEL void put_wide(T* at, const typename Wide<T>::Type& x, int count) {
  if constexpr (Wide<T>::kColumns == 1)
    *at = x;
  else
    put_wide(at, number_of_lane() < spread<double>(count) ? x : wide(at));
}
