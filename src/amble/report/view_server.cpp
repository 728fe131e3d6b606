#include "amble/report/view_server.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <fstream>
#include <limits>
#include <mutex>
#include <optional>
#include <thread>

#include "amble/base/error.hpp"
#include "amble/report/scene_page.hpp"

// Last, and here alone: a system header that it needs defines the macro _res, which other headers use as a
// name.
#include <httplib.h>

namespace amble {

namespace {

constexpr std::size_t kLongestBody = 0;
constexpr std::size_t kLongestTarget = 256;

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

/// Says no in constant time, so that a token cannot be guessed letter by letter.
bool same(const std::string& a, const std::string& b) {
  if (a.size() != b.size()) return false;
  unsigned difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i) difference |= static_cast<unsigned char>(a[i] ^ b[i]);
  return difference == 0;
}

/// A number of a query; nothing when it is not one.
std::optional<double> number_of(const httplib::Request& request, const char* name, double missing) {
  if (!request.has_param(name)) return missing;
  const std::string text = request.get_param_value(name);
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  if (text.empty() || end != text.c_str() + text.size() || !std::isfinite(number)) return {};
  return number;
}

void add_headers(httplib::Response& response) {
  response.set_header("Cache-Control", "no-store");
  response.set_header("X-Content-Type-Options", "nosniff");
  response.set_header("X-Frame-Options", "DENY");
  response.set_header("Referrer-Policy", "no-referrer");
}

}  // namespace

struct ViewServer::Memory {
  Scene scene;
  ViewServerSettings settings;
  std::string token = random_token(), page = live_page();
  std::mutex one_at_a_time;
  httplib::Server server;

  void bind();
  void answer(const httplib::Request& request, httplib::Response& response);
  void answer_scene(const httplib::Request& request, httplib::Response& response);
};

void ViewServer::Memory::bind() {
  server.set_payload_max_length(kLongestBody);
  server.set_read_timeout(5), server.set_write_timeout(60), server.set_keep_alive_max_count(1000);
  server.set_tcp_nodelay(true);
  // Only one server has a port: the library's default lets two share it.
  server.set_socket_options([](int socket) {
    const int yes = 1;
    setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  });
  server.Get(".*", [this](const httplib::Request& q, httplib::Response& a) { answer(q, a); });
  server.set_exception_handler([](const httplib::Request&, httplib::Response& response, std::exception_ptr) {
    response.status = 500;
    response.set_content("the request could not be answered\n", "text/plain");
  });
  const std::string& host = settings.host;
  if (settings.port == 0) {
    settings.port = server.bind_to_any_port(host);
    if (settings.port < 0) throw Error(fmt::format("'{}' is no address of this machine to serve at", host));
  } else if (!server.bind_to_port(host, settings.port)) {
    throw Error(
        fmt::format("port {} of {} is taken or not allowed: choose another one by --port, or leave it out",
                    settings.port, host));
  }
}

void ViewServer::Memory::answer(const httplib::Request& request, httplib::Response& response) {
  add_headers(response);
  const std::size_t slash = request.path.find('/', 1);
  const bool known = request.target.size() <= kLongestTarget && slash != std::string::npos &&
                     same(request.path.substr(1, slash - 1), token);
  const std::string rest = known ? request.path.substr(slash + 1) : "";
  if (known && rest.empty())
    response.set_content(page, "text/html; charset=utf-8");
  else if (known && rest == "scene")
    answer_scene(request, response);
  else
    response.status = 404, response.set_content("there is nothing here\n", "text/plain");
}

void ViewServer::Memory::answer_scene(const httplib::Request& request, httplib::Response& response) {
  const std::optional<double> after = number_of(request, "after", -std::numeric_limits<double>::infinity()),
                              stride = number_of(request, "stride", 0.0);
  if (!after || !stride || !(*stride >= 0.0 && *stride <= 1e9) || *stride != std::floor(*stride)) {
    response.status = 400, response.set_content("expected after=SECONDS and stride=ROWS\n", "text/plain");
    return;
  }
  try {
    const std::lock_guard guard(one_at_a_time);
    response.set_content(scene({*after, static_cast<std::size_t>(*stride)}), "application/octet-stream");
  } catch (const Error& e) {
    response.status = 503, response.set_content(e.what(), "text/plain; charset=utf-8");
  }
}

ViewServer::ViewServer(Scene scene, const ViewServerSettings& settings)
    : memory_(std::make_unique<Memory>()) {
  if (settings.port < 0 || settings.port > 65535)
    throw Error(fmt::format("port {}: expected 0 to 65535", settings.port));
  memory_->scene = std::move(scene), memory_->settings = settings;
  memory_->bind();
}
ViewServer::~ViewServer() = default;
ViewServer::ViewServer(ViewServer&&) noexcept = default;

std::string ViewServer::address() const {
  return fmt::format("http://{}:{}/{}/", memory_->settings.host, memory_->settings.port, memory_->token);
}

void ViewServer::run(const std::function<bool()>& stop) {
  std::thread watch([&] {
    while (!stop()) std::this_thread::sleep_for(std::chrono::milliseconds(100));
    memory_->server.stop();
  });
  memory_->server.listen_after_bind();
  watch.join();
}

}  // namespace amble
