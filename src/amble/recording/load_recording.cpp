#include "amble/recording/load_recording.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "amble/base/error.hpp"
#include "amble/mechanism/serialize.hpp"
#include "amble/recording/hdf5/content.hpp"
#include "amble/recording/hdf5/guarded_file.hpp"
#include "amble/recording/layout.hpp"

namespace amble {

namespace {

using hdf5::Handle;

/// The first bytes of the format, and a head that has a checksum: before HDF5 is asked.
bool is_hdf5_with_checksums(const std::string& path) {
  constexpr std::string_view kSignature = "\x89HDF\r\n\x1a\n";
  std::string head(kSignature.size() + 1, '\0');
  std::ifstream in(path, std::ios::binary);
  if (!in.read(head.data(), static_cast<std::streamsize>(head.size())) || !head.starts_with(kSignature)) return false;
  return head.back() == 2 || head.back() == 3;
}

Handle open(const std::string& path) {
  std::error_code ignored;
  const std::filesystem::file_status status = std::filesystem::status(path, ignored);
  if (!std::filesystem::exists(status)) throw Error("no such file");
  if (std::filesystem::is_directory(status)) throw Error("is a folder, expected a recording (HDF5)");
  if (!std::filesystem::is_regular_file(status)) throw Error("is not a regular file, expected a recording (HDF5)");
  if (!is_hdf5_with_checksums(path)) throw Error("is not a recording: not an HDF5 file of the kind that Amble writes");
  const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  hdf5::use_guarded_file(access);
  try {
    return {H5Fopen(path.c_str(), H5F_ACC_RDONLY, access), H5Fclose};
  } catch (const Error& e) {
    throw Error(fmt::format("is cut off or damaged: {}", e.what()));
  }
}

/// In the first version attributes were texts of variable length, which HDF5 does not read safely.
void check_version(hid_t file) {
  const std::int64_t version = hdf5::integer_attribute(file, "version");
  if (version == 1 && hdf5::is_variable_text(file, "format"))
    throw Error(
        "is of format 1, whose texts HDF5 cannot read safely when a file is damaged; docs/recordings.md has a script "
        "that converts it");
  if (hdf5::text_attribute(file, "format") != recording_layout::kFormat)
    throw Error("is an HDF5 file, but not a recording of Amble");
  if (version != recording_layout::kVersion)
    throw Error(fmt::format("is of format {}, written by Amble {}; this one reads format {}", version,
                            hdf5::text_attribute(file, "amble"), recording_layout::kVersion));
}

Handle recording_in(const std::string& path) {
  Handle file = open(path);
  if (!hdf5::has_attribute(file, "format") || !hdf5::has_attribute(file, "version"))
    throw Error("is an HDF5 file, but not a recording of Amble");
  check_version(file);
  return file;
}

RecordingOrigin origin_of(hid_t file) {
  return {.scenario = hdf5::read_text(file, "scenario"),
          .file = hdf5::text_attribute(file, "scenario_file"),
          .settings = hdf5::read_texts(file, "settings"),
          .seed = static_cast<std::uint64_t>(hdf5::integer_attribute(file, "seed")),
          .version = hdf5::text_attribute(file, "amble"),
          .instructions = hdf5::text_attribute(file, "instructions"),
          .command = hdf5::read_text(file, "command"),
          .notes = hdf5::read_texts(file, "notes")};
}

/// A table, of which a row is a view; empty rows when it has no columns.
struct Columns {
  Columns(hid_t file, const std::string& name, std::size_t columns)
      : name(name),
        columns(columns),
        numbers(columns == 0 ? std::vector<double>() : hdf5::read_numbers(file, name.c_str(), columns)) {}
  Eigen::Map<const Eigen::VectorXd> row(std::size_t i) const {
    return {numbers.data() + i * columns, static_cast<Eigen::Index>(columns)};
  }
  void check_has(std::size_t rows) const {
    if (columns > 0 && numbers.size() < rows * columns)
      throw Error(fmt::format("'{}' has {} rows, but there are {} times", name, numbers.size() / columns, rows));
  }

