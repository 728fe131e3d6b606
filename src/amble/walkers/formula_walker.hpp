#pragma once

#include "amble/walkers/formula_phase.hpp"

namespace amble {

/// A step model of one phase given by formulas. Beside what FormulaPhase asks for, `Model` has `static
/// coordinates()`, full_coordinates(), section(), step_length(x), set_drop(height), slope(), weight(),
/// longest_step(), full_state(x), sticks(q), figure(), and a Watch with visit(x, event, watch) and assumptions(watch).
template <class Model>
class FormulaWalker : public StepModel {
 public:
  explicit FormulaWalker(const Model& model) : phase_(model), section_(model.section()) {}
  std::unique_ptr<StepModel> clone() const override {
    return std::make_unique<FormulaWalker>(phase_.model());
  }

  int phases() const override { return 1; }
  StepPhase& phase(int) override { return phase_; }
  std::vector<std::string> coordinates() const override { return Model::coordinates(); }
  const Section& section() const override { return section_; }
  double step_length(const double* x_before) override { return phase_.model().step_length(x_before); }
  double slope() const override { return phase_.model().slope(); }
  double weight() const override { return phase_.model().weight(); }
  void set_drop(double height) override { phase_.model().set_drop(height); }
  double longest_step() const override { return phase_.model().longest_step(); }
  std::pair<OwnedVector, OwnedVector> full_state(int, const double* x) override {
    return phase_.model().full_state(x);
  }
  std::vector<std::string> full_coordinates() const override { return Model::full_coordinates(); }
  std::vector<Stick> sticks(const VectorRef& q_full) override { return phase_.model().sticks(q_full); }
  std::unique_ptr<WalkerFigure> figure() const override { return phase_.model().figure(); }
  void begin_assumptions() override { watch_ = {}; }
  void visit(int, const double* x, bool event) override { phase_.model().visit(x, event, watch_); }
  std::vector<Assumption> assumptions() const override { return phase_.model().assumptions(watch_); }

 private:
  FormulaPhase<Model> phase_;
  Section section_;
  typename Model::Watch watch_;
};

}  // namespace amble
