#include "amble/io/source.hpp"

#include <gtest/gtest.h>
#include <tinyxml2.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "amble/base/limits.hpp"
#include "amble/io/test/temporary_folder.hpp"
#include "amble/io/xml/numbers.hpp"
#include "amble/io/xml/tally.hpp"
#include "amble/io/xml/unread.hpp"

namespace amble {
namespace {

namespace fs = std::filesystem;
using namespace std::string_literals;

/// The message of the Error that `f` throws; "" when it throws none.
template <class F>
std::string error_of(F f) {
  try {
    f();
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

std::string parse_error(const std::string& text) {
  return error_of([&] {
    tinyxml2::XMLDocument document;
    parse_xml(text, "m.xml", document);
  });
}

std::string nested(int depth) {
  std::string text;
  for (int i = 0; i < depth; ++i) text += "<a>";
  for (int i = 0; i < depth; ++i) text += "</a>";
  return text;
}

TEST(ReadText, GivesTheBytesOfTheFile) {
  const TemporaryFolder folder;
  const std::string text = "<robot>\r\n\xC3\xA9</robot>\n";
  EXPECT_EQ(read_text(folder.write("a.urdf", text)), text);
}

TEST(ReadText, AMissingFileIsNamed) {
  EXPECT_EQ(error_of([] { read_text("/no/such.urdf"); }), "/no/such.urdf: no such file");
}

TEST(ReadText, AFolderIsRefused) {
  const TemporaryFolder folder;
  EXPECT_NE(error_of([&] { read_text(folder.path()); }).find("this is a folder"), std::string::npos);
}

TEST(ReadText, AnEmptyFileIsRefused) {
  const TemporaryFolder folder;
  const std::string path = folder.write("empty.urdf", "");
  EXPECT_EQ(error_of([&] { read_text(path); }), path + ": the file is empty");
}

TEST(ReadText, AHundredMegabytesAreRefusedWithoutReadingThem) {
  const TemporaryFolder folder;
  const std::string path = folder.write("big.urdf", "<robot/>");
  fs::resize_file(path, 100'000'000);  // sparse: takes no room
  EXPECT_EQ(error_of([&] { read_text(path); }),
            path + ": the size of the file is 1e+08 bytes; at most 6.71089e+07 bytes (limit 'file_bytes')");
}

TEST(ReadText, AnEndlessDeviceIsRefused) {
  if (!fs::exists("/dev/zero")) GTEST_SKIP() << "no /dev/zero here";
  EXPECT_NE(error_of([] { read_text("/dev/zero"); }).find("(limit 'file_bytes')"), std::string::npos);
}

TEST(ParseXml, FillsTheDocumentWithLines) {
  tinyxml2::XMLDocument document;
  parse_xml("<?xml version=\"1.0\"?>\n<robot>\n<link/></robot>", "m.xml", document);
  EXPECT_EQ(document.RootElement()->FirstChildElement("link")->GetLineNum(), 3);
}

TEST(ParseXml, AByteOrderMarkIsDropped) { EXPECT_EQ(parse_error("\xEF\xBB\xBF<robot/>"), ""); }

TEST(ParseXml, Utf16AndUtf32AreNamed) {
  EXPECT_EQ(parse_error("\xFF\xFE<\0r\0/\0>\0"s), "m.xml:1: the text is in UTF-16; expected UTF-8");
  EXPECT_EQ(parse_error("\xFE\xFF\0<\0r\0/\0>"s), "m.xml:1: the text is in UTF-16; expected UTF-8");
  EXPECT_EQ(parse_error("<\0r\0/\0>\0"s), "m.xml:1: the text is in UTF-16; expected UTF-8");
  EXPECT_EQ(parse_error("<\0\0\0r\0\0\0"s), "m.xml:1: the text is in UTF-32; expected UTF-8");
}

TEST(ParseXml, Latin1IsRefusedWithItsLine) {
  EXPECT_EQ(parse_error("<robot>\n<!-- caf\xE9 -->\n</robot>"),
            "m.xml:2: byte 0xE9 is not UTF-8; is the text in Latin-1 or the like?");
}

TEST(ParseXml, OverlongSurrogateAndTooLargeCodesAreNotUtf8) {
  for (const char* bad :
       {"\xC0\xAF", "\xE0\x80\xAF", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xF0\x80\x80\x80", "\x80"})
    EXPECT_NE(parse_error("<a>"s + bad + "</a>").find("is not UTF-8"), std::string::npos) << bad;
  for (const char* good : {"\xC3\xA9", "\xE2\x82\xAC", "\xED\x9F\xBF", "\xF0\x9F\xA4\x96"})
    EXPECT_EQ(parse_error("<a>"s + good + "</a>"), "") << good;
}

TEST(ParseXml, NulBytesAreRefused) {
  EXPECT_EQ(parse_error("<robot>\n\0</robot>"s), "m.xml:2: a NUL byte: this is not a text file");
}

TEST(ParseXml, BillionLaughsAreRefused) {
  const std::string bomb =
      "<?xml version=\"1.0\"?>\n<!DOCTYPE lolz [\n <!ENTITY lol \"lol\">\n"
      " <!ENTITY lol2 \"&lol;&lol;&lol;&lol;&lol;\">\n]>\n<robot name=\"&lol2;\"/>";
  EXPECT_EQ(parse_error(bomb), "m.xml:2: a document type that declares entities or the like is refused");
  EXPECT_NE(parse_error("<!ENTITY a \"b\"><robot/>").find("refused"), std::string::npos);
}

TEST(ParseXml, ADocumentTypeThatDeclaresNothingIsFine) {
  EXPECT_EQ(parse_error("<!DOCTYPE robot>\n<robot/>"), "");
}

TEST(ParseXml, NestingIsTakenUpToTheLimitAndRefusedBeyond) {
  const std::string reason = "m.xml:1: elements are nested too deep; at most 95 (limit 'xml_nesting')";
  EXPECT_EQ(parse_error(nested(95)), "");
  EXPECT_EQ(parse_error(nested(96)), reason);
  EXPECT_EQ(parse_error(nested(900'000)), reason);
}

class XmlLimits : public testing::Test {
 protected:
  void TearDown() override { reset_limits(); }
};

TEST_F(XmlLimits, ElementsAttributesAndNamesAreBounded) {
  std::string many;
  for (int i = 0; i < 1001; ++i) many += " a" + std::to_string(i) + "='1'";
  EXPECT_EQ(parse_error("<r>\n<a" + many + "/></r>"),
            "m.xml:2: the number of attributes is 1001; at most 1000 (limit 'attributes')");
  EXPECT_EQ(
      parse_error("<r>\n<a name='" + std::string(1001, 'x') + "'/></r>"),
      "m.xml:2: the length of the name of this <a> is 1001 bytes; at most 1000 bytes (limit 'name_bytes')");
  set_limit("elements", 3);
  EXPECT_EQ(parse_error("<r><a/><b/></r>"), "");
  EXPECT_EQ(parse_error("<r><a/><b/>\n<c/></r>"),
            "m.xml:2: the file has too many elements; at most 3 (limit 'elements')");
}

TEST(ParseXml, DepthIsNotFooledByCommentsCharacterDataAndQuotes) {
  std::string decoys = "<a b='/>'>";
  for (int i = 0; i < 300; ++i) decoys += "<!-- <x> --><![CDATA[<y>]]><z w='>'/><v></v>";
  EXPECT_EQ(parse_error(decoys + "</a>"), "");
}

TEST(ParseXml, ATruncatedFileIsRefusedWithTheOpenElement) {
  EXPECT_EQ(parse_error("<robot>\n<link name=\"a\">\n<inertial>"),
            "m.xml:3: not well-formed XML: this element is not closed by its own end tag");
  EXPECT_NE(parse_error("<robot>\n<link name=\"a"), "");
  EXPECT_NE(parse_error("<robot></rob"), "");
}

TEST(ParseXml, EveryCutOfAFileIsRefused) {
  const std::string text = "<robot name=\"r\"><link name='a'/><!-- c --><joint><![CDATA[x]]></joint></robot>";
  for (std::size_t n = 1; n < text.size(); ++n)
    EXPECT_NE(parse_error(text.substr(0, n)), "") << text.substr(0, n);
}

TEST(ParseXml, WhatIsNotXmlIsRefused) {
  EXPECT_EQ(parse_error("just words"), "m.xml:1: not well-formed XML: text that no element holds");
  EXPECT_EQ(parse_error(" \n "), "m.xml: not XML: there is no element in it");
  EXPECT_EQ(parse_error("{\"robot\": 1}"), "m.xml:1: not well-formed XML: text that no element holds");
  EXPECT_EQ(parse_error("<!-- nothing -->"), "m.xml: not XML: there is no element in it");
}

TEST(ParseXml, ASecondRootAndADoubleAttributeAreRefused) {
  EXPECT_EQ(parse_error("<robot/>\n<robot/>"),
            "m.xml:2: not well-formed XML: <robot> stands after the root element <robot>");
  EXPECT_EQ(parse_error("<robot>\n<link name='a' name='b'/></robot>"),
            "m.xml:2: not well-formed XML: an attribute is not name=\"value\", or is given twice");
}

TEST(FormatOf, TellsTheFormatByTheRoot) {
  const auto format = [](const char* text) {
    tinyxml2::XMLDocument document;
    parse_xml(text, "m.xml", document);
    return format_of(document, "m.xml");
  };
  EXPECT_EQ(format("<robot/>"), Format::urdf);
  EXPECT_EQ(format("<sdf/>"), Format::sdf);
  EXPECT_EQ(format("<mujoco/>"), Format::mjcf);
  EXPECT_EQ(
      error_of([&] { format("\n<html/>"); }),
      "m.xml:2: the root element is <html>; expected <robot> (URDF), <sdf> (SDFormat) or <mujoco> (MJCF)");
}

TEST(FindMesh, LooksInPackagesAboveTheFileAndBesideIt) {
  const TemporaryFolder folder;
  const std::string mesh = folder.write("spot/meshes/leg.stl", "solid");
  const std::string model = folder.write("spot/urdf/spot.urdf", "<robot/>");
  const std::string far = folder.write("elsewhere/robot.urdf", "<robot/>");
  const std::string package = fs::path(mesh).parent_path().parent_path().string();

  EXPECT_EQ(find_mesh("../meshes/leg.stl", model, {}), mesh);
  EXPECT_EQ(find_mesh("file://" + mesh, far, {}), mesh);
  EXPECT_EQ(find_mesh(mesh, far, {}), mesh);
  EXPECT_EQ(find_mesh("package://spot/meshes/leg.stl", model, {}), mesh) << "the package is a folder above";
  EXPECT_EQ(find_mesh("package://spot/meshes/leg.stl", "/robot.urdf", {folder.path()}), mesh);
  EXPECT_EQ(find_mesh("model://spot/meshes/leg.stl", "/robot.urdf", {package}), mesh);
  EXPECT_EQ(find_mesh("model://spot/meshes/leg.stl", "/robot.urdf", {package + "/"}), mesh);
}

TEST(FindMesh, KnowsPackagesByTheNameWrittenInThem) {
  const TemporaryFolder folder;
  for (const auto& [kind, file] : {std::pair("package", "package.xml"), {"model", "model.config"}}) {
    const std::string in = std::string("copy-of-") + kind;
    const std::string mesh = folder.write(in + "/description/meshes/leg.stl", "solid");
    const std::string model = folder.write(in + "/description/robots/a/b/c/d/spot.urdf", "<robot/>");
    const std::string name = std::string(kind) + "://spot_description/meshes/leg.stl";
    EXPECT_EQ(find_mesh(name, model, {}), "") << "too far above to be meant";
    const std::string written = folder.write(in + "/description/" + file, "<!-- <name>other</name> --><package><name>spot_description</name></package>");
    EXPECT_EQ(find_mesh(name, model, {}), mesh);
    EXPECT_EQ(find_mesh(name, "/robot.urdf", {fs::path(written).parent_path().string()}), mesh);
    folder.write(in + "/description/" + file, "<package><name>another</name");
    EXPECT_EQ(find_mesh(name, model, {}), "") << "broken";
  }
}

TEST(FindMesh, LooksAboveTheFileForNamesThatDoNotSayWhereTheyStart) {
  const TemporaryFolder folder;
  const std::string mesh = folder.write("spot-main/meshes/leg.stl", "solid");
  const std::string model = folder.write("spot-main/urdf/spot.urdf", "<robot/>");
  EXPECT_EQ(find_mesh("meshes/leg.stl", model, {}), mesh) << "relative to the package";
  EXPECT_EQ(find_mesh("package://spot_description/meshes/leg.stl", model, {}), mesh) << "a package of another name";
  EXPECT_EQ(find_mesh("/home/me/ws/src/spot/meshes/leg.stl", model, {}), mesh) << "a path of another machine";
  EXPECT_EQ(find_mesh("file:///home/me/ws/src/spot/meshes/leg.stl", model, {}), mesh);
  EXPECT_EQ(find_mesh("/home/leg.stl", model, {}), "") << "a name alone says too little";
}

TEST(FindMesh, GivesNothingWhenThereIsNoSuchFile) {
  const TemporaryFolder folder;
  const std::string model = folder.write("robot.urdf", "<robot/>");
  for (const char* name :
       {"", "leg.stl", "package://spot/leg.stl", "package://", "model://x", "file://", "."})
    EXPECT_EQ(find_mesh(name, model, {folder.path(), ""}), "") << name;
}

TEST(ParseNumber, TakesWholeNumbersOnly) {
  EXPECT_EQ(parse_number(" 1.5e-3\n"), 1.5e-3);
  EXPECT_EQ(parse_number("+.5"), 0.5);
  EXPECT_EQ(parse_number("-2."), -2.0);
  EXPECT_TRUE(std::isnan(*parse_number("nan")));
  for (const char* bad : {"", " ", "1,5", "1.5m", "0x10", "1 2", "+-1", "--1", "1e", "${x}"})
    EXPECT_FALSE(parse_number(bad)) << bad;
}

TEST(ParseNumbers, TakesAnyBlanksBetween) {
  EXPECT_EQ(parse_numbers("\t1  2\n3 "), (std::vector<double>{1.0, 2.0, 3.0}));
  EXPECT_EQ(parse_numbers("  "), std::vector<double>{});
  EXPECT_FALSE(parse_numbers("1 2 x"));
}

TEST(FormatNumber, ReadsBackToTheSameBits) {
  for (double x : {0.1, 1.0 / 3.0, 1e-320, 1.7976931348623157e308, -0.0, 123456789.123456789})
    EXPECT_EQ(*parse_number(format_number(x)), x);
  EXPECT_EQ(format_numbers(std::vector<double>{0.1, 2.0, 1e-7}), "0.1 2 1e-07");
}

TEST(Tally, SaysEqualThingsOnce) {
  Tally tally;
  for (int i = 1; i <= 7; ++i)
    tally.add(Severity::warning, "is odd", 10 * i, "joint '" + std::to_string(i) + "'");
  tally.add(Severity::note, "is odd", 99, "link");
  tally.add(Severity::note, "is odd", 100, "link");
  const Problems problems = tally.problems("f");
  ASSERT_EQ(problems.size(), 2u);
  EXPECT_EQ(problems[0].text(), "f:10: joint '1': is odd (also joint '2', joint '3', joint '4' and 3 more)");
  EXPECT_EQ(problems[1].text(), "f:99: link: is odd (2 times, first here)");
}

TEST(Unread, ListsWhatTheTableDoesNot) {
  tinyxml2::XMLDocument document;
  parse_xml(
      "<robot xmlns:x='y'>\n<link name='a' kind='b'>stray</link>\n<extra><inside/></extra>\n<extra/>\n"
      "<link><any w='1'><deep/></any></link>\n<say>words</say></robot>",
      "m.xml", document);
  constexpr KnownElement known[] = {
      {"robot", ""}, {"robot/link", "name"}, {"link/any", "*"}, {"say", "#text"}};
  std::vector<std::string> lines;
  for (const Problem& p : unread(document, "m.xml", known)) {
    EXPECT_EQ(p.severity, Severity::note);
    lines.push_back(p.text());
  }
  EXPECT_EQ(lines, (std::vector<std::string>{"m.xml:2: <link>: attribute 'kind' is not used",
                                             "m.xml:2: <link>: text is not used",
                                             "m.xml:3: <robot>: <extra> is not used (2 times, first here)"}));
}

}  // namespace
}  // namespace amble
