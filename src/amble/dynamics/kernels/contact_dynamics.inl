// No include guard, see arithmetic.inl. Contacts as bilateral constraints: M a + bias = tau + J^T f, J a + bias_C =
// given. With M = L^T D L, Y = L^-T J^T has entries only where a contact's path does, and the contacts meet in the
// small dense matrix G = Y^T D^-1 Y = J M^-1 J^T: one sweep in, f, one sweep out. Rows are in world axes at the
// contact's origin until they leave.

/// Of one contact, numbers of a column of Y: six rows and zeros.
constexpr int kContactRows = 8;

template <class T>
struct ContactScratch {
  Placed<T>* at;  // of each contact, from the root's origin
  World6<T>* V;   // its twist at its origin
  T* Y;           // of each contact kContactRows numbers for each column of its path
  int reach;      // numbers of Y from contact to contact
  Factor<T> G;    // rows of all contacts, in the order of Factor
  T *diagonal, *f;
  T* w;  // right-hand sides of G, row by row; only for derivatives
};

template <class T>
AMBLE_KERNEL World6<T> at_point(const World6<T>& x, const World3<T>& p) {
  return {x.l + cross(x.w, p), x.w};
}

template <class T>
AMBLE_KERNEL Placed<T> place_contact(const Contact& c, const Placed<T>& node) {
  Placed<T> x;
  const auto turned = [&](double a, double b, double d) {
    return rotate(node.R, world3(V3<T>{number<T>(a), number<T>(b), number<T>(d)}));
  };
  const double* R = c.R;
  set_columns(x.R, turned(R[0], R[3], R[6]), turned(R[1], R[4], R[7]), turned(R[2], R[5], R[8]));
  x.p = node.p + turned(c.p[0], c.p[1], c.p[2]);
  return x;
}

/// The frame of a contact, and its twist.
template <class T>
AMBLE_KERNEL void meet_contact(const Contact& c, int i, const WorldScratch<T>& x, const ContactScratch<T>& k) {
  if (c.node == 0) return;
  k.at[i] = place_contact(c, x.placed[c.node]);
  k.V[i] = at_point<T>(x.V[c.node], k.at[i].p);
}

/// f(at, column) for all columns that move a node, the root's first.
template <class F>
AMBLE_KERNEL void for_path(const Tree& t, int i, const F& f) {
  if (i == 0) return;
  const Node& node = t.nodes[i];
  const int* v = t.path_v + node.path;
  for (int at = 0; at < node.depth + node.freedoms; ++at) f(at, v[at]);
}

/// What the rows of a contact change by without accelerations, and what damps them. Rows in world axes see their
/// origin turn as well.
template <class T>
AMBLE_KERNEL World6<T> contact_bias(const Contact& c, double damping, const World6<T>& bias, const World3<T>& p,
                                    const World6<T>& V) {
  World6<T> r = at_point<T>(bias, p) + scaled(damping, V);
  if (c.aligned) add(r.l, cross(V.w, V.l));
  return r;
}

/// Six numbers, or three and zeros, and zeros.
template <class T>
AMBLE_KERNEL void put_rows_of(const Contact& c, const World6<T>& x, T* to) {
  const V6<T> y = by_numbers(x);
  const T moment = number<T>(c.point ? 0.0 : 1.0);
  to[0] = y.l.x, to[1] = y.l.y, to[2] = y.l.z;
  to[3] = moment * y.w.x, to[4] = moment * y.w.y, to[5] = moment * y.w.z, to[6] = to[7] = T{};
}

/// J^T along the path, then L^-T of it.
template <class T>
AMBLE_KERNEL void sweep_contact(const Tree& t, const Contact& c, const World3<T>& p, const WorldScratch<T>& x,
                                const Factor<T>& L, T* Y) {
  constexpr int kStep = Wide<T>::kColumns;
  for_path(t, c.node, [&](int at, int v) { put_rows_of(c, at_point<T>(x.columns[v].S, p), Y + kContactRows * at); });
  if (c.node == 0) return;
  const Node& node = t.nodes[c.node];
  for (int at = node.depth + node.freedoms - 1; at > 0; --at) {
    const T *row = L.row(t.path_v[node.path + at]), *own = Y + kContactRows * at;
    for (int n = 0; n < kContactRows; n += kStep) {
      const auto y = wide(own + n);
      for (int j = 0; j < at; ++j) {
        T* to = Y + kContactRows * j + n;
        put_wide(to, wide(to) - spread<T>(row[j]) * y);
      }
    }
  }
}

