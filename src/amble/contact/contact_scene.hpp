#pragma once

#include <map>
#include <optional>

#include "amble/contact/collision_shape.hpp"
#include "amble/contact/contact_spec.hpp"
#include "amble/contact/solved_element.hpp"
#include "amble/ports/touching.hpp"

namespace amble {

class ContactSweep;
struct ContactManifold;

/// How a surface touches others. Between two of them friction is the geometric mean of both coefficients, restitution the
/// larger one.
struct ContactMaterial {
  double friction = 0.8;     ///< Coulomb's coefficient, 0 to infinity
  double restitution = 0.0;  ///< 0 to 1
};

/// What may touch what.
struct ContactSceneOptions {
  /// Null: none. Not given: the plane z = 0, unless the scenery of the mechanism has a plane itself.
  std::optional<GroundPtr> ground = {};
  ContactMaterial material = {};                            ///< of all bodies and the ground, but for
  std::map<std::string, ContactMaterial> materials = {};    ///< these, by body; "world" is the ground and the scenery
  bool shapes = true;                                       ///< collision shapes of the mechanism
  bool between_bodies = true;                               ///< not only with the ground and the scenery
  std::vector<ContactSpec> contacts = {};                   ///< points and balls on bodies, each with a plane of its own
  double margin = 2e-4;  ///< things closer than this (m), and what can come together in a step, are solved for
};

/// All that can touch: collision shapes of a mechanism's bodies, the ground, the scenery, and given points. Bodies that a joint
/// connects do not touch each other, nor do two of one robot whose shapes overlap in its neutral configuration: where it
/// is put together, they always do.
class ContactScene : public SolvedElement, public Touching {
 public:
  /// Throws an Error for a body that is not there, a material that cannot be, or a shape that cannot be used.
  ContactScene(std::string name, const Mechanism& mechanism, const ContactSceneOptions& options = {});

  void add_blocks(const StepStart& start, std::vector<StepBlock>& out) const override;
  GroundPtr ground() const override { return ground_; }

  /// Pairs of bodies that are left out because they overlap in the neutral configuration.
  const std::vector<std::pair<std::string, std::string>>& overlapping() const { return overlapping_; }
  /// How many shapes there are.
  std::size_t shapes() const { return solids_.size(); }

 private:
  struct Solid {
    int link = 0, body = -1;  // -1: the world
    CollisionShape shape;
    Pose X_LS;
    double reach = 0.0, arm = 0.0;  // of the shape about its own origin, and of that from the link's
    int axis = 2;                   // along which a capsule of this half length and radius holds it
    double half = 0.0, radius = 0.0;
    ContactMaterial material;
  };
  struct Point {
    int link = 0;
    Vector3<double> p_L;
    ContactSpec spec;  // its normal is unit
  };

  void add_solids(const Mechanism& mechanism, const ContactSceneOptions& options);
  void add_solid(const Mechanism& mechanism, int body, const PlacedShape& placed, const ContactMaterial& material);
  static void enclose(Solid& solid);
  void add_ground(const GroundPtr& ground, const ContactMaterial& material);
  void find_pairs(const Mechanism& mechanism, bool between_bodies);
  void note_overlap(const std::string& a, const std::string& b);
  void place_solids(const StepStart& start, ContactSweep& sweep) const;
  bool near(int i, int j, double margin, ContactSweep& sweep) const;
  bool low(int plane, int i, double margin, const ContactSweep& sweep) const;
  void collide_pair(int a, int b, double margin, ContactSweep& sweep, ContactManifold& found) const;
  void add_pair(int i, int j, ContactSweep& sweep, std::vector<StepBlock>& out) const;
  void add_points(const StepStart& start, std::vector<StepBlock>& out) const;
  double travel(const Solid& solid, const StepStart& start) const;

  std::uint64_t id_;  // no other scene has it
  double margin_;
  GroundPtr ground_;  // null: none
  std::vector<Solid> solids_;          // those that do not move come last
  int moving_ = 0;                     // how many come before them
  std::vector<char> may_touch_;        // solids x solids
  std::vector<Point> points_;
  std::vector<std::pair<std::string, std::string>> overlapping_;
};

std::shared_ptr<const ContactScene> contact_scene(std::string name, const Mechanism& mechanism,
                                                  const ContactSceneOptions& options = {});

}  // namespace amble
