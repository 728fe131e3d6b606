// No include guard, see arithmetic.inl. Pose, inertia and momentum of a node of one state in world axes, by columns
// in registers of four numbers: the same steps as in placed.inl and momentum.inl.

AMBLE_KERNEL void place_in_world(const Node& node, const Body<double>& b, const Placed<double>& parent,
                                 Placed<double>& x) {
  const double* B = b.R;
  if (node.parent == 0) {
    for (int k = 0; k < 3; ++k) x.R.c[k] = Quad{B[k], B[3 + k], B[6 + k], 0.0};
    x.p.k = Quad{};
    return;
  }
  const Quad* A = parent.R.c;
  const V3<double> p = origin_on_parent(node, b);
  for (int k = 0; k < 3; ++k) x.R.c[k] = A[0] * B[k] + A[1] * B[3 + k] + A[2] * B[6 + k];
  x.p.k = parent.p.k + A[0] * p.x + A[1] * p.y + A[2] * p.z;
}

/// I + x 1
AMBLE_KERNEL void add_diagonal(Quads& I, double x) {
  I.c[0] += x * Quad{1, 0, 0, 0}, I.c[1] += x * Quad{0, 1, 0, 0}, I.c[2] += x * Quad{0, 0, 1, 0};
}

AMBLE_KERNEL void start_inertia(const Node& node, const Placed<double>& x, Moving<double>& m) {
  const Quad *R = x.R.c, p = x.p.k;
  const double *h = node.h, *I = node.I;
  const Quad own = R[0] * h[0] + R[1] * h[1] + R[2] * h[2], moved = own + node.mass * p;
  const Quads half = {{R[0] * I[0] + R[1] * I[1] + R[2] * I[2], R[0] * I[1] + R[1] * I[3] + R[2] * I[4],
                       R[0] * I[2] + R[1] * I[4] + R[2] * I[5]}};
  for (int k = 0; k < 3; ++k)
    m.I.c[k] = half.c[0] * R[0][k] + half.c[1] * R[1][k] + half.c[2] * R[2][k] - own * p[k] - p * moved[k];
  add_diagonal(m.I, sum((own + moved) * p));
  m.mass = node.mass, m.h.k = moved;
}

AMBLE_KERNEL void start_momentum(const P6& V, Moving<double>& m) {
  const Quads& I = m.I;
  Quads second = {{-I.c[0], -I.c[1], -I.c[2]}};  // moment of mass
  add_diagonal(second, 0.5 * (I.c[0][0] + I.c[1][1] + I.c[2][2]));
  m.P = scaled(m.mass, V.l) + cross(V.w, m.h);
  for (int k = 0; k < 3; ++k) m.K.c[k] = -V.l.k * m.h.k[k] - cross(V.w.k, second.c[k]);
  add_diagonal(m.K, dot(m.h, V.l));
}

AMBLE_KERNEL void add_turning(Moving<double>& m, double x, const P6& V) {
  const Quad w = x * V.w.k;
  m.K.c[0] -= Quad{0, w[2], -w[1], 0}, m.K.c[1] -= Quad{-w[2], 0, w[0], 0}, m.K.c[2] -= Quad{w[1], -w[0], 0, 0};
}
