// No include guard, see arithmetic.inl. Derivatives of accelerations and forces under contacts. Everything is
// differentiated in numbers that turn with the body: there the wrenches of contacts stay fixed, and a contact's
// acceleration changes along a column S of its path by
//   in q:  S'' - V x S'    in v:  S' + dS/dt - V x S    (S', S'' as in inverse_derivatives.inl)
// seen at its origin. Then d(a, f) solves the same equations as (a, f).

/// What J a + bias of a contact changes by, from those of its spatial acceleration (less -V x s) and its twist, about
/// the tree's point.
template <class T>
AMBLE_KERNEL World6<T> contact_change(const Contact& c, double damping, const World3<T>& p, const World6<T>& V,
                                      const World6<T>& acceleration, const World6<T>& twist) {
  const World6<T> s = at_point<T>(twist, p), turning = scaled(-1.0, cross_motion(V, s));
  World6<T> d = at_point<T>(acceleration, p) + turning + scaled(damping, s);
  if (c.aligned) add(d.l, cross(s.w, V.l) + cross(V.w, s.l));
  return d;
}

/// S'' without gravity, which is an acceleration of the world in `x`.
template <class T>
AMBLE_KERNEL World6<T> weightless_second(const Tree& t, const Column<T>& c) {
  World6<T> d = c.S_second;
  add(d.l, cross(upward<T>(t).l, scaled(-1.0, c.S.w)));
  return d;
}

/// f(v, change in q, change in v) for all columns of a contact's path.
template <class T, class F>
AMBLE_KERNEL void for_contact_changes(const Tree& t, const Contacts& contacts, int i, const WorldScratch<T>& x,
                                      const ContactScratch<T>& k, const F& f) {
  const Contact& c = contacts.all[i];
  const World3<T> p = k.at[i].p;
  const World6<T> V = k.V[i];
  for (int n = c.node; n > 0; n = t.nodes[n].parent)
    for (int j = t.nodes[n].column; j < t.nodes[n].end_own(); ++j) {
      const Column<T>& own = x.columns[j];
      f(j, contact_change<T>(c, contacts.damping, p, V, weightless_second(t, own), own.S_parent),
        contact_change<T>(c, contacts.damping, p, V, own.S_both, own.S));
    }
}

/// The wrench of a contact about the tree's point.
template <class T>
AMBLE_KERNEL World6<T> contact_wrench(const Contact& c, const World3<T>& p, const T* f) {
  World6<T> F = still6<T>();
  F.l = world3(f);
  if (!c.point) F.w = world3(f + 3);
  add(F.w, cross(p, F.l));
  return F;
}

/// Takes the wrenches of contacts off what the composites that they act on need.
template <class T>
AMBLE_KERNEL void subtract_contacts(const Tree& t, const Contacts& contacts, const WorldScratch<T>& x,
                                    const ContactScratch<T>& k) {
  for (int i = 0; i < contacts.count; ++i) {
    const Contact& c = contacts.all[i];
    if (c.node == 0) continue;
    const World6<T> F = scaled(-1.0, contact_wrench(c, k.at[i].p, k.f + c.row));
    for (int n = c.node; n > 0; n = t.nodes[n].parent) add(x.moving[n].F, F);
  }
}

/// Minus the changes of a contact's rows into the right-hand sides of G.
template <class T>
AMBLE_KERNEL void put_contact_changes(const Tree& t, const Contacts& contacts, int i, const WorldScratch<T>& x,
                                      const ContactScratch<T>& k, int stride, int pitch) {
  const Contact& c = contacts.all[i];
  for_contact_changes(t, contacts, i, x, k, [&](int j, const World6<T>& in_q, const World6<T>& in_v) {
    T q[kContactRows], v[kContactRows], *to = k.w + c.row * stride + j;
    put_rows_of(c, in_q, q), put_rows_of(c, in_v, v);
    for (int r = 0; r < c.rows(); ++r) to[r * stride] = -q[r], to[r * stride + pitch] = -v[r];
  });
}

