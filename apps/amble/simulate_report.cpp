#include "simulate_report.hpp"

#include <fmt/format.h>

#include "amble/recording/certificates.hpp"
#include "ledger_report.hpp"
#include "say.hpp"

namespace amble::app {

namespace {

using Json = nlohmann::ordered_json;

Json numbers(const auto& row) { return Json(std::vector<double>(row.begin(), row.end())); }

Json certificates_json(const std::vector<Certificate>& certificates) {
  Json out = Json::array();
  for (const Certificate& c : certificates)
    out.push_back({{"name", c.name},
                   {"value", c.value},
                   {"bound", c.bound},
                   {"unit", c.unit},
                   {"t", c.t},
                   {"holds", c.holds()}});
  return out;
}

}  // namespace

Json report_json(const Recording& r, const std::vector<CheckResult>& checks, bool finished,
                 const std::string& file) {
  Json events = Json::array(), results = Json::array();
  for (const RecordedEvent& e : r.events()) events.push_back({{"t", e.t}, {"name", e.name}});
  for (const CheckResult& c : checks)
    results.push_back({{"name", c.name}, {"holds", finished ? Json(c.holds) : Json()}, {"value", c.value}});
  const Eigen::Index last = r.rows() - 1;
  return {{"duration", r.t().back() - r.t().front()},
          {"events", events},
          {"final", {{"q", numbers(r.q().row(last))}, {"v", numbers(r.v().row(last))}}},
          {"ledger", ledger_json(r.ledger())},
          {"checks", results},
          {"certificates", certificates_json(certificates(r))},
          {"recording", file.empty() ? Json() : Json(file)}};
}

void print_ledger(const Ledger& books) {
  print_entries(books);
  say("mechanism: {:.9g} J at first, {:.9g} J at last; {:.6g} J lost in events\n", books.initial,
             books.final, books.losses);
  say("residual {:.3g} J of {:.6g} J exchanged\n", books.residual(), books.exchanged);
}

void print_checks(const std::vector<CheckResult>& checks, bool finished) {
  for (const CheckResult& c : checks)
    if (finished)
      say("{:4}  {}: {:.9g}\n", c.holds ? "ok" : "FAIL", c.name, c.value);
    else
      say("--    {}: {:.9g} so far, not judged\n", c.name, c.value);
}

}  // namespace amble::app
