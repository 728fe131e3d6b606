#include "ledger_report.hpp"
#include "say.hpp"

#include <fmt/format.h>

namespace amble::app {

nlohmann::ordered_json ledger_json(const Ledger& books) {
  nlohmann::ordered_json entries = nlohmann::ordered_json::array();
  for (const LedgerEntry& e : books.entries)
    entries.push_back({{"name", e.name},
                       {"supplied", e.supplied},
                       {"delivered", e.delivered},
                       {"stored", e.stored},
                       {"dissipated", e.dissipated}});
  return {{"initial", books.initial}, {"final", books.final},         {"entries", entries},
          {"losses", books.losses},   {"exchanged", books.exchanged}, {"residual", books.residual()}};
}

void print_entries(const Ledger& books) {
  say("{:<28} {:>14} {:>14} {:>14} {:>14}\n", "energy (J)", "supplied", "delivered", "stored", "dissipated");
  for (const LedgerEntry& e : books.entries)
    if (e.supplied != 0.0 || e.delivered != 0.0 || e.stored != 0.0 || e.dissipated != 0.0)
      say("{:<28} {:>14.6g} {:>14.6g} {:>14.6g} {:>14.6g}\n", e.name, e.supplied, e.delivered, e.stored,
          e.dissipated);
}

}  // namespace amble::app
