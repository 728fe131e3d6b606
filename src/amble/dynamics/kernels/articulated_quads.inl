// No include guard, see arithmetic.inl. Articulated inertias of one state, by columns in registers of four numbers: the
// same steps as in forward_dynamics.inl with a third of the instructions.

/// n = A alpha + H^T a, f = H alpha + C a.
struct ArticulatedQuads {
  Quads A, H, C;
};

template <>
struct KeptInertia<double> {
  using Type = ArticulatedQuads;
};

/// A body that carries nothing.
AMBLE_KERNEL ArticulatedQuads rigid_quads(const Node& node) {
  const Quad h = load_quad(node.h);
  ArticulatedQuads x;
  x.A = symmetric_quads(node.I);
  x.H = {{__builtin_shufflevector(h, h, 0, 2, 1, 3) * Quad{0, -1, 1, 0},
          __builtin_shufflevector(h, h, 2, 1, 0, 3) * Quad{1, 0, -1, 0},
          __builtin_shufflevector(h, h, 1, 0, 2, 3) * Quad{-1, 1, 0, 0}}};
  x.C = {{node.mass * Quad{1, 0, 0, 0}, node.mass * Quad{0, 1, 0, 0}, node.mass * Quad{0, 0, 1, 0}}};
  return x;
}

AMBLE_KERNEL ArticulatedQuads in_quads(const Articulated<double>& x) {
  const double *A = x.A, *B = x.B, *C = x.C;
  return {{{Quad{A[0], A[1], A[2]}, Quad{A[1], A[3], A[4]}, Quad{A[2], A[4], A[5]}}},
          {{load_quad(B), load_quad(B + 3), Quad{B[6], B[7], B[8]}}},
          {{Quad{C[0], C[1], C[2]}, Quad{C[1], C[3], C[4]}, Quad{C[2], C[4], C[5]}}}};
}
AMBLE_KERNEL Articulated<double> by_numbers(const ArticulatedQuads& x) {
  const auto &A = x.A.c, &H = x.H.c, &C = x.C.c;
  return {{A[0][0], A[0][1], A[0][2], A[1][1], A[1][2], A[2][2]},
          {H[0][0], H[0][1], H[0][2], H[1][0], H[1][1], H[1][2], H[2][0], H[2][1], H[2][2]},
          {C[0][0], C[0][1], C[0][2], C[1][1], C[1][2], C[2][2]}};
}
AMBLE_KERNEL void start_articulated(const Node& node, ArticulatedQuads& x) { x = rigid_quads(node); }

/// As add_articulated() by numbers: H' = H + C [p]^T, A' = A + H^T [p]^T + [p] H'. `kTurn` knows that the last columns
/// of A and H are zero.
template <bool kTurn>
AMBLE_KERNEL void add_articulated(const double* R, const V3<double>& p, const ArticulatedQuads& x,
                                  const ArticulatedQuads& before, ArticulatedQuads& parent) {
  constexpr int kColumns = kTurn ? 2 : 3;
  const Quads C = turned_symmetric(x.C, R);
  const Quads A = times_back<kColumns>(transposed(times_back<kColumns>(x.A, R)), R);
  const Quads B = times_back<3>(transposed(times_back<kColumns>(x.H, R)), R);
  const Quads H = plus_crossed(transposed(B), C, p), half = plus_crossed(A, B, p);
  const Quad arm = {p.x, p.y, p.z};
  for (int k = 0; k < 3; ++k) {
    parent.A.c[k] = before.A.c[k] + half.c[k] + cross(arm, H.c[k]);
    parent.H.c[k] = before.H.c[k] + H.c[k];
    parent.C.c[k] = before.C.c[k] + C.c[k];
  }
}

/// The first to reach a parent adds to the parent's own body.
template <bool kTurn>
AMBLE_KERNEL void pass_articulated(const Tree& t, const Node& node, const Body<double>& b, const ArticulatedQuads& x,
                                   ArticulatedQuads& parent) {
  const V3<double> p = origin_on_parent(node, b);
  if (node.last_child)
    add_articulated<kTurn>(b.R, p, x, rigid_quads(t.nodes[node.parent]), parent);
  else
    add_articulated<kTurn>(b.R, p, x, parent, parent);
}
template <bool kTurn>
AMBLE_KERNEL void pass_articulated(const Tree& t, const Node& node, const Body<double>& b, const Articulated<double>& x,
                                   ArticulatedQuads& parent) {
  pass_articulated<kTurn>(t, node, b, in_quads(x), parent);
}

/// As hand_down(), from registers.
AMBLE_KERNEL void hand_down(const Node& node, const Body<double>& b, const Quad& f, const Quad& n,
                            Body<double>& parent) {
  const Quads R = rotation_quads(b.R);
  const V3<double> p = origin_on_parent(node, b);
  const Quad force = turned(R, f);
  store_quad(parent.f, load_quad(parent.f) + force);
  store_quad(parent.n, load_quad(parent.n) + turned(R, n) + cross(Quad{p.x, p.y, p.z}, force));
}

/// As reduce_turn() by numbers.
AMBLE_KERNEL double reduce_turn(const Node& node, const State<double>& s, double tau, double armature, Body<double>& b,
                                Body<double>& parent, const ArticulatedQuads& x, ArticulatedQuads& below,
                                OneAxis<double>& one) {
  const double d = node.ratio * s.v[node.v], inertia = x.A.c[2][2] + armature;
  const Quad Un = x.A.c[2], Uf = x.H.c[2];
  one.Un = vector(Un), one.Uf = vector(Uf);
  one.inverse = 1.0 / inertia;
  one.u = tau - b.n.z;
  if (node.parent == 0) return inertia;
  const Quad gn = one.inverse * Un, gf = one.inverse * Uf;
  const double wx = b.w.y * d, wy = -b.w.x * d, vx = b.v.y * d, vy = -b.v.x * d;
  ArticulatedQuads r;
  for (int k = 0; k < 3; ++k) r.C.c[k] = x.C.c[k] - gf * Uf[k];
  for (int k = 0; k < 2; ++k) r.A.c[k] = x.A.c[k] - gn * Un[k], r.H.c[k] = x.H.c[k] - gf * Un[k];
  const Quad first = r.H.c[0] * Quad{vx, vy, 0, 0}, second = r.H.c[1] * Quad{vx, vy, 0, 0};
  const Quad swept = __builtin_shufflevector(first, second, 0, 4, 2, 6) +
                     __builtin_shufflevector(first, second, 1, 5, 3, 7);  // H^T times (vx, vy, 0)
  Quad n = load_quad(b.n) + gn * one.u + r.A.c[0] * wx + r.A.c[1] * wy + swept;
  const Quad f = load_quad(b.f) + gf * one.u + r.H.c[0] * wx + r.H.c[1] * wy + r.C.c[0] * vx + r.C.c[1] * vy;
  if (armature == 0.0) {
    pass_articulated<true>(s.tree, node, b, r, below);
  } else {  // the drive's inertia keeps the third row alive
    r.A.c[2] = x.A.c[2] - gn * Un[2], r.H.c[2] = x.H.c[2] - gf * Un[2];
    n += Quad{0, 0, r.H.c[2][0] * vx + r.H.c[2][1] * vy, 0};
    pass_articulated<false>(s.tree, node, b, r, below);
  }
  hand_down(node, b, f, n, parent);
  return inertia;
}
