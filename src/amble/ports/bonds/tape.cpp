#include "amble/ports/bonds/tape.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "amble/base/error.hpp"

namespace amble {

namespace {

struct ByHash {
  std::size_t operator()(const Expression& e) const { return e.node().hash; }
};

}  // namespace

struct Tape::Writer {
  using Kind = ExpressionNode::Kind;
  Tape& tape;
  std::map<std::string, int> inputs;
  const std::map<std::string, double>& constants;
  std::unordered_map<Expression, int, ByHash> known = {};

  int add(Operation o) {
    tape.operations_.push_back(std::move(o));
    return static_cast<int>(tape.operations_.size()) - 1;
  }
  int constant(double x) { return add({.step = Step::constant, .number = x}); }

  int place(const Expression& e) {
    const auto found = known.find(e);
    if (found != known.end()) return found->second;
    const int at = write(e.node());
    known.emplace(e, at);
    return at;
  }
  int write(const ExpressionNode& n) {
    switch (n.kind) {
      case Kind::number:
        return constant(n.number);
      case Kind::variable:
        return variable(n.name);
      case Kind::sum:
        return sum(n);
      case Kind::product:
        return product(n);
      case Kind::power: {
        const int base = place(n.parts[0]), exponent = place(n.parts[1]);
        return add({.step = Step::power, .a = base, .b = exponent});
      }
      case Kind::function:
        return add({.step = Step::function, .a = place(n.parts[0]), .function = expression_function(n.name)});
      case Kind::call:
        break;
    }
    return call(n);
  }
  int variable(const std::string& name) {
    if (const auto found = constants.find(name); found != constants.end()) return constant(found->second);
    const auto found = inputs.find(name);
    if (found == inputs.end()) throw Error(fmt::format("'{}' has no value", name));
    return add({.step = Step::input, .a = found->second});
  }
  int sum(const ExpressionNode& n) {
    int out = constant(n.number);
    for (std::size_t i = 0; i < n.parts.size(); ++i)
      out = add({.step = Step::scaled_add, .a = out, .b = place(n.parts[i]), .number = n.factors[i]});
    return out;
  }
  int raised(const Expression& base, double exponent) {
    const int at = place(base);
    if (exponent == 1.0) return at;
    if (exponent == 2.0) return add({.step = Step::square, .a = at});
    if (exponent == 0.5) return add({.step = Step::root, .a = at});
    return add({.step = Step::power, .a = at, .b = constant(exponent)});
  }
  int product(const ExpressionNode& n) {
    int above = -1;
    for (std::size_t i = 0; i < n.parts.size(); ++i)
      if (n.factors[i] > 0.0) above = times(above, raised(n.parts[i], n.factors[i]));
    if (above < 0) above = constant(1.0);
    for (std::size_t i = 0; i < n.parts.size(); ++i)
      if (n.factors[i] < 0.0) above = add({.step = Step::divide, .a = above, .b = raised(n.parts[i], -n.factors[i])});
    return above;
  }
  int times(int a, int b) { return a < 0 ? b : add({.step = Step::multiply, .a = a, .b = b}); }
  int call(const ExpressionNode& n) {
    std::vector<int> places;
    for (const Expression& part : n.parts) places.push_back(place(part));
    const int first = static_cast<int>(tape.arguments_.size()), count = static_cast<int>(places.size());
    tape.arguments_.insert(tape.arguments_.end(), places.begin(), places.end());
    tape.call_values_.resize(std::max(tape.call_values_.size(), places.size()));
    return add({.step = Step::call, .a = first, .b = count, .call = n.call});
  }
};

Tape::Tape(const std::vector<Expression>& outputs, const std::vector<std::string>& inputs,
           const std::map<std::string, double>& constants) {
  Writer writer{*this, {}, constants};
  for (std::size_t i = 0; i < inputs.size(); ++i) writer.inputs.emplace(inputs[i], static_cast<int>(i));
  for (const Expression& e : outputs) outputs_.push_back(writer.place(e));
  values_.resize(operations_.size());
}

double Tape::result(const Operation& o) {
  switch (o.step) {
    case Step::constant:
      return o.number;
    case Step::input:
      return inputs_[o.a];
    case Step::scaled_add:
      return values_[o.a] + o.number * values_[o.b];
    case Step::multiply:
      return values_[o.a] * values_[o.b];
    case Step::square:
      return values_[o.a] * values_[o.a];
    case Step::divide:
      return values_[o.a] / values_[o.b];
    case Step::root:
      return std::sqrt(values_[o.a]);
    case Step::power:
      return std::pow(values_[o.a], values_[o.b]);
    case Step::function:
      return o.function(values_[o.a]);
    case Step::call:
      break;
  }
  for (int i = 0; i < o.b; ++i) call_values_[i] = values_[arguments_[o.a + i]];
  return o.call->value({call_values_.data(), static_cast<std::size_t>(o.b)});
}

void Tape::evaluate(const double* inputs, double* outputs) {
  inputs_ = inputs;
  for (std::size_t i = 0; i < operations_.size(); ++i) values_[i] = result(operations_[i]);
  for (std::size_t i = 0; i < outputs_.size(); ++i) outputs[i] = values_[outputs_[i]];
}

}  // namespace amble
