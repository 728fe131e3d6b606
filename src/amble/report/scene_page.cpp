#include "amble/report/scene_page.hpp"

#include <cstdint>

#include "amble/base/error.hpp"

// The page is built from web/ and kept in the repository (docs/decisions/page.md); here it becomes part of
// the library.
__asm__(
    ".pushsection .rodata\n"
    "amble_page_begin:\n"
    ".incbin \"" AMBLE_PAGE_FILE
    "\"\n"
    "amble_page_end:\n"
    ".byte 0\n"
    ".popsection\n");
extern "C" {
extern const char amble_page_begin[] __attribute__((visibility("hidden")));
extern const char amble_page_end[] __attribute__((visibility("hidden")));
}

namespace amble {

namespace {

constexpr std::string_view kPlace = "<!--scene-->";

std::string page_with(std::string_view scene) {
  const std::string_view page(amble_page_begin, static_cast<std::size_t>(amble_page_end - amble_page_begin));
  const std::size_t place = page.find(kPlace);
  if (place == page.npos) throw Error("the page has no place for a scene: web/dist/page.html is broken");
  std::string out;
  out.reserve(page.size() + scene.size());
  out.append(page.substr(0, place)).append(scene).append(page.substr(place + kPlace.size()));
  return out;
}

}  // namespace

std::string base64(std::string_view bytes) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const auto byte = [&](std::size_t k) {
      return i + k < bytes.size() ? static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[i + k])) : 0u;
    };
    const std::uint32_t three = byte(0) << 16 | byte(1) << 8 | byte(2);
    for (std::size_t k = 0; k < 4; ++k)
      out += i + k > bytes.size() ? '=' : kDigits[three >> (18 - 6 * k) & 63u];
  }
  return out;
}

std::string scene_page(std::string_view stream) { return page_with(base64(stream)); }
std::string live_page() { return page_with(""); }

}  // namespace amble
