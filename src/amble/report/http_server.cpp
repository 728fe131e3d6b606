#include "amble/report/http_server.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>

#include "amble/base/error.hpp"
#include "amble/base/limits.hpp"

namespace amble {

namespace {

using Clock = std::chrono::steady_clock;

constexpr double kStalledAnswerSeconds = 30.0;    // without a byte that the client takes
constexpr std::size_t kMostThrownAway = 1 << 20;  // bytes after the last answer
constexpr int kPauseMilliseconds = 100;           // at most, between two looks at `stop`

class Socket {
 public:
  explicit Socket(int descriptor = -1) : descriptor_(descriptor) {}
  Socket(Socket&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  Socket& operator=(Socket&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  ~Socket() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  operator int() const { return descriptor_; }  // NOLINT: it stands for the descriptor

 private:
  int descriptor_;
};

const char* words_of(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 303:
      return "See Other";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 413:
      return "Content Too Large";
    case 414:
      return "URI Too Long";
    case 417:
      return "Expectation Failed";
    case 431:
      return "Request Header Fields Too Large";
    case 503:
      return "Service Unavailable";
    case 505:
      return "HTTP Version Not Supported";
    default:
      return status < 500 ? "Bad Request" : "Internal Server Error";
  }
}

HttpResponse refusal(int status) {
  HttpResponse out{.status = status, .body = fmt::format("{}\n", words_of(status))};
  if (status == 405) out.fields.emplace_back("Allow", "GET, HEAD");
  return out;
}

std::string text_of(const HttpResponse& response, const HttpRequest& request) {
  std::string out = fmt::format("HTTP/1.1 {} {}\r\n", response.status, words_of(response.status));
  for (const auto& [name, value] : response.fields) out += fmt::format("{}: {}\r\n", name, value);
  out += fmt::format("Content-Type: {}\r\nContent-Length: {}\r\nConnection: {}\r\n\r\n", response.type,
                     response.body.size(), request.keep_alive ? "keep-alive" : "close");
  return request.head_only ? out : out + response.body;
}

/// What stands between us and one client: it sends a request, takes the answer, sends another.
class Connection {
 public:
  explicit Connection(Socket socket) : socket_(std::move(socket)) {}

  int socket() const { return socket_; }
  bool is_over() const { return over_; }
  bool was_let_in() const { return let_in_; }
  Clock::time_point since() const { return since_; }
  short awaits() const { return static_cast<short>(out_.empty() ? POLLIN : POLLOUT); }

  void go_on(const HttpServer::Handler& handler) {
    out_.empty() ? receive() : send();
    while (!over_ && out_.empty() && !leaving_ && answer(handler)) send();
  }
  void end_if_late(Clock::time_point now) {
    const double most = out_.empty() ? limit(Limit::request_seconds) : kStalledAnswerSeconds;
    if (std::chrono::duration<double>(now - since_).count() > most) over_ = true;
  }

 private:
  void receive() {
    std::array<char, 16384> bytes;
    const ssize_t count = recv(socket_, bytes.data(), bytes.size(), 0);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (count <= 0)
      over_ = true;
    else if (!leaving_)
      in_.append(bytes.data(), static_cast<std::size_t>(count));
    else if (thrown_away_ += static_cast<std::size_t>(count); thrown_away_ > kMostThrownAway)
      over_ = true;
  }

  /// False while the next request is not there.
  bool answer(const HttpServer::Handler& handler) {
    const ParsedRequest parsed = parse_http_request(in_);
    if (parsed.size == 0) return false;
    const HttpResponse response = parsed.status == 200 ? handler(parsed.request) : refusal(parsed.status);
    let_in_ |= response.status < 400;
    last_ = !parsed.request.keep_alive;
    in_.erase(0, parsed.size), since_ = Clock::now();
    out_ = text_of(response, parsed.request);
    return true;
  }

  void send() {
    while (sent_ < out_.size()) {
      const ssize_t count = ::send(socket_, out_.data() + sent_, out_.size() - sent_, MSG_NOSIGNAL);
      if (count < 0 && errno == EINTR) continue;
      if (count < 0 && errno == EAGAIN) return;
      if (count <= 0) return void(over_ = true);
      sent_ += static_cast<std::size_t>(count), since_ = Clock::now();
    }
    out_ = {}, sent_ = 0;
    if (last_) leave();
  }

  /// A socket that is closed before all has been read takes the answer with it.
  void leave() {
    shutdown(socket_, SHUT_WR);
    leaving_ = true, in_ = {};
  }

