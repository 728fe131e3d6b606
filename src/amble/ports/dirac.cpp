#include "amble/ports/dirac.hpp"

#include <fmt/format.h>

#include <Eigen/LU>
#include <algorithm>

#include "amble/base/error.hpp"

namespace amble {

namespace {

using Dense = Eigen::MatrixXd;

/// Columns of the ports of `s` that remain when some open ones are joined; `kind` 0 storage, 1 resistive, 2 open.
std::vector<int> remaining(const DiracStructure& s, const std::vector<int>& joined, int kind) {
  const int first[] = {0, s.storage, s.storage + s.resistive, s.ports()};
  std::vector<int> out;
  for (int i = first[kind]; i < first[kind + 1]; ++i)
    if (kind < 2 || std::find(joined.begin(), joined.end(), i - first[2]) == joined.end()) out.push_back(i);
  return out;
}

std::vector<int> columns_of(const DiracStructure& s, const std::vector<int>& open_ports) {
  std::vector<int> out;
  for (const int port : open_ports) {
    if (port < 0 || port >= s.open)
      throw Error(fmt::format("open port {} of a Dirac structure is to be joined, but it has {}", port, s.open));
    out.push_back(s.storage + s.resistive + port);
  }
  return out;
}

}  // namespace

DiracDefect dirac_defect(const DiracStructure& s) {
  Dense both(s.F.rows(), s.F.cols() + s.E.cols());
  both << s.F, s.E;
  const Dense power = s.E * s.F.transpose() + s.F * s.E.transpose();
  return {power.cwiseAbs().maxCoeff(), s.ports() - static_cast<int>(Eigen::FullPivLU<Dense>(both).rank())};
}

/// Rows: -xdot + J e + r + g u = 0, e_r = e, y = g^T e + K u + s, and u_s = u, with r and s what the resistances answer.
DiracStructure dirac_structure(const PortHamiltonianTerms& at) {
  const int n = static_cast<int>(at.J.rows()), p = static_cast<int>(at.g.cols()), all = 2 * (n + p);
  DiracStructure out{OwnedMatrix(all, all), OwnedMatrix(all, all), n, n + p, p};
  const int r = n, s = 2 * n, y = 2 * n + p;  // columns of the ports after the storage
  out.F.block(0, 0, n, n).setIdentity(), out.F.block(0, r, n, n).setIdentity();
  out.E.block(0, 0, n, n) = at.J, out.F.block(0, y, n, p) = at.g;
  out.E.block(n, r, n, n).setIdentity(), out.E.block(n, 0, n, n) = -Dense::Identity(n, n);
  out.E.block(2 * n, y, p, p).setIdentity(), out.E.block(2 * n, 0, p, n) = -at.g.transpose();
  out.F.block(2 * n, y, p, p) = -at.K, out.F.block(2 * n, s, p, p).setIdentity();
  out.E.block(2 * n + p, s, p, p).setIdentity(), out.F.block(2 * n + p, y, p, p) = -Dense::Identity(p, p);
  return out;
}

OwnedMatrix resistance(const PortHamiltonianTerms& at) {
  const Eigen::Index n = at.R.rows(), p = at.S.rows();
  OwnedMatrix out(n + p, n + p);
  out.topLeftCorner(n, n) = at.R, out.bottomRightCorner(p, p) = at.S;
  return out;
}

/// The joined ports are eliminated: rows that combine to nothing on them remain.
DiracStructure compose(const DiracStructure& one, const std::vector<int>& one_ports, const DiracStructure& two,
                       const std::vector<int>& two_ports) {
  if (one_ports.size() != two_ports.size())
    throw Error(fmt::format("{} ports are to be joined to {}", one_ports.size(), two_ports.size()));
  const std::vector<int> a = columns_of(one, one_ports), b = columns_of(two, two_ports);
  const Eigen::Index k = static_cast<Eigen::Index>(a.size());
  Dense joined(one.F.rows() + two.F.rows(), 2 * k);
  joined << one.F(Eigen::all, a), one.E(Eigen::all, a), -two.F(Eigen::all, b), two.E(Eigen::all, b);
  const Dense L = k == 0 ? Dense::Identity(joined.rows(), joined.rows())
                         : Dense(Eigen::FullPivLU<Dense>(joined.transpose()).kernel().transpose());
  DiracStructure out{OwnedMatrix(), OwnedMatrix(), one.storage + two.storage, one.resistive + two.resistive,
                     one.open + two.open - 2 * static_cast<int>(k)};
  Dense F(L.rows(), out.ports()), E(L.rows(), out.ports());
  Eigen::Index column = 0;
  for (int kind = 0; kind < 3; ++kind)
    for (const bool second : {false, true}) {
      const DiracStructure& s = second ? two : one;
      const Dense rows = second ? L.rightCols(two.F.rows()) : L.leftCols(one.F.rows());
      for (const int c : remaining(s, second ? two_ports : one_ports, kind)) {
        F.col(column) = rows * s.F.col(c), E.col(column) = rows * s.E.col(c);
        ++column;
      }
    }
  out.F = F, out.E = E;
  return out;
}

DiracSolution solve(const DiracStructure& s, const VectorRef& gradient, const OwnedMatrix& resistance, const VectorRef& u) {
  if (gradient.size() != s.storage || resistance.rows() != s.resistive || resistance.cols() != s.resistive ||
      u.size() != s.open)
    throw Error(fmt::format("a Dirac structure of {} storage, {} resistive and {} open ports is given {}, {} and {}",
                            s.storage, s.resistive, s.open, gradient.size(), resistance.rows(), u.size()));
  Dense A(s.F.rows(), s.ports());  // of xdot, the resistive efforts and y
  A << -s.F.leftCols(s.storage),
      s.E.middleCols(s.storage, s.resistive) - s.F.middleCols(s.storage, s.resistive) * resistance,
      s.E.rightCols(s.open);
  const Eigen::VectorXd b = -s.E.leftCols(s.storage) * gradient - s.F.rightCols(s.open) * u;
  const Eigen::FullPivLU<Dense> lu(A);
  if (!lu.isInvertible())
    throw Error(fmt::format("a Dirac structure does not fix the rates of its storage: {} of its {} relations are about "
                            "efforts of storage alone",
                            A.cols() - lu.rank(), A.rows()));
  const Eigen::VectorXd x = lu.solve(b);
  return {OwnedVector(x.head(s.storage)), OwnedVector(x.tail(s.open))};
}

}  // namespace amble
