#include "amble/io/mesh/mesh_helper.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <thread>

#include "amble/base/limits.hpp"
#include "amble/base/test/message_of.hpp"
#include "amble/io/mesh/load_mesh.hpp"
#include "amble/io/mesh/pipe_format.hpp"
#include "amble/io/test/mesh_samples.hpp"
#include "amble/io/test/temporary_folder.hpp"

// Files that are read in another program, and what becomes of it.
namespace amble {
namespace {

namespace fs = std::filesystem;

int open_descriptors() {
  return static_cast<int>(std::distance(fs::directory_iterator("/proc/self/fd"), fs::directory_iterator()));
}

/// No child, ended or not, is left.
bool has_no_child() { return waitpid(-1, nullptr, WNOHANG) == -1 && errno == ECHILD; }

class MeshHelper : public testing::Test {
 protected:
  void TearDown() override {
    unsetenv("AMBLE_MESH_HELPER");
    set_mesh_reading(MeshReading::helper);
    reset_limits();
    EXPECT_EQ(open_descriptors(), descriptors_);
    EXPECT_TRUE(has_no_child());
  }

  /// A helper of our own in place of the real one.
  void helper_is(const std::string& script) const {
    const std::string file = folder_.write("helper", "#!/bin/sh\n" + script + "\n");
    chmod(file.c_str(), 0700);
    setenv("AMBLE_MESH_HELPER", file.c_str(), 1);
  }
  std::string box() const { return folder_.write("box.dae", dae_text(box_mesh())); }
  /// The message without the folder.
  std::string error_of(const std::string& file) const {
    const std::string text = message_of([&] { load_mesh(file); });
    return text.starts_with(folder_.path()) ? text.substr(folder_.path().size() + 1) : text;
  }

