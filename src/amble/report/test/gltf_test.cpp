#include "amble/report/gltf.hpp"

#include <assimp/postprocess.h>
#include <assimp/scene.h>
#include <gtest/gtest.h>

#include <assimp/Importer.hpp>

#include "amble/base/error.hpp"
#include "amble/dynamics/kinematics.hpp"
#include "amble/report/scene_model.hpp"
#include "amble/report/synthetic.hpp"

namespace amble {
namespace {

// Read back by a parser that others wrote; the format's own validator runs in the tests of the page.
TEST(Gltf, AnotherProgramReadsTheMotion) {
  const Recording r = synthetic_recording(2.0);
  const std::string file = gltf_binary(r);
  Assimp::Importer importer;
  const aiScene* const scene = importer.ReadFileFromMemory(file.data(), file.size(), 0, "glb");
  ASSERT_NE(scene, nullptr) << importer.GetErrorString();
  ASSERT_EQ(scene->mNumAnimations, 1u);
  const aiAnimation& motion = *scene->mAnimations[0];
  EXPECT_EQ(motion.mNumChannels, 2u);
  const double tick = 1.0 / (motion.mTicksPerSecond == 0.0 ? 1.0 : motion.mTicksPerSecond);
  EXPECT_NEAR(motion.mDuration * tick, 2.0, 1e-5);
  Workspace work(r.mechanism());
  const std::vector<std::string> names = link_names(r.mechanism());
  for (unsigned c = 0; c < motion.mNumChannels; ++c) {
    const aiNodeAnim& channel = *motion.mChannels[c];
    const auto link = static_cast<std::size_t>(
        std::find(names.begin(), names.end(), channel.mNodeName.C_Str()) - names.begin());
    ASSERT_LT(link, names.size());
    EXPECT_NEAR(channel.mNumPositionKeys, 121, 1);
    for (unsigned k = 0; k < channel.mNumPositionKeys; k += 7) {
      const auto row =
          static_cast<Eigen::Index>(std::llround(1000.0 * channel.mPositionKeys[k].mTime * tick));
      const LinkPoses poses = forward_kinematics(r.mechanism(), work, r.q().row(row).transpose());
      const aiVector3D& p = channel.mPositionKeys[k].mValue;
      EXPECT_LT((Vector3<double>(p.x, p.y, p.z) - poses[link].translation()).norm(), 1e-6);
      const aiMatrix3x3 R = channel.mRotationKeys[k].mValue.GetMatrix();
      const Matrix3<double> ours = poses[link].rotation().matrix();
      EXPECT_NEAR(R.a1, ours(0, 0), 1e-6);
      EXPECT_NEAR(R.c1, ours(2, 0), 1e-6);
      EXPECT_NEAR(R.b2, ours(1, 1), 1e-6);
    }
  }
}

TEST(Gltf, NothingToShowIsAnError) {
  EXPECT_THROW(gltf_binary(Recording(synthetic_recording(0.1).mechanism())), Error);
  EXPECT_THROW(gltf_binary(synthetic_recording(0.1), {.frame_rate = 0.0}), Error);
}

}  // namespace
}  // namespace amble
