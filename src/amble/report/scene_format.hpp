#pragma once

#include <array>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "amble/mechanism/mechanism.hpp"

// The container that the page reads: a head in JSON, then lists of numbers. docs/viewer.md describes it.
namespace amble::scene_format {

using Json = nlohmann::ordered_json;

/// The lists of numbers after the head, each at a multiple of eight bytes.
class Blocks {
 public:
  /// Where the list begins, in bytes from the end of the head.
  template <class To, class From>
  std::size_t add(const std::vector<From>& numbers) {
    const std::size_t offset = bytes_.size();
    bytes_.resize(offset + (numbers.size() * sizeof(To) + 7) / 8 * 8);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const To number = static_cast<To>(numbers[i]);
      std::memcpy(&bytes_[offset + i * sizeof(To)], &number, sizeof(To));
    }
    return offset;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

/// x, y, z, then the quaternion x, y, z, w.
std::array<double, 7> numbers_of(const Pose& X);

Json json_of(const Vector3<double>& v);
Json json_of(const SO3<double>& R);
Json json_of(const Pose& X);
Json springs_json(const Mechanism& m);

/// Head and lists as one text.
std::string joined(const Json& head, const Blocks& blocks);

}  // namespace amble::scene_format
