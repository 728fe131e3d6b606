#include "amble/io/xml/reader.hpp"

#include <fmt/format.h>
#include <tinyxml2.h>

#include <algorithm>
#include <cmath>

#include "amble/io/xml/numbers.hpp"

namespace amble {

namespace {

/// Long junk does not belong in a message.
std::string quoted(std::string_view text) {
  constexpr std::size_t kMost = 60;
  return text.size() <= kMost ? fmt::format("'{}'", text) : fmt::format("'{}...'", text.substr(0, kMost));
}

}  // namespace

void XmlReader::error(int line, const std::string& element, const std::string& reason) {
  errors_.push_back({Severity::error, file_, line, element, reason});
}

void XmlReader::error(const tinyxml2::XMLElement& at, const std::string& reason) {
  error(at.GetLineNum(), element_, reason);
}

void XmlReader::finding(Severity severity, const tinyxml2::XMLElement& at, const std::string& element,
                        const std::string& reason) {
  finding(severity, at.GetLineNum(), element, reason);
}

void XmlReader::finding(Severity severity, int line, const std::string& element, const std::string& reason) {
  tally_.add(severity, reason, line, element);
}

bool XmlReader::missing(const tinyxml2::XMLElement& at, const char* attribute) {
  error(at, fmt::format("<{}> has no attribute '{}'", at.Name(), attribute));
  return false;
}

std::string XmlReader::text(const tinyxml2::XMLElement& at, const char* attribute) {
  const char* value = at.Attribute(attribute);
  if (value == nullptr) return missing(at, attribute), "";
  if (*value == '\0') error(at, fmt::format("the attribute '{}' of <{}> is empty", attribute, at.Name()));
  return value;
}

bool XmlReader::numbers(const tinyxml2::XMLElement& at, const char* attribute, double* out, int count) {
  const char* value = at.Attribute(attribute);
  if (value == nullptr) return missing(at, attribute);
  const auto found = parse_numbers(value);
  const auto finite = [](double x) { return std::isfinite(x); };
  if (!found || static_cast<int>(found->size()) != count ||
      !std::all_of(found->begin(), found->end(), finite)) {
    error(at, fmt::format("{}={} of <{}> is not {}", attribute, quoted(value), at.Name(),
                          count == 1 ? "a finite number" : fmt::format("{} finite numbers", count)));
    return false;
  }
  std::copy(found->begin(), found->end(), out);
  return true;
}

double XmlReader::number(const tinyxml2::XMLElement& at, const char* attribute,
                         std::optional<double> missing) {
  double value = missing.value_or(0.0);
  if (missing && at.Attribute(attribute) == nullptr) return value;
  numbers(at, attribute, &value, 1);
  return value;
}

std::optional<double> XmlReader::limit(const tinyxml2::XMLElement& at, const char* attribute) {
  const char* value = at.Attribute(attribute);
  if (value == nullptr) return {};
  const auto found = parse_number(value);
  if (found && !std::isnan(*found)) return found;
  error(at, fmt::format("{}={} of <{}> is not a number", attribute, quoted(value), at.Name()));
  return {};
}

Vector3<double> XmlReader::vector3(const tinyxml2::XMLElement& at, const char* attribute,
                                   const std::optional<Vector3<double>>& missing) {
  Vector3<double> value = missing.value_or(Vector3<double>::Zero());
  if (missing && at.Attribute(attribute) == nullptr) return value;
  numbers(at, attribute, value.data(), 3);
  return value;
}

Vector4<double> XmlReader::vector4(const tinyxml2::XMLElement& at, const char* attribute) {
  Vector4<double> value = Vector4<double>::Zero();
  numbers(at, attribute, value.data(), 4);
  return value;
}

}  // namespace amble
