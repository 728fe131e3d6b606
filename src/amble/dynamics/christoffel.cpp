#include "amble/dynamics/christoffel.hpp"

#include <fmt/format.h>

#include "amble/dynamics/workspace_memory.hpp"

namespace amble {

void christoffel(const Mechanism& m, Workspace& work, const VectorRef& q, Christoffel& out, ChristoffelKind kind) {
  const int nv = m.nv();
  if (out.nv() != nv) throw Error(fmt::format("Christoffel symbols of '{}' need nv = {}, not {}", m.name(), nv, out.nv()));
  Workspace::Memory& x = work.memory();
  Eigen::Map<Eigen::VectorXd> unit(x.unit.numbers(), nv);
  // C is linear in v, so its values at unit velocities are all there is.
  for (int k = 0; k < nv; ++k) {
    unit.setZero();
    unit[k] = 1.0;
    const MatrixView C = coriolis_matrix(m, work, q, unit);
    for (int i = 0; i < nv; ++i)
      for (int j = 0; j < nv; ++j) out(i, j, k) = C.data()[i * nv + j];
  }
  if (kind == ChristoffelKind::first) return;
  const MatrixView M_inverse = inverse_mass_matrix(m, work, q);
  Eigen::Map<Eigen::VectorXd> raised(x.M_factor.numbers(), nv);
  for (int j = 0; j < nv; ++j)
    for (int k = 0; k < nv; ++k) {
      for (int i = 0; i < nv; ++i) {
        raised[i] = 0.0;
        for (int l = 0; l < nv; ++l) raised[i] += M_inverse.data()[i * nv + l] * out(l, j, k);
      }
      for (int i = 0; i < nv; ++i) out(i, j, k) = raised[i];
    }
}

}  // namespace amble
