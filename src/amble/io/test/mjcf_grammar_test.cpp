#include <gtest/gtest.h>

#include <set>

#include "amble/io/mjcf/grammar_table.hpp"

// The table of MJCF is well formed, and what it says is found.
namespace amble {
namespace {

TEST(MjcfGrammar, EveryContextThatARowHoldsHasRows) {
  std::set<std::string_view> contexts{"*", ""};
  for (const MjcfRow& row : mjcf_rows()) {
    std::string_view left = row.contexts;
    while (!left.empty()) {
      const std::size_t end = std::min(left.find(' '), left.size());
      contexts.insert(left.substr(0, end));
      left.remove_prefix(std::min(end + 1, left.size()));
    }
  }
  for (const MjcfRow& row : mjcf_rows()) EXPECT_TRUE(contexts.contains(row.holds)) << row.name;
}

TEST(MjcfGrammar, NoElementStandsTwiceInAContext) {
  std::set<std::string> seen;
  for (const MjcfRow& row : mjcf_rows())
    EXPECT_TRUE(seen.insert(std::string(row.contexts) + "/" + std::string(row.name)).second) << row.name;
}

TEST(MjcfGrammar, NoAttributeIsThereTwice) {
  for (const char* context :
       {"mujoco", "body", "asset", "default", "equality", "tendon", "actuator", "sensor"})
    for (const std::string& name : mjcf_names(context)) {
      std::set<std::string_view> seen;
      for (const MjcfAttribute& a : mjcf_rule(context, name)->attributes)
        EXPECT_TRUE(seen.insert(a.name).second) << context << " " << name << " " << a.name;
    }
}

TEST(MjcfGrammar, TypesAreRead) {
  const MjcfRule& geom = *mjcf_rule("body", "geom");
  EXPECT_EQ(geom.find("fromto")->least, 6);
  EXPECT_EQ(geom.find("size")->most, 3);
  EXPECT_EQ(geom.find("type")->keywords.size(), 9u);
  EXPECT_EQ(geom.find("contype")->type, MjcfAttribute::Type::whole);
  EXPECT_FALSE(geom.find("solref")->used);
  EXPECT_TRUE(geom.find("mass")->used);
  EXPECT_EQ(mjcf_rule("asset", "texture")->find("type")->keywords.front(), "2d");
  EXPECT_EQ(mjcf_rule("equality", "joint")->tag, MjcfTag::joint_equality);
  EXPECT_EQ(mjcf_rule("body", "jointt"), nullptr);
}

}  // namespace
}  // namespace amble
