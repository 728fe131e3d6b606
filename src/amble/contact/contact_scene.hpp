#pragma once

#include <map>
#include <optional>

#include "amble/contact/collision_shape.hpp"
#include "amble/contact/contact_spec.hpp"
#include "amble/contact/solved_element.hpp"
#include "amble/contact/touch_rules.hpp"
#include "amble/ports/touching.hpp"

namespace amble {

class ContactSweep;
struct ContactManifold;

/// What may touch what.
struct ContactSceneOptions {
  /// Null: none. Not given: the plane z = 0, unless the scenery of the mechanism has a plane itself.
  std::optional<GroundPtr> ground = {};
  /// Of all bodies and the ground. What it does not say is as the model's file has it, shape by shape.
  ContactMaterial material = {};
  std::map<std::string, ContactMaterial> materials = {};    ///< instead, by body; "world" is the ground and the scenery
  bool shapes = true;                                       ///< collision shapes of the mechanism
  bool between_bodies = true;                               ///< not only with the ground and the scenery
  std::vector<ContactSpec> contacts = {};                   ///< points and balls on bodies, each with a plane of its own
  double margin = 2e-4;  ///< things closer than this (m), and what can come together in a step, are solved for
};

/// Two shapes that may touch, and what they make of each other. The ground that a scene adds has no name.
struct TouchingPair {
  ShapeReference a, b;
  TouchLaw law;
};

/// A collision shape that a scene does without, and why.
struct SkippedShape {
  ShapeReference shape;
  std::string reason;
};

/// All that can touch: collision shapes of a mechanism's bodies, the ground, the scenery, and given points. Bodies that a joint
/// connects do not touch each other, nor do two of one robot whose shapes overlap in its neutral configuration: where it
/// is put together, they always do. What the model's file says comes first: masks, excluded bodies, and pairs of shapes,
/// which touch whatever else holds.
class ContactScene : public SolvedElement, public Touching {
 public:
  /// Throws an Error for a body that is not there or a material that cannot be.
  ContactScene(std::string name, const Mechanism& mechanism, const ContactSceneOptions& options = {});

  void add_blocks(const StepStart& start, std::vector<StepBlock>& out) const override;
  GroundPtr ground() const override { return ground_; }

  /// Pairs of bodies that are left out because they overlap in the neutral configuration.
  const std::vector<std::pair<std::string, std::string>>& overlapping() const { return overlapping_; }
  /// Pairs of shapes that may touch.
  std::vector<TouchingPair> pairs() const;
  /// Shapes that cannot be used: a mesh that is not found, one without volume, a box without width.
  const std::vector<SkippedShape>& skipped() const { return skipped_; }
  /// How many shapes there are.
  std::size_t shapes() const { return solids_.size(); }

 private:
  struct Solid {
    int link = 0;
    int label = 0;  // which of the labels is its own
    CollisionShape shape;
    Pose X_LS;
    double reach = 0.0, arm = 0.0;  // of the shape about its own origin, and of that from the link's
    int axis = 2;                   // along which a capsule of this half length and radius holds it
    double half = 0.0, radius = 0.0;
    double layer = 0.0;             // how far off others may touch it (m)
  };
  /// What steps do not need.
  struct Label {
    ShapeReference name;
    SceneSurface surface;
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
  void add_touching(int i, int j, const TouchLaw& law);
  const Label& label(int i) const { return labels_[solids_[i].label]; }
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
  std::vector<Label> labels_;
  int moving_ = 0;                     // how many come before them
  std::vector<char> may_touch_;        // solids x solids
  std::vector<int> law_of_;            // solids x solids: which of the laws holds where they may touch
  std::vector<TouchLaw> laws_;         // each once
  std::vector<Point> points_;
  std::vector<std::pair<std::string, std::string>> overlapping_;
  std::vector<SkippedShape> skipped_;
};

std::shared_ptr<const ContactScene> contact_scene(std::string name, const Mechanism& mechanism,
                                                  const ContactSceneOptions& options = {});

}  // namespace amble
