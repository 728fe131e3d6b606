#include "amble/ports/bonds/expression.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "amble/base/error.hpp"
#include "amble/base/limits.hpp"

namespace amble {

namespace {

using Kind = ExpressionNode::Kind;
using Terms = std::vector<std::pair<double, Expression>>;  // factor and part

struct NamedFunction {
  const char* name;
  double (*value)(double);
  Expression (*slope)(const Expression&);
};

Expression f(const char* name, const Expression& x) { return Expression::function(name, x); }
double sign(double x) { return static_cast<double>((x > 0.0) - (x < 0.0)); }

const NamedFunction kFunctions[] = {
    {"sin", std::sin, [](const Expression& x) { return f("cos", x); }},
    {"cos", std::cos, [](const Expression& x) { return -f("sin", x); }},
    {"tan", std::tan, [](const Expression& x) { return 1.0 + pow(f("tan", x), 2.0); }},
    {"asin", std::asin, [](const Expression& x) { return pow(1.0 - x * x, -0.5); }},
    {"acos", std::acos, [](const Expression& x) { return -pow(1.0 - x * x, -0.5); }},
    {"atan", std::atan, [](const Expression& x) { return 1.0 / (1.0 + x * x); }},
    {"sinh", std::sinh, [](const Expression& x) { return f("cosh", x); }},
    {"cosh", std::cosh, [](const Expression& x) { return f("sinh", x); }},
    {"tanh", std::tanh, [](const Expression& x) { return 1.0 - pow(f("tanh", x), 2.0); }},
    {"exp", std::exp, [](const Expression& x) { return f("exp", x); }},
    {"log", std::log, [](const Expression& x) { return 1.0 / x; }},
    {"abs", std::abs, [](const Expression& x) { return f("sign", x); }},
    {"sign", sign, [](const Expression&) { return Expression(0.0); }},
};

const NamedFunction& named(const std::string& name) {
  const auto found =
      std::find_if(std::begin(kFunctions), std::end(kFunctions), [&](auto& g) { return g.name == name; });
  if (found == std::end(kFunctions)) throw Error(fmt::format("there is no function '{}'", name));
  return *found;
}

std::size_t mixed(std::size_t a, std::size_t b) {
  return (a ^ (b + 0x9E3779B97F4A7C15u + (a << 6) + (a >> 2))) * 0xBF58476D1CE4E5B9u;
}

/// The order of what a sum or product consists of does not matter.
std::size_t hash_of(const ExpressionNode& n) {
  std::size_t h = mixed(std::hash<int>()(static_cast<int>(n.kind)), std::hash<double>()(n.number + 0.0));
  h = mixed(mixed(h, std::hash<std::string>()(n.name)), std::hash<const void*>()(n.call.get()));
  const bool ordered = n.factors.empty();
  std::size_t all = 0;
  for (std::size_t i = 0; i < n.parts.size(); ++i) {
    const std::size_t part =
        ordered ? n.parts[i].node().hash : mixed(n.parts[i].node().hash, std::hash<double>()(n.factors[i]));
    all = ordered ? mixed(all, part) : all + part;
  }
  return mixed(h, all);
}

/// Everything that walks over an expression calls itself for each level.
void measure(ExpressionNode& node) {
  constexpr int kMade = 10;  // times as deep as a text may be
  for (const Expression& part : node.parts) {
    node.depth = std::max(node.depth, part.node().depth + 1);
    node.size += part.node().size;
  }
  if (node.depth > kMade * limit(Limit::expression_nesting))
    throw Error(
        fmt::format("an expression made of others is nested more than {} times as deep as a text may be; {}",
                    kMade, limit_text(Limit::expression_nesting)));
}

Expression make(ExpressionNode node) {
  measure(node);
  node.hash = hash_of(node);
  return Expression(std::make_shared<const ExpressionNode>(std::move(node)));
}

bool same_parts(const ExpressionNode& a, const ExpressionNode& b) {
  if (a.factors.empty()) return std::equal(a.parts.begin(), a.parts.end(), b.parts.begin(), b.parts.end());
  for (std::size_t i = 0; i < a.parts.size(); ++i) {
    const auto found = std::find(b.parts.begin(), b.parts.end(), a.parts[i]);
    if (found == b.parts.end() || b.factors[found - b.parts.begin()] != a.factors[i]) return false;
  }
  return true;
}

/// Adds to the factor of an equal part, or the part.
void merge(ExpressionNode& into, double factor, const Expression& part) {
  if (factor == 0.0) return;
  const auto found = std::find(into.parts.begin(), into.parts.end(), part);
  if (found == into.parts.end()) {
    into.parts.push_back(part), into.factors.push_back(factor);
    return;
  }
  double& there = into.factors[found - into.parts.begin()];
  const double sum = there + factor, size = std::abs(there) + std::abs(factor);
  there = std::abs(sum) <= 1e-15 * size ? 0.0 : sum;  // 1/3 + 2/3 - 1
  if (there != 0.0) return;
  into.factors.erase(into.factors.begin() + (found - into.parts.begin()));
  into.parts.erase(found);
}

Expression sum_of(const Terms& terms) {
  ExpressionNode out{.kind = Kind::sum};
  for (const auto& [factor, term] : terms) {
    const ExpressionNode& n = term.node();
    if (factor == 0.0) continue;
    if (n.kind == Kind::number) out.number += factor * n.number;
    if (n.kind == Kind::number) continue;
    if (n.kind != Kind::sum) {
      merge(out, factor, term);
      continue;
    }
    out.number += factor * n.number;
    for (std::size_t i = 0; i < n.parts.size(); ++i) merge(out, factor * n.factors[i], n.parts[i]);
  }
  if (out.parts.empty()) return out.number;
  if (out.number == 0.0 && out.parts.size() == 1 && out.factors[0] == 1.0) return out.parts[0];
  return make(std::move(out));
}

/// The numerical factor of an expression, and the rest.
std::pair<double, Expression> split(const Expression& e) {
  const ExpressionNode& n = e.node();
  if (n.kind == Kind::number) return {n.number, 1.0};
  if (n.kind == Kind::sum && n.number == 0.0 && n.parts.size() == 1) return {n.factors[0], n.parts[0]};
  return {1.0, e};
}

bool whole(double x) { return std::nearbyint(x) == x; }

/// Times base ^ exponent, collected in a product and a factor before it.
void multiply_into(ExpressionNode& product, double& factor, const Expression& base, double exponent) {
  const auto [number, rest] = split(base);
  const ExpressionNode& n = rest.node();
  if (number != 1.0 && !(whole(exponent) || number > 0.0)) return merge(product, exponent, base);
  factor *= std::pow(number, exponent);
  if (n.kind == Kind::number) return;
  if (n.kind != Kind::product || !whole(exponent)) return merge(product, exponent, rest);
  for (std::size_t i = 0; i < n.parts.size(); ++i) merge(product, exponent * n.factors[i], n.parts[i]);
}

Expression product_of(const Expression& a, double power_a, const Expression& b, double power_b) {
  ExpressionNode out{.kind = Kind::product};
  double factor = 1.0;
  multiply_into(out, factor, a, power_a);
  multiply_into(out, factor, b, power_b);
  if (factor == 0.0 || out.parts.empty()) return factor;
  const bool bare = out.parts.size() == 1 && out.factors[0] == 1.0;
  return sum_of({{factor, bare ? out.parts[0] : make(std::move(out))}});
}

/// Work over the nodes of an expression, each one once: parts are shared.
template <class Result>
class Walk {
 public:
  virtual ~Walk() = default;
  const Result& operator()(const Expression& e) {
    const auto found = known_.find(&e.node());
    if (found != known_.end()) return found->second;
    return known_.emplace(&e.node(), of(e)).first->second;
  }

