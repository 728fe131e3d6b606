#pragma once

#include <optional>
#include <string>

#include "amble/base/error.hpp"
#include "amble/geometry/vector.hpp"
#include "amble/io/xml/tally.hpp"

namespace tinyxml2 {
class XMLElement;
}

namespace amble {

/// Reads attributes strictly: whatever is not a number where one belongs becomes a problem with its line, and
/// reading goes on with the default, so that one pass finds everything that is wrong with a file.
class XmlReader {
 public:
  explicit XmlReader(std::string file) : file_(std::move(file)) {}

  const std::string& file() const { return file_; }
  void error(int line, const std::string& element, const std::string& reason);
  /// A finding that is not an error; equal ones become one.
  void finding(Severity severity, const tinyxml2::XMLElement& at, const std::string& element,
               const std::string& reason);
  void finding(Severity severity, int line, const std::string& element, const std::string& reason);
  bool has_errors() const { return !errors_.empty(); }
  /// Throws one Error with all errors; returns when there is none.
  void check() const { throw_problems(errors_, Severity::error); }
  Problems findings() const { return tally_.problems(file_); }

  /// The words for messages, until the next call: the link or joint that is being read.
  void set_element(std::string element) { element_ = std::move(element); }
  const std::string& element() const { return element_; }
  void error(const tinyxml2::XMLElement& at, const std::string& reason);
  void finding(Severity severity, const tinyxml2::XMLElement& at, const std::string& reason) {
    finding(severity, at, element_, reason);
  }

  /// An attribute that has to be there and not be empty; a missing one is an error and gives "".
  std::string text(const tinyxml2::XMLElement& at, const char* attribute);
  /// Finite numbers. Without a default a missing attribute is an error (and 0 is read).
  double number(const tinyxml2::XMLElement& at, const char* attribute, std::optional<double> missing = {});
  /// May also be infinite, as limits may.
  std::optional<double> limit(const tinyxml2::XMLElement& at, const char* attribute);
  Vector3<double> vector3(const tinyxml2::XMLElement& at, const char* attribute,
                          const std::optional<Vector3<double>>& missing = {});
  Vector4<double> vector4(const tinyxml2::XMLElement& at, const char* attribute);

 private:
  /// Fills `out` with exactly `count` finite numbers; false when the attribute is missing or wrong.
  bool numbers(const tinyxml2::XMLElement& at, const char* attribute, double* out, int count);
  bool missing(const tinyxml2::XMLElement& at, const char* attribute);

  std::string file_, element_;
  Problems errors_;
  Tally tally_;
};

}  // namespace amble
