#include <pybind11/stl.h>

#include <chrono>

#include "amble/base/error.hpp"
#include "amble/base/text_file.hpp"
#include "amble/recording/load_recording.hpp"
#include "amble/report/gltf.hpp"
#include "amble/report/png.hpp"
#include "amble/report/recording_figures.hpp"
#include "amble/report/scene_page.hpp"
#include "amble/report/scene_stream.hpp"
#include "amble/report/view_server.hpp"
#include "bindings.hpp"

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

void serve(const Recording& recording, const std::string& file, int port) {
  ViewServer server(
      [&](const ViewServer::Request& asked) {
        return scene_stream(recording, {.after = asked.after, .stride = asked.stride, .file = file});
      },
      {.port = port});
  py::print("viewer:", server.address(), py::arg("flush") = true);
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

void view(const py::object& recording, const py::object& html, const py::object& glb, int port) {
  const Recording r = recording_from(recording);
  if (r.rows() == 0) throw Error("the recording has no states to show");
  const std::string file = py::isinstance<Recording>(recording) ? "" : path_text(recording);
  if (!html.is_none()) write_text_file(path_text(html), scene_page(scene_stream(r, {.file = file})));
  if (!glb.is_none()) write_text_file(path_text(glb), gltf_binary(r));
  if (html.is_none() && glb.is_none()) serve(r, file, port);
}

std::map<std::string, std::string> pictures(const py::object& recording) {
  const auto all = recording_pictures(recording_from(recording));
  return {all.begin(), all.end()};
}

constexpr const char* kView = R"(Look at a recording, or at the file (.h5) of one.

html: write one HTML file that needs nothing else; glb: write a glTF 2.0 animation, for Blender and other programs. With
neither, serve the viewer at a local address, which is printed, until Ctrl-C; port 0 is any that is free. The same as
`amble view` on the command line.)";

}  // namespace

void bind_report(py::module_& m) {
  m.def("view", &view, py::arg("recording"), py::arg("html") = py::none(), py::arg("glb") = py::none(),
        py::arg("port") = 0, kView);
  m.def("pictures", &pictures, py::arg("recording"),
        "Pictures of a recording, or of the file of one, as SVG: {name: text}. Stick figures, energy, power, phase "
        "portrait, contact forces, where there are any.");
  m.def(
      "png", [](const std::string& svg, double scale) { return py::bytes(png(svg, scale)); }, py::arg("svg"),
      py::arg("scale") = 2.0, "An SVG drawing as a PNG picture, `scale` pixels for each of the drawing's; needs rsvg-convert.");
}

}  // namespace amble::python
