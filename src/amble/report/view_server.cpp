#include "amble/report/view_server.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <fstream>
#include <limits>
#include <optional>

#include "amble/base/error.hpp"
#include "amble/report/http_server.hpp"
#include "amble/report/scene_page.hpp"

namespace amble {

namespace {

/// 128 bits that nobody can guess.
std::string random_token() {
  std::ifstream random("/dev/urandom", std::ios::binary);
  std::string out;
  for (int i = 0; i < 16; ++i) {
    const int byte = random.get();
    if (!random) throw Error("the system has no random numbers to make an address of");
    out += fmt::format("{:02x}", byte);
  }
  return out;
}

/// Takes the same time for every wrong text, so that a token cannot be guessed letter by letter.
bool same(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  unsigned difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i) difference |= static_cast<unsigned char>(a[i] ^ b[i]);
  return difference == 0;
}

/// A number of a query; nothing when it is not one.
std::optional<double> number_of(const std::string& query, std::string_view name, double missing) {
  if (value_in(query, name, '&').empty() && query.find(name) == query.npos) return missing;
  const std::string text(value_in(query, name, '&'));
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  if (text.empty() || end != text.c_str() + text.size() || !std::isfinite(number)) return {};
  return number;
}

/// The policy that the page itself has (web/src/page.html), for browsers to know before they read it.
std::string policy_of(const std::string& page) {
  constexpr std::string_view kStart = "http-equiv=\"Content-Security-Policy\" content=\"";
  const std::size_t start = page.find(kStart);
  if (start == page.npos)
    throw Error("the page has no content security policy: web/dist/page.html is broken");
  const std::size_t from = start + kStart.size();
  return page.substr(from, page.find('"', from) - from);
}

std::string in_address(const std::string& host) {
  return host.find(':') == host.npos ? host : fmt::format("[{}]", host);
}

bool is_number(std::string host) {
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') host = host.substr(1, host.size() - 2);
  std::array<unsigned char, sizeof(in6_addr)> ignored;
  return inet_pton(AF_INET, host.c_str(), ignored.data()) == 1 ||
         inet_pton(AF_INET6, host.c_str(), ignored.data()) == 1;
}

std::string name_of_machine() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? lower_case(name.data()) : "";
}

HttpResponse text(int status, std::string words) { return {.status = status, .body = std::move(words)}; }

}  // namespace

struct ViewServer::Memory {
  Memory(Scene scene, const ViewServerSettings& s)
      : scene(std::move(scene)),
        host(lower_case(s.host)),
        server(s.host, s.port, [this](const HttpRequest& request) { return answer(request); }) {}

  HttpResponse answer(const HttpRequest& request);
  HttpResponse answer_known(const HttpRequest& request);
  HttpResponse answer_scene(const HttpRequest& request);
  HttpResponse let_in() const;
  bool names_us(const std::string& asked) const;
  bool is_ours(const std::string& name) const;
  std::string cookie_name() const { return fmt::format("amble_{}", server.port()); }

  Scene scene;
  std::string host;
  std::string token = random_token(), secret = random_token();
  std::string page = live_page(), policy = policy_of(page);
  HttpServer server;
};

/// A page of another site that has its own name lead to this machine cannot read what is here. Where other
/// machines are let in, they may know this one by any of its numbers, which names cannot pretend to be.
bool ViewServer::Memory::is_ours(const std::string& name) const {
  if (name == "localhost" || name == "127.0.0.1" || name == "[::1]" || name == in_address(host)) return true;
  const bool for_others = host != "localhost" && !host.starts_with("127.") && host != "::1";
  return for_others && (is_number(name) || (!name.empty() && name == name_of_machine()));
}

bool ViewServer::Memory::names_us(const std::string& asked) const {
  const std::string end = fmt::format(":{}", server.port());
  if (asked.ends_with(end)) return is_ours(asked.substr(0, asked.size() - end.size()));
  return server.port() == 80 && is_ours(asked);
}

HttpResponse ViewServer::Memory::answer(const HttpRequest& request) {
  const std::string& from = request.fetch_site;
  const bool own = names_us(request.host) &&
                   (request.origin.empty() || request.origin == "http://" + request.host) &&
                   (from.empty() || from == "same-origin" || from == "none");
  HttpResponse out = own ? answer_known(request) : text(403, "open the address as it was printed\n");
  for (const auto& [name, value] :
       {std::pair("Cache-Control", "no-store"), std::pair("X-Content-Type-Options", "nosniff"),
        std::pair("X-Frame-Options", "DENY"), std::pair("Referrer-Policy", "no-referrer"),
        std::pair("Cross-Origin-Opener-Policy", "same-origin"),
        std::pair("Cross-Origin-Resource-Policy", "same-origin")})
    out.fields.emplace_back(name, value);
  out.fields.emplace_back("Content-Security-Policy", policy + "; frame-ancestors 'none'");
  return out;
}

/// The token is in one address only, which leads on to one that can be seen by anybody.
HttpResponse ViewServer::Memory::answer_known(const HttpRequest& request) {
  if (same(request.path, "/" + token + "/")) return let_in();
  const bool known = same(value_in(request.cookie, cookie_name(), ';'), secret);
  if (known && request.path == "/") return {.type = "text/html; charset=utf-8", .body = page};
  if (known && request.path == "/scene") return answer_scene(request);
  return text(404, "there is nothing here\n");
}

HttpResponse ViewServer::Memory::let_in() const {
  HttpResponse out = text(303, "");
  out.fields.emplace_back("Location", "/");
  out.fields.emplace_back("Set-Cookie",
                          fmt::format("{}={}; HttpOnly; SameSite=Strict; Path=/", cookie_name(), secret));
  return out;
}

HttpResponse ViewServer::Memory::answer_scene(const HttpRequest& request) {
  const std::optional<double> after =
                                  number_of(request.query, "after", -std::numeric_limits<double>::infinity()),
                              stride = number_of(request.query, "stride", 0.0);
  if (!after || !stride || !(*stride >= 0.0 && *stride <= 1e9) || *stride != std::floor(*stride))
    return text(400, "expected after=SECONDS and stride=ROWS\n");
  try {
    return {.type = "application/octet-stream", .body = scene({*after, static_cast<std::size_t>(*stride)})};
  } catch (const Error& e) {
    return text(503, e.what());
  } catch (const std::exception&) {
    return text(500, "the request could not be answered\n");
  }
}

ViewServer::ViewServer(Scene scene, const ViewServerSettings& settings) {
  if (settings.port < 0 || settings.port > 65535)
    throw Error(fmt::format("port {}: expected 0 to 65535", settings.port));
  memory_ = std::make_unique<Memory>(std::move(scene), settings);
}
ViewServer::~ViewServer() = default;
ViewServer::ViewServer(ViewServer&&) noexcept = default;

std::string ViewServer::address() const {
  return fmt::format("http://{}:{}/{}/", in_address(memory_->host), memory_->server.port(), memory_->token);
}

void ViewServer::run(const std::function<bool()>& stop) { memory_->server.run(stop); }

}  // namespace amble
