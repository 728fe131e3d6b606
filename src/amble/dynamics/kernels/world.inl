// No include guard, see arithmetic.inl. Nodes in world axes about one fixed point per tree: the place of its root's
// origin at this instant. There, twists and wrenches of different nodes add without being carried over.

/// A node in world axes; places are from the root's origin.
template <class T>
struct Placed {
  T R[9];
  V3<T> d;  // from the parent's origin
  V3<T> p;
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
AMBLE_KERNEL T dot(const V6<T>& a, const V6<T>& b) {
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

/// The node's motion subspace about the tree's point, put(k, column) for each freedom.
template <class T, class F>
AMBLE_KERNEL void subspace_in_world(const Node& node, const State<T>& s, const Placed<T>& x, const F& put) {
  switch (node.move) {
    case Move::turn: {
      const V3<T> w = scaled(node.ratio, axis(x, 2));
      put(0, V6<T>{cross(x.p, w), w});
      return;
    }
    case Move::slide: put(0, V6<T>{scaled(node.ratio, axis(x, 2)), zero3<T>()}); return;
    case Move::helix: {
      const V3<T> w = scaled(node.ratio, axis(x, 2));
      put(0, V6<T>{cross(x.p, w) + scaled(node.pitch, w), w});
      return;
    }
    case Move::ball:
      for (int k = 0; k < 3; ++k) put(k, V6<T>{cross(x.p, axis(x, k)), axis(x, k)});
      return;
    case Move::free:
      for (int k = 0; k < 3; ++k) {
        put(k, V6<T>{axis(x, k), zero3<T>()});
        put(3 + k, V6<T>{cross(x.p, axis(x, k)), axis(x, k)});
      }
      return;
    case Move::custom: {
      const T* block = s.custom + node.custom * kCustomBlock;
      for (int k = 0; k < node.freedoms; ++k) {
        const V3<T> w = rotate(x.R, custom_angular(block, k));
        put(k, V6<T>{rotate(x.R, custom_linear(block, k)) + cross(x.p, w), w});
      }
    }
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

/// x into the first `count` of the columns at `at`; what follows keeps its values, but must be memory that may be
/// read and written.
template <class T>
AMBLE_KERNEL void put_wide(T* at, const typename Wide<T>::Type& x, int count) {
  if constexpr (Wide<T>::kColumns == 1)
    *at = x;
  else
    put_wide(at, number_of_lane() < spread<double>(count) ? x : wide(at));
}