  TemporaryFolder folder_;
  const int descriptors_ = open_descriptors();
};

double seconds_of(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

TEST_F(MeshHelper, ColladaIsReadOutsideAndInsideWithTheSameResult) {
  const TriangleMesh outside = load_mesh(box());
  EXPECT_NEAR(volume(outside), 6.0, 1e-6);
  set_mesh_reading(MeshReading::in_process);
  const TriangleMesh inside = load_mesh(box());
  EXPECT_EQ(inside.vertices, outside.vertices);
  EXPECT_EQ(inside.triangles, outside.triangles);
}

/// The corners of the box that holds a mesh.
std::pair<Vector3<double>, Vector3<double>> bounds(const TriangleMesh& m) {
  Vector3<double> lower = m.vertices.at(0), upper = lower;
  for (const Vector3<double>& v : m.vertices) lower = lower.cwiseMin(v), upper = upper.cwiseMax(v);
  return {lower, upper};
}

TEST_F(MeshHelper, ColladaCoordinatesAreInMetersAlongTheAxesOfTheFileWhicheverIsUp) {
  const auto [lower, upper] = bounds(box_mesh());
  ASSERT_GT((upper - lower).cwiseAbs().minCoeff(), 0.5);
  for (const char* up : {"X_UP", "Y_UP", "Z_UP"})
    for (const auto& [meter, scale] : {std::pair("1", 1.0), {"0.001", 1e-3}, {"0.0254", 0.0254}}) {
      const auto [low, high] = bounds(load_mesh(folder_.write("axes.dae", dae_text(box_mesh(), up, meter))));
      EXPECT_LT((low - scale * lower).norm(), 1e-6 * scale) << up << " " << meter;
      EXPECT_LT((high - scale * upper).norm(), 1e-6 * scale) << up << " " << meter;
    }
}

TEST_F(MeshHelper, WhatTheReaderObjectsToIsTheReason) {
  EXPECT_NE(error_of(folder_.write("x.dae", "<COLLADA")).find("x.dae: the mesh file cannot be read: "),
            std::string::npos);
  EXPECT_NE(
      error_of(folder_.write("x.xyz", "?")).find("x.xyz: the mesh file cannot be read: No suitable reader"),
      std::string::npos);
}

TEST_F(MeshHelper, FilesThatAreNoneAreRefusedBeforeTheHelperStarts) {
  helper_is("exit 9");
  EXPECT_EQ(error_of(folder_.path() + "/none.dae"), "none.dae: no such mesh file");
  EXPECT_EQ(error_of("/dev/zero"), "/dev/zero: this is not a file; expected a mesh");
  set_limit("mesh_bytes", 10);
  EXPECT_NE(error_of(box()).find("box.dae: its size is "), std::string::npos);
}

TEST_F(MeshHelper, AMissingHelperIsNamed) {
  setenv("AMBLE_MESH_HELPER", "/no/such/helper", 1);
  EXPECT_EQ(
      error_of(box()),
      "box.dae: the program that reads this format, '/no/such/helper', cannot be started: No such file or "
      "directory; AMBLE_MESH_HELPER can name another place");
}

TEST_F(MeshHelper, ACrashIsAnError) {
  helper_is("kill -SEGV $$");
  EXPECT_EQ(error_of(box()), "box.dae: the mesh reader crashed (signal 11, Segmentation fault)");
  helper_is("printf 'AMBLMSH1\\0\\0\\0\\0'; kill -ABRT $$");
  EXPECT_EQ(error_of(box()), "box.dae: the mesh reader crashed (signal 6, Aborted)");
}

TEST_F(MeshHelper, AnEndWithoutAMeshIsAnError) {
  helper_is("exit 0");
  EXPECT_EQ(error_of(box()), "box.dae: the mesh reader ended without a mesh");
  helper_is("exit 3");
  EXPECT_EQ(
      error_of(box()),
      "box.dae: the mesh reader ran out of memory; it may take at most 2e+09 bytes (limit 'mesh_memory')");
}

TEST_F(MeshHelper, GarbageIsAnError) {
  helper_is("printf 'this is longer than thirty-two bytes, and no mesh'");
  EXPECT_EQ(error_of(box()), "box.dae: the mesh reader gave an answer that cannot be");
  helper_is("yes");
  EXPECT_EQ(error_of(box()), "box.dae: the mesh reader gave an answer that cannot be");
}

TEST_F(MeshHelper, AReaderThatDoesNotFinishIsEnded) {
  set_limit("mesh_seconds", 0.3);
  const std::string late =
      "box.dae: the mesh reader did not finish; it may take at most 0.3 s (limit 'mesh_seconds')";
  for (const char* script :
       {"sleep 60", "exec >&-; sleep 60", "while :; do :; done", "trap '' TERM INT HUP; sleep 60"}) {
    helper_is(std::string("exec 3>&-; ") + script);
    EXPECT_LT(seconds_of([&] { EXPECT_EQ(error_of(box()), late) << script; }), 5.0);
  }
}

TEST_F(MeshHelper, TheHelperInheritsNoDescriptor) {
  const int secret = open("/dev/null", O_RDONLY);  // without O_CLOEXEC, as careless programs do
  helper_is("ls /proc/$$/fd > " + folder_.path() + "/seen; exit 0");
  error_of(box());
  close(secret);
  std::ifstream in(folder_.path() + "/seen");
  const std::string seen((std::istreambuf_iterator<char>(in)), {});
  EXPECT_EQ(seen.find('\n' + std::to_string(secret) + '\n'), std::string::npos) << seen;
  EXPECT_TRUE(seen.starts_with("0\n")) << seen;
}

TEST_F(MeshHelper, TooMuchMemoryIsAnError) {
  if (!kHelperBoundsMemory) GTEST_SKIP() << "a sanitizer needs more addresses than any bound";
  set_limit("mesh_memory", 150e6);
  TriangleMesh many;
  for (int i = 0; i < 400000; ++i) many.vertices.emplace_back(i, i % 7, i % 11);
  for (int i = 2; i < 400000; ++i) many.triangles.push_back({i - 2, i - 1, i});
  const std::string text = error_of(folder_.write("large.dae", dae_text(many)));
  EXPECT_TRUE(text.starts_with("large.dae: ") && !text.ends_with("ended without a mesh")) << text;
}

TEST_F(MeshHelper, AProgramThatIgnoresItsChildrenStillGetsItsMeshes) {
  const auto before = signal(SIGCHLD, SIG_IGN);
  EXPECT_NEAR(volume(load_mesh(box())), 6.0, 1e-6);
  helper_is("kill -SEGV $$");
  EXPECT_EQ(error_of(box()), "box.dae: the mesh reader ended without a mesh");
  signal(SIGCHLD, before);
}

TEST_F(MeshHelper, ThreadsReadAtTheSameTime) {
  const std::string file = box();
  std::atomic<int> read = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      for (int k = 0; k < 3; ++k) read += std::abs(volume(load_mesh(file)) - 6.0) < 1e-6;
    });
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(read, 12);
}

// ---- other files that a mesh refers to

/// glTF keeps its numbers in another file.
std::string gltf_text(const std::string& numbers) {
  return R"({"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[0]}],"nodes":[{"mesh":0}],
    "meshes":[{"primitives":[{"attributes":{"POSITION":0}}]}],
    "accessors":[{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3","min":[0,0,0],"max":[1,1,0]}],
    "bufferViews":[{"buffer":0,"byteLength":36}],"buffers":[{"uri":")" +
         numbers + R"(","byteLength":36}]})";
}

