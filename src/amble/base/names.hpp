#pragma once

#include <span>
#include <string>
#include <string_view>

namespace amble {

/// The candidate most like `name`, or empty when none is close: for "did you mean" in messages.
std::string_view nearest_name(std::string_view name, std::span<const std::string> candidates);

/// ` (did you mean 'knee'?)`, or nothing.
std::string suggestion(std::string_view name, std::span<const std::string> candidates);

}  // namespace amble