/// The block of G of contacts i and j, whose paths have the first `shared` columns in common.
template <int kRows, class T>
AMBLE_KERNEL void put_block(const Factor<T>& L, const int* path, int shared, const T* Y_i, const T* Y_j, T* G,
                            int stride) {
  using W = typename Wide<T>::Type;
  constexpr int kStep = Wide<T>::kColumns;
  for (int n = 0; n < kContactRows; n += kStep) {
    W sum[kRows] = {};
    for (int at = 0; at < shared; ++at) {
      const W y = spread<T>(L.row(path[at])[at]) * wide(Y_j + kContactRows * at + n);
      for (int r = 0; r < kRows; ++r) sum[r] += spread<T>(Y_i[kContactRows * at + r]) * y;
    }
    for (int r = 0; r < kRows; ++r) put_wide(G + r * stride + n, sum[r]);
  }
}

/// G by rows from its triangle column <= row; what a block writes beyond its columns, the next one overwrites.
template <class T>
AMBLE_KERNEL void put_contact_inertia(const Tree& t, const Contacts& contacts, const Factor<T>& L,
                                      const ContactScratch<T>& k) {
  for (int i = 0; i < contacts.count; ++i) {
    const Contact& a = contacts.all[i];
    const int* path = t.path_v + t.nodes[a.node].path;
    for (int j = 0; j <= i; ++j) {
      const Contact& b = contacts.all[j];
      const int shared = contacts.shared[i * contacts.count + j];
      T* to = k.G.row(a.row) + b.row;
      const T *Y_i = k.Y + i * k.reach, *Y_j = k.Y + j * k.reach;
      a.point ? put_block<3>(L, path, shared, Y_i, Y_j, to, k.G.stride)
              : put_block<6>(L, path, shared, Y_i, Y_j, to, k.G.stride);
    }
  }
}

/// As factor_rows() of a chain of n columns; false where a pivot is so small that rows repeat each other, or nearly.
template <class T>
AMBLE_KERNEL bool factor_contacts(const Factor<T>& G, int n, T* diagonal) {
  constexpr double kLeast = 1e-6;  // a share of 1e-3 that no other row explains
  bool independent = true;
  for (int c = 0; c < n; ++c) diagonal[c] = G.row(c)[c];
  for (int c = n - 1; c >= 0; --c) {
    T* row = G.row(c);
    independent = independent && row[c] > kLeast * diagonal[c];
    const T inverse = 1.0 / row[c];
    for (int at = c - 1; at >= 0; --at) {
      const auto less = spread<T>(-inverse * row[at]);
      T* to = G.row(at);
      for (int j = 0; j <= at; j += Wide<T>::kColumns) put_wide(to + j, wide(to + j) + less * wide(row + j));
    }
    for (int j = 0; j < c; j += Wide<T>::kColumns) put_wide(row + j, spread<T>(inverse) * wide(row + j));
    row[c] = inverse;
  }
  return independent;
}

template <class T>
AMBLE_KERNEL void solve_contacts(const Factor<T>& G, int n, T* f) {
  for (int c = n - 1; c >= 0; --c)
    for (int at = 0; at < c; ++at) f[at] -= G.row(c)[at] * f[c];
  for (int c = 0; c < n; ++c) {
    T x = f[c] * G.row(c)[c];
    for (int at = 0; at < c; ++at) x -= G.row(c)[at] * f[at];
    f[c] = x;
  }
}

/// y += R x for the rows of a contact that come in its axes.
template <class T>
AMBLE_KERNEL void add_turned(const Contact& c, const Placed<T>& at, const T* x, T* y) {
  for (int n = 0; n < c.rows(); n += 3) {
    const World3<T> given = world3(x + n);
    const V3<T> z = by_numbers(c.aligned || c.node == 0 ? given : rotate(at.R, given));
    y[n] += z.x, y[n + 1] += z.y, y[n + 2] += z.z;
  }
}
/// y = R^T x for rows that leave in the contact's axes.
template <class T>
AMBLE_KERNEL void put_turned_back(const Contact& c, const Placed<T>& at, const T* x, T* y) {
  for (int n = 0; n < c.rows(); n += 3) {
    const World3<T> own = world3(x + n);
    const V3<T> z = by_numbers(c.aligned || c.node == 0 ? own : rotate_back(at.R, own));
    y[n] = z.x, y[n + 1] = z.y, y[n + 2] = z.z;
  }
}

