#pragma once

namespace amble {

/// One contact on its own, exactly: f with u = G f + q, 0 <= f_n perp u_n >= 0 and Coulomb's law, rows (normal, t1, t2).
/// G is symmetric and semidefinite, row after row. Where several f do, one of them; where a force changes nothing, none.
void solve_local_contact(const double G[9], const double q[3], double mu, double f[3]);

}  // namespace amble
