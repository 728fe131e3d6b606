#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace amble {

/// What the viewer's server looks at of a request; fields that were not sent are empty.
struct HttpRequest {
  bool head_only = false;  ///< HEAD instead of GET: there are no others
  std::string path, query;
  std::string host, origin, fetch_site, cookie;
  bool keep_alive = true;
};

/// The first request in what a client has sent until now.
struct ParsedRequest {
  std::size_t size = 0;  ///< of its head; 0 while more has to come
  int status = 200;      ///< otherwise it is refused by this, and what follows cannot be read
  HttpRequest request;
};

/// Reads HTTP/1.0 and 1.1 (RFC 9112) strictly: lines end in CR LF, no field that matters comes twice, only
/// GET and HEAD, nothing in the request's body, a head of Limit::request_bytes at most.
ParsedRequest parse_http_request(std::string_view sent);

/// Of ASCII letters.
std::string lower_case(std::string_view text);

/// The value of `name` in "a=1; b=2", the list of a Cookie field, or in "a=1&b=2" by the separator '&'.
std::string_view value_in(std::string_view list, std::string_view name, char separator);

}  // namespace amble