  Socket socket_;
  std::string in_, out_;
  std::size_t sent_ = 0, thrown_away_ = 0;
  bool last_ = false, leaving_ = false, over_ = false, let_in_ = false;
  Clock::time_point since_ = Clock::now();  // the request or the last of the answer
};

using Addresses = std::unique_ptr<addrinfo, decltype(&freeaddrinfo)>;

Addresses addresses_of(const std::string& host, int port) {
  addrinfo wanted = {};
  wanted.ai_socktype = SOCK_STREAM, wanted.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  if (getaddrinfo(host.c_str(), std::to_string(port).c_str(), &wanted, &found) != 0) found = nullptr;
  return {found, freeaddrinfo};
}

/// Only one server has a port.
Socket listener_at(const addrinfo& a) {
  Socket out(socket(a.ai_family, a.ai_socktype | SOCK_NONBLOCK | SOCK_CLOEXEC, a.ai_protocol));
  const int yes = 1;
  if (out >= 0) setsockopt(out, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  return out >= 0 && bind(out, a.ai_addr, a.ai_addrlen) == 0 && listen(out, SOMAXCONN) == 0 ? std::move(out)
                                                                                            : Socket();
}

Socket listener(const std::string& host, int port) {
  const Addresses all = addresses_of(host, port);
  for (const addrinfo* a = all.get(); a != nullptr; a = a->ai_next)
    if (Socket out = listener_at(*a); out >= 0) return out;
  if (all == nullptr || port == 0)
    throw Error(fmt::format("'{}' is no address of this machine to serve at", host));
  throw Error(fmt::format(
      "port {} of {} is taken or not allowed: choose another one by --port, or leave it out", port, host));
}

int port_of(int socket) {
  sockaddr_storage at = {};
  socklen_t size = sizeof at;
  getsockname(socket, reinterpret_cast<sockaddr*>(&at), &size);
  return ntohs(at.ss_family == AF_INET6 ? reinterpret_cast<const sockaddr_in6&>(at).sin6_port
                                        : reinterpret_cast<const sockaddr_in&>(at).sin_port);
}

}  // namespace

struct HttpServer::Memory {
  Memory(const std::string& host, int port, Handler handler)
      : handler(std::move(handler)), door(listener(host, port)), port(port_of(door)) {}

  void wait();
  void let_in();
  bool make_room();

  Handler handler;
  Socket door;
  int port;
  std::vector<Connection> connections;
  std::vector<pollfd> waiting;
};

void HttpServer::Memory::wait() {
  waiting.clear();
  for (const Connection& c : connections) waiting.push_back({c.socket(), c.awaits(), 0});
  waiting.push_back({door, POLLIN, 0});
  poll(waiting.data(), waiting.size(), kPauseMilliseconds);
}

/// Of those that were never let in the one that has waited longest leaves; false when there is none.
bool HttpServer::Memory::make_room() {
  const auto rank = [](const Connection& c) { return std::pair(c.was_let_in(), c.since()); };
  const auto oldest =
      std::min_element(connections.begin(), connections.end(),
                       [&](const Connection& a, const Connection& b) { return rank(a) < rank(b); });
  if (oldest == connections.end() || oldest->was_let_in()) return false;
  connections.erase(oldest);
  return true;
}

void HttpServer::Memory::let_in() {
  constexpr int kMostAtOnce = 64;
  const auto most = static_cast<std::size_t>(limit(Limit::clients));
  for (int i = 0; i < kMostAtOnce; ++i) {
    Socket guest(accept4(door, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (guest < 0 && (errno == EMFILE || errno == ENFILE) && make_room()) continue;
    if (guest < 0) return;
    if (connections.size() >= most && !make_room()) continue;
    const int yes = 1;
    setsockopt(guest, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    connections.emplace_back(std::move(guest)).go_on(handler);
  }
}

HttpServer::HttpServer(const std::string& host, int port, Handler handler)
    : memory_(std::make_unique<Memory>(host, port, std::move(handler))) {}
HttpServer::~HttpServer() = default;

int HttpServer::port() const { return memory_->port; }

void HttpServer::run(const std::function<bool()>& stop) {
  Memory& m = *memory_;
  while (!stop()) {
    m.wait();
    for (std::size_t i = 0; i < m.connections.size(); ++i)
      if (m.waiting[i].revents != 0) m.connections[i].go_on(m.handler);
    if (m.waiting.back().revents != 0) m.let_in();
    const Clock::time_point now = Clock::now();
    for (Connection& c : m.connections) c.end_if_late(now);
    std::erase_if(m.connections, [](const Connection& c) { return c.is_over(); });
  }
  m.connections.clear();
}

}  // namespace amble
