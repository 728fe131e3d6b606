#include "amble/base/limits.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <functional>
#include <limits>

#include "amble/base/error.hpp"
#include "amble/base/test/source_dir.hpp"

namespace amble {
namespace {

class Limits : public testing::Test {
 protected:
  void TearDown() override { reset_limits(); }
};

std::string message_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& e) {
    return e.what();
  }
  return {};
}

TEST_F(Limits, HaveANameADefaultAndAMeaningInTheOrderOfTheEnumeration) {
  for (std::size_t i = 0; i < limit_table().size(); ++i) {
    const LimitInfo& info = limit_table()[i];
    EXPECT_FALSE(info.name.empty() || info.what.empty()) << i;
    EXPECT_EQ(limit(static_cast<Limit>(i)), info.value) << info.name;
    for (std::size_t j = 0; j < i; ++j) EXPECT_NE(limit_table()[j].name, info.name);
  }
  EXPECT_EQ(limit_table()[static_cast<std::size_t>(Limit::mass)].name, "mass");
  EXPECT_EQ(limit_table().back().name, "clients");
}

/// docs/limits.md has a row for each: `| `name` | default unit | what |`.
TEST_F(Limits, AreListedInTheDocumentationAsTheyAre) {
  std::ifstream page(source_dir() + "/docs/limits.md");
  std::string listed, expected;
  for (std::string line; std::getline(page, line);)
    if (line.starts_with("| `")) listed += line + "\n";
  for (const LimitInfo& info : limit_table())
    expected += fmt::format("| `{}` | {:g}{}{} | {} |\n", info.name, info.value, info.unit.empty() ? "" : " ",
                            info.unit, info.what);
  EXPECT_EQ(listed, expected);
}

TEST_F(Limits, ABreachNamesTheThingItsValueAndTheLimit) {
  EXPECT_EQ(message_of([] { check_limit(Limit::length, -1e308, "box size"); }),
            "box size is -1e+308 m or rad; at most 1e+08 m or rad (limit 'length')");
  EXPECT_EQ(message_of([] { check_limit(Limit::included_files, 1001, "the number of included files"); }),
            "the number of included files is 1001; at most 1000 (limit 'included_files')");
  EXPECT_NE(message_of([] { check_limit(Limit::mass, std::nan(""), "mass"); }), "");
  EXPECT_EQ(message_of([] { check_limit(Limit::length, 1e8, "box size"); }), "")
      << "the limit itself is allowed";
}

TEST_F(Limits, CanBeChangedByName) {
  set_limit("length", 2e8);
  EXPECT_EQ(message_of([] { check_limit(Limit::length, 1.5e8, "x"); }), "");
  reset_limits();
  EXPECT_NE(message_of([] { check_limit(Limit::length, 1.5e8, "x"); }), "");
}

TEST_F(Limits, RefuseUnknownNamesAndValuesThatAreNoBound) {
  EXPECT_NE(message_of([] { set_limit("lenght", 1.0); }).find("did you mean 'length'"), std::string::npos);
  for (const double value : {0.0, -1.0, std::nan(""), std::numeric_limits<double>::infinity()})
    EXPECT_NE(message_of([&] { set_limit("length", value); }), "") << value;
}

}  // namespace
}  // namespace amble