/// How many columns of a contact's path have entries in right-hand sides from column `first` on, see strips.inl.
AMBLE_KERNEL int reached(const Tree& t, const Contact& c, int first) {
  if (c.node == 0) return 0;
  const Node& node = t.nodes[c.node];
  int n = node.depth + node.freedoms;
  while (n > 0 && t.column_end[t.path_v[node.path + n - 1]] <= first) --n;
  return n;
}

/// The rows of one contact in `kBlocks` blocks of columns, for `count` columns of its path: with kForward
/// w -= Y^T D^-1 b, otherwise b += Y w.
template <int kRows, int kBlocks, bool kForward, class T>
AMBLE_KERNEL void exchange_contact(const int* path, int count, const Factor<T>& L, const T* Y, T* w, T* b,
                                   int stride) {
  using W = typename Wide<T>::Type;
  constexpr int kStep = Wide<T>::kColumns;
  W x[kRows][kBlocks];
  for (int r = 0; r < kRows; ++r)
    for (int n = 0; n < kBlocks; ++n) x[r][n] = wide(w + r * stride + n * kStep);
  for (int at = 0; at < count; ++at, Y += kContactRows) {
    T* row = b + path[at] * stride;
    for (int n = 0; n < kBlocks; ++n) {
      W own = wide(row + n * kStep);
      if constexpr (kForward) {
        own *= spread<T>(-L.row(path[at])[at]);
        for (int r = 0; r < kRows; ++r) x[r][n] += spread<T>(Y[r]) * own;
      } else {
        for (int r = 0; r < kRows; ++r) own += spread<T>(Y[r]) * x[r][n];
        put_wide(row + n * kStep, own);
      }
    }
  }
  if constexpr (kForward)
    for (int r = 0; r < kRows; ++r)
      for (int n = 0; n < kBlocks; ++n) put_wide(w + r * stride + n * kStep, x[r][n]);
}

/// For all contacts, in three matrices of right-hand sides.
template <bool kForward, class T>
AMBLE_KERNEL void exchange_contacts(const Tree& t, const Contacts& contacts, const ForwardDerivativeScratch<T>& z,
                                    const ContactScratch<T>& k) {
  constexpr int kStep = Wide<T>::kColumns, kBlocks = 2;
  const auto exchange = [&](auto blocks, int first, int at) {
    for (int i = 0; i < contacts.count; ++i) {
      const Contact& c = contacts.all[i];
      const int *path = t.path_v + t.nodes[c.node].path, count = reached(t, c, kForward ? first : 0);
      T *w = k.w + c.row * z.stride + at, *Y = k.Y + i * k.reach, *b = z.b + at;
      c.point ? exchange_contact<3, blocks, kForward>(path, count, z.L, Y, w, b, z.stride)
              : exchange_contact<6, blocks, kForward>(path, count, z.L, Y, w, b, z.stride);
    }
  };
  for (int at = 0; at < 3 * z.pitch; at += z.pitch) {
    int first = 0;
    for (; first + kBlocks * kStep <= z.pitch; first += kBlocks * kStep)
      exchange(std::integral_constant<int, kBlocks>(), first, at + first);
    if (first < z.pitch) exchange(std::integral_constant<int, 1>(), first, at + first);
  }
}

/// G x = w for kBlocks blocks of right-hand sides, in place.
template <int kBlocks, class T>
AMBLE_KERNEL void solve_contacts(const Factor<T>& G, int n, T* w, int stride) {
  using W = typename Wide<T>::Type;
  constexpr int kStep = Wide<T>::kColumns;
  const auto row = [&](int c, int block) { return w + c * stride + block * kStep; };
  const auto solve = [&](int c, int from, int to, const T* factor, int factor_step, const T& scale) {
    W x[kBlocks];
    for (int b = 0; b < kBlocks; ++b) x[b] = spread<T>(scale) * wide(row(c, b));
    for (int k = from; k < to; ++k, factor += factor_step) {
      const W share = spread<T>(*factor);
      for (int b = 0; b < kBlocks; ++b) x[b] -= share * wide(row(k, b));
    }
    for (int b = 0; b < kBlocks; ++b) put_wide(row(c, b), x[b]);
  };
  for (int c = n - 1; c >= 0; --c) solve(c, c + 1, n, G.row(c + 1) + c, G.stride, number<T>(1.0));
  for (int c = 0; c < n; ++c) solve(c, 0, c, G.row(c), 1, G.row(c)[c]);
}

