#include "amble/recording/recording_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <map>

#include "amble/base/error.hpp"
#include "amble/base/output_file.hpp"
#include "amble/mechanism/coordinate_names.hpp"
#include "amble/mechanism/serialize.hpp"
#include "amble/recording/hdf5/content.hpp"
#include "amble/recording/hdf5/living_file.hpp"
#include "amble/recording/layout.hpp"

namespace amble {

namespace {

using hdf5::Handle;
using recording_layout::Table;

constexpr const char* kEventNames = "events/name";
constexpr const char* kEventLosses = "events/lost";
constexpr const char* kEventTimes = "events/t";

/// A chunk is written whole: large ones cost time at each flush, small ones a longer index.
hsize_t chunk_rows(std::size_t row_bytes) {
  constexpr std::size_t kChunkBytes = 32 * 1024;
  return std::clamp<hsize_t>(kChunkBytes / row_bytes, 16, 4096);
}

enum class Growth { none, rows };

Handle file_list() {
  Handle out(H5Pcreate(H5P_FILE_CREATE), H5Pclose);
  hdf5::check(H5Pset_obj_track_times(out, false));  // the same motion gives the same bytes
  return out;
}

Handle new_file(const std::string& path, hid_t create, H5F_libver_t format) {
  const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  hdf5::use_living_file(access);
  hdf5::check(H5Pset_libver_bounds(access, format, format));
  return {H5Fcreate(path.c_str(), H5F_ACC_TRUNC, create, access), H5Fclose};
}

/// One that can be read while it is written.
Handle new_living_file(const std::string& path) {
  const Handle create = file_list();
  hdf5::check(H5Pset_file_space_strategy(create, H5F_FSPACE_STRATEGY_NONE, false, 1));  // no place is used twice
  return new_file(path, create, H5F_LIBVER_V110);
}

/// In the format of HDF5 1.8, in which everything but numbers and texts themselves has a checksum.
Handle new_plain_file(const std::string& path) { return new_file(path, file_list(), H5F_LIBVER_V18); }

std::vector<std::string> body_names(const Mechanism& m) {
  std::vector<std::string> out;
  for (const Body& body : m.bodies()) out.push_back(body.name);
  return out;
}

void write_ground(hid_t file, const GroundDescription& ground) {
  if (ground.kind.empty()) return;
  const Handle group = hdf5::new_group(file, "ground");
  hdf5::write_attribute(group, "kind", ground.kind);
  hdf5::fill(hdf5::new_table(group, "numbers", {}, {.fixed = ground.numbers.size()}), ground.numbers.data());
}

void write_facts(hid_t file, const Recording& r) {
  const RecordingOrigin& origin = r.origin();
  hdf5::write_attribute(file, "format", std::string(recording_layout::kFormat));
  hdf5::write_attribute(file, "version", std::int64_t{recording_layout::kVersion});
  hdf5::write_attribute(file, "complete", std::int64_t{0});
  hdf5::write_attribute(file, "amble", origin.version);
  hdf5::write_attribute(file, "instructions", origin.instructions);
  hdf5::write_attribute(file, "seed", static_cast<std::int64_t>(origin.seed));
  hdf5::write_attribute(file, "mechanism_name", r.mechanism().name());
  hdf5::write_attribute(file, "scenario_file", origin.file);
  hdf5::write_text(file, "command", origin.command);
  hdf5::write_texts(file, "notes", origin.notes);
  hdf5::write_text(file, "scenario", origin.scenario);
  hdf5::write_texts(file, "settings", origin.settings);
  hdf5::write_text(file, "mechanism", serialize(r.mechanism().description()));
  hdf5::write_texts(file, "q_names", q_names(r.mechanism()));
  hdf5::write_texts(file, "v_names", v_names(r.mechanism()));
  hdf5::write_texts(file, "body_names", body_names(r.mechanism()));
  write_ground(file, r.ground());
}

/// With its rows where it does not grow.
void write_table(hid_t file, const Table& table, Growth growth) {
  const hsize_t chunk = chunk_rows(sizeof(double) * std::max<std::size_t>(table.columns, 1));
  const hdf5::Rows rows = growth == Growth::none ? hdf5::Rows{.fixed = table.rows} : hdf5::Rows{.chunk = chunk};
  const Handle made = hdf5::new_table(file, table.name.c_str(), {.columns = table.columns}, rows);
  if (growth == Growth::none && table.rows > 0) hdf5::fill(made, table.numbers);
  hdf5::write_attribute(made, "units", table.units);
  hdf5::write_attribute(made, "meaning", table.meaning);
  if (!table.frame.empty()) hdf5::write_attribute(made, "frame", table.frame);
}

/// Events, from one on.
struct EventColumns {
  EventColumns(const Recording& r, std::size_t first) {
    for (std::size_t i = first; i < r.events().size(); ++i) {
      const RecordedEvent& event = r.events()[i];
      names.push_back(event.name), losses.push_back(event.lost), times.push_back(event.t);
    }
  }
  std::vector<std::string> names;
  std::vector<double> losses, times;
};

void write_events(hid_t file, const Recording& r, Growth growth) {
  const Handle group = hdf5::new_group(file, "events");
  const EventColumns all(r, 0);
  if (growth == Growth::none)
    hdf5::write_texts(file, kEventNames, all.names);
  else
    hdf5::new_table(file, kEventNames, {.text_bytes = recording_layout::kEventNameBytes}, {.chunk = 64});
  const std::size_t rows = all.times.size();
  write_table(file, {kEventLosses, 0, all.losses.data(), rows, {"J"}, "taken from the motion", ""}, growth);
  write_table(file, {kEventTimes, 0, all.times.data(), rows, {"s"}, "time of each event", ""}, growth);
}

/// Without growth all of it, otherwise tables without rows.
void write_content(hid_t file, const Recording& r, Growth growth) {
  write_facts(file, r);
  const Handle ledger = hdf5::new_group(file, "ledger");
  hdf5::write_attribute(ledger, "initial", r.ledgers().initial());
  hdf5::write_texts(file, "ledger/names", r.ledgers().names());
  for (const Table& table : recording_layout::tables_of(r)) write_table(file, table, growth);
  write_events(file, r, growth);
}

/// The tables of a file, by their names, kept open.
class OpenTables {
 public:
  explicit OpenTables(hid_t file) : file_(file) {}
  const Handle& operator[](const std::string& name) {
    Handle& table = tables_[name];
    if (table < 0) table = hdf5::open_table(file_, name.c_str());
    return table;
  }

