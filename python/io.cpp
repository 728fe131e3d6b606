#include "amble/io/load.hpp"

#include <fmt/format.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include "bindings.hpp"

namespace amble::python {

namespace {

using Path = std::filesystem::path;

Base base_of(const std::optional<bool>& floating) {
  if (!floating) return Base::from_file;
  return *floating ? Base::floating : Base::fixed;
}

bool follows(const std::string& mimic) {
  if (mimic != "follow" && mimic != "free")
    throw Error(fmt::format("mimic is '{}': expected 'follow' or 'free'", mimic));
  return mimic == "follow";
}

/// One path or several. A string is one path, not a sequence of letters.
std::vector<std::string> search_path(const py::object& given) {
  const bool one = py::isinstance<py::str>(given) || py::hasattr(given, "__fspath__");
  const py::list paths = one ? py::list(py::make_tuple(given)) : py::list(given);
  std::vector<std::string> out;
  for (const py::handle& p : paths) out.push_back(p.cast<Path>().string());
  return out;
}

LoadOptions options(const std::optional<bool>& floating_base, bool strict, const std::string& mimic,
                    const py::object& package_path) {
  return {.base = base_of(floating_base),
          .strict = strict,
          .mimic = follows(mimic),
          .package_path = search_path(package_path)};
}

Mechanism load_file(const Path& path, const std::optional<bool>& floating_base, bool strict,
                    const std::string& mimic, const py::object& package_path) {
  const LoadOptions chosen = options(floating_base, strict, mimic, package_path);
  py::gil_scoped_release unlocked;
  return load(path.string(), chosen);
}

Mechanism load_string(const std::string& text, const Path& file, const std::optional<bool>& floating_base,
                      bool strict, const std::string& mimic, const py::object& package_path) {
  const LoadOptions chosen = options(floating_base, strict, mimic, package_path);
  py::gil_scoped_release unlocked;
  return load_text(text, file.string(), chosen);
}

constexpr const char* kLoad = R"(Read a URDF, SDFormat or MJCF file, told apart by its content.

floating_base: True gives the root a free joint, False asks for a fixed one, None takes what the file says.
strict: refuse inertias that no body can have instead of listing them in `warnings`.
mimic: "follow" (joints that mimic another add no coordinate) or "free" (they get their own).
package_path: folder or folders in which package:// and model:// names are looked up.)";

}  // namespace

void bind_io(py::module_& m) {
  m.def("load", &load_file, py::arg("path"), py::arg("floating_base") = py::none(), py::arg("strict") = false,
        py::arg("mimic") = "follow", py::arg("package_path") = py::tuple(), kLoad);
  m.def("load_text", &load_string, py::arg("text"), py::arg("file") = "text",
        py::arg("floating_base") = py::none(), py::arg("strict") = false, py::arg("mimic") = "follow",
        py::arg("package_path") = py::tuple(),
        "As load(), for a model in memory; `file` names it in messages and is where relative mesh names "
        "start from.");
}

}  // namespace amble::python
