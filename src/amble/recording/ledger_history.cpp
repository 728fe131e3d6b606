#include "amble/recording/ledger_history.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "amble/base/error.hpp"

namespace amble {

namespace {

std::array<double, 4> parts_of(const LedgerEntry& e) { return {e.supplied, e.delivered, e.stored, e.dissipated}; }

std::vector<std::string> names_of(const Ledger& ledger) {
  std::vector<std::string> out;
  for (const LedgerEntry& e : ledger.entries) out.push_back(e.name);
  return out;
}

}  // namespace

void LedgerHistory::check_fits(double t, const Ledger& ledger, std::size_t numbers) const {
  if (t < t_.back()) throw Error(fmt::format("a ledger at {} s is recorded after one at {} s", t, t_.back()));
  if (const std::vector<std::string> names = names_of(ledger); names != names_)
    throw Error(fmt::format("a ledger with the entries '{}' is recorded after one with '{}'", fmt::join(names, ", "),
                            fmt::join(names_, ", ")));
  if (numbers != numbers_per_row_)
    throw Error(fmt::format("{} states of elements are recorded after {}", numbers, numbers_per_row_));
}

bool LedgerHistory::same_as_last(double t, const Ledger& ledger) const {
  const Ledger before = last();
  if (t != t_.back() || before.final != ledger.final || before.losses != ledger.losses) return false;
  for (std::size_t i = 0; i < names_.size(); ++i)
    if (parts_of(before.entries[i]) != parts_of(ledger.entries[i])) return false;
  return true;
}

void LedgerHistory::add(double t, const Ledger& ledger, const std::vector<double>& numbers) {
  if (rows() == 0) {
    names_ = names_of(ledger), initial_ = ledger.initial, numbers_per_row_ = numbers.size();
  } else {
    check_fits(t, ledger, numbers.size());
    if (same_as_last(t, ledger)) return;
  }
  t_.push_back(t), energy_.push_back(ledger.final);
  losses_.push_back(ledger.losses), exchanged_.push_back(ledger.exchanged);
  for (const LedgerEntry& e : ledger.entries)
    for (std::size_t k = 0; k < kParts.size(); ++k) parts_[k].push_back(parts_of(e)[k]);
  numbers_.insert(numbers_.end(), numbers.begin(), numbers.end());
}

Ledger LedgerHistory::at(std::size_t row) const {
  Ledger out{.initial = initial_,
             .final = energy_.at(row),
             .entries = {},
             .losses = losses_[row],
             .exchanged = exchanged_[row]};
  for (std::size_t i = 0; i < names_.size(); ++i) {
    const auto part = [&](std::size_t k) { return parts_[k][row * names_.size() + i]; };
    out.entries.push_back({names_[i], part(0), part(1), part(2), part(3)});
  }
  return out;
}

}  // namespace amble
