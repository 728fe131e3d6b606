#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "amble/io/mjcf/grammar.hpp"

// MJCF that bytes choose from the grammar: elements where they may stand, attributes that they have, values
// of the right type. So the passes behind the grammar are reached, which bytes taken for text seldom do.
namespace amble {

class GrownMjcf {
 public:
  GrownMjcf(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {}

  std::string text() {
    out_ = "<mujoco>";
    children("mujoco", 0);
    return out_ + "</mujoco>";
  }

 private:
  std::uint8_t next() { return at_ < size_ ? data_[at_++] : std::uint8_t{0}; }
  bool is_empty() const { return at_ >= size_ || out_.size() > kLongest; }

  void children(std::string_view context, int depth) {
    const auto names = mjcf_names(context);
    if (names.empty() || depth > kDeepest) return;
    for (int left = next() % 8; left > 0 && !is_empty(); --left) {
      const std::string& name = names[next() % names.size()];
      const MjcfRule& rule = *mjcf_rule(context, name);
      out_ += "\n<" + name;
      for (const MjcfAttribute& a : rule.attributes)
        if (next() % 4 == 0) out_ += " " + std::string(a.name) + "=\"" + value(a) + "\"";
      out_ += ">";
      children(rule.holds, depth + 1);
      out_ += "</" + name + ">";
    }
  }

  std::string value(const MjcfAttribute& a) {
    using Type = MjcfAttribute::Type;
    if (a.type == Type::keyword) return std::string(a.keywords[next() % a.keywords.size()]);
    if (a.type == Type::text)
      return std::string(1, static_cast<char>('a' + next() % 4));  // so that references meet
    std::string out;
    const int most = a.most > 12 ? 12 : a.most;
    for (int i = a.type == Type::whole ? 1 : a.least + next() % (most - a.least + 1); i > 0; --i)
      out += number() + " ";
    return out;
  }

  std::string number() {
    constexpr const char* kOdd[] = {"0",    "1",     "-1",    "0.5", "2", "90",
                                    "1e-9", "1e300", "-1e18", "inf", "3", "1e-16"};
    const std::uint8_t which = next();
    if (which < 128) return kOdd[which % 12];
    return std::to_string(static_cast<int>(next()) - 100);
  }

  static constexpr int kDeepest = 12;
  static constexpr std::size_t kLongest = 20000;

  const std::uint8_t* data_;
  std::size_t size_, at_ = 0;
  std::string out_;
};

}  // namespace amble
