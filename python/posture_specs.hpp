#pragma once

#include <fmt/format.h>

#include <map>
#include <string>
#include <vector>

#include "amble/control/posture/static_posture.hpp"
#include "bindings.hpp"
#include "ground_handles.hpp"

// Targets and contacts of postures as users write them: dicts.
namespace amble::python {

/// What is left of a dict after each key was taken is a mistake.
class Keys {
 public:
  Keys(const py::handle& x, const char* what) : left_(named_values(py::reinterpret_borrow<py::object>(x), what)), what_(what) {}
  py::object take(const std::string& key) {
    const auto at = left_.find(key);
    if (at == left_.end()) return py::none();
    const py::object out = at->second;
    left_.erase(at);
    return out;
  }
  bool has(const std::string& key) const { return left_.contains(key); }
  void finish() const {
    if (!left_.empty()) throw Error(fmt::format("{} has a key '{}' that is not known", what_, left_.begin()->first));
  }

 private:
  std::map<std::string, py::object> left_;
  const char* what_;
};

/// f(value) for a key that is given and not None.
template <class F>
void if_given(Keys& keys, const char* key, F f) {
  const py::object value = keys.take(key);
  if (!value.is_none()) f(value);
}

std::vector<KinematicTarget> targets_from(const py::object& x);
PostureContact contact_from(const py::handle& x);
GroundPtr ground_from(const py::object& x);

}  // namespace amble::python
