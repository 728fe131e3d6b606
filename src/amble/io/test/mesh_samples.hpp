#pragma once

#include <fmt/format.h>

#include <string>

#include "amble/base/random.hpp"
#include "amble/io/mesh/bytes.hpp"
#include "amble/io/mesh/mesh_files.hpp"

// Meshes for tests: a box in every format, and damage to it.
namespace amble {

/// A box [0, 1] x [0, 2] x [0, 3], closed, faces outward.
inline TriangleMesh box_mesh() {
  TriangleMesh out;
  for (int i = 0; i < 8; ++i) out.vertices.emplace_back(i & 1, i & 2, 3 * (i >> 2 & 1));
  for (const std::array<int, 4>& f :
       {std::array{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}}) {
    out.triangles.push_back({f[0], f[1], f[2]});
    out.triangles.push_back({f[0], f[2], f[3]});
  }
  return out;
}

/// By the divergence theorem.
inline double volume(const TriangleMesh& m) {
  double sum = 0.0;
  for (const auto& [a, b, c] : m.triangles)
    sum += m.vertices[a].dot(cross<double>(m.vertices[b], m.vertices[c])) / 6.0;
  return sum;
}

inline std::string obj_text(const TriangleMesh& m) {
  std::string out = "# a box\nmtllib none.mtl\no box\n";
  for (const Vector3<double>& v : m.vertices) out += fmt::format("v {} {} {}\n", v[0], v[1], v[2]);
  out += "vn 0 0 1\nvt 0 0\ns off\nusemtl grey\n";
  for (const auto& [a, b, c] : m.triangles) out += fmt::format("f {}/1/1 {}//1 {}\n", a + 1, b + 1, c + 1);
  return out;
}

inline std::string stl_bytes(const TriangleMesh& m) {
  std::string out = "solid, but binary";
  out.resize(80, ' ');
  append_number(out, static_cast<std::uint32_t>(m.triangles.size()));
  for (const std::array<int, 3>& t : m.triangles) {
    for (int i = 0; i < 3; ++i) append_number(out, 0.0f);
    for (const int i : t)
      for (const double x : m.vertices[i]) append_number(out, static_cast<float>(x));
    append_number(out, std::uint16_t{0});
  }
  return out;
}

inline std::string stl_text(const TriangleMesh& m) {
  std::string out = "solid a box\n";
  for (const std::array<int, 3>& t : m.triangles) {
    out += "facet normal nan 0 1\n  outer loop\n";
    for (const int i : t)
      out += fmt::format("    vertex {:e} {} {}\n", m.vertices[i][0], m.vertices[i][1], m.vertices[i][2]);
    out += "  endloop\nendfacet\n";
  }
  return out + "endsolid a box\n";
}

/// COLLADA.
inline std::string dae_text(const TriangleMesh& m, const std::string& up = "Y_UP", const std::string& meter = "1") {
  std::string numbers, indices;
  for (const Vector3<double>& v : m.vertices) numbers += fmt::format("{} {} {} ", v[0], v[1], v[2]);
  for (const auto& [a, b, c] : m.triangles) indices += fmt::format("{} {} {} ", a, b, c);
  return fmt::format(R"(<?xml version="1.0" encoding="utf-8"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit name="unit" meter="{}"/><up_axis>{}</up_axis></asset>
<library_geometries><geometry id="box"><mesh>
<source id="p"><float_array id="pa" count="{}">{}</float_array><technique_common>
<accessor source="#pa" count="{}" stride="3"><param name="X" type="float"/><param name="Y" type="float"/><param name="Z" type="float"/></accessor>
</technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
<triangles count="{}"><input semantic="VERTEX" source="#v" offset="0"/><p>{}</p></triangles>
</mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="s"><node id="n"><instance_geometry url="#box"/></node></visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#s"/></scene></COLLADA>
)",
                     meter, up, 3 * m.vertices.size(), numbers, m.vertices.size(), m.triangles.size(), indices);
}

/// Up to `most` times a few bytes changed, cut out, repeated or put in, with a taste for what breaks parsers.
inline std::string damaged(std::string bytes, Random& random, int most = 6) {
  const auto place = [&] {
    return static_cast<std::size_t>(random.integer(0, static_cast<int>(bytes.size()) - 1));
  };
  const char* const words[] = {"-1", "99999999", "nan",  "1e308",      "-0", "1/2/3/4",
                               "\n", " ",        "0x10", "2147483648", "inf"};
  for (int changes = random.integer(1, most); changes > 0 && bytes.size() > 1; --changes) {
    const std::size_t at = place();
    switch (random.integer(0, 6)) {
      case 0:
        bytes[at] = static_cast<char>(random.integer(0, 255));
        break;
      case 1:
        bytes[at] = static_cast<char>(bytes[at] ^ (1 << random.integer(0, 7)));
        break;
      case 2:
        bytes.erase(at, static_cast<std::size_t>(random.integer(1, 16)));
        break;
      case 3:
        bytes.insert(at, words[random.integer(0, 10)]);
        break;
      case 4:
        bytes.replace(at, std::min<std::size_t>(2, bytes.size() - at), words[random.integer(0, 10)]);
        break;
      case 5: {  // a whole number of four bytes, aligned
        if (bytes.size() < 8) break;
        const std::int32_t odd[] = {-1, 1 << 30, 0, 3, 0x7fffffff, 0x7fc00000, 0x7f800000};
        std::memcpy(&bytes[std::min(at, bytes.size() - 4) / 4 * 4], &odd[random.integer(0, 6)], 4);
        break;
      }
      default:
        if (random.integer(0, 3) == 0)
          bytes.resize(at + 1);
        else
          bytes.insert(at, bytes.substr(place(), static_cast<std::size_t>(random.integer(1, 40))));
    }
  }
  return bytes;
}

}  // namespace amble
