#include "amble/control/stance/stance_search.hpp"

#include <gtest/gtest.h>

#include "amble/base/error.hpp"
#include "amble/base/test/source_dir.hpp"
#include "amble/io/load.hpp"

namespace amble {
namespace {

using V = Vector3<double>;

struct Searched {
  Mechanism m = load(source_dir() + "/models/humanoid30.urdf", {.base = Base::floating});
  std::vector<ContactPatch> patches;
  OwnedVector q = m.neutral();

  Searched() {
    q[2] = 0.66;
    for (const std::string side : {"left", "right"}) {
      patches.push_back({.name = side, .place = side + "_sole", .points = rectangle(0.22, 0.10), .friction = 0.6});
      q[m.q_slice(side + "_hip_pitch").start] = q[m.q_slice(side + "_ankle_pitch").start] = -0.4;
      q[m.q_slice(side + "_knee").start] = 0.8;
    }
  }
  static CandidateContact at(const std::string& side, double x, double z = 0.0) {
    return {side, Pose(V(x, side == "left" ? 0.1 : -0.1, z))};
  }
  static Stance both(const std::string& name, double x) {
    return {.name = name, .contacts = {{"left", at("left", x).X_ST}, {"right", at("right", x).X_ST}}};
  }
};

TEST(StanceSearch, WalksOverSteppingStones) {
  const Searched s;
  const std::vector<CandidateContact> stones{Searched::at("right", 0.25), Searched::at("left", 0.25), Searched::at("right", 1.5)};
  const StanceSearch found = search_stances(s.m, s.patches, Searched::both("here", 0.0), Searched::both("there", 0.5), stones, s.q);
  ASSERT_TRUE(found.found) << found.message;
  // One contact changes at a time, and no foot strides further than it can from where the other is.
  for (std::size_t i = 1; i < found.stances.size(); ++i) {
    const auto &a = found.stances[i - 1].contacts, &b = found.stances[i].contacts;
    EXPECT_EQ(std::max(a.size(), b.size()) - std::min(a.size(), b.size()), 1u);
    for (const auto& [name, place] : b)
      if (a.contains(name)) EXPECT_EQ((a.at(name).matrix() - place.matrix()).norm(), 0.0) << name;
  }
  EXPECT_EQ(found.stances.back().name, "there");
  EXPECT_NEAR(found.stances.back().contacts.at("left").translation()[0], 0.5, 1e-12);
  EXPECT_EQ(found.postures.size(), found.stances.size());
  // What the search promises, the sequencer finds.
  const StancePlan plan = plan_stances(s.m, s.patches, found.stances, s.q);
  EXPECT_TRUE(plan.found) << plan.message;
}

TEST(StanceSearch, SaysThatTheGapIsTooWide) {
  const Searched s;
  const StanceSearch found = search_stances(s.m, s.patches, Searched::both("here", 0.0), Searched::both("there", 2.0), {}, s.q);
  EXPECT_FALSE(found.found);
  EXPECT_EQ(found.message, "no way: all 3 stances that can be reached were looked at");
  EXPECT_GT(found.refused, 0);
  EXPECT_TRUE(found.stances.empty());
}

TEST(StanceSearch, RefusesWhatIsNotThere) {
  const Searched s;
  EXPECT_THROW(search_stances(s.m, s.patches, Searched::both("here", 0.0), Searched::both("there", 0.1), {{"tail", Pose()}}, s.q), Error);
  EXPECT_THROW(search_stances(s.m, s.patches, Searched::both("here", 0.0), Searched::both("there", 0.1), {}, s.q, {.change_cost = 0.0}), Error);
}

}  // namespace
}  // namespace amble
