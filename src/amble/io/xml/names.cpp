#include "amble/io/xml/names.hpp"

#include <fmt/format.h>

#include "amble/io/xml/scan.hpp"

namespace amble {

namespace {

void check(const char* kind, const std::string& name) {
  if (const std::string byte = unsayable_byte(name); !byte.empty())
    throw Error(fmt::format("{} '{}': XML cannot say {} in a name", kind, name, byte));
}

template <class List>
void check_all(const char* kind, const List& list) {
  for (const auto& entry : list) check(kind, entry.name);
}

void check_shapes(const std::vector<PlacedShape>& shapes) {
  check_all("shape", shapes);
  for (const PlacedShape& s : shapes) check("mesh file", s.shape.file);
}

}  // namespace

void check_xml_can_say_names(const ModelDescription& description) {
  check("model", description.name);
  check_all("body", description.bodies);
  check_all("joint", description.joints);
  check_all("loop", description.loops);
  check_all("frame", description.frames);
  check_shapes(description.world_visuals), check_shapes(description.world_collisions);
  for (const BodyDescription& b : description.bodies) check_shapes(b.visuals), check_shapes(b.collisions);
}

}  // namespace amble
