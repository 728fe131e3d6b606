#pragma once

#include "amble/base/error.hpp"
#include "amble/ports/bonds/element_types.hpp"

namespace amble {

/// Checks what a builder was given and makes the graph of it; collects problems on the way.
class BondGraphCompiler {
 public:
  explicit BondGraphCompiler(const BondGraphBuilder& given) : given_(given) {}
  /// Throws one Error with every problem.
  BondGraph compile();

 private:
  void problem(const std::string& what, const std::string& reason);
  void problem(const BondElement& element, const std::string& reason);
  void stop_at_problems() const;

  // graph_compiler.cpp: what there is
  void check_name(const std::string& what, const std::string& name);
  void check_counts();
  void read_elements();
  void read_element(const BondElementDescription& description);
  void read_bonds();
  int end_of(const BondDescription& bond, const std::string& name, std::string& joint);
  void attach(int bond, bool head, const std::string& joint);
  void read_signals();
  void order_ports(BondElement& element);
  void check_bonds_of(const BondElement& element, const BondElementKind& kind);
  void check_direction(const BondElement& element);
  void spread_domains();

  // value_checks.cpp: what the values are
  void check_dimensions(const BondElement& element);
  void check_finite(const BondElement& element);
  void check_value(const BondElement& element);
  void check_shape(const BondElement& element, int rows, int cols, bool may_be_single);
  void check_passive(const BondElement& element);
  void check_skew(const BondElement& element);
  void read_storage(BondElement& element, const BondElementDescription& description);
  void name_states(BondElement& element, const BondElementDescription& description);
  Expression quadratic_energy(const BondElement& element);
  void check_energy(const BondElement& element);
  std::set<std::string> known_names() const;
  void check_names_used(const std::string& what, const std::set<std::string>& used,
                        const std::set<std::string>& known);
  void check_signal_loops();
  void note_modulation(BondElement& element);
  int dimension(const BondElement& element, int port) const;
  std::vector<std::vector<double>> numbers(const BondElement& element) const;

  const BondGraphBuilder& given_;
  BondGraph graph_;
  Problems problems_;
  std::set<std::string> names_;
};

}  // namespace amble
