#pragma once

#include <functional>

#include "amble/ports/element.hpp"
#include "constraint_handles.hpp"

// Elements as Python holds them.
namespace amble::python {

/// Python has no constant objects; an element has no method that changes it.
using ElementHandle = std::shared_ptr<Element>;
inline ElementHandle writable(const ElementPtr& e) { return std::const_pointer_cast<Element>(e); }

/// For C++ to keep: an element that a user wrote in Python lives on with its Python half.
ElementPtr lasting(const ElementHandle& element);

/// A number for the whole motion or a function f of (t, q, v) that gives one, as `what` of an element.
std::function<double(double, const OwnedVector&, const OwnedVector&)> signal_from(const py::object& x,
                                                                                  const std::string& what);

}  // namespace amble::python