  std::string name;
  std::size_t columns;
  std::vector<double> numbers;
};

std::vector<double> read_list(hid_t file, const char* name, std::size_t rows) {
  std::vector<double> out = hdf5::read_numbers(file, name, 0);
  if (out.size() < rows) throw Error(fmt::format("'{}' has {} rows, but there are {} times", name, out.size(), rows));
  return out;
}

void read_states(hid_t file, Recording& out) {
  const std::vector<double> t = read_list(file, "t", 0);
  const Columns q(file, "q", out.mechanism().nq()), v(file, "v", out.mechanism().nv());
  q.check_has(t.size()), v.check_has(t.size());
  const std::vector<double> kinetic = read_list(file, "kinetic", t.size()),
                            potential = read_list(file, "potential", t.size());
  for (std::size_t i = 0; i < t.size(); ++i) out.add(t[i], q.row(i), v.row(i), kinetic[i], potential[i]);
}

void read_events(hid_t file, Recording& out) {
  const std::vector<double> t = read_list(file, "events/t", 0);
  const std::vector<std::string> names = hdf5::read_texts(file, "events/name");
  const std::vector<double> lost = read_list(file, "events/lost", t.size());
  if (names.size() < t.size()) throw Error("events lack their names");
  for (std::size_t i = 0; i < t.size(); ++i) out.add_event({t[i], names[i], lost[i]});
}

std::size_t columns_of(hid_t file, const char* name) {
  if (!hdf5::has(file, name)) return 0;
  return hdf5::read_columns(file, name);
}

void read_ledgers(hid_t file, Recording& out) {
  const std::vector<std::string> names = hdf5::read_texts(file, "ledger/names");
  const std::vector<double> t = read_list(file, "ledger/t", 0);
  const std::vector<double> energy = read_list(file, "ledger/energy", t.size()),
                            losses = read_list(file, "ledger/losses", t.size()),
                            exchanged = read_list(file, "ledger/exchanged", t.size());
  std::vector<Columns> parts;
  for (const char* part : LedgerHistory::kParts)
    parts.emplace_back(file, fmt::format("ledger/{}", part), names.size());
  const Columns numbers(file, "ledger/numbers", columns_of(file, "ledger/numbers"));
  for (const Columns& part : parts) part.check_has(t.size());
  numbers.check_has(t.size());
  const Handle group = hdf5::open_group(file, "ledger");
  Ledger books{.initial = hdf5::number_attribute(group, "initial"), .entries = {}};
  for (std::size_t i = 0; i < t.size(); ++i) {
    books.final = energy[i], books.losses = losses[i], books.exchanged = exchanged[i], books.entries.clear();
    for (std::size_t k = 0; k < names.size(); ++k)
      books.entries.push_back(
          {names[k], parts[0].row(i)[k], parts[1].row(i)[k], parts[2].row(i)[k], parts[3].row(i)[k]});
    const auto own = numbers.row(i);
    out.add_ledger(t[i], books, {own.begin(), own.end()});
  }
}

/// Older files have none.
void read_contacts(hid_t file, Recording& out) {
  if (!hdf5::has(file, "contacts")) return;
  constexpr std::size_t kColumns = RecordedContacts::kColumns.size();
  const std::vector<double> numbers = hdf5::read_numbers(file, "contacts", kColumns);
  for (std::size_t i = 0; i + kColumns <= numbers.size(); i += kColumns) out.add_contact_row({&numbers[i], kColumns});
}

void read_ground(hid_t file, Recording& out) {
  if (!hdf5::has(file, "ground")) return;
  const Handle group = hdf5::open_group(file, "ground");
  GroundDescription ground{hdf5::text_attribute(group, "kind"), hdf5::read_numbers(group, "numbers", 0)};
  ground_of(ground);  // refuses what makes none
  out.set_ground(std::move(ground));
}

/// What a file was forgiven stays forgiven.
Mechanism mechanism_of(hid_t file) {
  ModelDescription description = deserialize(hdf5::read_text(file, "mechanism"));
  const bool forgiven = any_at_least(description.findings, Severity::physics);
  return compile(std::move(description), forgiven ? Physics::warn : Physics::refuse);
}

Recording read(const std::string& path) {
  const Handle file = recording_in(path);
  Recording out(mechanism_of(file));
  out.set_origin(origin_of(file));
  out.set_complete(hdf5::integer_attribute(file, "complete") != 0);
  read_states(file, out), read_events(file, out), read_ledgers(file, out), read_contacts(file, out), read_ground(file, out);
  return out;
}

}  // namespace

Recording load_recording(const std::string& path) {
  const hdf5::Quiet quiet;
  std::string reason;
  try {
    Recording out = read(path);
    reason = hdf5::refused_part();  // by a question that HDF5 then answered with no
    if (reason.empty()) return out;
  } catch (const Error& e) {
    const std::string part = hdf5::refused_part();
    if (part.empty()) throw Error(fmt::format("{}: {}", path, e.what()));
    reason = part;
  }
  throw Error(fmt::format("{}: has {}, as no recording has: it is damaged or was changed by another program", path, reason));
}

void skip_hdf5_tidying() { H5dont_atexit(); }

bool is_recording(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string start(8, '\0');
  file.read(start.data(), 8);
  return (file.gcount() == 8 && start == "\x89HDF\r\n\x1a\n") || path.ends_with(".h5");
}

}  // namespace amble
