#include "amble/scenario/walker_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <numbers>

#include "amble/base/error.hpp"
#include "amble/io/load.hpp"
#include "amble/io/source.hpp"
#include "amble/scenario/walker_file_reader.hpp"

namespace amble {

namespace {

using Foot = WalkerDescription::Foot;
using Phase = WalkerDescription::Phase;

/// A root that a URDF, which cannot say so, leaves without a joint is free.
Mechanism free_model(const WalkerFile& w) {
  const std::string path = (std::filesystem::path(w.file).parent_path() / w.model).string();
  Mechanism m = load(path, w.load);
  const bool free = std::ranges::any_of(m.joints(), [](const Joint& joint) { return joint.type == "free"; });
  if (free) return m;
  LoadOptions floating = w.load;
  floating.base = Base::floating;
  return load(path, floating);
}

/// The model and the feet with every parameter set.
std::pair<Mechanism, std::vector<Foot>> parametrised(const WalkerFile& w, const Mechanism& model,
                                                     const WalkerValues& values) {
  ModelDescription d = model.description();
  std::erase_if(d.findings, [](const Problem& p) { return p.severity == Severity::physics; });  // found anew
  std::vector<Foot> feet = w.feet;
  for (const WalkerFileParameter& p : w.parameters)
    for (const WalkerQuantity& q : p.sets) {
      try {
        set_quantity(q, q.plus + q.factor * values.at(p.parameter.name), d, feet);
      } catch (const Error& e) {
        throw Error(fmt::format("parameter '{}': {}", p.parameter.name, e.what()));
      }
    }
  return {compile(std::move(d), Physics::warn), feet};
}

WalkerDescription described(const WalkerFile& w, const Mechanism& model, const WalkerValues& values) {
  auto [mechanism, feet] = parametrised(w, model, values);
  WalkerDescription out{.name = w.name,
                        .model = std::move(mechanism),
                        .planar = w.planar,
                        .slope = slope_of(values),
                        .gravity = positive(values, "gravity"),
                        .feet = std::move(feet),
                        .phases = w.phases,
                        .symmetry = w.symmetry,
                        .bounds = w.bounds,
                        .region = w.region,
                        .start = w.start,
                        .longest_step = w.longest_step};
  return out;
}

DrivenWalker driven(const WalkerFile& w, const Mechanism& model, const WalkerValues& values) {
  return {described(w, model, values), drive_with(*w.drive, values)};
}

/// What `make` gives, its Errors with the file in front.
template <class Make>
auto naming_file(const WalkerFile& w, const Make& make) {
  try {
    return make();
  } catch (const Error& e) {
    throw Error(fmt::format("{}: {}", w.file, e.what()));
  }
}

std::unique_ptr<StepModel> make(const WalkerFile& w, const Mechanism& model, const WalkerValues& values,
                                Scuffing scuffing) {
  return naming_file(w, [&] {
    const WalkerDescription walker =
        w.drive ? with_drive_as_spring(driven(w, model, values)) : described(w, model, values);
    return std::make_unique<DescribedWalker>(walker, scuffing);
  });
}

std::vector<WalkerParameter> parameters_of(const WalkerFile& w, const Mechanism& model) {
  std::vector<WalkerParameter> out;
  for (const WalkerFileParameter& p : w.parameters) {
    WalkerParameter parameter = p.parameter;
    const auto same = [&](const WalkerParameter& other) { return other.name == parameter.name; };
    if (std::any_of(out.begin(), out.end(), same))
      throw Error(fmt::format("{}: there are several parameters '{}'", w.file, parameter.name));
    if (!p.given) {
      const WalkerQuantity& q = p.sets.front();
      try {
        parameter.value = (read_quantity(q, model.description(), w.feet) - q.plus) / q.factor;
      } catch (const Error& e) {
        throw Error(fmt::format("{}: parameter '{}': {}", w.file, parameter.name, e.what()));
      }
    }
    out.push_back(parameter);
  }
  if (w.drive)
    for (const WalkerParameter& parameter : drive_parameters(*w.drive)) {
      if (std::ranges::count(out, parameter.name, &WalkerParameter::name) > 0)
        throw Error(fmt::format("{}: parameter '{}' has the name of one of the drive", w.file, parameter.name));
      out.push_back(parameter);
    }
  return with_floor(std::move(out), w.slope_deg, w.gravity);
}

/// A file that was read, with its model.
struct ReadWalker {
  std::shared_ptr<const WalkerFile> file;
  std::shared_ptr<const Mechanism> model;
  WalkerKind kind;
};

ReadWalker read(const std::string& text, const std::string& file) {
  const auto w = std::make_shared<const WalkerFile>(read_walker_file(text, file));
  const auto model = std::make_shared<const Mechanism>(free_model(*w));
  WalkerKind kind{w->name, w->summary.empty() ? "a walker of one's own, " + file : w->summary,
                  parameters_of(*w, *model), [w, model](const WalkerValues& values, Scuffing scuffing) {
                    return make(*w, *model, values, scuffing);
                  }};
  kind.powered = w->drive || std::ranges::any_of(w->phases, [](const Phase& phase) { return !phase.rest.empty(); });
  make_walker(kind);  // says what does not fit together
  return {w, model, kind};
}

DrivenKind read_driven(const std::string& text, const std::string& file) {
  const ReadWalker r = read(text, file);
  if (!r.file->drive) throw Error(fmt::format("{}: walker '{}' has no drive: expected a table [drive]", file, r.kind.name));
  return {r.kind, [r](const WalkerValues& values) {
            return naming_file(*r.file, [&] { return driven(*r.file, *r.model, values); });
          }};
}

}  // namespace

WalkerKind read_walker(const std::string& text, const std::string& file) { return read(text, file).kind; }

WalkerKind load_walker(const std::string& path) { return read_walker(read_text(path), path); }

WalkerKind find_walker(const std::string& name_or_path) {
  return name_or_path.ends_with(".toml") ? load_walker(name_or_path) : walker_kind(name_or_path);
}

DrivenKind find_driven_walker(const std::string& name_or_path) {
  return name_or_path.ends_with(".toml") ? read_driven(read_text(name_or_path), name_or_path) : driven_kind(name_or_path);
}

}  // namespace amble
