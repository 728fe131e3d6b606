// No include guard, see arithmetic.inl. The rows of contacts as dense matrices, for trees of any kind: where
// coordinates are shared or rows repeat each other, others solve for them.

/// Adds column `v` of a contact's rows, in its axes, to a matrix of rows x nv.
template <class T>
AMBLE_KERNEL void add_contact_column(const Tree& t, const Contact& c, const Placed<T>& at, int v, const World6<T>& x,
                                     T* matrix) {
  T own[kContactRows], turned[kContactRows];
  put_rows_of(c, x, own);
  put_turned_back(c, at, own, turned);
  for (int r = 0; r < c.rows(); ++r) matrix[(c.row + r) * t.nv + v] += turned[r];
}

/// S.w x f for the force and the moment of a contact.
template <class T>
AMBLE_KERNEL World6<T> turned_force(const Contact& c, const World3<T>& w, const T* f) {
  World6<T> d = still6<T>();
  d.l = cross(w, world3(f));
  if (!c.point) d.w = cross(w, world3(f + 3));
  return d;
}

/// J and bias of a contact.
template <class T>
AMBLE_KERNEL void put_contact_row(const State<T>& s, const Contacts& contacts, int i, const WorldScratch<T>& x,
                                  const ContactScratch<T>& k, const ContactRows& out) {
  const Tree& t = s.tree;
  const Contact& c = contacts.all[i];
  meet_contact(c, i, x, k);
  World6<T> bias = still6<T>();
  for (int n = c.node; n > 0; n = t.nodes[n].parent)
    for (int j = t.nodes[n].column; j < t.nodes[n].end_own(); ++j) {
      add_contact_column(t, c, k.at[i], t.column_v[j], at_point<T>(x.columns[j].S, k.at[i].p), out.J);
      add(bias, scaled(s.v[t.column_v[j]], x.columns[j].S_dot));
    }
  T own[kContactRows] = {};
  if (c.node > 0) put_rows_of(c, contact_bias<T>(c, contacts.damping, bias, k.at[i].p, k.V[i]), own);
  put_turned_back(c, k.at[i], own, out.bias + c.row);
}

/// How they change at accelerations that `x` has, and the wrench of the forces f.
template <class T>
AMBLE_KERNEL void put_contact_changes(const State<T>& s, const Contacts& contacts, int i, const WorldScratch<T>& x,
                                      const ContactScratch<T>& k, const T* f, const ContactRows& out) {
  const Tree& t = s.tree;
  const Contact& c = contacts.all[i];
  T* wrench = out.wrench + 6 * i;
  for (int n = 0; n < 6; ++n) wrench[n] = T{};
  if (c.node == 0) return;
  T own[kContactRows] = {};
  add_turned(c, k.at[i], f + c.row, own);
  for_contact_changes(t, contacts, i, x, k, [&](int j, const World6<T>& in_q, const World6<T>& in_v) {
    const int v = t.column_v[j];
    add_contact_column(t, c, k.at[i], v, in_q, out.dq);
    add_contact_column(t, c, k.at[i], v, in_v, out.dv);
    if (c.aligned) add_contact_column(t, c, k.at[i], v, turned_force(c, x.columns[j].S.w, own), out.turn);
  });
  const Placed<T>& node = x.placed[c.node];
  const World3<T> arm = k.at[i].p - node.p;
  const World6<T> F = contact_wrench(c, arm, own);
  const V3<T> l = by_numbers(rotate_back(node.R, F.l)), w = by_numbers(rotate_back(node.R, F.w));
  wrench[0] = l.x, wrench[1] = l.y, wrench[2] = l.z, wrench[3] = w.x, wrench[4] = w.y, wrench[5] = w.z;
}

/// `a` and `f` (in the axes of the contacts) only for derivatives, see ContactRows.
template <class T>
AMBLE_KERNEL void contact_rows(const State<T>& s, const Contacts& contacts, const WorldScratch<T>& x,
                               const ContactScratch<T>& k, const T* a, const T* f, const ContactRows& out) {
  const Tree& t = s.tree;
  for (int n = 0; n < contacts.rows * t.nv; ++n) out.J[n] = T{};
  find_angles(t, s.q, s.sine, s.cosine);
  for (int i = 1; i < t.count; ++i) place_node(s, i, x), move_node(s, i, x);
  for (int i = 0; i < contacts.count; ++i) put_contact_row(s, contacts, i, x, k, out);
  if (a == nullptr) return;
  for (int n = 0; n < contacts.rows * t.nv; ++n) out.dq[n] = out.dv[n] = out.turn[n] = T{};
  for (int i = 1; i < t.count; ++i) {
    accelerate_node(s, a, i, x);
    if (t.nodes[i].move == Move::custom) add_custom_changes(s, a, i, x);
  }
  for (int i = 0; i < contacts.count; ++i) put_contact_changes(s, contacts, i, x, k, f, out);
}