 private:
  hid_t file_;
  std::map<std::string, Handle> tables_;
};

/// Each table is on the disk before the next grows.
void append_numbers(const Recording& r, OpenTables& tables) {
  for (const Table& table : recording_layout::tables_of(r)) {
    const Handle& grown = tables[table.name];
    const std::size_t before = hdf5::rows_of(grown), columns = std::max<std::size_t>(table.columns, 1);
    if (before >= table.rows) continue;
    hdf5::append(grown, table.columns, table.numbers + before * columns, table.rows - before);
    hdf5::check(H5Dflush(grown));
  }
}

void append_events(const Recording& r, OpenTables& tables) {
  const EventColumns added(r, hdf5::rows_of(tables[kEventTimes]));
  if (added.times.empty()) return;
  hdf5::append(tables[kEventNames], recording_layout::kEventNameBytes, added.names);
  hdf5::check(H5Dflush(tables[kEventNames]));
  hdf5::append(tables[kEventLosses], 0, added.losses.data(), added.losses.size());
  hdf5::check(H5Dflush(tables[kEventLosses]));
  hdf5::append(tables[kEventTimes], 0, added.times.data(), added.times.size());
  hdf5::check(H5Dflush(tables[kEventTimes]));
}

/// Calls `work`; what it throws gets the name of the file.
template <class Work>
void naming(const std::string& path, Work&& work) {
  const hdf5::Quiet quiet;
  const auto named = [&](const Error& e) { return fmt::format("{}: cannot be written: {}", path, e.what()); };
  try {
    work();
  } catch (const OutputFailed& e) {
    throw OutputFailed(named(e));
  } catch (const Error& e) {
    throw Error(named(e));
  }
}

void check_disk(hid_t file) {
  if (const int error = hdf5::write_error(file); error != 0) throw OutputFailed(std::strerror(error));
}

/// HDF5 goes back and forth in a file. Two runs that write one file would lose one of both.
void check_can_be_written(const std::string& path) {
  std::error_code ignored;
  const std::filesystem::file_status status = std::filesystem::status(path, ignored);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))
    throw Error(std::filesystem::is_directory(status) ? "Is a directory" : "is not a regular file");
  if (hdf5::is_being_written(path.c_str())) throw Error("another run is writing it");
}

}  // namespace

