#pragma once

#include "amble/mechanism/mechanism.hpp"
#include "amble/ports/bonds/domain.hpp"
#include "amble/ports/bonds/expression.hpp"

// Bond graphs, DS B.2: elements joined by bonds that carry an effort and a flow. Power is positive along a bond's
// half arrow. Bonds point towards I, C, R and mechanisms and away from sources; through TF, GY and RS they go in and
// out.
namespace amble {

/// A number, a vector or a matrix of expressions: the parameter or the law of an element.
class BondValue {
 public:
  BondValue() = default;
  BondValue(double number) : BondValue(Expression(number)) {}          // NOLINT
  BondValue(const char* text) : BondValue(Expression(text)) {}         // NOLINT
  BondValue(const std::string& text) : BondValue(Expression(text)) {}  // NOLINT
  BondValue(const Expression& expression) : rows_{{expression}} {}     // NOLINT
  static BondValue vector(const std::vector<Expression>& entries);
  /// Throws an Error for rows of different lengths.
  static BondValue matrix(std::vector<std::vector<Expression>> rows);

  int rows() const { return static_cast<int>(rows_.size()); }
  int cols() const { return rows_.empty() ? 0 : static_cast<int>(rows_[0].size()); }
  bool empty() const { return rows_.empty(); }
  const Expression& operator()(int row, int col = 0) const { return rows_[row][col]; }
  /// As an entry of a matrix: a single number is that multiple of the identity.
  Expression as_matrix(int row, int col) const;
  std::set<std::string> variables() const;
  std::string text() const;

 private:
  std::vector<std::vector<Expression>> rows_;
};

/// What an element is, as written. `law` says what `value` means; left empty, it is the first of its type:
///   I    inertance (H = p^2 / 2I, or p^T I^-1 p / 2), energy (a function of its states)
///   C    compliance (H = q^2 / 2C), stiffness (H = K q^2 / 2), energy
///   IC   energy; `ports` says "I" or "C" for each of its bonds, in their order
///   R    resistance (e = R f), conductance (f = G e), effort (a function of f, or f1, f2, ...), flow (of e, or e1,
///   ...) RS   as R; bond in: where energy is lost; bond out: thermal, where it appears Se   effort      Sf   flow TF
///   flow_ratio X (f2 = X f1, e1 = X^T e2), effort_ratio X (e2 = X e1, f1 = X^T f2); 1 is the bond in, 2 the bond out
///   GY   impedance X (e2 = X f1, e1 = X^T f2), admittance X (f1 = X e2, f2 = X^T e1); with one bond X is
///   skew-symmetric 0, 1 junctions: one effort, one flow      mechanism: each joint a port, named "NAME.JOINT" in
///   bonds
/// Values may depend on parameters, the time t, states, signals, and "NAME.e", "NAME.f" of an element with one bond,
/// of a junction or of a named bond ("NAME.e2" of a multi-bond): the element is then modulated, and an M before the
/// type may say so. A storage element must not be modulated: its energy would change without power through its ports.
struct BondElementDescription {
  std::string name;
  std::string type;
  std::string law = {};
  BondValue value = {};
  std::vector<std::string> states = {};  ///< names; else p_NAME and q_NAME, numbered from 1 when there are several
  std::vector<double> initial = {};      ///< of the states; else zero
  std::vector<std::string> ports = {};
  std::string domain = {};  ///< of its bonds, see bond_domains(); it spreads through junctions
  std::shared_ptr<const Mechanism> mechanism = {};
};

struct BondDescription {
  std::string from, to;  ///< elements; the half arrow is at `to`
  std::string name = {};
  int dimension = 1;  ///< of its effort and of its flow; more than one is a multi-bond
  std::string domain = {};
};

/// A named quantity that other expressions use: a value, or with `integrated` a state with that rate.
struct BondSignalDescription {
  std::string name;
  Expression value;
  bool integrated = false;
  double initial = 0.0;
};

enum class BondElementType {
  inertia,
  compliance,
  field,
  resistor,
  thermal_resistor,
  effort_source,
  flow_source,
  transformer,
  gyrator,
  zero_junction,
  one_junction,
  mechanism
};

/// One end of a bond at an element.
struct BondPort {
  int bond = -1;
  bool in = true;            ///< the bond points to the element
  bool effort_state = true;  ///< of storage: the state is the integral of the effort (I)
  int first = 0;             ///< of storage: its first state in the element's; of a mechanism: in v
  int joint = -1;            ///< of a mechanism
};

struct BondElement {
  std::string name;
  BondElementType type = BondElementType::one_junction;
  std::string symbol;  ///< as drawn: "MTF"
  std::string law;
  BondValue value;
  std::vector<BondPort> ports;      ///< in the order of their bonds, for TF, GY and RS the one in first
  std::vector<std::string> states;  ///< of storage
  std::vector<double> initial;
  bool initial_given = false;
  Expression energy;                      ///< of storage, by its states
  std::vector<std::string> modulated_by;  ///< states, signals and quantities of elements in its value, and t
  std::shared_ptr<const Mechanism> mechanism;

