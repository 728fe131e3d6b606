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
  int root = 0;                       ///< the node between it and the world, possibly itself
  Move move = Move::turn;
  int q = 0, v = 0;                   ///< where its coordinates and velocities start
  int freedoms = 1;                   ///< how many velocities
  int column = 0;                     ///< its first column, all freedoms of all nodes counted in order
  int end = 0;                        ///< after the last column of all that it carries
  int depth = 0;                      ///< how many columns move its parent
  int path = 0;                       ///< where its path starts in Tree::path_v
  int angle = -1;                     ///< its place among the angles whose sine and cosine are needed, or -1
  bool leaf = true;                   ///< it carries no other
  bool last_child = false;            ///< of those on its parent, so that inward sweeps meet it first
  bool group_armature = false;        ///< a ball or free motion with armature
  int custom = -1;                    ///< its place among custom blocks, or -1
  double ratio = 1.0, offset = 0.0;   ///< the coordinate is ratio q + offset (one-axis motions that follow another)
  double pitch = 0.0;                 ///< m/rad
  double R[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};  ///< axes of the joint frame in the parent's, row by row
  double p[3] = {0, 0, 0};                    ///< its origin there
  double mass = 0.0;
  double h[3] = {0, 0, 0};            ///< first moment of mass
  double I[6] = {0, 0, 0, 0, 0, 0};   ///< about the origin: xx, xy, xz, yy, yz, zz
  double composite_mass = 0.0;        ///< with all that it carries

  int end_own() const { return column + freedoms; }
};

/// One custom joint at one state, in numbers: R (9, row by row), p (3), S (6 x 6, column by column, linear part first),
/// bias (6). For derivatives also how S changes along each of its columns (6 times the numbers of S), and how the bias
/// does (6 x 6); all in the node's own axes.
inline constexpr int kCustomChange = 9 + 3 + 36 + 6;
inline constexpr int kCustomBiasChange = kCustomChange + 6 * 36;
inline constexpr int kCustomBlock = kCustomBiasChange + 36;

struct Tree {
  const Node* nodes = nullptr;
  int count = 0;
  int nq = 0, nv = 0, angles = 0, customs = 0, columns = 0;
  int longest_path = 0;  ///< columns
  double gravity[3] = {0, 0, 0};
  double world_mass = 0.0, world_h[3] = {0, 0, 0};  ///< of bodies fixed to the world
  double mass = 0.0;                                ///< of everything
  const double* armature = nullptr;  ///< nv
  const double* turning = nullptr;   ///< if given, a number a node: see add_turning() of the Coriolis matrix
  const int *column_v = nullptr, *column_node = nullptr;  ///< the velocity and the node of each column
  const int* column_depth = nullptr;  ///< how many columns move it, itself not counted
  const int* column_end = nullptr;    ///< after the last column that it moves
  const int* inward = nullptr;        ///< all nodes but the world, those of most ancestors first: limbs take turns
  const int* path_v = nullptr;        ///< for each node, the velocities of the columns that move it, the root's first
  bool coupled = false;              ///< some nodes share coordinates; otherwise column and velocity are the same
};

}  // namespace amble::kernels
