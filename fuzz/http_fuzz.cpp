// What a client sends is a request, a refusal, or not yet a whole head; and bytes that come later change no answer.
// longest: 10000
#include <cstdint>
#include <cstdlib>

#include "amble/report/http_request.hpp"

namespace {

using amble::ParsedRequest;

void require(bool fact) {
  if (!fact) std::abort();
}

void check(const ParsedRequest& parsed, std::size_t sent) {
  require(parsed.size <= sent);
  if (parsed.size == 0) return require(parsed.status == 200);
  if (parsed.status != 200) return require(parsed.status >= 400 && parsed.status < 600 && !parsed.request.keep_alive);
  const amble::HttpRequest& request = parsed.request;
  require(!request.host.empty() && !request.path.empty() && request.path.front() == '/');
  for (const std::string& text : {request.path, request.query, request.host, request.origin, request.cookie})
    require(text.find_first_of(std::string_view("\r\n\0", 3)) == text.npos);
  amble::value_in(request.cookie, "amble_80", ';'), amble::value_in(request.query, "after", '&');
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view sent(reinterpret_cast<const char*>(data), size);
  const ParsedRequest whole = amble::parse_http_request(sent);
  check(whole, size);
  for (std::size_t part = size / 2; part < size && part > 0; part += 1 + (size - part) / 2) {
    const ParsedRequest early = amble::parse_http_request(sent.substr(0, part));
    check(early, part);
    if (early.size > 0) require(whole.size > 0 && (early.status != 200 || whole.status == 200));
  }
  return 0;
}
