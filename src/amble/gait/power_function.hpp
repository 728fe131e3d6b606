#pragma once

#include "amble/gait/search_problem.hpp"

namespace amble {

/// What each actuator delivers (W): the torques of a phase times the rates of their coordinates, with first
/// and second derivatives from those of the torques.
class PowerFunction final : public SearchFunction {
 public:
  explicit PowerFunction(SearchFunctionPtr torques) : torques_(std::move(torques)) {}
  int rows() const override { return torques_->rows(); }
  void evaluate(const SearchPoint& at, SearchValues& out) const override;
  void curvature(const SearchPoint& at, const VectorRef& weights,
                 Eigen::Ref<Eigen::MatrixXd> out) const override;

 private:
  SearchFunctionPtr torques_;
};

}  // namespace amble
