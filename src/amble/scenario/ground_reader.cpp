#include "amble/scenario/ground_reader.hpp"

namespace amble {

namespace {

GroundPtr read_plane(TomlTable& table) {
  return plane_ground(table.number("slope_deg", 0.0), table.number("height", 0.0, Limit::length));
}
GroundPtr read_stairs(TomlTable& table) {
  const Stairs d;
  return stairs_ground({table.number("start", d.start, Limit::length),
                        table.number("length", d.length, Limit::length),
                        table.number("rise", d.rise, Limit::length), table.whole("count", d.count, 0)});
}
GroundPtr read_sine(TomlTable& table) {
  const Waves d;
  return sine_ground({table.number("amplitude", d.amplitude), table.number("frequency", d.frequency),
                      table.number("direction_deg", d.direction_deg)});
}
GroundPtr read_height_field(TomlTable& table) {
  const HeightField d;
  table.require("heights");
  return height_field_ground(
      {table.number("x0", d.x0, Limit::length), table.number("y0", d.y0, Limit::length),
       table.number("spacing", d.spacing, Limit::length), table.rows("heights", Limit::length)});
}

GroundPtr read_kind(const std::string& type, TomlTable& table) {
  if (type == "stairs") return read_stairs(table);
  if (type == "sine") return read_sine(table);
  if (type == "height_field") return read_height_field(table);
  return read_plane(table);
}

}  // namespace

GroundPtr read_ground(TomlTable table) {
  const std::string type = table.choice("type", {"plane", "stairs", "sine", "height_field"}, "plane");
  GroundPtr ground = plane_ground();
  try {
    ground = read_kind(type, table);
  } catch (const Error& e) {
    table.problem("type", e.what());
  }
  table.finish();
  return ground;
}

}  // namespace amble
