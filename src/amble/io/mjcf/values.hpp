#pragma once

#include <array>
#include <optional>

#include "amble/geometry/vector.hpp"
#include "amble/io/mjcf/source.hpp"

namespace amble {

/// The attributes of one element in a class.
using MjcfAttributes = std::vector<std::pair<std::string, std::string>>;

/// What an element says, and its class where it is silent itself. The text was checked against the grammar.
class MjcfValues {
 public:
  MjcfValues(const MjcfElement& own, const MjcfAttributes* inherited) : own_(own), inherited_(inherited) {}

  const MjcfElement& element() const { return own_; }
  const std::string* own(std::string_view attribute) const { return own_.find(attribute); }
  const std::string* inherited(std::string_view attribute) const;
  const std::string* find(std::string_view attribute) const;
  bool has(std::string_view attribute) const { return find(attribute) != nullptr; }

  std::string text(std::string_view attribute, const std::string& missing = {}) const;
  double number(std::string_view attribute, double missing) const;
  /// `missing` with the numbers of the class over it, and those of the element over these: where a list is
  /// shorter, what is behind its end stays.
  template <std::size_t N>
  std::array<double, N> numbers(std::string_view attribute, std::array<double, N> missing = {}) const {
    overlay(inherited(attribute), missing.data(), N);
    overlay(own(attribute), missing.data(), N);
    return missing;
  }
  Vector3<double> vector(std::string_view attribute, const Vector3<double>& missing = {0.0, 0.0, 0.0}) const;
  bool flag(std::string_view attribute, bool missing) const;
  /// Of an attribute that is `true`, `false` or `auto`.
  std::optional<bool> decided(std::string_view attribute) const;

 private:
  static void overlay(const std::string* text, double* out, std::size_t most);

  const MjcfElement& own_;
  const MjcfAttributes* inherited_;
};

}  // namespace amble
