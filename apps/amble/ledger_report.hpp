#pragma once

#include <nlohmann/json.hpp>

#include "amble/ports/ledger.hpp"

namespace amble::app {

/// The books as interfaces name their parts.
nlohmann::ordered_json ledger_json(const Ledger& books);

/// The entries as a table; those through which nothing went are left out.
void print_entries(const Ledger& books);

}  // namespace amble::app
