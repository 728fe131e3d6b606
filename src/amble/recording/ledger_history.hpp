#pragma once

#include <array>
#include <string>
#include <vector>

#include "amble/mechanism/mechanism.hpp"
#include "amble/ports/ledger.hpp"

namespace amble {

/// The ledger as it grew: the books since the start of a motion at increasing times, and what states the elements
/// themselves have. The same entries at all times.
class LedgerHistory {
 public:
  /// Parts of an entry, in this order.
  static constexpr std::array<const char*, 4> kParts = {"supplied", "delivered", "stored", "dissipated"};

  /// Nothing happens when nothing has changed since the row before. Throws an Error when the entries are others than
  /// before, or the numbers fewer or more, or the time earlier.
  void add(double t, const Ledger& ledger, const std::vector<double>& numbers = {});

  std::size_t rows() const { return t_.size(); }
  const std::vector<double>& t() const { return t_; }
  /// Of the entries.
  const std::vector<std::string>& names() const { return names_; }
  double initial() const { return initial_; }
  /// Energy of the mechanism, event losses, and what was exchanged (J); a number for each time.
  const std::vector<double>& energy() const { return energy_; }
  const std::vector<double>& losses() const { return losses_; }
  const std::vector<double>& exchanged() const { return exchanged_; }
  /// One of kParts (J): a row for each time, a column for each entry.
  const std::vector<double>& part(std::size_t which) const { return parts_[which]; }
  /// States of the elements: a row for each time.
  const std::vector<double>& numbers() const { return numbers_; }
  std::size_t numbers_per_row() const { return numbers_per_row_; }

  /// The books at a row; empty ones when there are no rows.
  Ledger at(std::size_t row) const;
  Ledger last() const { return rows() == 0 ? Ledger{} : at(rows() - 1); }

 private:
  bool same_as_last(double t, const Ledger& ledger) const;
  void check_fits(double t, const Ledger& ledger, std::size_t numbers) const;

  std::vector<std::string> names_;
  double initial_ = 0.0;
  std::size_t numbers_per_row_ = 0;
  std::vector<double> t_, energy_, losses_, exchanged_, numbers_;
  std::array<std::vector<double>, kParts.size()> parts_;
};

}  // namespace amble
