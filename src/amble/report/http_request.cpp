#include "amble/report/http_request.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "amble/base/limits.hpp"

namespace amble {

namespace {

constexpr std::size_t kLongestTarget = 256;
constexpr std::string_view kLineEnd = "\r\n", kHeadEnd = "\r\n\r\n";

/// Why a request is refused.
enum Refusal {
  kBad = 400,
  kNotAllowed = 405,
  kBody = 413,
  kLongTarget = 414,
  kExpects = 417,
  kLongHead = 431,
  kVersion = 505
};

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_visible(char c) { return c > ' ' && c < '\x7F'; }
bool is_blank(char c) { return c == ' ' || c == '\t'; }
bool is_control(char c) { return (c >= '\0' && c < ' ' && c != '\t') || c == '\x7F'; }

/// RFC 9110, 5.6.2.
bool is_token(char c) {
  return is_letter(c) || (c >= '0' && c <= '9') ||
         std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
}

template <class Test>
bool all(std::string_view text, Test test) {
  return !text.empty() && std::all_of(text.begin(), text.end(), test);
}

std::string_view without_blanks(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

/// Takes what is before `end`, and `end`, off the text; all of it when there is no `end`.
std::string_view cut(std::string_view& text, std::string_view end) {
  const std::size_t at = text.find(end);
  const std::string_view out = text.substr(0, at);
  text.remove_prefix(at == text.npos ? text.size() : at + end.size());
  return out;
}

/// The fields that matter; the index is that of kNames.
struct Fields {
  static constexpr std::array<std::string_view, 8> kNames = {
      "host",       "origin",         "sec-fetch-site",    "cookie",
      "connection", "content-length", "transfer-encoding", "expect"};
  enum Name { host, origin, fetch_site, cookie, connection, content_length, transfer_encoding, expect };

  std::array<std::string_view, kNames.size()> value;
  std::array<bool, kNames.size()> given{};

  /// Returns what is wrong with a line, or 0.
  int add(std::string_view line) {
    const std::size_t colon = line.find(':');
    if (colon == line.npos || !all(line.substr(0, colon), is_token)) return kBad;
    const std::string_view text = without_blanks(line.substr(colon + 1));
    if (std::any_of(text.begin(), text.end(), is_control)) return kBad;
    const auto place = std::find(kNames.begin(), kNames.end(), lower_case(line.substr(0, colon)));
    if (place == kNames.end()) return 0;
    const auto i = static_cast<std::size_t>(place - kNames.begin());
    if (std::exchange(given[i], true)) return kBad;
    value[i] = text;
    return 0;
  }
  int flaw() const {
    if (!given[host] || value[host].empty()) return kBad;
    if (given[transfer_encoding] || (given[content_length] && value[content_length] != "0")) return kBody;
    return given[expect] ? kExpects : 0;
  }
};

int read_first_line(std::string_view line, HttpRequest& out) {
  const std::string_view method = cut(line, " "), target = cut(line, " "), version = line;
  if (!all(method, is_token) || !all(target, is_visible) || target.front() != '/') return kBad;
  if (version != "HTTP/1.1" && version != "HTTP/1.0") return version.starts_with("HTTP/") ? kVersion : kBad;
  if (method != "GET" && method != "HEAD") return kNotAllowed;
  if (target.size() > kLongestTarget) return kLongTarget;
  out.head_only = method == "HEAD", out.keep_alive = version == "HTTP/1.1";
  out.path = target.substr(0, target.find('?'));
  if (out.path.size() < target.size()) out.query = target.substr(out.path.size() + 1);
  return 0;
}

void take(const Fields& f, HttpRequest& out) {
  out.host = lower_case(f.value[Fields::host]), out.origin = lower_case(f.value[Fields::origin]);
  out.fetch_site = lower_case(f.value[Fields::fetch_site]), out.cookie = f.value[Fields::cookie];
  if (lower_case(f.value[Fields::connection]) == "close") out.keep_alive = false;
}

int read_head(std::string_view head, HttpRequest& out) {
  if (const int flaw = read_first_line(cut(head, kLineEnd), out)) return flaw;
  Fields fields;
  while (!head.empty())
    if (const int flaw = fields.add(cut(head, kLineEnd))) return flaw;
  take(fields, out);
  return fields.flaw();
}

/// What no head has, so that it need not be waited for.
bool is_no_head(std::string_view sent) {
  return std::any_of(sent.begin(), sent.end(),
                     [](char c) { return is_control(c) && c != '\r' && c != '\n'; });
}

}  // namespace

std::string lower_case(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return out;
}

ParsedRequest parse_http_request(std::string_view sent) {
  const auto most = static_cast<std::size_t>(limit(Limit::request_bytes));
  const std::string_view first = sent.substr(0, most);
  const std::size_t end = first.find(kHeadEnd);
  ParsedRequest out;
  if (end != first.npos) {
    out.size = end + kHeadEnd.size();
    if (const int flaw = read_head(first.substr(0, end), out.request)) out.status = flaw;
  } else if (sent.size() >= most || is_no_head(first)) {
    out.size = first.size(), out.status = sent.size() >= most ? kLongHead : kBad;
  }
  if (out.status != 200) out.request.keep_alive = false;
  return out;
}

std::string_view value_in(std::string_view list, std::string_view name, char separator) {
  while (!list.empty()) {
    const std::string_view item = without_blanks(cut(list, {&separator, 1}));
    if (item.size() > name.size() && item.starts_with(name) && item[name.size()] == '=')
      return item.substr(name.size() + 1);
  }
  return {};
}

}  // namespace amble