std::string triangle_bytes() {
  std::string out;
  for (const float x : {0.f, 0.f, 0.f, 1.f, 0.f, 0.f, 0.f, 1.f, 0.f}) append_number(out, x);
  return out;
}

TEST_F(MeshHelper, ReferencesStayInTheFolderOfTheMesh) {
  folder_.write("robot/parts/leg.bin", triangle_bytes());
  folder_.write("secret.bin", triangle_bytes());
  EXPECT_EQ(load_mesh(folder_.write("robot/a.gltf", gltf_text("parts/leg.bin"))).triangles.size(), 1u);
  const auto refused = [&](const std::string& reference) {
    return error_of(folder_.write("robot/b.gltf", gltf_text(reference)))
        .starts_with("robot/b.gltf: the mesh file cannot");
  };
  EXPECT_TRUE(refused("../secret.bin"));
  EXPECT_TRUE(refused(folder_.path() + "/secret.bin"));
  EXPECT_TRUE(refused("parts/../../secret.bin"));
  fs::create_symlink(folder_.path() + "/secret.bin", folder_.path() + "/robot/link.bin");
  EXPECT_TRUE(refused("link.bin"));
}

TEST_F(MeshHelper, AMeshThatIsALinkRefersToTheFolderOfItsTarget) {
  folder_.write("source/leg.bin", triangle_bytes());
  folder_.write("source/leg.gltf", gltf_text("leg.bin"));
  fs::create_directory(folder_.path() + "/installed");
  for (const char* file : {"leg.bin", "leg.gltf"})
    fs::create_symlink(folder_.path() + "/source/" + file, folder_.path() + "/installed/" + file);
  EXPECT_EQ(load_mesh(folder_.path() + "/installed/leg.gltf").triangles.size(), 1u);
}

// ---- damage

TEST_F(MeshHelper, DamagedColladaIsAMeshOrAnError) {
  const std::string good = dae_text(box_mesh());
  Random random(28);
  int read = 0, crashed = 0;
  for (int i = 0; i < 200; ++i) {
    const std::string error = error_of(folder_.write("damaged.dae", damaged(good, random, 1)));
    ASSERT_TRUE(error.empty() || error.starts_with("damaged.dae: ")) << error;
    read += error.empty(), crashed += error.find("crashed") != std::string::npos;
  }
  EXPECT_GT(read, 20);
  EXPECT_LT(read, 200);
  RecordProperty("crashes_of_the_helper", crashed);
}

}  // namespace
}  // namespace amble