struct RecordingFile::Memory {
  using Clock = std::chrono::steady_clock;

  Memory(const std::string& path, const Recording& r, const FlushSettings& settings);
  ~Memory() { close(); }
  bool is_due(const Recording& r) const;
  void append(const Recording& r);
  void close();

  std::string path;
  FlushSettings settings;
  Handle file;
  std::unique_ptr<OpenTables> tables;
  Eigen::Index flushed_rows = 0;
  Clock::time_point flushed_at;
};

RecordingFile::Memory::Memory(const std::string& path, const Recording& r, const FlushSettings& settings)
    : path(path), settings(settings) {
  naming(path, [&] { check_can_be_written(path); });
  OutputFile aside(path);
  const std::string name = aside.unfinished_name();
  naming(path, [&] {
    file = new_living_file(name);
    write_content(file, r, Growth::rows);
    hdf5::check(H5Fflush(file, H5F_SCOPE_GLOBAL));
    hdf5::check(H5Fstart_swmr_write(file));
    tables = std::make_unique<OpenTables>(file);
    append(r);
    check_can_be_written(path);
  });
  aside.finish();
}

void RecordingFile::Memory::close() {
  const hdf5::Quiet quiet;
  tables.reset();
  file.close();
}

bool RecordingFile::Memory::is_due(const Recording& r) const {
  return r.rows() - flushed_rows >= settings.rows ||
         std::chrono::duration<double>(Clock::now() - flushed_at).count() >= settings.seconds;
}

void RecordingFile::Memory::append(const Recording& r) {
  append_events(r, *tables);
  append_numbers(r, *tables);
  check_disk(file);
  flushed_rows = r.rows(), flushed_at = Clock::now();
}

RecordingFile::RecordingFile(const std::string& path, const Recording& recording, const FlushSettings& settings) {
  memory_ = std::make_unique<Memory>(path, recording, settings);
}
RecordingFile::RecordingFile(RecordingFile&&) noexcept = default;
RecordingFile& RecordingFile::operator=(RecordingFile&&) noexcept = default;
RecordingFile::~RecordingFile() = default;

const std::string& RecordingFile::path() const { return memory_->path; }

void RecordingFile::update(const Recording& recording) {
  if (memory_->is_due(recording)) flush(recording);
}

void RecordingFile::flush(const Recording& recording) {
  naming(path(), [&] { memory_->append(recording); });
}

void RecordingFile::finish(const Recording& recording) {
  naming(path(), [&] {
    memory_->append(recording);
    if (recording.complete()) hdf5::change_attribute(memory_->file, "complete", 1);
    hdf5::check(H5Fflush(memory_->file, H5F_SCOPE_GLOBAL));
    check_disk(memory_->file);
    memory_->close();
  });
}

void write_recording(const std::string& path, const Recording& recording) {
  naming(path, [&] { check_can_be_written(path); });
  OutputFile aside(path);
  const std::string name = aside.unfinished_name();
  naming(path, [&] {
    const Handle file = new_plain_file(name);
    write_content(file, recording, Growth::none);
    if (recording.complete()) hdf5::change_attribute(file, "complete", 1);
    hdf5::check(H5Fflush(file, H5F_SCOPE_GLOBAL));
    check_disk(file);
  });
  aside.finish();
}

}  // namespace amble
