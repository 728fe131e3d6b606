#include "amble/base/names.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "amble/base/error.hpp"
#include "amble/base/random.hpp"

namespace amble {
namespace {

const std::vector<std::string> kNames{"hip", "knee", "ankle"};

TEST(Names, TheNearestNameIsSuggestedAndNothingWhenNoneIsNear) {
  EXPECT_EQ(nearest_name("kne", kNames), "knee");
  EXPECT_EQ(nearest_name("anlke", kNames), "ankle");
  EXPECT_EQ(nearest_name("shoulder", kNames), "");
  EXPECT_EQ(suggestion("hipp", kNames), " (did you mean 'hip'?)");
  EXPECT_EQ(nearest_name(std::string(100000, 'x'), kNames), "");
}

TEST(Problem, SaysWhereWhatAndWhy) {
  const Problem p{Severity::error, "a.urdf", 3, "joint 'j'", "is odd"};
  EXPECT_EQ(p.text(), "a.urdf:3: joint 'j': is odd");
  EXPECT_EQ((Problem{Severity::note, "", 0, "", "is odd"}).text(), "is odd");
}

TEST(Problem, AllThatAreSevereEnoughAreThrownAsOneError) {
  Problems problems(30, Problem{Severity::error, "", 0, "x", "bad"});
  problems.push_back({Severity::warning, "", 0, "y", "doubtful"});
  EXPECT_NO_THROW(throw_problems({{Severity::warning, "", 0, "y", "doubtful"}}, Severity::physics));
  try {
    throw_problems(problems, Severity::physics);
    FAIL();
  } catch (const Error& e) {
    const std::string message = e.what();
    EXPECT_NE(message.find("... and 10 more problems"), std::string::npos);
    EXPECT_EQ(message.find("doubtful"), std::string::npos);
  }
}

TEST(Random, IsTheSameForTheSameSeedAndWithinItsRange) {
  Random a(1), b(1), c(2);
  double mean = 0.0, square = 0.0;
  for (int i = 0; i < 10000; ++i) {
    const double x = a.uniform(-1, 3);
    EXPECT_EQ(x, b.uniform(-1, 3));
    EXPECT_TRUE(x >= -1 && x < 3);
    const double n = c.normal();
    mean += n / 10000, square += n * n / 10000;
  }
  EXPECT_NEAR(mean, 0.0, 0.03);
  EXPECT_NEAR(square, 1.0, 0.05);
}

}  // namespace
}  // namespace amble
