#include "amble/recording/recording.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "amble/base/error.hpp"
#include "amble/base/instruction_set.hpp"
#include "amble/version.hpp"

namespace amble {

namespace {

void append(std::vector<double>& to, const VectorRef& numbers) { to.insert(to.end(), numbers.begin(), numbers.end()); }

}  // namespace

Recording::Recording(const Mechanism& mechanism)
    : mechanism_(mechanism), origin_{.version = kVersion, .instructions = name_of(chosen_instruction_set())} {}

void Recording::add(double t, const VectorRef& q, const VectorRef& v, double kinetic, double potential) {
  if (!std::isfinite(t) || (!t_.empty() && !(t > t_.back())))
    throw Error(fmt::format("a state at {} s is recorded after {} s", t, t_.empty() ? 0.0 : t_.back()));
  if (q.size() != mechanism_.nq() || v.size() != mechanism_.nv() || !q.allFinite() || !v.allFinite())
    throw Error(fmt::format("the state to record at {} s is not one of '{}'", t, mechanism_.name()));
  t_.push_back(t);
  append(q_, q), append(v_, v);
  kinetic_.push_back(kinetic), potential_.push_back(potential);
}

void Recording::add_event(RecordedEvent event) {
  if (event.name.size() > kLongestEventName) {
    std::size_t end = kLongestEventName - 3;
    while (end > 0 && (event.name[end] & 0xC0) == 0x80) --end;  // not within a character
    event.name = event.name.substr(0, end) + "...";
  }
  events_.push_back(std::move(event));
}

void Recording::add_contacts(double t, std::span<const ContactForce> contacts) {
  const auto body_on = [&](int link) {
    const std::span<const Body> all = mechanism_.bodies();
    const auto found = std::find_if(all.begin(), all.end(), [&](const Body& b) { return link != 0 && b.link == link; });
    return found == all.end() ? -1.0 : static_cast<double>(found - all.begin());
  };
  for (const ContactForce& c : contacts) {
    std::array<double, RecordedContacts::kColumns.size()> row{t, body_on(c.link_a), body_on(c.link_b)};
    std::copy_n(c.point.data(), 3, &row[3]), std::copy_n(c.force.data(), 3, &row[6]);
    std::copy_n(c.normal.data(), 3, &row[9]), row.back() = c.friction;
    add_contact_row(row);
  }
}

void Recording::add_contact_row(std::span<const double> row) {
  const auto is_body = [&](double body) {
    return body == std::floor(body) && body >= -1.0 && body < static_cast<double>(mechanism_.bodies().size());
  };
  const std::size_t rows = contacts_.rows();
  if (row.size() != RecordedContacts::kColumns.size() || !is_body(row[1]) || !is_body(row[2]) || !(row.back() >= 0.0) ||
      !std::all_of(row.begin(), row.end() - 1, [](double x) { return std::isfinite(x); }) ||
      (rows > 0 && row[0] < contacts_.row(rows - 1)[0]))
    throw Error(fmt::format("contact {} of the recording has numbers that no contact of '{}' can have", rows,
                            mechanism_.name()));
  contacts_.numbers.insert(contacts_.numbers.end(), row.begin(), row.end());
}

}  // namespace amble
