#include "amble/io/mjcf/values.hpp"

#include <algorithm>

#include "amble/io/xml/numbers.hpp"

namespace amble {

const std::string* MjcfValues::inherited(std::string_view attribute) const {
  if (inherited_ == nullptr) return nullptr;
  for (const auto& [key, value] : *inherited_)
    if (key == attribute) return &value;
  return nullptr;
}

const std::string* MjcfValues::find(std::string_view attribute) const {
  const std::string* value = own(attribute);
  return value != nullptr ? value : inherited(attribute);
}

std::string MjcfValues::text(std::string_view attribute, const std::string& missing) const {
  const std::string* value = find(attribute);
  return value == nullptr ? missing : *value;
}

double MjcfValues::number(std::string_view attribute, double missing) const {
  return numbers<1>(attribute, {missing})[0];
}

Vector3<double> MjcfValues::vector(std::string_view attribute, const Vector3<double>& missing) const {
  const auto x = numbers<3>(attribute, {missing[0], missing[1], missing[2]});
  return {x[0], x[1], x[2]};
}

bool MjcfValues::flag(std::string_view attribute, bool missing) const {
  const std::string* value = find(attribute);
  return value == nullptr ? missing : *value == "true";
}

std::optional<bool> MjcfValues::decided(std::string_view attribute) const {
  const std::string* value = find(attribute);
  if (value == nullptr || *value == "auto") return {};
  return *value == "true";
}

void MjcfValues::overlay(const std::string* text, double* out, std::size_t most) {
  if (text == nullptr) return;
  const auto numbers = parse_numbers(*text).value_or(std::vector<double>{});
  std::copy_n(numbers.begin(), std::min(numbers.size(), most), out);
}

}  // namespace amble
