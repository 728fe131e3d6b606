#include "view_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>

#include "amble/base/error.hpp"
#include "amble/base/names.hpp"
#include "amble/io/load.hpp"
#include "amble/io/source.hpp"
#include "amble/mechanism/coordinate_names.hpp"
#include "amble/mechanism/serialize.hpp"
#include "amble/report/model_stream.hpp"
#include "amble/scenario/stage.hpp"

namespace amble::app {

namespace {

/// A mechanism, and the posture that its file starts in, if it says one.
struct LoadedModel {
  Mechanism mechanism;
  std::optional<OwnedVector> q = {};
};

bool starts_with_brace(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != text.npos && text[first] == '{';
}

LoadedModel load_model(const ModelChoice& choice, const std::string& text) {
  if (choice.file.ends_with(".toml")) {
    Stage stage = set_up(load_scenario(choice.file));
    return {std::move(stage.mechanism), std::move(stage.q)};
  }
  if (!starts_with_brace(text)) return {load_text(text, choice.file, choice.load)};
  try {
    return {compile(deserialize(text), choice.load.strict ? Physics::refuse : Physics::warn)};
  } catch (const Error& e) {
    throw Error(fmt::format("{}: {}", choice.file, e.what()));
  }
}

/// JOINT=VALUE: which coordinate, and the value (rad, m).
void set_coordinate(const Mechanism& m, const std::string& words, OwnedVector& q) {
  const std::size_t equals = words.rfind('=');
  if (equals == words.npos) throw Error(fmt::format("--set {}: expected JOINT=VALUE", words));
  const std::string name = words.substr(0, equals), number = words.substr(equals + 1);
  const std::vector<std::string> names = q_names(m);
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end())
    throw Error(
        fmt::format("--set {}: the model has no coordinate '{}'{}", words, name, suggestion(name, names)));
  char* end = nullptr;
  const double value = std::strtod(number.c_str(), &end);
  if (number.empty() || *end != '\0' || !std::isfinite(value))
    throw Error(fmt::format("--set {}: '{}' is not a number; expected radians or metres", words, number));
  q[static_cast<Eigen::Index>(found - names.begin())] = value;
}

OwnedVector posture(const LoadedModel& model, const ModelChoice& choice) {
  const Mechanism& m = model.mechanism;
  OwnedVector q = !choice.keyframe.empty() ? m.keyframe(choice.keyframe).q
                  : model.q                ? *model.q
                                           : nominal_posture(m);
  for (const std::string& words : choice.set) set_coordinate(m, words, q);
  return q;
}

}  // namespace

std::string model_scene(const ModelChoice& choice) {
  const LoadedModel model = load_model(choice, read_text(choice.file));
  return model_stream(model.mechanism, {.q = posture(model, choice),
                                        .file = std::filesystem::path(choice.file).filename().string()});
}

}  // namespace amble::app
