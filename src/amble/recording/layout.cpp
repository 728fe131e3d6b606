#include "amble/recording/layout.hpp"

#include "amble/mechanism/coordinate_names.hpp"

namespace amble::recording_layout {

namespace {

constexpr const char* kFrameOfQ =
    "each joint's child frame in its parent frame; free joints: position, then quaternion x y z w";
constexpr const char* kFrameOfV =
    "free and spherical joints: body twist in body axes, linear first; planar joints: rates in the parent's axes; "
    "others along their axis";

std::vector<std::string> all(const char* unit) { return {unit}; }

Table list(const char* name, const std::vector<double>& numbers, const char* unit, const char* meaning) {
  return {name, 0, numbers.data(), numbers.size(), all(unit), meaning, ""};
}

void add_states(const Recording& r, std::vector<Table>& out) {
  const Mechanism& m = r.mechanism();
  const std::size_t rows = r.t().size(), nq = m.nq(), nv = m.nv();
  if (nq > 0)
    out.push_back({"q", nq, r.q().data(), rows, q_units(m), "configuration, columns as in q_names", kFrameOfQ});
  if (nv > 0) out.push_back({"v", nv, r.v().data(), rows, v_units(m), "velocity, columns as in v_names", kFrameOfV});
  out.push_back(list("kinetic", r.kinetic(), "J", "kinetic energy of the mechanism"));
  out.push_back(list("potential", r.potential(), "J", "energy of the mechanism in gravity"));
  out.push_back(list("t", r.t(), "s", "time of each row"));
}

void add_ledgers(const LedgerHistory& books, std::vector<Table>& out) {
  const std::size_t entries = books.names().size(), rows = books.rows();
  for (std::size_t k = 0; k < LedgerHistory::kParts.size() && entries > 0; ++k)
    out.push_back({std::string("ledger/") + LedgerHistory::kParts[k], entries, books.part(k).data(), rows, all("J"),
                   "since the start, columns as in ledger/names", ""});
  if (books.numbers_per_row() > 0)
    out.push_back({"ledger/numbers", books.numbers_per_row(), books.numbers().data(), rows, all(""),
                   "the elements' own states, one element after the other", ""});
  out.push_back(list("ledger/energy", books.energy(), "J", "of the mechanism: kinetic and in gravity"));
  out.push_back(list("ledger/losses", books.losses(), "J", "taken by events since the start"));
  out.push_back(list("ledger/exchanged", books.exchanged(), "J", "transfers since the start, without sign"));
  out.push_back(list("ledger/t", books.t(), "s", "time of each row: the end of a step"));
}

void add_contacts(const RecordedContacts& contacts, std::vector<Table>& out) {
  const std::vector<std::string> units = {"s", "1", "1", "m", "m", "m", "N", "N", "N", "1", "1", "1", "1"};
  out.push_back({"contacts", units.size(), contacts.numbers.data(), contacts.rows(), units,
                 "what touched: time; bodies a and b by their numbers in body_names, -1 the world; point; force of a on "
                 "b; normal out of a; coefficient of friction",
                 "world"});
}

}  // namespace

std::vector<Table> tables_of(const Recording& recording) {
  std::vector<Table> out;
  add_states(recording, out);
  add_contacts(recording.contacts(), out);
  add_ledgers(recording.ledgers(), out);
  return out;
}

}  // namespace amble::recording_layout