 protected:
  virtual Result of(const Expression& e) = 0;

 private:
  std::unordered_map<const ExpressionNode*, Result> known_;
};

/// The same expression from other parts.
Expression rebuilt(const ExpressionNode& n, const std::vector<Expression>& parts) {
  if (n.kind == Kind::sum) {
    Terms terms{{n.number, 1.0}};
    for (std::size_t i = 0; i < parts.size(); ++i) terms.emplace_back(n.factors[i], parts[i]);
    return sum_of(terms);
  }
  if (n.kind == Kind::product) {
    Expression out = 1.0;
    for (std::size_t i = 0; i < parts.size(); ++i) out = product_of(out, 1.0, parts[i], n.factors[i]);
    return out;
  }
  if (n.kind == Kind::power) return pow(parts[0], parts[1]);
  return n.kind == Kind::function ? Expression::function(n.name, parts[0]) : Expression::call(n.call, parts);
}

class Substitution : public Walk<Expression> {
 public:
  explicit Substitution(const std::map<std::string, Expression>& values) : values_(values) {}

 private:
  Expression of(const Expression& e) override {
    const ExpressionNode& n = e.node();
    if (n.kind == Kind::number) return e;
    if (n.kind == Kind::variable) {
      const auto found = values_.find(n.name);
      return found == values_.end() ? e : found->second;
    }
    std::vector<Expression> parts;
    bool changed = false;
    for (const Expression& part : n.parts) {
      parts.push_back((*this)(part));
      changed = changed || &parts.back().node() != &part.node();
    }
    return changed ? rebuilt(n, parts) : e;
  }

