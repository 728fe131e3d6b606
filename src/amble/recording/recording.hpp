#pragma once

#include <string>
#include <vector>

#include "amble/mechanism/mechanism.hpp"
#include "amble/ports/ledger.hpp"

namespace amble {

struct RecordedEvent {
  double t = 0.0;  ///< s
  std::string name;
};

/// A motion as it was: the state and the energies at increasing times, what happened, and the books. What viewers, plots
/// and analyses read.
class Recording {
 public:
  using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

  explicit Recording(const Mechanism& mechanism) : mechanism_(mechanism) {}

  const Mechanism& mechanism() const { return mechanism_; }
  /// Throws an Error unless the time is later than those before, and all are finite.
  void add(double t, const VectorRef& q, const VectorRef& v, double kinetic, double potential);
  void add_event(double t, std::string name) { events_.push_back({t, std::move(name)}); }
  void set_ledger(Ledger ledger) { ledger_ = std::move(ledger); }

  Eigen::Index rows() const { return static_cast<Eigen::Index>(t_.size()); }
  const std::vector<double>& t() const { return t_; }
  /// A row for each time.
  Eigen::Map<const Rows> q() const { return {q_.data(), rows(), mechanism_.nq()}; }
  Eigen::Map<const Rows> v() const { return {v_.data(), rows(), mechanism_.nv()}; }
  const std::vector<double>& kinetic() const { return kinetic_; }
  const std::vector<double>& potential() const { return potential_; }
  const std::vector<RecordedEvent>& events() const { return events_; }
  const Ledger& ledger() const { return ledger_; }

  /// A table of time, q, v and energies, headed by the names of coordinate_names.hpp; written aside and renamed. Throws an Error that names the
  /// file when it cannot be written.
  void save_csv(const std::string& path) const;

 private:
  Mechanism mechanism_;
  std::vector<double> t_, q_, v_, kinetic_, potential_;
  std::vector<RecordedEvent> events_;
  Ledger ledger_;
};

}  // namespace amble
