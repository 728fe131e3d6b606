#include "amble/io/mesh/mesh_files.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "amble/base/limits.hpp"
#include "amble/base/test/message_of.hpp"
#include "amble/io/mesh/mesh_message.hpp"
#include "amble/io/mesh/polygon.hpp"
#include "amble/io/test/mesh_samples.hpp"

namespace amble {
namespace {

using V = Vector3<double>;

class MeshFiles : public testing::Test {
 protected:
  void TearDown() override { reset_limits(); }
};

std::string obj_error(const std::string& text) {
  return message_of([&] { read_obj(text, "m.obj"); });
}
std::string stl_error(const std::string& bytes) {
  return message_of([&] { read_stl(bytes, "m.stl"); });
}
std::string msh_error(const std::string& bytes) {
  return message_of([&] { read_msh(bytes, "m.msh"); });
}

// ---- all formats

TEST_F(MeshFiles, ABoxIsTheSameInEveryFormat) {
  const TriangleMesh box = box_mesh();
  for (const TriangleMesh& m : {read_obj(obj_text(box), ""), read_stl(stl_bytes(box), ""),
                                read_stl(stl_text(box), ""), read_msh(write_msh(box), "")}) {
    ASSERT_EQ(m.triangles.size(), 12u);
    EXPECT_NEAR(volume(m), 6.0, 1e-12);
    for (std::size_t i = 0; i < 12; ++i)
      for (std::size_t k = 0; k < 3; ++k)
        EXPECT_EQ(m.vertices[m.triangles[i][k]], box.vertices[box.triangles[i][k]]);
  }
}

TEST_F(MeshFiles, DamageIsAnErrorOrAMeshWhoseIndicesAndCoordinatesExist) {
  const TriangleMesh box = box_mesh();
  const std::string files[] = {obj_text(box), stl_bytes(box), stl_text(box), write_msh(box)};
  TriangleMesh (*const readers[])(std::string_view, const std::string&) = {read_obj, read_stl, read_stl,
                                                                           read_msh};
  Random random(26);
  int read = 0, refused = 0;
  for (int i = 0; i < 8000; ++i) {
    const std::string bytes = damaged(files[i % 4], random);
    try {
      const TriangleMesh m = readers[i % 4](bytes, "m");
      for (const std::array<int, 3>& t : m.triangles)
        for (const int k : t) ASSERT_TRUE(k >= 0 && k < static_cast<int>(m.vertices.size())) << bytes;
      for (const V& v : m.vertices) ASSERT_TRUE(v.allFinite() && v.cwiseAbs().maxCoeff() <= 1e8) << bytes;
      ++read;
    } catch (const Error& e) {
      ASSERT_TRUE(std::string(e.what()).starts_with("m:")) << e.what();
      ++refused;
    }
  }
  EXPECT_GT(read, 500);
  EXPECT_GT(refused, 1000);
}

TEST_F(MeshFiles, CoordinatesBeyondTheLimitAreRefusedWithTheirPlace) {
  const std::string far = obj_error("v 0 0 0\nv 1 1e300 0\n");
  EXPECT_TRUE(far.starts_with("m.obj:2: a coordinate is 1e+300 m") &&
              far.ends_with("; " + limit_text(Limit::length)))
      << far;
  EXPECT_EQ(obj_error("v 0 nan 0\n"), "m.obj:1: a coordinate is nan; expected a finite number");
  TriangleMesh box = box_mesh();
  box.vertices[1][0] = std::numeric_limits<double>::infinity();
  EXPECT_EQ(msh_error(write_msh(box)), "m.msh: byte 28: a coordinate is inf; expected a finite number");
  EXPECT_EQ(stl_error(stl_bytes(box)), "m.stl: byte 170: a coordinate is inf; expected a finite number");
}

TEST_F(MeshFiles, CountsBeyondTheLimitAreRefused) {
  const TriangleMesh box = box_mesh();
  set_limit("mesh_vertices", 11);
  EXPECT_EQ(obj_error(obj_text(box)),
            "m.obj:27: the number of triangles is 12; at most 11 (limit 'mesh_vertices')");
  EXPECT_EQ(stl_error(stl_bytes(box)),
            "m.stl: byte 80: the number of triangles is 12; at most 11 (limit 'mesh_vertices')");
  EXPECT_EQ(stl_error(stl_text(box)),
            "m.stl:84: the number of triangles is 12; at most 11 (limit 'mesh_vertices')");
  EXPECT_EQ(msh_error(write_msh(box)),
            "m.msh: byte 12: the number of triangles is 12; at most 11 (limit 'mesh_vertices')");
  set_limit("mesh_vertices", 7);
  EXPECT_EQ(obj_error(obj_text(box)),
            "m.obj:11: the number of vertices is 8; at most 7 (limit 'mesh_vertices')");
  EXPECT_EQ(msh_error(write_msh(box)),
            "m.msh: byte 0: the number of vertices is 8; at most 7 (limit 'mesh_vertices')");
}

// ---- OBJ

TEST_F(MeshFiles, ObjIndicesCountFromOneOrBackFromTheLastVertex) {
  const TriangleMesh m = read_obj("v 0 0 0\nv 1 0 0\nv 0 1 0\nf -3 -2/1 -1//7\nv 5 5 5\nf 1 2/3/4 4\n", "");
  ASSERT_EQ(m.triangles.size(), 2u);
  EXPECT_EQ(m.triangles[0], (std::array{0, 1, 2}));
  EXPECT_EQ(m.triangles[1], (std::array{0, 1, 3}));
}

TEST_F(MeshFiles, ObjFacesMayComeBeforeTheirVertices) {
  EXPECT_EQ(read_obj("f 1 2 3\nv 0 0 0\nv 1 0 0\nv 0 1 0\n", "").triangles.size(), 1u);
}

TEST_F(MeshFiles, ObjIndicesThatNameNothingAreRefusedWithTheirLine) {
  const std::string corners = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";
  EXPECT_EQ(obj_error(corners + "f 1 2 4\n"), "m.obj:4: the face names vertex 4, but there are 3");
  EXPECT_EQ(obj_error(corners + "f 1 2 0\n"), "m.obj:4: the face names vertex 0, but there are 3");
  EXPECT_EQ(obj_error(corners + "\nf 1 2 -4\n"), "m.obj:5: the face names vertex -4, but there are 3");
  EXPECT_EQ(obj_error(corners + "f 1 2 2147483649\n"),
            "m.obj:4: the face names vertex 2147483649, but there are 3");
  for (const char* corner : {"x", "1.5", "1,2", "99999999999999999999", "1/x", "--1"})
    EXPECT_EQ(
        obj_error(corners + "f 1 2 " + corner),
        fmt::format("m.obj:4: '{}' is not a corner of a face; expected v, v/vt, v//vn or v/vt/vn", corner));
}

TEST_F(MeshFiles, ObjVerticesThatAreNoNumbersAreRefusedWithTheirLine) {
  EXPECT_EQ(obj_error("# x\nv 0 0\n"), "m.obj:2: a vertex has fewer than 3 coordinates");
  EXPECT_EQ(obj_error("v 0 0 zero"), "m.obj:1: 'zero' is not a number; expected a coordinate");
  EXPECT_EQ(obj_error("f 1 2 3\n"),
            "m.obj: there is no vertex in it; expected an OBJ file with lines 'v x y z'");
  EXPECT_EQ(obj_error("v 0 0 " + std::string(60, 'x') + "\x01"),
            "m.obj:1: '" + std::string(40, 'x') + "...' is not a number; expected a coordinate");
}

TEST_F(MeshFiles, ObjLinesMayEndInAnyWayAndContinue) {
  const TriangleMesh m =
      read_obj("v 0 0 0 1.0\r\nv +1 0 \\\r\n 0\r\nv 0 1e0 0 0.5 0.5 0.5\r\nf 1 \\\n2 3", "");
  EXPECT_EQ(m.triangles.size(), 1u);
  EXPECT_EQ(m.vertices[1], V(1, 0, 0));
  EXPECT_EQ(obj_error("v 0 0 0\\\n\nv 1 2 x"), "m.obj:3: 'x' is not a number; expected a coordinate");
}

TEST_F(MeshFiles, ObjObjectsAreToldApart) {
  const std::string corners = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n";
  EXPECT_EQ(read_obj("o a\n" + corners + "g b\nf 1 2 3 4\ng\nf 1 2 4\nf 2 3 4\n", "").objects,
            (std::vector<std::size_t>{0, 2}));
  EXPECT_TRUE(read_obj(corners, "").objects.empty());
}

// ---- polygons

/// As many triangles as a polygon needs, each inside it: their areas sum up to its own.
double triangulated_area(const std::vector<V>& corners, std::size_t* count = nullptr) {
  TriangleMesh m{corners, {}, {}};
  std::vector<int> loop;
  for (std::size_t i = 0; i < corners.size(); ++i) loop.push_back(static_cast<int>(i));
  add_polygon(loop, m);
  double sum = 0.0;
  for (const auto& [a, b, c] : m.triangles)
    sum += 0.5 * cross<double>(corners[b] - corners[a], corners[c] - corners[a]).norm();
  EXPECT_EQ(m.triangles.size(), corners.size() - 2);
  if (count) *count = m.triangles.size();
  return sum;
}

TEST(Polygon, ConcaveFacesAreCutInside) {
  const std::vector<V> arrow{{0, 0, 1}, {3, 0, 1}, {3, 3, 1}, {2, 1, 1}};
  EXPECT_NEAR(triangulated_area(arrow), 3.0, 1e-12);
  for (int turned = 0; turned < 4; ++turned) {
    std::vector<V> from(arrow);
    std::rotate(from.begin(), from.begin() + turned, from.end());
    EXPECT_NEAR(triangulated_area(from), 3.0, 1e-12) << turned;
    std::reverse(from.begin(), from.end());
    EXPECT_NEAR(triangulated_area(from), 3.0, 1e-12) << turned;
  }
}

TEST(Polygon, RandomStarsKeepTheirArea) {
  Random random(4);
  for (int i = 0; i < 200; ++i) {
    std::vector<V> star;
    const int n = random.integer(4, 40);
    const V x = V(random.normal(), random.normal(), random.normal()).normalized();
    const V y = cross<double>(x, V(random.normal(), random.normal(), random.normal())).normalized();
    double area = 0.0;
    for (int k = 0; k < n; ++k) {
      const double angle = 2.0 * M_PI * k / n;
      star.push_back(random.uniform(0.1, 1.0) * (std::cos(angle) * x + std::sin(angle) * y));
    }
    for (int k = 0; k < n; ++k)
      area += 0.5 * cross<double>(star[k], star[(k + 1) % n]).dot(cross<double>(x, y));
    EXPECT_NEAR(triangulated_area(star), area, 1e-9) << i;
  }
}

TEST(Polygon, AHoleThatABridgeReachesStaysOpen) {
  const std::vector<V> frame{{0, 0, 0}, {4, 0, 0}, {4, 4, 0}, {0, 4, 0}, {0, 0, 0},
                             {1, 1, 0}, {1, 3, 0}, {3, 3, 0}, {3, 1, 0}, {1, 1, 0}};
  EXPECT_NEAR(triangulated_area(frame), 12.0, 1e-12);
}

TEST(Polygon, FacesWithoutAShapeStillEnd) {
  triangulated_area({{0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}});
  triangulated_area({{0, 0, 0}, {1, 1, 0}, {1, 0, 0}, {0, 1, 0}});
  Random random(5);
  std::vector<V> tangle;
  for (int i = 0; i < 1000; ++i) tangle.emplace_back(random.uniform(), random.uniform(), random.uniform());
  triangulated_area(tangle);
}

// ---- STL

TEST_F(MeshFiles, StlThatIsNeitherTextNorBinaryIsRefused) {
  EXPECT_EQ(stl_error("hello"),
            "m.stl: 5 bytes are neither a text that starts with 'solid' nor a binary STL file, which has at "
            "least 84");
  const std::string bytes = stl_bytes(box_mesh());
  EXPECT_EQ(stl_error(std::string(80, ' ') + bytes.substr(80, 500)),
            "m.stl: byte 80: 12 triangles take 684 bytes, but the file has 580");
  EXPECT_EQ(stl_error(std::string(80, ' ') + std::string(4, '\xff')),
            "m.stl: byte 80: 4294967295 triangles take 214748364834 bytes, but the file has 84");
  EXPECT_EQ(stl_error(std::string(84, '\0')), "m.stl: there is no triangle in it");
  EXPECT_EQ(stl_error("solid nothing\nendsolid nothing\n"), "m.stl: there is no triangle in it");
}

TEST_F(MeshFiles, StlTextThatIsNotWellFormedIsRefusedWithItsLine) {
  const std::string start = "solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\n";
  EXPECT_EQ(stl_error(start + "endloop"), "m.stl:6: a facet has fewer than 3 vertices");
  EXPECT_EQ(stl_error(start), "m.stl:6: the file ends within a triangle");
  EXPECT_EQ(stl_error(start + "vertex 0 1 0\nvertex 1 1 0"), "m.stl:7: a facet has more than 3 vertices");
  EXPECT_EQ(stl_error(start + "vortex 0 1 0"), "m.stl:6: 'vortex' is not a word of an STL file");
  EXPECT_EQ(stl_error(start + "vertex 0 1 x"), "m.stl:6: 'x' is not a number; expected a coordinate");
  EXPECT_EQ(stl_error("solid x\nfacet abnormal"), "m.stl:2: expected 'normal' after 'facet'");
}

TEST_F(MeshFiles, StlTextMayBeInCapitals) {
  EXPECT_EQ(
      read_stl("SOLID x\nFACET NORMAL 0 0 1\nOUTER LOOP\nVERTEX 0 0 0\nVERTEX 1 0 0\nVERTEX 0 1 0\nENDLOOP\n"
               "ENDFACET\nENDSOLID\n",
               "")
          .triangles.size(),
      1u);
}

// ---- MSH

TEST_F(MeshFiles, MshWithImpossibleCountsIsRefused) {
  const std::string box = write_msh(box_mesh());
  const auto with = [&](int place, std::int32_t number) {
    std::string bytes = box;
    std::memcpy(&bytes[static_cast<std::size_t>(4 * place)], &number, 4);
    return msh_error(bytes);
  };
  EXPECT_NE(with(0, -1).find("m.msh: byte 0: -1 vertices, 0 normals"), std::string::npos) << with(0, -1);
  EXPECT_NE(with(1, 3).find("8 vertices, 3 normals"), std::string::npos);
  EXPECT_NE(with(2, -8).find("-8 texture coordinates"), std::string::npos);
  EXPECT_EQ(
      with(3, 0x7fffffff),
      "m.msh: byte 0: 8 vertices and 2147483647 triangles take 25769803876 bytes, but the file has 256");
  EXPECT_EQ(with(1, 8), "m.msh: byte 0: 8 vertices and 12 triangles take 352 bytes, but the file has 256");
  EXPECT_EQ(msh_error("abc"), "m.msh: 3 bytes are less than the header of an MSH file, 16");
  EXPECT_EQ(msh_error("$MeshFormat\n4.1 0 8\n"),
            "m.msh: this is a file of Gmsh; expected the binary MSH format of MuJoCo");
}

TEST_F(MeshFiles, MshTrianglesOfMissingVerticesAreRefused) {
  TriangleMesh box = box_mesh();
  box.triangles[1][2] = 8;
  EXPECT_EQ(msh_error(write_msh(box)), "m.msh: byte 132: a triangle names vertex 8 of 8, counted from 0");
  box.triangles[1][2] = -1;
  EXPECT_EQ(msh_error(write_msh(box)), "m.msh: byte 132: a triangle names vertex -1 of 8, counted from 0");
}

TEST_F(MeshFiles, MshNormalsAndTextureCoordinatesAreSkipped) {
  const std::string plain = write_msh(box_mesh());
  std::string rich;
  for (const int count : {8, 8, 8, 12}) append_number(rich, count);
  rich += plain.substr(16, 96) + std::string(96, '\x7f') + std::string(64, '\x7f') + plain.substr(112);
  EXPECT_NEAR(volume(read_msh(rich, "")), 6.0, 1e-12);
}

// ---- messages of the helper program

std::string message(const TriangleMesh& m, MeshMessageHeader header = {}) {
  header.vertices += m.vertices.size(), header.triangles += m.triangles.size();
  std::string out(reinterpret_cast<const char*>(&header), sizeof header);
  for (const V& v : m.vertices)
    for (const double x : v) append_number(out, x);
  for (const std::array<int, 3>& t : m.triangles)
    for (const int i : t) append_number(out, i);
  return out;
}

std::string message_error(const std::string& bytes) {
  return message_of([&] { decode_mesh_message(bytes, "m.dae"); });
}

TEST_F(MeshFiles, AMessageOfTheHelperIsCheckedLikeAFile) {
  const TriangleMesh box = box_mesh();
  EXPECT_NEAR(volume(decode_mesh_message(message(box), "")), 6.0, 1e-12);
  const std::string cannot_be = "m.dae: the mesh reader gave an answer that cannot be";
  EXPECT_EQ(message_error(""), cannot_be);
  EXPECT_EQ(message_error(message(box) + "x"), cannot_be);
  EXPECT_EQ(message_error(message(box, {.magic = 1})), cannot_be);
  EXPECT_EQ(message_error(message(box, {.content = 7})), cannot_be);
  EXPECT_EQ(message_error(message(box, {.triangles = 1})), cannot_be);
  EXPECT_EQ(message_error(message(box, {.vertices = 1u << 30})),
            "m.dae: the number of vertices is 1.07374e+09; at most 1e+07 (limit 'mesh_vertices')");
  EXPECT_EQ(message_error(message(box, {.vertices = ~std::uint64_t{0} - 7})), cannot_be)
      << "wraps round to 0";
  TriangleMesh bad = box;
  bad.triangles[0][0] = 8;
  EXPECT_EQ(message_error(message(bad)), cannot_be);
  bad = box, bad.vertices[0][2] = NAN;
  EXPECT_EQ(message_error(message(bad)), "m.dae: a coordinate is nan; expected a finite number");
}

TEST_F(MeshFiles, AReasonOfTheHelperIsOnePrintableLine) {
  MeshMessageHeader header{.content = MeshMessageHeader::kReason, .vertices = 9};
  std::string bytes(reinterpret_cast<const char*>(&header), sizeof header);
  EXPECT_EQ(message_error(bytes + "not\n\x1b XML"), "m.dae: the mesh file cannot be read: not?? XML");
}

TEST_F(MeshFiles, DamagedMessagesAreErrorsOrMeshes) {
  const std::string good = message(box_mesh());
  Random random(27);
  for (int i = 0; i < 4000; ++i) {
    const std::string bytes = damaged(good, random);
    try {
      const TriangleMesh m = decode_mesh_message(bytes, "m");
      for (const std::array<int, 3>& t : m.triangles)
        for (const int k : t) ASSERT_TRUE(k >= 0 && k < static_cast<int>(m.vertices.size()));
    } catch (const Error&) {
    }
  }
}

}  // namespace
}  // namespace amble
