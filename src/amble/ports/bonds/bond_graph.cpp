#include "amble/ports/bonds/bond_graph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "amble/base/error.hpp"
#include "amble/base/names.hpp"

namespace amble {

BondValue BondValue::vector(const std::vector<Expression>& entries) {
  BondValue out;
  for (const Expression& e : entries) out.rows_.push_back({e});
  return out;
}

BondValue BondValue::matrix(std::vector<std::vector<Expression>> rows) {
  if (rows.empty() || rows[0].empty()) throw Error("a matrix has no entries");
  for (const auto& row : rows)
    if (row.size() != rows[0].size())
      throw Error(fmt::format("a matrix has a row of {} beside one of {} entries", row.size(), rows[0].size()));
  BondValue out;
  out.rows_ = std::move(rows);
  return out;
}

Expression BondValue::as_matrix(int row, int col) const {
  if (rows() == 1 && cols() == 1) return row == col ? rows_[0][0] : Expression(0.0);
  return rows_[row][col];
}

std::set<std::string> BondValue::variables() const {
  std::set<std::string> out;
  for (const auto& row : rows_)
    for (const Expression& e : row) out.merge(e.variables());
  return out;
}

std::string BondValue::text() const {
  std::vector<std::string> lines;
  for (const auto& row : rows_) {
    std::vector<std::string> entries;
    for (const Expression& e : row) entries.push_back(e.text());
    lines.push_back(fmt::format("{}", fmt::join(entries, ", ")));
  }
  return lines.size() == 1 ? lines[0] : fmt::format("[{}]", fmt::join(lines, cols() > 1 ? "; " : ", "));
}

const BondElement& BondGraph::element(const std::string& name) const {
  std::vector<std::string> names;
  for (const BondElement& e : elements_) {
    if (e.name == name) return e;
    names.push_back(e.name);
  }
  throw Error(fmt::format("bond graph '{}' has no element '{}'{}", name_, name, suggestion(name, names)));
}

const BondElement* BondGraph::mechanism() const {
  for (const BondElement& e : elements_)
    if (e.type == BondElementType::mechanism) return &e;
  return nullptr;
}

const BondPort& BondGraph::port(int bond, bool head) const {
  const Bond& b = bonds_[bond];
  return elements_[b.end(head)].ports[head ? b.to_port : b.from_port];
}

int BondGraph::bond_of(const std::string& name) const {
  for (std::size_t i = 0; i < bonds_.size(); ++i)
    if (!bonds_[i].name.empty() && bonds_[i].name == name) return static_cast<int>(i);
  for (const BondElement& e : elements_)
    if (e.name == name && !e.ports.empty() && (e.ports.size() == 1 || e.is_junction())) return e.ports[0].bond;
  return -1;
}

BondGraphBuilder& BondGraphBuilder::parameter(const std::string& name, const Expression& value) {
  if (parameters_.contains(name)) throw Error(fmt::format("parameter '{}' is given twice", name));
  double number = 0.0;
  try {
    number = value.evaluate(parameters_);
  } catch (const Error& e) {
    throw Error(
        fmt::format("parameter '{}' = {}: {}; expected parameters given before", name, value.text(), e.what()));
  }
  if (!std::isfinite(number))
    throw Error(
        fmt::format("parameter '{}' = {} is {}: expected a finite number", name, value.text(), number));
  parameters_[name] = number;
  return *this;
}

BondGraphBuilder& BondGraphBuilder::element(BondElementDescription description) {
  elements_.push_back(std::move(description));
  return *this;
}

BondGraphBuilder& BondGraphBuilder::junction(const std::string& name, int which, const std::string& domain) {
  return element({.name = name, .type = fmt::format("{}", which), .domain = domain});
}

BondGraphBuilder& BondGraphBuilder::bond(BondDescription description) {
  bonds_.push_back(std::move(description));
  return *this;
}

BondGraphBuilder& BondGraphBuilder::signal(BondSignalDescription description) {
  signals_.push_back(std::move(description));
  return *this;
}

std::string bond_quantity(char which, int component, int dimension) {
  return dimension == 1 ? std::string(1, which) : fmt::format("{}{}", which, component + 1);
}

std::string described(const BondElement& e) {
  if (e.type == BondElementType::mechanism) return fmt::format("mechanism '{}'", e.name);
  return e.is_junction() ? fmt::format("{}-junction '{}'", e.symbol, e.name)
                         : fmt::format("{} '{}'", e.symbol, e.name);
}

}  // namespace amble
