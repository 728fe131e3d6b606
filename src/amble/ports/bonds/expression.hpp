#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace amble {

struct ExpressionNode;

/// A function of one's own in an expression. `partials` are its exact derivatives, one for each argument; without
/// them it may stand in laws and moduli, where central differences do, but not in an energy.
struct ExpressionFunction {
  using Value = std::function<double(std::span<const double>)>;
  std::string name;
  Value value;
  std::vector<Value> partials = {};
};

/// A formula of numbers and named variables: + - * / ^, sin cos tan asin acos atan sinh cosh tanh exp log sqrt abs
/// sign. Immutable; sums and products are brought into a normal form as they are made, so that x - x is 0 and
/// derivatives stay readable. Numbers and texts turn into expressions by themselves.
class Expression {
 public:
  Expression(double number = 0.0);  // NOLINT
  /// Throws an Error that shows the place of what cannot be read.
  Expression(const char* text);         // NOLINT
  Expression(const std::string& text);  // NOLINT
  static Expression variable(std::string name);
  /// One of the functions above by its name.
  static Expression function(const std::string& name, const Expression& argument);
  static Expression call(std::shared_ptr<const ExpressionFunction> function, std::vector<Expression> arguments);

  friend Expression operator+(const Expression& a, const Expression& b);
  friend Expression operator-(const Expression& a, const Expression& b);
  friend Expression operator*(const Expression& a, const Expression& b);
  friend Expression operator/(const Expression& a, const Expression& b);
  friend Expression operator-(const Expression& a);
  friend Expression pow(const Expression& base, const Expression& exponent);
  Expression& operator+=(const Expression& other) { return *this = *this + other; }

  /// Its value when no variable occurs.
  std::optional<double> number() const;
  bool is_zero() const { return number() == 0.0; }
  std::set<std::string> variables() const;
  bool depends_on(const std::string& variable) const { return variables().contains(variable); }
  Expression derivative(const std::string& variable) const;
  Expression substitute(const std::map<std::string, Expression>& values) const;
  /// Throws an Error for a variable that has no value.
  double evaluate(const std::map<std::string, double>& values) const;
  /// Reads as it is written: "k*q - b*p/m"; cut short by "..." when it is absurdly long.
  std::string text() const;
  /// False when a number in it is infinite or NaN, as after "log(0)".
  bool is_finite() const;
  /// True when a function of one's own without derivatives occurs.
  bool has_rough_derivative() const;

  bool operator==(const Expression& other) const;
  const ExpressionNode& node() const { return *node_; }
  explicit Expression(std::shared_ptr<const ExpressionNode> node) : node_(std::move(node)) {}

 private:
  std::shared_ptr<const ExpressionNode> node_;
};

/// What an expression is made of.
struct ExpressionNode {
  enum class Kind { number, variable, sum, product, power, function, call };
  Kind kind = Kind::number;
  double number = 0.0;    ///< its value; for a sum the constant in it
  std::string name = {};  ///< of a variable or function
  std::vector<Expression> parts = {};
  std::vector<double> factors =
      {};  ///< of a sum: number + sum factors[i] parts[i]; of a product: parts[i] ^ factors[i]
  std::shared_ptr<const ExpressionFunction> call = {};
  std::size_t hash = 0;
  int depth = 1;
  double size = 1.0;  ///< nodes of the tree, shared parts counted as often as they occur
};

/// The value of a function known by name, and the names.
double (*expression_function(const std::string& name))(double);
std::vector<std::string> expression_function_names();

/// For expression_parser.cpp: the expression in `text`.
Expression parse_expression(const std::string& text);

}  // namespace amble
