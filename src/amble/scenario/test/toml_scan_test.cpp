#include "amble/scenario/toml_scan.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "amble/base/limits.hpp"
#include "amble/base/random.hpp"
#include "amble/base/test/message_of.hpp"
#include "amble/base/test/source_dir.hpp"
#include "amble/io/source.hpp"
#include "amble/scenario/bond_file.hpp"
#include "amble/scenario/scenario.hpp"
#include "amble/scenario/test/text_damage.hpp"
#include "amble/scenario/toml_table.hpp"
#include "amble/scenario/walk_scenario.hpp"
#include "amble/scenario/walker_file.hpp"

namespace amble {
namespace {

class TomlScan : public testing::Test {
 protected:
  void TearDown() override { reset_limits(); }
};

std::string repeated(const std::string& part, int count) {
  std::string out;
  for (int i = 0; i < count; ++i) out += part;
  return out;
}

std::string refusal(const std::string& text) {
  return message_of([&] { parse_toml(text, "t.toml"); });
}

/// Each nests `depth` tables or arrays in its own way.
std::vector<std::string> nested(int depth) {
  const std::string dotted = "a" + repeated(".a", depth - 1), rest = repeated(".b", depth - 2);
  return {"x = 1\n[" + dotted + "]\ny = 1\n",
          "x = 1\n" + dotted + ".a = 1\n",
          "x = " + repeated("[", depth) + repeated("]", depth) + "\n",
          "x = " + repeated("{a = ", depth) + "1" + repeated("}", depth) + "\n",
          "[a]\nb" + rest + " . c = 1\nb2 = {c" + rest + " = 1}\n",
          "[ \"a.]\" . 'b' " + repeated(". b", depth - 2) + "] # a.b.c\n",
          "[[a]]\nb" + repeated(".b", depth - 2) + " = 1\n"};
}

std::vector<std::string> files_of_the_repository() {
  std::vector<std::string> out;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(source_dir() + "/scenarios"))
    if (entry.path().extension() == ".toml") out.push_back(entry.path().string());
  std::sort(out.begin(), out.end());
  return out;
}

int depth_of(const toml::node& node) {
  int inside = -1;
  if (const auto* table = node.as_table())
    for (const auto& [key, value] : *table) inside = std::max(inside, depth_of(value));
  if (const auto* array = node.as_array())
    for (const toml::node& value : *array) inside = std::max(inside, depth_of(value));
  return node.is_value() ? 0 : 1 + std::max(inside, 0);
}

bool accepted_with(int nesting, const std::string& text) {
  set_limit("toml_nesting", nesting);
  return !toml_flaw(text);
}

/// The nesting that the scan sees.
int scanned_depth(const std::string& text) {
  int depth = 0;
  while (depth < 1000 && !accepted_with(depth + 1, text)) ++depth;
  return depth + 1;
}

TEST_F(TomlScan, AHeaderOfFiftyThousandDottedKeysIsRefusedWithItsLine) {
  EXPECT_EQ(refusal("x = 1\n[a" + repeated(".a", 49'999) + "]\n"),
            "t.toml:2: tables are nested too deep; at most 64 (limit 'toml_nesting')");
}

TEST_F(TomlScan, EveryWayToNestIsTakenUpToTheLimitAndRefusedBeyond) {
  for (const std::string& text : nested(64)) EXPECT_EQ(refusal(text), "");
  for (const std::string& text : nested(65))
    EXPECT_NE(refusal(text).find("at most 64 (limit 'toml_nesting')"), std::string::npos) << text;
  for (const std::string& text : nested(100'000))
    EXPECT_NE(refusal(text).find("nested too deep"), std::string::npos);
}

TEST_F(TomlScan, NestingIsNotFooledByStringsCommentsAndNumbers) {
  std::string text;
  for (int i = 0; i < 70; ++i)
    text += fmt::format(
        "k{} = \"[\\\"[.{{\" # [[[ {{\na{} = '[[' \nb{} = \"\"\"\n[[[ \"\" .\\\"\"\"\"\"\"\nc{} = "
        "'''\n{{{{'' '''''\n"
        "d{} = [1.5, 2.5e3, [1, 1979-05-27T07:32:00.5Z]]\n",
        i, i, i, i, i);
  EXPECT_EQ(refusal(text), "");
  EXPECT_EQ(scanned_depth(text), 2);
}

/// Two routes to the nesting. An array of tables counts once where a later header goes through it, so the
/// scan may see half of it, and never more than there is.
TEST_F(TomlScan, SeesTheNestingThatTheParserMakes) {
  for (const std::string& file : files_of_the_repository()) {
    const std::string text = read_text(file);
    const int made = depth_of(parse_toml(text, file)) - 1, seen = scanned_depth(text);
    reset_limits();
    EXPECT_LE(seen, std::max(made, 1)) << file;
    EXPECT_GE(2 * seen, made) << file;
  }
}

TEST_F(TomlScan, SizeEncodingAndNumberOfValuesAreBounded) {
  EXPECT_NE(refusal("a = 1\nb = \"\xFF\"\n").find("t.toml:2: byte 0xFF is not UTF-8"), std::string::npos);
  set_limit("elements", 100);
  EXPECT_EQ(refusal("a = 1\nb = [" + repeated("1,", 99) + "1]\n"),
            "t.toml:2: there are too many values; at most 100 (limit 'elements')");
  set_limit("file_bytes", 10);
  EXPECT_EQ(refusal("a = 1000000"),
            "t.toml: the size of the file is 11 bytes; at most 10 bytes (limit 'file_bytes')");
}

/// What a reader does with a text that is none of its own is to throw an Error.
TEST_F(TomlScan, DamagedFilesAreReadOrRefused) {
  const std::vector<std::string> files = files_of_the_repository();
  Random random(26);
  for (int i = 0; i < kDamagedFiles; ++i) {
    const std::string& file = files[static_cast<std::size_t>(i) % files.size()];
    const std::string text = damaged(read_text(file), random);
    SCOPED_TRACE(fmt::format("damaged file {} of seed 26, from {}", i, file));
    message_of([&] {
      if (file.find("/bonds/") != std::string::npos) {
        read_bond_file(text, file);
      } else if (file.find("/walkers/") != std::string::npos) {
        read_walker(text, file);
      } else if (is_walk_scenario(text, file)) {
        read_walk_scenario(text, file);
      } else {
        read_scenario(text, file);
      }
    });
  }
}

}  // namespace
}  // namespace amble
