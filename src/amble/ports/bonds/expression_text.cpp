#include <fmt/format.h>

#include <cmath>

#include "amble/ports/bonds/expression.hpp"

namespace amble {

namespace {

using Kind = ExpressionNode::Kind;

enum class Strength { sum, product, power };  // how tightly the surroundings bind

std::string written(const Expression& e, Strength around);

std::string number_text(double x) {
  if (std::nearbyint(x) == x && std::abs(x) < 1e15) return fmt::format("{:.0f}", x);
  return fmt::format("{:.12g}", x);
}

/// n where x is 1/n of a small whole number n, else 0.
double divisor(double x) {
  const double n = std::nearbyint(1.0 / x);
  return n > 1.0 && n <= 1000.0 && std::abs(x * n - 1.0) < 1e-15 ? n : 0.0;
}

std::string power_text(const Expression& base, double exponent) {
  if (exponent == 1.0) return written(base, Strength::product);
  if (exponent == 0.5) return fmt::format("sqrt({})", base.text());
  return fmt::format("{}^{}", written(base, Strength::power), number_text(exponent));
}

/// factor (not negative) times the parts.
std::string product_text(double factor, const std::vector<Expression>& parts, const std::vector<double>& exponents) {
  std::vector<std::string> above, below;
  const double n = divisor(factor);
  if (n == 0.0 && factor != 1.0) above.push_back(number_text(factor));
  if (n != 0.0) below.push_back(number_text(n));
  for (std::size_t i = 0; i < parts.size(); ++i)
    (exponents[i] > 0.0 ? above : below).push_back(power_text(parts[i], std::abs(exponents[i])));
  if (above.empty()) above.emplace_back("1");
  const std::string top = fmt::format("{}", fmt::join(above, "*"));
  if (below.empty()) return top;
  return below.size() == 1 ? fmt::format("{}/{}", top, below[0]) : fmt::format("{}/({})", top, fmt::join(below, "*"));
}

std::string term_text(double factor, const Expression& part) {
  const ExpressionNode& n = part.node();
  return n.kind == Kind::product ? product_text(factor, n.parts, n.factors) : product_text(factor, {part}, {1.0});
}

std::string sum_text(const ExpressionNode& n) {
  std::string out;
  const auto add = [&](bool negative, const std::string& text) {
    out += out.empty() ? (negative ? "-" : "") : (negative ? " - " : " + ");
    out += text;
  };
  // What is positive comes first: u - R*i, not -R*i + u.
  for (const bool negative : {false, true}) {
    if (n.number != 0.0 && (n.number < 0.0) == negative) add(negative, number_text(std::abs(n.number)));
    for (std::size_t i = 0; i < n.parts.size(); ++i)
      if ((n.factors[i] < 0.0) == negative) add(negative, term_text(std::abs(n.factors[i]), n.parts[i]));
  }
  return out;
}

std::string bare(const ExpressionNode& n) {
  switch (n.kind) {
    case Kind::number:
      return number_text(n.number);
    case Kind::variable:
      return n.name;
    case Kind::sum:
      return sum_text(n);
    case Kind::product:
      return product_text(1.0, n.parts, n.factors);
    case Kind::power:
      return fmt::format("{}^{}", written(n.parts[0], Strength::power), written(n.parts[1], Strength::power));
    case Kind::function:
      return fmt::format("{}({})", n.name, n.parts[0].text());
    case Kind::call:
      break;
  }
  std::vector<std::string> arguments;
  for (const Expression& part : n.parts) arguments.push_back(part.text());
  return fmt::format("{}({})", n.name, fmt::join(arguments, ", "));
}

std::string written(const Expression& e, Strength around) {
  const ExpressionNode& n = e.node();
  const bool loose = n.kind == Kind::sum || (n.kind == Kind::number && n.number < 0.0);
  const bool tight =
      (n.kind == Kind::product && !(n.parts.size() == 1 && n.factors[0] == 0.5)) || n.kind == Kind::power;
  const bool brackets = (loose && around != Strength::sum) || (tight && around == Strength::power);
  return brackets ? fmt::format("({})", bare(n)) : bare(n);
}

}  // namespace

std::string Expression::text() const {
  constexpr double kMostNodes = 1e5;  // a tree may be larger than all memory where parts are shared
  return node().size > kMostNodes ? "..." : written(*this, Strength::sum);
}

}  // namespace amble