  bool is_storage() const { return type <= BondElementType::field; }
  bool is_source() const { return type == BondElementType::effort_source || type == BondElementType::flow_source; }
  bool is_resistor() const { return type == BondElementType::resistor || type == BondElementType::thermal_resistor; }
  bool is_junction() const { return type == BondElementType::zero_junction || type == BondElementType::one_junction; }
};

struct Bond {
  std::string name;
  int from = -1, to = -1;            ///< elements
  int from_port = -1, to_port = -1;  ///< places in their ports
  int dimension = 1;
  std::string domain;  ///< empty when nothing says which

  int end(bool head) const { return head ? to : from; }
};

/// A checked, immutable bond graph.
class BondGraph {
 public:
  const std::string& name() const { return name_; }
  std::span<const BondElement> elements() const { return elements_; }
  std::span<const Bond> bonds() const { return bonds_; }
  std::span<const BondSignalDescription> signals() const { return signals_; }
  const std::map<std::string, double>& parameters() const { return parameters_; }
  /// Throws an Error with the nearest name.
  const BondElement& element(const std::string& name) const;
  /// The element that is a mechanism, or null.
  const BondElement* mechanism() const;
  const BondPort& port(int bond, bool head) const;
  /// The bond of "NAME.e" for an element or a bond; -1 when there is none.
  int bond_of(const std::string& name) const;

 private:
  friend class BondGraphCompiler;
  std::string name_;
  std::vector<BondElement> elements_;
  std::vector<Bond> bonds_;
  std::vector<BondSignalDescription> signals_;
  std::map<std::string, double> parameters_;
};

/// Takes a graph part by part, in any order, and checks it whole. build() throws one Error with every problem.
class BondGraphBuilder {
 public:
  explicit BondGraphBuilder(std::string name = "bond graph") : name_(std::move(name)) {}

  /// A number, or an expression of parameters given before.
  BondGraphBuilder& parameter(const std::string& name, const Expression& value);
  BondGraphBuilder& element(BondElementDescription description);
  BondGraphBuilder& junction(const std::string& name, int which, const std::string& domain = "");
  BondGraphBuilder& bond(BondDescription description);
  BondGraphBuilder& signal(BondSignalDescription description);
  BondGraph build() const;

 private:
  friend class BondGraphCompiler;
  std::string name_;
  std::map<std::string, double> parameters_;
  std::vector<BondElementDescription> elements_;
  std::vector<BondDescription> bonds_;
  std::vector<BondSignalDescription> signals_;
};

/// The name of a quantity of a bond: "e" or "f", numbered from 1 in a multi-bond.
std::string bond_quantity(char which, int component, int dimension);
/// "R 'coil'"
std::string described(const BondElement& element);

}  // namespace amble
