#pragma once

#include <memory>

#include "amble/dynamics/view.hpp"
#include "amble/mechanism/mechanism.hpp"

namespace amble {

/// All memory that evaluating a mechanism needs; one per thread. After construction nothing allocates. Results of
/// functions are views into it, see View. (Memory that no function has used is reserved, not taken.)
class Workspace {
 public:
  explicit Workspace(const Mechanism& mechanism);
  Workspace(Workspace&&) noexcept;
  Workspace& operator=(Workspace&&) noexcept;
  ~Workspace();

  /// Throws an Error unless this workspace was made for `mechanism` (or a copy of it).
  void check_owner(const Mechanism& mechanism) const {
    if (&mechanism.description() != owner_.get()) throw_other_owner(mechanism);
  }

  /// Of interest to the functions of this folder only.
  struct Memory;
  Memory& memory() { return *memory_; }

 private:
  [[noreturn]] void throw_other_owner(const Mechanism& mechanism) const;

  std::shared_ptr<const ModelDescription> owner_;
  std::unique_ptr<Memory> memory_;
};

}  // namespace amble