  const std::map<std::string, Expression>& values_;
};

constexpr double kDifference = 6e-6;  // the cube root of rounding, for central differences

/// A partial derivative of a function of one's own, by itself such a function.
std::shared_ptr<const ExpressionFunction> partial(const ExpressionFunction& g, std::size_t i) {
  const std::string name = fmt::format("d{}_d{}", g.name, i + 1);
  if (!g.partials.empty()) return std::make_shared<ExpressionFunction>(ExpressionFunction{name, g.partials.at(i)});
  const auto difference = [value = g.value, i](std::span<const double> x) {
    std::vector<double> at(x.begin(), x.end());
    const double h = kDifference * (1.0 + std::abs(x[i]));
    at[i] = x[i] + h;
    const double above = value(at);
    at[i] = x[i] - h;
    return (above - value(at)) / (2.0 * h);
  };
  return std::make_shared<ExpressionFunction>(ExpressionFunction{name, difference});
}

class Derivative : public Walk<Expression> {
 public:
  explicit Derivative(const std::string& variable) : variable_(variable) {}

 private:
  Expression of(const Expression& e) override {
    const ExpressionNode& n = e.node();
    switch (n.kind) {
      case Kind::number:
        return 0.0;
      case Kind::variable:
        return n.name == variable_ ? 1.0 : 0.0;
      case Kind::sum:
        return of_sum(n);
      case Kind::product:
        return of_product(e);
      case Kind::power:
        return of_power(e);
      case Kind::function:
        return of_function(n);
      case Kind::call:
        return of_call(n);
    }
    return 0.0;
  }
  Expression of_sum(const ExpressionNode& n) {
    Terms terms;
    for (std::size_t i = 0; i < n.parts.size(); ++i) terms.emplace_back(n.factors[i], (*this)(n.parts[i]));
    return sum_of(terms);
  }
  Expression of_product(const Expression& e) {
    const ExpressionNode& n = e.node();
    Terms terms;
    for (std::size_t i = 0; i < n.parts.size(); ++i) {
      const Expression slope = (*this)(n.parts[i]);
      if (slope.is_zero()) continue;
      ExpressionNode rest = n;
      rest.factors[i] -= 1.0;
      terms.emplace_back(n.factors[i], rebuilt(rest, rest.parts) * slope);
    }
    return sum_of(terms);
  }
  Expression of_power(const Expression& e) {
    const Expression &base = e.node().parts[0], &exponent = e.node().parts[1];
    return e * ((*this)(exponent)*f("log", base) + exponent * (*this)(base) / base);
  }
  Expression of_function(const ExpressionNode& n) {
    const Expression inner = (*this)(n.parts[0]);
    return inner.is_zero() ? inner : named(n.name).slope(n.parts[0]) * inner;
  }
  Expression of_call(const ExpressionNode& n) {
    Expression out = 0.0;
    for (std::size_t i = 0; i < n.parts.size(); ++i) {
      const Expression inner = (*this)(n.parts[i]);
      if (!inner.is_zero()) out += Expression::call(partial(*n.call, i), n.parts) * inner;
    }
    return out;
  }

  const std::string& variable_;
};

class Evaluation : public Walk<double> {
 public:
  explicit Evaluation(const std::map<std::string, double>& values) : values_(values) {}

 private:
  double of(const Expression& e) override {
    const ExpressionNode& n = e.node();
    if (n.kind == Kind::number) return n.number;
    if (n.kind == Kind::variable) return value(n.name);
    std::vector<double> at;
    for (const Expression& part : n.parts) at.push_back((*this)(part));
    if (n.kind == Kind::function) return named(n.name).value(at[0]);
    if (n.kind == Kind::call) return n.call->value(at);
    if (n.kind == Kind::power) return std::pow(at[0], at[1]);
    double out = n.kind == Kind::sum ? n.number : 1.0;
    for (std::size_t i = 0; i < at.size(); ++i)
      n.kind == Kind::sum ? out += n.factors[i] * at[i] : out *= std::pow(at[i], n.factors[i]);
    return out;
  }
  double value(const std::string& name) const {
    const auto found = values_.find(name);
    if (found == values_.end()) throw Error(fmt::format("'{}' has no value", name));
    return found->second;
  }

