#include "amble/io/mjcf/check.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "amble/base/names.hpp"
#include "amble/io/xml/numbers.hpp"

namespace amble {

namespace {

/// Long junk does not belong in a message.
std::string quoted(const std::string& text) {
  constexpr std::size_t kMost = 60;
  return text.size() <= kMost ? fmt::format("'{}'", text) : fmt::format("'{}...'", text.substr(0, kMost));
}

std::string expected_numbers(const MjcfAttribute& a) {
  const char* what = a.type == MjcfAttribute::Type::whole ? "a whole number" : "a number";
  if (a.most == 1) return what;
  if (a.least == 0) return "numbers";
  return a.least == a.most ? fmt::format("{} numbers", a.most)
                           : fmt::format("{} to {} numbers", a.least, a.most);
}

/// Why a value is not what the grammar wants; empty when it is.
std::string flaw(const MjcfAttribute& a, const std::string& value) {
  using Type = MjcfAttribute::Type;
  if (a.type == Type::text) return {};
  if (a.type == Type::keyword) {
    if (std::find(a.keywords.begin(), a.keywords.end(), value) != a.keywords.end()) return {};
    const std::vector<std::string> words(a.keywords.begin(), a.keywords.end());
    return fmt::format("{} is {}; expected {}{}", a.name, quoted(value), fmt::join(words, " or "),
                       suggestion(value, words));
  }
  const auto numbers = parse_numbers(value);
  const auto count = numbers ? static_cast<int>(numbers->size()) : 0;
  const bool fits = numbers && count >= a.least && count <= a.most &&
                    std::none_of(numbers->begin(), numbers->end(), [](double x) { return std::isnan(x); });
  const bool whole = a.type != Type::whole || (fits && (*numbers)[0] == std::floor((*numbers)[0]) &&
                                               (*numbers)[0] >= -2147483648.0 && (*numbers)[0] < 2147483648.0);
  return fits && whole ? ""
                       : fmt::format("{} is {}; expected {}", a.name, quoted(value), expected_numbers(a));
}

bool is_blank(const std::string& text) { return text.find_first_not_of(" \t\r\n") == text.npos; }

class Checker {
 public:
  explicit Checker(Problems& findings) : findings_(findings) {}

  void element(MjcfElement& e, std::string_view context) {
    e.rule = mjcf_rule(context, e.name);
    e.tag = e.rule->tag;
    if (e.tag != MjcfTag::unread) attributes(e);
    if (e.rule->holds == "*") return;
    std::erase_if(e.children, [&](const MjcfElement& child) { return is_unknown(e, child); });
    for (MjcfElement& child : e.children) element(child, e.rule->holds);
  }

  const Problems& errors() const { return errors_; }

 private:
  bool is_unknown(const MjcfElement& parent, const MjcfElement& child) {
    if (mjcf_rule(parent.rule->holds, child.name) != nullptr) return false;
    if (!is_listed(child, "<" + child.name)) return true;
    const auto names = mjcf_names(parent.rule->holds);
    findings_.push_back(
        child.problem(Severity::warning, fmt::format("not read: MJCF has no <{}> in <{}>{}", child.name,
                                                     parent.name, suggestion(child.name, names))));
    return true;
  }

  void attributes(MjcfElement& e) {
    std::erase_if(e.attributes, [&](const auto& pair) {
      const MjcfAttribute* a = e.rule->find(pair.first);
      if (a == nullptr) return warn_unknown(e, pair.first), true;
      if (a->type != MjcfAttribute::Type::text && is_blank(pair.second)) return true;
      if (const std::string reason = flaw(*a, pair.second); !reason.empty() && errors_.size() < kMostErrors)
        errors_.push_back(e.problem(Severity::error, reason));
      return false;
    });
  }

  /// Each kind once, and not more than a reader would read.
  bool is_listed(const MjcfElement& e, const std::string& kind) {
    constexpr std::size_t kMostListed = 200;
    if (listed_.size() > kMostListed || !listed_.insert(kind).second) return false;
    if (listed_.size() <= kMostListed) return true;
    findings_.push_back(
        e.problem(Severity::warning, "is not part of MJCF; what else is not, from here on, is not listed"));
    return false;
  }

  void warn_unknown(const MjcfElement& e, const std::string& attribute) {
    if (!is_listed(e, e.name + " " + attribute)) return;
    std::vector<std::string> names;
    for (const MjcfAttribute& a : e.rule->attributes) names.emplace_back(a.name);
    findings_.push_back(e.problem(
        Severity::warning,
        fmt::format("not read: MJCF has no attribute '{}' here{}", attribute, suggestion(attribute, names))));
  }

  static constexpr std::size_t kMostErrors = 100;

  Problems& findings_;
  Problems errors_;
  std::set<std::string> listed_;
};

}  // namespace

void check_mjcf(MjcfElement& root, Problems& findings) {
  Checker checker(findings);
  checker.element(root, "");
  throw_problems(checker.errors(), Severity::error);
}

}  // namespace amble
