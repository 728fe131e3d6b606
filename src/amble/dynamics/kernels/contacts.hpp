#pragma once

namespace amble::kernels {

/// A frame C on a node, held against the world: six rows, or the three of its origin.
struct Contact {
  int node = 0;
  bool point = false;    ///< only its origin is held
  bool aligned = false;  ///< rows in world axes; otherwise in those of C, which turn with the node
  int row = 0;           ///< where its rows start
  double R[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};  ///< axes of C in the node's, row by row
  double p[3] = {0, 0, 0};                    ///< its origin there

  int rows() const { return point ? 3 : 6; }
};

struct Contacts {
  const Contact* all = nullptr;
  int count = 0, rows = 0;
  const int* shared = nullptr;  ///< count x count: how many columns move both of two contacts
  double damping = 0.0;         ///< 1/s
};

/// How a contact kernel fared: the smallest pivot of M, and whether the rows are far enough from each other for their
/// results to be used.
struct ContactOutcome {
  double smallest;
  bool independent;
};

/// What Kernels::contact_rows writes, matrices row by row, contacts.rows x nv.
struct ContactRows {
  double* J;
  double* bias;     ///< of each row: what its velocity changes by without accelerations, and damping J v
  double *dq, *dv;  ///< of J a + bias in numbers that turn with the body; may be null, as may all that follow
  double* turn;     ///< what forces in world axes change by in q, seen from the body
  double* wrench;   ///< of each contact 6 numbers: the wrench of f on its node, in the node's axes
};

}  // namespace amble::kernels
