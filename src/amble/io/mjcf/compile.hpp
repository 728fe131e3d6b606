#pragma once

#include <memory>
#include <string>

#include "amble/io/mjcf/assets.hpp"
#include "amble/io/mjcf/source.hpp"

struct mjModel_;

namespace amble {

struct MjcfModelDeleter {
  void operator()(mjModel_* model) const;
};
using MjcfModel = std::unique_ptr<mjModel_, MjcfModelDeleter>;

/// Lets MuJoCo compile the tree, with `files` beside it. What MuJoCo refuses becomes an Error at the element it names; its warnings
/// are added to `findings`. Never ends the process, which MuJoCo does by default; one thread at a time, since
/// its handlers are global.
MjcfModel compile_mjcf(const MjcfElement& root, const MjcfFiles& files, Problems& findings);

}  // namespace amble
