#pragma once

#include <cstddef>

// What the inner loops run over: plain records, no Eigen, no names, nothing to allocate. See docs/decisions/kernels.md.
namespace amble::kernels {

/// How a node moves on its parent, with its own z as the axis. Compound joints are chains of these.
enum class Move : int {
  turn,    ///< about z
  slide,   ///< along z
  helix,   ///< about z, and along z by `pitch` times the angle
  ball,    ///< quaternion (x, y, z, w); angular velocity in own axes
  free,    ///< position and quaternion; twist in own axes
  custom,  ///< pose, motion subspace and bias given from outside, see CustomBlock
};

/// A rigid body and the motion that carries it. Node 0 is the world; parents come before children.
struct Node {
  int parent = 0;
  Move move = Move::turn;
  int q = 0, v = 0;                   ///< where its coordinates and velocities start
  int freedoms = 1;                   ///< how many velocities
  int angle = -1;                     ///< its place among the angles whose sine and cosine are needed, or -1
  int custom = -1;                    ///< its place among custom blocks, or -1
  double ratio = 1.0, offset = 0.0;   ///< the coordinate is ratio q + offset (one-axis motions that follow another)
  double pitch = 0.0;                 ///< m/rad
  double R[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};  ///< axes of the joint frame in the parent's, row by row
  double p[3] = {0, 0, 0};                    ///< its origin there
  double mass = 0.0;
  double h[3] = {0, 0, 0};            ///< first moment of mass
  double I[6] = {0, 0, 0, 0, 0, 0};   ///< about the origin: xx, xy, xz, yy, yz, zz
  double composite_mass = 0.0;        ///< with all that it carries
};

/// One custom joint at one state, in numbers: R (9, row by row), p (3), S (6 x 6, column by column, linear part first),
/// bias (6).
inline constexpr int kCustomBlock = 9 + 3 + 36 + 6;

struct Tree {
  const Node* nodes = nullptr;
  int count = 0;
  int nq = 0, nv = 0, angles = 0, customs = 0;
  double gravity[3] = {0, 0, 0};
  const double* armature = nullptr;  ///< nv
  bool coupled = false;              ///< some nodes share coordinates
};

}  // namespace amble::kernels
