#pragma once

#include <array>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "amble/io/mjcf/assets.hpp"
#include "amble/io/mjcf/source.hpp"
#include "amble/mechanism/description.hpp"

struct mjModel_;

namespace amble {

/// The compiled model together with the names and lines that its numbers belong to.
class MjcfView {
 public:
  enum class Kind { body, joint, geom, site, equality, actuator };

  /// `tree` is what `model` was compiled from; both must outlive the view. Lines point into `tree`'s main
  /// file.
  MjcfView(const mjModel_& model, const MjcfElement& tree);

  const mjModel_& model() const { return model_; }

  /// Names, unique and never empty: those of the file, or made up from the kind and MuJoCo's number. Where
  /// Amble wants names to differ and MJCF does not (a site and a body, a loop and a joint), the name is
  /// extended.
  const std::string& body(int id) const { return bodies_[id]; }
  const std::string& joint(int id) const { return joints_[id]; }
  const std::string& site(int id) const { return sites_[id]; }
  const std::string& equality(int id) const { return equalities_[id]; }
  /// A new name that no body (no joint) has, starting from `wish`.
  std::string new_body(const std::string& wish);
  std::string new_joint(const std::string& wish);

  /// What the file itself calls it; may be empty.
  std::string file_name(Kind kind, int id) const;
  /// The element in the file, or null for what MuJoCo made (composites).
  const MjcfElement* element(Kind kind, int id) const;
  /// Its line in the main file; 0 when unknown or in an included file.
  int line(Kind kind, int id) const;
  /// A finding about it, in whichever file it stands.
  Problem problem(Severity severity, Kind kind, int id, const std::string& reason) const;

 private:
  using Elements = std::vector<const MjcfElement*>;

  void list_body(const Elements& sections);
  void list_sections(const MjcfElement& root, const std::string& section, Kind kind);
  void index_by_name();
  std::vector<std::string> named(Kind kind, int count, const std::string& prefix,
                                 std::set<std::string>& taken) const;

  const mjModel_& model_;
  std::string main_file_;
  std::array<Elements, 6> elements_;
  std::array<std::map<std::string, const MjcfElement*>, 6> by_name_;  ///< the first of each name
  std::set<std::string> body_names_,
      joint_names_;  ///< every name taken: by bodies and frames, by joints and loops
  std::vector<std::string> bodies_, joints_, sites_, equalities_;
};

Pose mjcf_pose(const double* pos, const double* quat);
Vector3<double> mjcf_vector(const double* x);

/// The parts of the reader. Each adds to the description and its findings.
void add_mjcf_bodies(MjcfView& view, const mjModel_& inertias, ModelDescription& out);
void add_mjcf_shapes(const MjcfView& view, const std::map<std::string, MjcfStandIn>& stand_ins,
                     ModelDescription& out);
void add_mjcf_sites(const MjcfView& view, ModelDescription& out);
void add_mjcf_equalities(const MjcfView& view, bool mimic, ModelDescription& out);
void add_mjcf_actuators(const MjcfView& view, ModelDescription& out);

}  // namespace amble
