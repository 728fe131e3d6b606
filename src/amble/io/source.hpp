#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "amble/base/error.hpp"

namespace tinyxml2 {
class XMLDocument;
}

namespace amble {

/// The whole text of a file. Throws an Error naming the file when it is missing, a folder, unreadable, empty
/// or larger than Limit::file_bytes.
std::string read_text(const std::string& path);

/// Throws an Error naming the file when a text of that many bytes is larger than Limit::file_bytes.
void check_file_bytes(const std::string& file, std::size_t bytes);

/// Checks what no parser should be trusted with, and throws an Error `file:line: reason`: larger than
/// Limit::file_bytes, not UTF-8 (a byte order mark is dropped; UTF-16 is named), NUL bytes, document type
/// declarations that declare anything (entities), more elements or deeper nesting than their limits, markup
/// that is not well formed. Fills `document`. Elements after the root element are no XML; MuJoCo lets them pass.
enum class ExtraRoots { refuse, allow };
void parse_xml(const std::string& text, const std::string& file, tinyxml2::XMLDocument& document,
               ExtraRoots extra_roots = ExtraRoots::refuse);

enum class Format { urdf, sdf, mjcf };

/// By the root element: robot, sdf (gazebo in old files), mujoco. Throws an Error naming what it found
/// instead.
Format format_of(const tinyxml2::XMLDocument& document, const std::string& file);

/// The absolute path of a mesh: `package://`, `model://`, `file://` or relative to the model file. Empty when it is
/// not found. A package is looked up in `package_path` (a folder that holds packages, or a package itself), then in
/// the folder of the model file and all above it, by the name of a folder or the one in its package.xml or
/// model.config. What is not found so, a `wide` search looks for without the package in the model file's folder and the next
/// ones above it, and likewise for relative names and the ends of absolute paths of another machine.
enum class MeshSearch { exact, wide };
std::string find_mesh(const std::string& name, const std::string& model_file,
                      const std::vector<std::string>& package_path, MeshSearch search = MeshSearch::wide);

/// Where find_mesh() looks for such a name, for messages.
std::string mesh_places(const std::string& name, const std::vector<std::string>& package_path);

}  // namespace amble
