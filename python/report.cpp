#include <pybind11/stl.h>

#include <filesystem>
#include <utility>

#include "amble/base/error.hpp"
#include "amble/base/text_file.hpp"
#include "amble/io/load.hpp"
#include "amble/recording/load_recording.hpp"
#include "amble/report/gltf.hpp"
#include "amble/report/model_stream.hpp"
#include "amble/report/png.hpp"
#include "amble/report/recording_figures.hpp"
#include "amble/report/scene_page.hpp"
#include "amble/report/scene_stream.hpp"
#include "amble/report/view_server.hpp"
#include "bindings.hpp"
#include "convert.hpp"

namespace amble::python {

namespace {

std::string path_text(const py::object& path) {
  return py::module_::import("os").attr("fspath")(path).cast<std::string>();
}

/// A recording, or the name of its file.
Recording recording_from(const py::object& recording) {
  return py::isinstance<Recording>(recording) ? recording.cast<Recording>()
                                              : load_recording(path_text(recording));
}

void serve(ViewServer::Scene scene, int port, bool open_browser) {
  ViewServer server(std::move(scene), {.port = port});
  py::print("viewer:", server.address(), py::arg("flush") = true);
  if (open_browser) py::module_::import("webbrowser").attr("open")(server.address());
  bool interrupted = false;
  {
    py::gil_scoped_release unlocked;
    server.run([&] {
      const py::gil_scoped_acquire locked;
      return interrupted = PyErr_CheckSignals() != 0;
    });
  }
  if (interrupted) throw py::error_already_set();
}

/// Where to show it: in files, or else by the server.
struct ViewPlaces {
  const py::object &html, &glb;
  int port;
  bool open_browser;
};

void view_recording(const py::object& recording, const ViewPlaces& to) {
  const Recording r = recording_from(recording);
  if (r.rows() == 0) throw Error("the recording has no states to show");
  const std::string file = py::isinstance<Recording>(recording) ? "" : path_text(recording);
  if (!to.html.is_none()) write_text_file(path_text(to.html), scene_page(scene_stream(r, {.file = file})));
  if (!to.glb.is_none()) write_text_file(path_text(to.glb), gltf_binary(r));
  if (!to.html.is_none() || !to.glb.is_none()) return;
  serve(
      [&](const ViewServer::Request& asked) {
        return scene_stream(r, {.after = asked.after, .stride = asked.stride, .file = file});
      },
      to.port, to.open_browser);
}

void view_model(const Mechanism& m, const py::object& q, const ViewPlaces& to) {
  if (!to.glb.is_none()) throw Error("glb is for recordings, and this is a model: expected html or nothing");
  ModelStreamSettings settings{.file = std::filesystem::path(m.description().file).filename().string()};
  if (!q.is_none()) {
    const Array given = numbers(q, {m.nq()}, "q");
    settings.q = OwnedVector(Eigen::Map<const Eigen::VectorXd>(given.data(), m.nq()));
  }
  const std::string stream = model_stream(m, settings);
  if (!to.html.is_none())
    write_text_file(path_text(to.html), scene_page(stream));
  else
    serve([&](const ViewServer::Request&) { return stream; }, to.port, to.open_browser);
}

void view(const py::object& what, const py::object& q, const py::object& html, const py::object& glb, int port,
          bool open_browser) {
  const ViewPlaces to{html, glb, port, open_browser};
  if (py::isinstance<Mechanism>(what)) return view_model(what.cast<const Mechanism&>(), q, to);
  if (!py::isinstance<Recording>(what) && !is_recording(path_text(what))) return view_model(load(path_text(what)), q, to);
  if (!q.is_none()) throw Error("q is for models, and this is a recording: expected a robot before it, or html=...");
  view_recording(what, to);
}

std::map<std::string, std::string> pictures(const py::object& recording) {
  const auto all = recording_pictures(recording_from(recording));
  return {all.begin(), all.end()};
}

constexpr const char* kView = R"(Look at a robot or at a recording, or at the file of one.

q: the posture of a robot that is shown first; not given: its keyframe "home", else its first, else the neutral one.
html: write one HTML file that needs nothing else; glb: of a recording, write a glTF 2.0 animation, for Blender and other
programs. With neither, serve the viewer at a local address, which is printed and opened in the browser, until Ctrl-C; port 0
is any that is free. The same as `amble view` on the command line. In a notebook a robot shows itself.)";

}  // namespace

void bind_report(py::module_& m) {
  m.def("view", &view, py::arg("what"), py::arg("q") = py::none(), py::arg("html") = py::none(),
        py::arg("glb") = py::none(), py::arg("port") = 0, py::arg("open_browser") = true, kView);
  m.def("pictures", &pictures, py::arg("recording"),
        "Pictures of a recording, or of the file of one, as SVG: {name: text}. Stick figures, energy, power, phase "
        "portrait, contact forces, where there are any.");
  m.def(
      "png", [](const std::string& svg, double scale) { return py::bytes(png(svg, scale)); }, py::arg("svg"),
      py::arg("scale") = 2.0, "An SVG drawing as a PNG picture, `scale` pixels for each of the drawing's; needs rsvg-convert.");
}

}  // namespace amble::python
