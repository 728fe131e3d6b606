#pragma once

#include <string>
#include <string_view>

namespace amble {

/// A scene of scene_stream() as one page of HTML that stands alone: no network, no other file.
std::string scene_page(std::string_view stream);

/// The same page without a scene: it asks for one at `scene` beside its own address.
std::string live_page();

/// RFC 4648, with padding.
std::string base64(std::string_view bytes);

}  // namespace amble
