#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "amble/io/options.hpp"
#include "amble/io/xml/reader.hpp"
#include "amble/mechanism/description.hpp"

// The pieces of the URDF reader. Each puts what is wrong into `xml` and goes on.
namespace amble {

/// The first child of that name; a second one is reported as unused. Null when there is none.
const tinyxml2::XMLElement* only_child(XmlReader& xml, const tinyxml2::XMLElement& parent, const char* name);

/// Three numbers; of more than three the first are used, which is reported.
Vector3<double> urdf_vector(XmlReader& xml, const tinyxml2::XMLElement& at, const char* attribute,
                            const std::optional<Vector3<double>>& missing = {});

/// <origin>, identity when null. Roll, pitch and yaw are about the fixed axes x, y, z in this order; a
/// quat_xyzw of URDF 1.2 replaces them.
Pose read_origin(XmlReader& xml, const tinyxml2::XMLElement* origin);

using UrdfMaterials = std::map<std::string, std::array<double, 4>>;
/// Every material with a color, wherever it is defined; the first definition of a name counts.
UrdfMaterials read_materials(XmlReader& xml, const tinyxml2::XMLElement& robot);

/// What links need to know of the rest of the file.
struct UrdfContext {
  UrdfMaterials materials;
  const LoadOptions& options;
  std::map<std::string, std::string> mesh_paths = {};  ///< of those looked up so far; empty when not found
};

BodyDescription read_link(XmlReader& xml, const tinyxml2::XMLElement& link, UrdfContext& context);
void read_shapes(XmlReader& xml, const tinyxml2::XMLElement& link, const char* kind, UrdfContext& context,
                 std::vector<PlacedShape>& out);
JointDescription read_joint(XmlReader& xml, const tinyxml2::XMLElement& joint, const LoadOptions& options);

/// Throws an Error for a file that uses xacro: the first place where it does, and the command that expands
/// it. Definitions that nothing uses are only reported.
void check_macros(XmlReader& xml, const tinyxml2::XMLElement& robot);

/// Names are unique and known, and the joints make trees of all links.
void check_urdf_tree(XmlReader& xml, const ModelDescription& description);

}  // namespace amble
