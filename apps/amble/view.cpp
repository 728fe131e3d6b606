#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <thread>
#include <utility>

#include "amble/base/error.hpp"
#include "amble/base/text_file.hpp"
#include "amble/recording/load_recording.hpp"
#include "amble/report/gltf.hpp"
#include "amble/report/recording_figures.hpp"
#include "amble/report/scene_page.hpp"
#include "amble/report/scene_stream.hpp"
#include "amble/report/synthetic.hpp"
#include "amble/report/view_server.hpp"
#include "bench/interrupt.hpp"
#include "command.hpp"
#include "picture_files.hpp"
#include "view_model.hpp"

namespace amble::app {

namespace {

struct Settings {
  std::string recording, html, scene, glb, pictures, listen;
  ModelChoice model;
  bool has_model_options = false;
  bool writes() const { return !html.empty() || !scene.empty() || !glb.empty() || !pictures.empty(); }
  std::optional<double> synthetic;
  int port = 0;
};

/// A recording that may still grow: read again when its file has changed.
class GrowingRecording {
 public:
  explicit GrowingRecording(const Settings& s) : settings_(s) { now(); }

  const Recording& now() {
    if (settings_.synthetic) {
      if (!recording_) recording_ = synthetic_recording(*settings_.synthetic);
      return *recording_;
    }
    std::error_code ignored;
    const auto written = std::filesystem::last_write_time(settings_.recording, ignored);
    const auto size = std::filesystem::file_size(settings_.recording, ignored);
    if (!recording_ || (!recording_->complete() && (written != written_ || size != size_))) {
      read();
      written_ = written, size_ = size;
    }
    return *recording_;
  }
  std::string name() const {
    return settings_.synthetic ? fmt::format("synthetic, {} s", *settings_.synthetic)
                               : std::filesystem::path(settings_.recording).filename().string();
  }

 private:
  /// A run that writes while we read can make a reading fail: then what was read before stays, and the next
  /// try comes.
  void read() {
    for (int left = recording_ ? 0 : 5;; --left) try {
        recording_ = load_recording(settings_.recording);
        return;
      } catch (const Error&) {
        if (recording_) return;
        if (left == 0) throw;
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
      }
  }