/// The right-hand sides of f: given - bias_C - J a, of which J a = Y^T D^-1 b.
template <class T>
AMBLE_KERNEL void put_contact_right(const State<T>& s, const Contacts& contacts, int i, const WorldScratch<T>& x,
                                    const Factor<T>& L, const ContactScratch<T>& k, const T* given, const T* b) {
  using W = typename Wide<T>::Type;
  constexpr int kStep = Wide<T>::kColumns, kBlocks = kContactRows / kStep;
  const Contact& c = contacts.all[i];
  World6<T> bias = still6<T>();
  W sum[kBlocks] = {};
  for_path(s.tree, c.node, [&](int at, int v) {
    add(bias, scaled(s.v[v], x.columns[v].S_dot));
    const W share = spread<T>(-L.row(v)[at] * b[v]);
    for (int n = 0; n < kBlocks; ++n) sum[n] += share * wide(k.Y + i * k.reach + kContactRows * at + n * kStep);
  });
  T free[kContactRows], own[kContactRows];
  for (int n = 0; n < kBlocks; ++n) put_wide(free + n * kStep, sum[n]);
  put_rows_of(c, c.node == 0 ? still6<T>() : contact_bias<T>(c, contacts.damping, bias, k.at[i].p, k.V[i]), own);
  for (int r = 0; r < c.rows(); ++r) k.f[c.row + r] = free[r] - own[r];
  if (given != nullptr) add_turned(c, k.at[i], given + c.row, k.f + c.row);
}

/// b += Y f along the path of a contact.
template <class T>
AMBLE_KERNEL void add_contact_force(const Tree& t, const Contact& c, const T* Y, const T* f, T* b) {
  for_path(t, c.node, [&](int at, int v) {
    T sum = b[v];
    for (int r = 0; r < c.rows(); ++r) sum += Y[kContactRows * at + r] * f[r];
    b[v] = sum;
  });
}

/// Takes tau - bias in `a` and the factors of M to accelerations and, in world axes in k.f, forces. `given` is in the
/// axes of the contacts, or null. Returns whether the rows are independent.
template <class T>
AMBLE_KERNEL bool solve_with_contacts(const State<T>& s, const Contacts& contacts, const WorldScratch<T>& x,
                                      const Factor<T>& L, const ContactScratch<T>& k, const T* given, T* a) {
  const Tree& t = s.tree;
  solve_one_inward(t, L, a);
  for (int i = 0; i < contacts.count; ++i) {
    const Contact& c = contacts.all[i];
    meet_contact(c, i, x, k);
    sweep_contact(t, c, k.at[i].p, x, L, k.Y + i * k.reach);
    put_contact_right(s, contacts, i, x, L, k, given, a);
  }
  put_contact_inertia(t, contacts, L, k);
  const bool independent = factor_contacts(k.G, contacts.rows, k.diagonal);
  solve_contacts(k.G, contacts.rows, k.f);
  for (int i = 0; i < contacts.count; ++i)
    add_contact_force(t, contacts.all[i], k.Y + i * k.reach, k.f + contacts.all[i].row, a);
  solve_one_outward(t, L, a);
  return independent;
}

/// Accelerations and forces. Needs independent coordinates (not `coupled`).
template <class T>
AMBLE_KERNEL ContactOutcome contact_dynamics(const State<T>& s, const Contacts& contacts, const WorldScratch<T>& x,
                                             const DerivativeScratch<T>& y, const ForwardDerivativeScratch<T>& z,
                                             const ContactScratch<T>& k, const T* tau, const T* external,
                                             const T* given, T* a, T* f) {
  const T smallest = find_equations<false>(s, x, y, z, tau, external, a);
  const bool independent = solve_with_contacts(s, contacts, x, z.L, k, given, a);
  for (int i = 0; i < contacts.count; ++i)
    put_turned_back(contacts.all[i], k.at[i], k.f + contacts.all[i].row, f + contacts.all[i].row);
  return {smallest, independent};
}