  const std::map<std::string, double>& values_;
};

template <class Visit>
void each_node(const Expression& e, std::set<const ExpressionNode*>& seen, const Visit& visit) {
  if (!seen.insert(&e.node()).second) return;
  visit(e.node());
  for (const Expression& part : e.node().parts) each_node(part, seen, visit);
}

}  // namespace

Expression::Expression(double number) : Expression(make({.kind = Kind::number, .number = number})) {}
Expression::Expression(const char* text) : Expression(parse_expression(text)) {}
Expression::Expression(const std::string& text) : Expression(parse_expression(text)) {}
Expression Expression::variable(std::string name) { return make({.kind = Kind::variable, .name = std::move(name)}); }

Expression Expression::function(const std::string& name, const Expression& x) {
  if (name == "sqrt") return pow(x, 0.5);
  const NamedFunction& g = named(name);
  if (const std::optional<double> at = x.number()) return g.value(*at);
  return make({.kind = Kind::function, .name = name, .parts = {x}});
}

Expression Expression::call(std::shared_ptr<const ExpressionFunction> function, std::vector<Expression> arguments) {
  if (!function->partials.empty() && function->partials.size() != arguments.size())
    throw Error(fmt::format("function '{}' has {} derivatives, but {} arguments", function->name,
                            function->partials.size(), arguments.size()));
  return make(
      {.kind = Kind::call, .name = function->name, .parts = std::move(arguments), .call = std::move(function)});
}

Expression operator+(const Expression& a, const Expression& b) { return sum_of({{1.0, a}, {1.0, b}}); }
Expression operator-(const Expression& a, const Expression& b) { return sum_of({{1.0, a}, {-1.0, b}}); }
Expression operator-(const Expression& a) { return sum_of({{-1.0, a}}); }
Expression operator*(const Expression& a, const Expression& b) { return product_of(a, 1.0, b, 1.0); }
Expression operator/(const Expression& a, const Expression& b) {
  if (b.is_zero()) throw Error(fmt::format("{} is divided by zero", a.text()));
  return product_of(a, 1.0, b, -1.0);
}

Expression pow(const Expression& base, const Expression& exponent) {
  const std::optional<double> b = base.number(), n = exponent.number();
  if (b && n) return std::pow(*b, *n);
  if (n) return product_of(base, *n, 1.0, 1.0);
  return make({.kind = Kind::power, .parts = {base, exponent}});
}

std::optional<double> Expression::number() const {
  return node_->kind == Kind::number ? std::optional<double>(node_->number) : std::nullopt;
}

std::set<std::string> Expression::variables() const {
  std::set<std::string> out;
  std::set<const ExpressionNode*> seen;
  each_node(*this, seen, [&](const ExpressionNode& n) {
    if (n.kind == Kind::variable) out.insert(n.name);
  });
  return out;
}

bool Expression::is_finite() const {
  bool out = true;
  std::set<const ExpressionNode*> seen;
  each_node(*this, seen, [&](const ExpressionNode& n) {
    out = out && std::isfinite(n.number) &&
          std::ranges::all_of(n.factors, [](double x) { return std::isfinite(x); });
  });
  return out;
}

bool Expression::has_rough_derivative() const {
  bool out = false;
  std::set<const ExpressionNode*> seen;
  each_node(*this, seen, [&](const ExpressionNode& n) { out = out || (n.call && n.call->partials.empty()); });
  return out;
}

Expression Expression::derivative(const std::string& variable) const { return Derivative(variable)(*this); }
Expression Expression::substitute(const std::map<std::string, Expression>& values) const {
  return Substitution(values)(*this);
}
double Expression::evaluate(const std::map<std::string, double>& values) const { return Evaluation(values)(*this); }

bool Expression::operator==(const Expression& other) const {
  const ExpressionNode &a = *node_, &b = other.node();
  if (&a == &b) return true;
  if (a.hash != b.hash || a.kind != b.kind || a.number != b.number || a.name != b.name || a.call != b.call)
    return false;
  return a.parts.size() == b.parts.size() && a.factors.size() == b.factors.size() && same_parts(a, b);
}

double (*expression_function(const std::string& name))(double) { return named(name).value; }

std::vector<std::string> expression_function_names() {
  std::vector<std::string> out{"sqrt"};
  for (const NamedFunction& g : kFunctions) out.emplace_back(g.name);
  return out;
}

}  // namespace amble
