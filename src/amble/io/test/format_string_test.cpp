#include <gtest/gtest.h>
#include <tinyxml2.h>

#include <filesystem>
#include <map>
#include <vector>

#include "amble/base/test/source_dir.hpp"
#include "amble/io/readers.hpp"
#include "amble/io/source.hpp"

// Texts of a file must never be taken for printf formats, by us or by a library that we call: urdfdom 3.0
// does, in its log (a material named %n ended the process).
namespace amble {
namespace {

constexpr const char* kFormats[] = {"%s%s%s%s%s%s%s%s%s", "%n%n%n%n", "%p", "%2000000000d"};

using Reader = ModelDescription (*)(const std::string&, const std::string&, const LoadOptions&);

/// What a reader says of a text: its findings, or its refusal.
std::string report_of(Reader read, const std::string& text) {
  try {
    std::string out;
    for (const Problem& p : read(text, "hostile", {}).findings) out += p.text() + "\n";
    return out;
  } catch (const Error& e) {
    return e.what();
  }
}

std::string print(const tinyxml2::XMLDocument& document) {
  tinyxml2::XMLPrinter printer;
  document.Print(&printer);
  return printer.CStr();
}

void collect(tinyxml2::XMLElement& element, std::vector<tinyxml2::XMLElement*>& out) {
  out.push_back(&element);
  for (auto* child = element.FirstChildElement(); child != nullptr; child = child->NextSiblingElement())
    collect(*child, out);
}

/// Calls `visit` with the text of the model once for every attribute and every text of an element, in which
/// that one is `hostile`. Of equal places (element and attribute by name) the first two are enough.
template <class Visit>
void with_each_place(const std::string& text, const char* hostile, Visit&& visit) {
  tinyxml2::XMLDocument document;
  ASSERT_EQ(document.Parse(text.c_str()), tinyxml2::XML_SUCCESS);
  std::vector<tinyxml2::XMLElement*> elements;
  collect(*document.RootElement(), elements);
  std::map<std::string, int> seen;
  for (auto* element : elements) {
    std::vector<std::pair<std::string, std::string>> attributes;
    for (auto* a = element->FirstAttribute(); a != nullptr; a = a->Next())
      attributes.emplace_back(a->Name(), a->Value());
    for (const auto& [name, value] : attributes) {
      if (++seen[std::string(element->Name()) + "/" + name] > 2) continue;
      element->SetAttribute(name.c_str(), hostile);
      visit(print(document));
      element->SetAttribute(name.c_str(), value.c_str());
    }
    if (element->GetText() == nullptr || ++seen[element->Name()] > 2) continue;
    const std::string before = element->GetText();
    element->SetText(hostile);
    visit(print(document));
    element->SetText(before.c_str());
  }
}

void expect_quoted_only(Reader read, const std::string& file) {
  const std::string text = read_text(file);
  for (const char* hostile : kFormats) {
    int places = 0;
    with_each_place(text, hostile, [&](const std::string& damaged) {
      ++places;
      std::string report = report_of(read, damaged);
      EXPECT_EQ(report.find("0x"), std::string::npos) << "an address was printed: " << report;
      EXPECT_LT(report.size(), 20000u) << "a width was obeyed";
    });
    EXPECT_GT(places, 10) << file;
  }
}

std::vector<std::string> models_with(const std::string& extension) {
  std::vector<std::string> out;
  for (const auto& entry : std::filesystem::directory_iterator(source_dir() + "/models"))
    if (entry.path().extension() == extension) out.push_back(entry.path().string());
  return out;
}

TEST(FormatStrings, OfUrdfAreTexts) {
  for (const std::string& file : models_with(".urdf")) expect_quoted_only(read_urdf, file);
}

TEST(FormatStrings, OfSdfAreTexts) {
  for (const std::string& file : models_with(".sdf")) expect_quoted_only(read_sdf, file);
}

TEST(FormatStrings, OfMjcfAreTexts) {
  for (const std::string& file : models_with(".xml")) expect_quoted_only(read_mjcf, file);
}

TEST(FormatStrings, AMaterialsNameIsQuotedAsItIs) {
  for (const char* name : kFormats) {
    const std::string text = std::string("<robot name='r'><material name='") + name +
                             "'><color rgba='2 0 0 1'/></material><link name='a'/></robot>";
    const std::string report = report_of(read_urdf, text);
    EXPECT_NE(report.find(std::string("material '") + name + "'"), std::string::npos) << report;
  }
}

}  // namespace
}  // namespace amble
