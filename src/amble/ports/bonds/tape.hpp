#pragma once

#include <map>

#include "amble/ports/bonds/expression.hpp"

namespace amble {

/// Expressions made ready to be evaluated many times: one straight list of operations, common parts once. Allocates
/// nothing after construction.
class Tape {
 public:
  Tape() = default;
  /// `inputs` are variables in the order of the numbers that evaluate() gets, `constants` those with fixed values.
  /// Throws an Error for a variable that is neither.
  Tape(const std::vector<Expression>& outputs, const std::vector<std::string>& inputs,
       const std::map<std::string, double>& constants = {});

  int size() const { return static_cast<int>(outputs_.size()); }
  void evaluate(const double* inputs, double* outputs);

 private:
  enum class Step { constant, input, scaled_add, multiply, square, divide, root, power, function, call };
  struct Operation {
    Step step;
    int a = 0, b = 0;     // places of what it works on
    double number = 0.0;  // a constant, the factor of b in a sum, or an exponent
    double (*function)(double) = nullptr;
    std::shared_ptr<const ExpressionFunction> call = {};
  };
  struct Writer;

  double result(const Operation& o);

  std::vector<Operation> operations_;
  std::vector<int> outputs_, arguments_;  // of calls: places, from `a` on, `b` of them
  std::vector<double> values_, call_values_;
  const double* inputs_ = nullptr;
};

}  // namespace amble
