#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "amble/io/mjcf/source.hpp"

// Which attributes of MJCF are names of other elements: what replicate and attach must rename.
namespace amble {

/// Names by what they name: "body", "joint", "geom", "site", "tendon", "actuator", ...
using MjcfNames = std::map<std::string_view, std::set<std::string>>;

/// What an element with this tag is to others; empty for what nothing refers to.
std::string_view mjcf_kind(MjcfTag tag);

/// Adds the names of the element and of all in it.
void collect_names(const MjcfElement& element, MjcfNames& into);

/// How the element, without what it is itself called, refers to the names: how many of its references are
/// among them and how many are not.
struct MjcfReferences {
  int inside = 0, outside = 0;
};
MjcfReferences count_references(const MjcfElement& element, const MjcfNames& names);

/// Renames the element and all in it, and its references to `names`.
void rename(MjcfElement& element, const MjcfNames& names,
            const std::function<std::string(const std::string&)>& renamed);

/// How many elements it is, with all in it.
double element_count(const MjcfElement& element);

}  // namespace amble