/// Derivatives of forces from numbers that turn with the body to the axes of the contact.
template <class T>
AMBLE_KERNEL void turn_force_changes(const Tree& t, const Contacts& contacts, int i, const WorldScratch<T>& x,
                                     const ContactScratch<T>& k, int stride, int count) {
  const Contact& c = contacts.all[i];
  if (c.node == 0) return;
  for (int n = 0; n < c.rows(); n += 3) {
    T* w = k.w + (c.row + n) * stride;
    if (c.aligned) {
      const World3<T> f = world3(k.f + c.row + n);
      for_path(t, c.node, [&](int, int v) {
        const World3<T> turned = cross(x.columns[v].S.w, f);
        const V3<T> d = by_numbers(turned);
        w[v] += d.x, w[stride + v] += d.y, w[2 * stride + v] += d.z;
      });
      continue;
    }
    V3<T> axis[3];
    for (int m = 0; m < 3; ++m) {
      const World3<T> own = column(k.at[i].R, m);
      axis[m] = by_numbers(own);
    }
    const Columns<T> rows{w, stride};
    for (int j = 0; j < count; j += Wide<T>::kColumns) {
      const auto first = Spread3<T>(axis[0]).dot(rows, 0, j), second = Spread3<T>(axis[1]).dot(rows, 0, j);
      put_wide(w + 2 * stride + j, Spread3<T>(axis[2]).dot(rows, 0, j));
      put_wide(w + j, first), put_wide(w + stride + j, second);
    }
  }
}

/// As contact_dynamics(); then z.b has the derivatives of accelerations in q, v and tau, and k.w those of forces.
template <class T>
AMBLE_KERNEL ContactOutcome contact_derivatives(const State<T>& s, const Contacts& contacts, const WorldScratch<T>& x,
                                                const DerivativeScratch<T>& y, const ForwardDerivativeScratch<T>& z,
                                                const ContactScratch<T>& k, const T* tau, const T* external, T* a,
                                                T* f) {
  const Tree& t = s.tree;
  const int count = 3 * z.pitch;
  const T smallest = find_equations<true>(s, x, y, z, tau, external, a);
  const bool independent = solve_with_contacts(s, contacts, x, z.L, k, static_cast<const T*>(nullptr), a);
  add_accelerations(s, x, z, a);
  subtract_contacts(t, contacts, x, k);
  for (int n = 0; n < contacts.rows * z.stride; ++n) k.w[n] = T{};
  put_all_right_sides(s, x, y, z, a);
  for (int i = 0; i < contacts.count; ++i) put_contact_changes(t, contacts, i, x, k, z.stride, z.pitch);
  solve_strips_inward(t, z.L, z.b, z.stride, z.pitch);
  exchange_contacts<true>(t, contacts, z, k);
  for_blocks<T>(count,
                [&](auto blocks, int first) { solve_contacts<blocks>(k.G, contacts.rows, k.w + first, z.stride); });
  exchange_contacts<false>(t, contacts, z, k);
  for_blocks<T>(count, [&](auto blocks, int first) { solve_outward<blocks>(t, z.L, z.b + first, z.stride); });
  for (int i = 0; i < contacts.count; ++i) {
    turn_force_changes(t, contacts, i, x, k, z.stride, count);
    put_turned_back(contacts.all[i], k.at[i], k.f + contacts.all[i].row, f + contacts.all[i].row);
  }
  return {smallest, independent};
}
