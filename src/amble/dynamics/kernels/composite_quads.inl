// No include guard, see arithmetic.inl. Composite bodies of one state, by columns in registers of four numbers.

struct CompositeQuads {
  Quad h;
  Quads I;
};

template <>
struct KeptComposite<double> {
  using Type = CompositeQuads;
};

AMBLE_KERNEL CompositeQuads own_quads(const Node& node) { return {load_quad(node.h), symmetric_quads(node.I)}; }

/// As add_composite() by numbers.
AMBLE_KERNEL void add_composite(const Tree& t, const Node& node, const Body<double>& b, const CompositeQuads& c,
                                CompositeQuads& parent) {
  const CompositeQuads before = node.last_child ? own_quads(t.nodes[node.parent]) : parent;
  const V3<double> at = origin_on_parent(node, b);
  const Quad p = {at.x, at.y, at.z}, h = turned(rotation_quads(b.R), c.h), moved = h + node.composite_mass * p;
  const Quad along = (h + moved) * p, trace = Quad{} + (along[0] + along[1] + along[2]);
  const Quads I = turned_symmetric(c.I, b.R);
  parent.h = before.h + moved;
  parent.I.c[0] = before.I.c[0] + I.c[0] - h * at.x - p * moved[0] + trace * Quad{1, 0, 0, 0};
  parent.I.c[1] = before.I.c[1] + I.c[1] - h * at.y - p * moved[1] + trace * Quad{0, 1, 0, 0};
  parent.I.c[2] = before.I.c[2] + I.c[2] - h * at.z - p * moved[2] + trace * Quad{0, 0, 1, 0};
}

AMBLE_KERNEL Composite<double> by_numbers(const CompositeQuads& x) {
  const auto& I = x.I.c;
  return {vector(x.h), {I[0][0], I[0][1], I[0][2], I[1][1], I[1][2], I[2][2]}};
}
AMBLE_KERNEL void start_composite(const Node& node, CompositeQuads& x) { x = own_quads(node); }
