// No include guard, see arithmetic.inl. Nodes in world axes, and their motion subspaces about the tree's point (see
// world.inl). What is in world axes has types of its own: world_quads.inl keeps it in registers of four numbers.

/// V3, V6, M3 and Symmetric of `Type` are what is in world axes when numbers are T.
template <class T>
struct InWorld {
  using Type = T;
};
template <class T>
using World3 = V3<typename InWorld<T>::Type>;
template <class T>
using World6 = V6<typename InWorld<T>::Type>;

/// A 3 x 3 matrix, row by row.
template <class T>
struct M3 {
  T k[9];
};
template <class T>
AMBLE_KERNEL V3<T> rotate(const M3<T>& R, const V3<T>& a) {
  return rotate(R.k, a);
}
template <class T>
AMBLE_KERNEL V3<T> rotate_back(const M3<T>& R, const V3<T>& a) {
  return rotate_back(R.k, a);
}
template <class T>
AMBLE_KERNEL V3<T> column(const M3<T>& R, int k) {
  return {R.k[k], R.k[3 + k], R.k[6 + k]};
}
template <class T>
AMBLE_KERNEL void add(M3<T>& a, const M3<T>& b) {
  for (int k = 0; k < 9; ++k) a.k[k] += b.k[k];
}

template <class T>
AMBLE_KERNEL void set_columns(M3<T>& R, const V3<T>& x, const V3<T>& y, const V3<T>& z) {
  const T k[9] = {x.x, y.x, z.x, x.y, y.y, z.y, x.z, y.z, z.z};
  for (int i = 0; i < 9; ++i) R.k[i] = k[i];
}

/// xx, xy, xz, yy, yz, zz
template <class T>
struct Symmetric {
  T k[6];
};
template <class T>
AMBLE_KERNEL V3<T> symmetric_times(const Symmetric<T>& I, const V3<T>& w) {
  return symmetric_times(I.k, w);
}
template <class T>
AMBLE_KERNEL void add(Symmetric<T>& a, const Symmetric<T>& b) {
  for (int k = 0; k < 6; ++k) a.k[k] += b.k[k];
}

/// A vector in world axes from its numbers.
template <class T>
AMBLE_KERNEL void set(V3<T>& to, const V3<T>& x) {
  to = x;
}
template <class T>
AMBLE_KERNEL World3<T> world3(const V3<T>& x) {
  World3<T> y;
  set(y, x);
  return y;
}
template <class T>
AMBLE_KERNEL World3<T> world3(const T* x) {
  return world3(V3<T>{x[0], x[1], x[2]});
}

/// A node in world axes; places are from the root's origin.
template <class T>
struct Placed {
  M3<typename InWorld<T>::Type> R;
  World3<T> p;
};

/// R_WP R_PN in world axes, from the pose on the parent in `b`.
template <class T>
AMBLE_KERNEL void place_in_world(const Node& node, const Body<T>& b, const Placed<T>& parent, Placed<T>& x) {
  const T *A = parent.R.k, *B = b.R;
  if (node.parent == 0) {
    for (int k = 0; k < 9; ++k) x.R.k[k] = B[k];
    x.p = zero3<T>();
    return;
  }
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c)
      x.R.k[3 * r + c] = A[3 * r] * B[c] + A[3 * r + 1] * B[3 + c] + A[3 * r + 2] * B[6 + c];
  x.p = parent.p + rotate(A, origin_on_parent(node, b));
}

/// A twist in the node's own axes and origin, about the tree's point in world axes.
template <class T>
AMBLE_KERNEL World6<T> to_world(const Placed<T>& x, const T* six) {
  const World3<T> w = rotate(x.R, world3(six + 3));
  return {rotate(x.R, world3(six)) + cross(x.p, w), w};
}

/// The node's motion subspace about the tree's point, put(k, column) for each freedom.
template <class T, class F>
AMBLE_KERNEL void subspace_in_world(const Node& node, const State<T>& s, const Placed<T>& x, const F& put) {
  const World3<T> still = zero3<typename InWorld<T>::Type>();
  switch (node.move) {
    case Move::turn: {
      const World3<T> w = scaled(node.ratio, column(x.R, 2));
      put(0, World6<T>{cross(x.p, w), w});
      return;
    }
    case Move::slide: put(0, World6<T>{scaled(node.ratio, column(x.R, 2)), still}); return;
    case Move::helix: {
      const World3<T> w = scaled(node.ratio, column(x.R, 2));
      put(0, World6<T>{cross(x.p, w) + scaled(node.pitch, w), w});
      return;
    }
    case Move::ball:
      for (int k = 0; k < 3; ++k) put(k, World6<T>{cross(x.p, column(x.R, k)), column(x.R, k)});
      return;
    case Move::free:
      for (int k = 0; k < 3; ++k) {
        put(k, World6<T>{column(x.R, k), still});
        put(3 + k, World6<T>{cross(x.p, column(x.R, k)), column(x.R, k)});
      }
      return;
    case Move::custom: {
      const T* block = s.custom + node.custom * kCustomBlock;
      for (int k = 0; k < node.freedoms; ++k) put(k, to_world(x, block + 12 + 6 * k));
    }
  }
}
