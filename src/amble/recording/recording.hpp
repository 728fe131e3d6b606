#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "amble/geometry/ground_description.hpp"
#include "amble/mechanism/mechanism.hpp"
#include "amble/ports/contact_force.hpp"
#include "amble/recording/ledger_history.hpp"

namespace amble {

struct RecordedEvent {
  double t = 0.0;  ///< s
  std::string name;
  double lost = 0.0;  ///< energy that it took from the motion (J)
};

/// What touched at an instant, a row for each: the columns of the table `contacts`.
struct RecordedContacts {
  static constexpr std::array kColumns = {"t",       "a",       "b",       "point x",  "point y",  "point z", "force x",
                                          "force y", "force z", "normal x", "normal y", "normal z", "friction"};
  std::vector<double> numbers;  ///< row by row
  std::size_t rows() const { return numbers.size() / kColumns.size(); }
  const double* row(std::size_t i) const { return numbers.data() + i * kColumns.size(); }
};

/// Where a recording comes from: enough to run it again.
struct RecordingOrigin {
  std::string scenario;               ///< the scenario's text; empty when there was none
  std::string file;                   ///< and its file
  std::vector<std::string> settings;  ///< those that took the place of what it says
  std::uint64_t seed = 0;             ///< of all that was drawn at random
  std::string version;                ///< of Amble
  std::string instructions;           ///< those that the kernels used: others may round otherwise
  std::string command;                ///< that makes it again, where it is not a scenario's
  std::vector<std::string> notes;     ///< what whoever looks at it should know
};

/// A motion as it was: the state and the energies at increasing times, what happened, and the books. What viewers,
/// plots and analyses read.
class Recording {
 public:
  using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  static constexpr std::size_t kLongestEventName = 255;  ///< bytes

  /// Made by this version of Amble, on this machine.
  explicit Recording(const Mechanism& mechanism);

  const Mechanism& mechanism() const { return mechanism_; }
  /// Throws an Error unless the time is later than those before, and all are finite.
  void add(double t, const VectorRef& q, const VectorRef& v, double kinetic, double potential);
  /// A name that is too long is cut, and ends in "...".
  void add_event(RecordedEvent event);
  /// The books at a time, and the states of the elements then; as LedgerHistory::add().
  void add_ledger(double t, const Ledger& ledger, const std::vector<double>& numbers = {}) {
    ledgers_.add(t, ledger, numbers);
  }
  /// What touches at a time, no earlier than those before; links become bodies. Throws an Error unless all is finite,
  /// but for the friction.
  void add_contacts(double t, std::span<const ContactForce> contacts);
  /// The same from a file, whose numbers are checked.
  void add_contact_row(std::span<const double> row);
  void set_ground(GroundDescription ground) { ground_ = std::move(ground); }
  void set_origin(RecordingOrigin origin) { origin_ = std::move(origin); }
  /// That the motion came to its end; otherwise it was stopped, or could not go on.
  void set_complete(bool complete) { complete_ = complete; }

  Eigen::Index rows() const { return static_cast<Eigen::Index>(t_.size()); }
  const std::vector<double>& t() const { return t_; }
  /// A row for each time.
  Eigen::Map<const Rows> q() const { return {q_.data(), rows(), mechanism_.nq()}; }
  Eigen::Map<const Rows> v() const { return {v_.data(), rows(), mechanism_.nv()}; }
  const std::vector<double>& kinetic() const { return kinetic_; }
  const std::vector<double>& potential() const { return potential_; }
  const std::vector<RecordedEvent>& events() const { return events_; }
  /// The books at the end, and as they grew.
  Ledger ledger() const { return ledgers_.last(); }
  const LedgerHistory& ledgers() const { return ledgers_; }
  /// Bodies are numbers in mechanism().bodies(), -1 the world; forces act on b. One instant's stand together, at the
  /// end of a step that gave a state, where the ledger is.
  const RecordedContacts& contacts() const { return contacts_; }
  /// What the motion was over; an empty kind when nobody knows.
  const GroundDescription& ground() const { return ground_; }
  const RecordingOrigin& origin() const { return origin_; }
  bool complete() const { return complete_; }

  /// Writes it as the ending of the name says: .h5 or .hdf5 (all of it, for load_recording()) or .csv (save_csv()).
  /// Written aside and renamed. Throws an Error that names the file.
  void save(const std::string& path) const;
  /// A table of time, q, v and energies, headed by the names of coordinate_names.hpp.
  void save_csv(const std::string& path) const;

 private:
  Mechanism mechanism_;
  std::vector<double> t_, q_, v_, kinetic_, potential_;
  std::vector<RecordedEvent> events_;
  LedgerHistory ledgers_;
  RecordedContacts contacts_;
  GroundDescription ground_;
  RecordingOrigin origin_;
  bool complete_ = false;
};

/// True for names of files that hold a whole recording: .h5, .hdf5.
bool is_recording_name(const std::string& path);

}  // namespace amble
