#pragma once

#include <span>
#include <vector>

#include "amble/base/owned.hpp"

// A few contacts at once, to rounding: what impacts and events of a simulation need. For many, see solvers/.
namespace amble {

/// u = G p + w for three rows of each contact, (normal, t1, t2), and
///   p_n >= least, u_n >= 0, one of them an equality;   |p_t| <= friction p_n, against u_t in full where that
///   is not zero.
struct FewContactsLaw {
  double friction = 0.0;  ///< Coulomb's coefficient, 0 to infinity
  double least = 0.0;     ///< at least 0; more where something presses anyway
  /// Known to slide along this direction of the plane, (t1, t2), unit: p_t = -friction p_n slip, whatever u_t
  /// is. Zero: not so.
  double slip[2] = {0.0, 0.0};

  bool slides() const { return slip[0] != 0.0 || slip[1] != 0.0; }
};

enum class ContactState { open, sticking, sliding };

struct FewContactsSolution {
  OwnedVector p, u;
  std::vector<ContactState> states;  ///< open where p_n = least and u_n > 0
  double residual = 0.0;             ///< how far from the laws, in the units of u
  bool solved = false;               ///< the residual is next to nothing beside w
};

/// How a contact that slides answers a normal force that brings its friction along: G_nn - friction G_nt .
/// slip. Not above zero, friction drives the surfaces into each other and there is no solution, or there are
/// several (Painleve).
double sliding_mobility(const Eigen::Ref<const Eigen::Matrix3d>& G, const FewContactsLaw& law);

/// By Gauss and Seidel's way to the states, each contact exactly in its turn, and by Newton's method from
/// there. G is symmetric, at least semidefinite. With infinite friction a contact that closes does not slip,
/// and where it would enter without a force it is held even if that takes a pull: DS 3.3.4.
FewContactsSolution solve_few_contacts(const Eigen::Ref<const Eigen::MatrixXd>& G, const VectorRef& w,
                                       std::span<const FewContactsLaw> laws);

}  // namespace amble