  const Settings& settings_;
  std::optional<Recording> recording_;
  std::filesystem::file_time_type written_ = {};
  std::uintmax_t size_ = 0;
};

void write_pictures(const std::string& path, const Recording& r) {
  const PictureFolder folder(path);
  for (const auto& [name, drawing] : recording_pictures(r)) {
    folder.write(name, drawing);
    fmt::print("{0}/{1}.svg, {0}/{1}.png\n", path, name);
  }
}

int write_files(const Settings& s, GrowingRecording& source) {
  const Recording& r = source.now();
  if (r.rows() == 0) throw Error(fmt::format("{}: the recording has no states to show", s.recording));
  const auto write = [&](const std::string& path, const std::string& content) {
    write_text_file(path, content);
    fmt::print("{}: {} states, {:.1f} MB\n", path, r.rows(), static_cast<double>(content.size()) / 1e6);
  };
  if (!s.html.empty()) write(s.html, scene_page(scene_stream(r, {.file = source.name()})));
  if (!s.scene.empty()) write(s.scene, scene_stream(r, {.file = source.name()}));
  if (!s.glb.empty()) write(s.glb, gltf_binary(r));
  if (!s.pictures.empty()) write_pictures(s.pictures, r);
  return 0;
}

int serve(const Settings& s, ViewServer::Scene scene) {
  ViewServerSettings settings{.port = s.port};
  if (!s.listen.empty()) settings.host = s.listen;
  ViewServer server(std::move(scene), settings);
  fmt::print("viewer: {}\n", server.address());
  fmt::print("{}Ctrl-C ends it\n",
             s.listen.empty() ? "" : "other machines can look, if they know this address; ");
  std::fflush(stdout);
  const bench::InterruptGuard guard;
  server.run([] { return bench::interrupted(); });
  return kInterrupted;
}

// ---- models

void check_for_model(const Settings& s) {
  for (const auto& [given, option] :
       {std::pair(!s.glb.empty(), "--glb"), std::pair(!s.pictures.empty(), "--pictures")})
    if (given) throw Error(fmt::format("{}: {} is for recordings, and this is a model", s.recording, option));
}

int view_model(const Settings& s) {
  check_for_model(s);
  const std::string stream = model_scene(s.model);
  const auto write = [&](const std::string& path, const std::string& content) {
    write_text_file(path, content);
    fmt::print("{}: {:.1f} MB\n", path, static_cast<double>(content.size()) / 1e6);
  };
  if (!s.html.empty()) write(s.html, scene_page(stream));
  if (!s.scene.empty()) write(s.scene, stream);
  if (s.writes()) return 0;
  return serve(s, [&](const ViewServer::Request&) { return stream; });
}

int view(const Settings& s) {
  if (!s.synthetic && !is_recording(s.recording)) return view_model(s);
  if (s.has_model_options)
    throw Error(
        fmt::format("{}: --posture, --set, --base, --strict, --mimic and --package-path are for models, and "
                    "this is a recording",
                    s.recording));
  skip_hdf5_tidying();
  GrowingRecording source(s);
  if (s.writes()) return write_files(s, source);
  return serve(s, [&](const ViewServer::Request& asked) {
    return scene_stream(source.now(), {.after = asked.after, .stride = asked.stride, .file = source.name()});
  });
}

}  // namespace

void amble_command(CLI::App& command, Run& run) {
  auto settings = std::make_shared<Settings>();
  auto* recording =
      command
          .add_option("FILE", settings->recording,
                      "A recording (.h5), or a model: URDF, SDFormat, MJCF, a mechanism in JSON, a "
                      "scenario (.toml)")
          ->type_name("")
          ->check(file_name());
  auto* synthetic = command.add_option("--synthetic", settings->synthetic,
                                       "Instead: a made-up machine, recorded for so many seconds at 1 kHz");
  synthetic->type_name("SECONDS")->excludes(recording);
  auto* html = command.add_option("--html", settings->html, "Write one HTML file that needs nothing else");
  html->type_name("FILE")->check(file_name());
  auto* scene =
      command.add_option("--scene", settings->scene, "Write what the page reads, for other programs");
  scene->type_name("FILE")->check(file_name());
  auto* glb = command.add_option("--glb", settings->glb,
                                 "Write a glTF 2.0 animation, for Blender and other programs");
  glb->type_name("FILE")->check(file_name());
  auto* pictures = command.add_option("--pictures", settings->pictures,
                                      "Write pictures to this folder (SVG and PNG): stick figures, energy, "
                                      "power, phase portrait, contact forces");
  pictures->type_name("DIR")->check(file_name());
  auto* port = command.add_option("--port", settings->port, "Serve at this port (0: any that is free)");
  port->capture_default_str()
      ->type_name("N")
      ->check(CLI::Range(0, 65535).description(""))
      ->excludes(html, scene, glb, pictures);
  command
      .add_option(
          "--listen", settings->listen,
          "Serve at this address instead of 127.0.0.1, so that other machines can look: 0.0.0.0 for all")
      ->type_name("HOST")
      ->check(file_name())
      ->excludes(html, scene, glb, pictures);
  auto* keyframe = command.add_option(
      "--posture", settings->model.keyframe,
      "Of a model: show this keyframe first; else 'home' or the first, else the neutral posture");
  keyframe->type_name("KEYFRAME");
  auto* set = command.add_option("--set", settings->model.set,
                                 "Of a model: put a joint there first (rad, m); may be repeated");
  set->type_name("JOINT=VALUE")->take_all()->allow_extra_args(false);
  add_load_options(command, settings->model.load);
  command.footer(
      "What the file holds is seen from its content. Without --html it serves at 127.0.0.1, under an address "
      "with a\n"
      "random token that only you are told, and follows a recording that is still being written.");
  command.callback([settings, recording, synthetic, keyframe, set, &command, &run] {
    if (recording->count() + synthetic->count() == 0) throw CLI::RequiredError("FILE");
    settings->has_model_options = keyframe->count() + set->count() > 0 || has_load_options(command);
    settings->model.file = settings->recording;
    run = [settings] { return view(*settings); };
  });
}

}  // namespace amble::app
