#pragma once

// Jacobi's elliptic functions, for motions that are known in closed form.
namespace amble {

struct Jacobi {
  double sn, cn, dn;
  double am;  ///< the amplitude, which grows without bound with u
};

/// By the arithmetic-geometric mean (Abramowitz and Stegun 16.4); m = k^2 from 0 to below 1.
Jacobi jacobi(double u, double m);

}  // namespace amble
