#include <fmt/format.h>

#include <cctype>
#include <charconv>
#include <cmath>
#include <numbers>

#include "amble/base/error.hpp"
#include "amble/base/limits.hpp"
#include "amble/base/names.hpp"
#include "amble/ports/bonds/expression.hpp"

namespace amble {

namespace {

/// sum = product {(+|-) product}; product = signed {(*|/) signed}; signed = [+|-] power; power = atom [^ signed].
class Parser {
 public:
  explicit Parser(const std::string& text) : text_(text) {
    check_limit(Limit::expression_bytes, static_cast<double>(text.size()), "the length of an expression");
  }

  Expression whole() {
    const Expression out = sum();
    if (peek() != '\0') fail("does not belong here");
    if (!out.is_finite())
      throw Error(fmt::format("expression '{}' has a constant part that is not a finite number", text_));
    return out;
  }

 private:
  Expression sum() {
    Expression out = product();
    while (peek() == '+' || peek() == '-') out = text_[at_++] == '+' ? out + product() : out - product();
    return out;
  }
  Expression product() {
    Expression out = signed_power();
    while (peek() == '*' || peek() == '/') out = text_[at_++] == '*' ? out * signed_power() : out / signed_power();
    return out;
  }
  Expression signed_power() {
    if (++depth_ > limit(Limit::expression_nesting))
      throw Error(fmt::format("expression '{}...', character {}: is nested too deep; {}", text_.substr(0, 40),
                              at_ + 1, limit_text(Limit::expression_nesting)));
    const char c = peek();
    if (c == '+' || c == '-') ++at_;
    const Expression out = c == '-' ? -signed_power() : c == '+' ? signed_power() : power();
    --depth_;
    return out;
  }
  Expression power() {
    const Expression base = atom();
    if (peek() != '^') return base;
    ++at_;
    return pow(base, signed_power());
  }
  Expression atom() {
    const char c = peek();
    if (c == '(') return in_brackets();
    if (std::isdigit(static_cast<unsigned char>(c)) != 0 || c == '.') return number();
    if (std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_') return name();
    fail(c == '\0' ? "ends too early" : "does not belong here");
  }
  Expression in_brackets() {
    ++at_;
    const Expression out = sum();
    if (peek() != ')') fail("should be ')'");
    ++at_;
    return out;
  }
  Expression number() {
    double value = 0.0;
    const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    if (error != std::errc() || !std::isfinite(value)) fail("is not a finite number");
    check_limit(Limit::number, value, fmt::format("expression '{}', character {}: a number", text_, at_ + 1));
    at_ = end - text_.data();
    return value;
  }
  Expression name() {
    const std::size_t start = at_;
    const auto belongs = [&](std::size_t i) {
      const auto c = static_cast<unsigned char>(text_[i]);
      return std::isalnum(c) != 0 || c == '_' || (c == '.' && i + 1 < text_.size() && text_[i + 1] != '.');
    };
    while (at_ < text_.size() && belongs(at_)) ++at_;
    const std::string word = text_.substr(start, at_ - start);
    if (peek() == '(') return function(word, start);
    return word == "pi" ? Expression(std::numbers::pi) : Expression::variable(word);
  }
  Expression function(const std::string& word, std::size_t start) {
    const std::vector<std::string> known = expression_function_names();
    if (std::find(known.begin(), known.end(), word) == known.end()) {
      at_ = start;
      fail(fmt::format("is not a function{}", suggestion(word, known)));
    }
    return Expression::function(word, in_brackets());
  }

  char peek() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  [[noreturn]] void fail(const std::string& what) const {
    const std::string rest = text_.substr(std::min(at_, text_.size()));
    throw Error(fmt::format("expression '{}', character {}: {}{}", text_, at_ + 1,
                            rest.empty() ? std::string("it ") : fmt::format("'{}' ", rest), what));
  }

  const std::string& text_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

Expression parse_expression(const std::string& text) { return Parser(text).whole(); }

}  // namespace amble
