#pragma once

#include <string>

#include "amble/report/model_stream.hpp"

namespace amble {

/// A model for a notebook: a line of facts, and its page in an iframe that has no rights but to run the
/// page's own code. The page stays below 8 MB: meshes have at most 60,000 triangles, and a model that needs
/// more than that all the same is its line of facts only.
std::string notebook_view(const Mechanism& mechanism);

/// A page for an attribute between single quotes; every other byte stays, so that the page's code keeps its
/// hash.
std::string quoted_page(const std::string& page);

}  // namespace amble
