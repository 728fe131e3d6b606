#include "amble/report/view_server.hpp"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "amble/base/error.hpp"
#include "amble/base/limits.hpp"

namespace amble {
namespace {

/// A server that runs while this lives, and a client of its own: plain sockets, so that requests can be as
/// wrong as needed.
class Served {
 public:
  Served()
      : server_([this](const ViewServer::Request& asked) {
          last_ = asked;
          if (asked.stride == 13) throw Error("the recording is damaged <script>");
          return std::string("SCENE");
        }) {
    const std::string address = server_.address();
    const std::size_t colon = address.rfind(':'), slash = address.find('/', colon);
    port_ = std::stoi(address.substr(colon + 1)), root_ = address.substr(slash);
    thread_ = std::thread([this] { server_.run([this] { return stop_.load(); }); });
    const std::string answer = get(root_, "");
    const std::size_t start = answer.find("Set-Cookie: ") + 12;
    cookie_ = answer.substr(start, answer.find(';', start) - start);
  }
  ~Served() {
    stop_ = true;
    thread_.join();
  }

  /// A connection of its own; closed when it goes.
  class Client {
   public:
    explicit Client(int port) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
      sockaddr_in to{};
      to.sin_family = AF_INET, to.sin_port = htons(static_cast<std::uint16_t>(port)),
      to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
      EXPECT_EQ(connect(socket_, reinterpret_cast<sockaddr*>(&to), sizeof to), 0);
      const timeval patience{10, 0};
      setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    }
    Client(Client&& other) noexcept : socket_(std::exchange(other.socket_, -1)) {}
    ~Client() {
      if (socket_ >= 0) close(socket_);
    }
    bool send(const std::string& bytes) const {
      for (std::size_t sent = 0; sent < bytes.size();) {
        const ssize_t n = ::send(socket_, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
        if (n <= 0) return false;
        sent += static_cast<std::size_t>(n);
      }
      return true;
    }
    int socket() const { return socket_; }
    void hang_up() const {
      shutdown(socket_, SHUT_WR);
    }  // nothing more comes: the server need not wait for it
    /// What comes until the server closes.
    std::string rest() const {
      std::string out;
      char buffer[65536];
      for (ssize_t n = 0; (n = recv(socket_, buffer, sizeof buffer, 0)) > 0;)
        out.append(buffer, static_cast<std::size_t>(n));
      return out;
    }

   private:
    int socket_;
  };
  Client client() const { return Client(port_); }

  /// What the server answers to these bytes, until it closes.
  std::string say(const std::string& bytes, bool hang_up = false) const {
    const Client c = client();
    c.send(bytes);
    if (hang_up) c.hang_up();
    return c.rest();
  }
  /// A request as a browser sends it, with the cookie unless other fields are given.
  std::string get(const std::string& path, const std::optional<std::string>& fields = {}) const {
    return say("GET " + path + " HTTP/1.1\r\nHost: " + host() + "\r\nConnection: close\r\n" +
               fields.value_or("Cookie: " + cookie_ + "\r\n") + "\r\n");
  }
  int status(const std::string& answer) const {
    return answer.size() < 12 ? 0 : std::stoi(answer.substr(9, 3));
  }
  std::string host() const { return "127.0.0.1:" + std::to_string(port_); }
  const std::string& cookie() const { return cookie_; }

  const std::string& root() const { return root_; }
  int port() const { return port_; }
  const ViewServer::Request& last() const { return last_; }

 private:
  ViewServer::Request last_{};
  ViewServer server_;
  std::string root_, cookie_;
  int port_ = 0;
  std::atomic<bool> stop_ = false;
  std::thread thread_;
};

std::string field(const std::string& answer, const std::string& name) {
  const std::size_t start = answer.find("\r\n" + name + ": ");
  if (start == answer.npos) return "";
  const std::size_t from = start + name.size() + 4;
  return answer.substr(from, answer.find("\r\n", from) - from);
}

TEST(ViewServer, GivesACookieForTheTokenAndLeadsToAnAddressWithoutIt) {
  const Served served;
  const std::string first = served.get(served.root(), "Sec-Fetch-Site: none\r\n");
  EXPECT_EQ(served.status(first), 303);
  EXPECT_EQ(field(first, "Location"), "/");
  const std::string cookie = field(first, "Set-Cookie");
  EXPECT_TRUE(cookie.starts_with("amble_" + std::to_string(served.port()) + "="));
  EXPECT_NE(cookie.find("; HttpOnly; SameSite=Strict; Path=/"), std::string::npos);
  EXPECT_EQ(cookie.find(served.root().substr(1, 32)), std::string::npos);  // the token itself stays out of it
}

TEST(ViewServer, ServesThePageAndTheSceneToThoseWhoHaveTheCookie) {
  const Served served;
  const std::string page = served.get("/");
  EXPECT_EQ(served.status(page), 200);
  EXPECT_NE(page.find("<!doctype html>"), std::string::npos);
  EXPECT_EQ(field(page, "Cache-Control"), "no-store");
  EXPECT_EQ(field(page, "Content-Length"), std::to_string(page.size() - page.find("\r\n\r\n") - 4));
  const std::string scene = served.get("/scene?after=1.5&stride=4");
  EXPECT_EQ(served.status(scene), 200);
  EXPECT_TRUE(scene.ends_with("\r\n\r\nSCENE"));
  EXPECT_EQ(served.last().after, 1.5);
  EXPECT_EQ(served.last().stride, 4u);
  EXPECT_EQ(served.status(served.get("/scene", "Cookie: other=1; " + served.cookie() + "; more=2\r\n")), 200);
}

TEST(ViewServer, SendsThePolicyOfThePageWithIt) {
  const Served served;
  const std::string page = served.get("/");
  const std::string policy = field(page, "Content-Security-Policy");
  ASSERT_TRUE(policy.ends_with("; frame-ancestors 'none'")) << policy;
  EXPECT_NE(page.find("content=\"" + policy.substr(0, policy.rfind(';')) + "\""), std::string::npos);
  EXPECT_NE(policy.find("script-src 'sha256-"), std::string::npos);
}

TEST(ViewServer, TellsNothingToOthers) {
  const Served served;
  std::string wrong = served.root();
  wrong[5] = wrong[5] == 'a' ? 'b' : 'a';
  std::string wrong_cookie = served.cookie();
  wrong_cookie.back() = wrong_cookie.back() == 'a' ? 'b' : 'a';
  for (const std::string& path :
       {std::string("/"), wrong, wrong + "scene", std::string("/scene"), std::string("//scene"),
        served.root() + "scene", served.root().substr(0, 20) + "/", served.root() + "../../etc/passwd",
        served.root() + "%2e%2e/%2e%2e/etc/passwd", std::string("/../../etc/passwd"),
        served.root() + "scene/../scene", std::string("/page.html"), std::string("/scene%00"),
        std::string("/") + std::string(32, '0') + "/"})
    for (const std::string& fields :
         {std::string(), "Cookie: " + wrong_cookie + "\r\n", std::string("Cookie: =;;=\r\n")}) {
      const std::string answer = served.get(path, fields);
      EXPECT_EQ(served.status(answer), 404) << path << "\n" << answer.substr(0, 200);
      EXPECT_EQ(answer.find("root:"), std::string::npos);
      EXPECT_EQ(answer.find("<!doctype"), std::string::npos);
      EXPECT_EQ(field(answer, "Set-Cookie"), "");
    }
  for (const char* path : {"/page.html", "/scene/", "/scene%00", "/../etc/passwd"})
    EXPECT_EQ(served.status(served.get(path)), 404) << path;
}

TEST(ViewServer, AnswersOnlyToItsOwnNames) {
  const Served served;
  const auto status = [&](const std::string& host) {
    return served.status(served.say("GET / HTTP/1.1\r\nHost: " + host +
                                    "\r\nConnection: close\r\nCookie: " + served.cookie() + "\r\n\r\n"));
  };
  const std::string port = ":" + std::to_string(served.port());
  for (const char* name : {"127.0.0.1", "localhost", "LocalHost", "[::1]"})
    EXPECT_EQ(status(name + port), 200) << name;
  // A site whose name was made to lead here (DNS rebinding) still has that name.
  for (const std::string& host :
       {"attacker.example" + port, std::string("127.0.0.1"), std::string("localhost:1"),
        "localhost.attacker.example" + port, "127.0.0.1.attacker.example" + port, "192.168.1.7" + port,
        "0.0.0.0" + port, port, "localhost" + port + port})
    EXPECT_EQ(status(host), 403) << host;
  EXPECT_EQ(status(""), 400);
}

TEST(ViewServer, AnswersToOtherNumbersWhereOtherMachinesAreLetIn) {
  const auto nothing = [](const ViewServer::Request&) { return std::string(); };
  ViewServer server(nothing, {.host = "0.0.0.0"});
  const std::string address = server.address(), port = address.substr(15, address.find('/', 15) - 15);
  std::atomic<bool> stop = false;
  std::thread thread([&] { server.run([&] { return stop.load(); }); });
  const auto status = [&](const std::string& host) {
    const Served::Client client(std::stoi(port));
    client.send("GET / HTTP/1.1\r\nHost: " + host + ":" + port + "\r\nConnection: close\r\n\r\n");
    return client.rest().substr(9, 3);
  };
  EXPECT_EQ(status("192.168.1.7"), "404");
  EXPECT_EQ(status("[fe80::1]"), "404");
  EXPECT_EQ(status("attacker.example"), "403");
  stop = true;
  thread.join();
}

TEST(ViewServer, AnswersToNoPageOfAnotherSite) {
  const Served served;
  const auto status = [&](const std::string& fields) {
    return served.status(served.get("/scene", "Cookie: " + served.cookie() + "\r\n" + fields));
  };
  EXPECT_EQ(status("Origin: http://" + served.host() + "\r\nSec-Fetch-Site: same-origin\r\n"), 200);
  for (const std::string& fields :
       {std::string("Origin: http://attacker.example\r\n"), std::string("Origin: null\r\n"),
        "Origin: https://" + served.host() + "\r\n", std::string("Origin: http://127.0.0.1:1\r\n"),
        std::string("Sec-Fetch-Site: cross-site\r\n"), std::string("Sec-Fetch-Site: same-site\r\n"),
        std::string("Sec-Fetch-Site: anything\r\n")})
    EXPECT_EQ(status(fields), 403) << fields;
  EXPECT_EQ(served.status(served.get(served.root(), "Sec-Fetch-Site: cross-site\r\n")), 403);
}

TEST(ViewServer, RefusesWhatIsTooLongOrCarriesAnything) {
  const Served served;
  EXPECT_EQ(served.status(served.get("/" + std::string(300, 'a'))), 414);
  EXPECT_EQ(served.status(served.get("/scene?after=" + std::string(20000, '1'))), 431);
  EXPECT_EQ(served.status(served.get("/", "X: " + std::string(100000, 'x') + "\r\n")), 431);
  const std::string start = " / HTTP/1.1\r\nHost: " + served.host() + "\r\nConnection: close\r\n";
  EXPECT_EQ(
      served.status(served.say("POST" + start + "Content-Length: 100000\r\n\r\n" + std::string(100000, 'x'))),
      405);
  EXPECT_EQ(served.status(served.say("PUT" + start + "Content-Length: 1\r\n\r\nx")), 405);
  EXPECT_EQ(served.status(served.say("DELETE" + start + "\r\n")), 405);
  EXPECT_EQ(served.status(served.say("GET" + start + "Content-Length: 1\r\n\r\nx")), 413);
  EXPECT_EQ(served.status(served.say("GET" + start + "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n")), 413);
  EXPECT_EQ(served.status(served.get("/")), 200);  // and goes on
}

TEST(ViewServer, TellsTheHeadAloneWhenAsked) {
  const Served served;
  const std::string answer = served.say("HEAD / HTTP/1.1\r\nHost: " + served.host() +
                                        "\r\nConnection: close\r\nCookie: " + served.cookie() + "\r\n\r\n");
  EXPECT_EQ(served.status(answer), 200);
  EXPECT_TRUE(answer.ends_with("\r\n\r\n"));
  EXPECT_GT(std::stoi(field(answer, "Content-Length")), 100000);
}

TEST(ViewServer, StopsReadingAHeadWithoutEnd) {
  const Served served;
  const Served::Client endless = served.client();
  EXPECT_TRUE(endless.send("GET / HTTP/1.1\r\nHost: " + served.host() + "\r\n"));
  const std::string line = "X: " + std::string(1000, 'x') + "\r\n";
  std::size_t taken = 0;
  while (taken < 200'000'000 && endless.send(line)) taken += line.size();
  EXPECT_LT(taken, 20'000'000u);  // what the system keeps for both sides, and a little that is thrown away
  EXPECT_EQ(served.status(served.get("/")), 200);
}

TEST(ViewServer, IsNotHeldUpByClientsThatSendSlowlyOrNothing) {
  using Clock = std::chrono::steady_clock;
  const Served served;
  std::vector<Served::Client> slow;
  for (int i = 0; i < 100; ++i) slow.push_back(served.client());
  double longest = 0.0;
  for (int k = 0; k < 40; ++k) {
    for (std::size_t i = 0; i < slow.size(); i += 2) slow[i].send("G");
    const Clock::time_point start = Clock::now();
    EXPECT_EQ(served.status(served.get("/scene")), 200);
    longest = std::max(longest, std::chrono::duration<double>(Clock::now() - start).count());
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  EXPECT_LT(longest, 0.5);
  RecordProperty("longest_answer_s", std::to_string(longest));
}

TEST(ViewServer, LetsClientsInThatComeAfterMoreThanItKeeps) {
  const Served served;
  std::vector<Served::Client> crowd;
  for (int i = 0; i < 300; ++i) {
    crowd.push_back(served.client());
    if (i % 50 < 49) continue;
    EXPECT_EQ(served.status(served.get("/scene")), 200);
  }
  EXPECT_EQ(crowd.front().rest(), "");  // the first have left
}

TEST(ViewServer, EndsClientsThatDoNotFinishARequestInTime) {
  set_limit("request_seconds", 0.5);
  const Served served;
  const auto start = std::chrono::steady_clock::now();
  const Served::Client slow = served.client();
  std::thread drip([&] {
    for (int i = 0; i < 30 && slow.send("G"); ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
  });
  EXPECT_EQ(slow.rest(), "");
  EXPECT_LT(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(), 2.0);
  drip.join();
  reset_limits();
}

TEST(ViewServer, AnswersRequestsThatComeTogetherInTheirOrder) {
  const Served served;
  const std::string start = " HTTP/1.1\r\nHost: " + served.host() + "\r\nCookie: " + served.cookie() + "\r\n";
  const std::string answer =
      served.say("GET /scene" + start + "\r\nGET /none" + start + "\r\nGET /scene?stride=x" + start +
                 "Connection: close\r\n\r\nGET /scene" + start + "\r\n");
  std::vector<int> statuses;
  for (std::size_t at = answer.find("HTTP/1.1 "); at != answer.npos; at = answer.find("HTTP/1.1 ", at + 1))
    statuses.push_back(std::stoi(answer.substr(at + 9, 3)));
  EXPECT_EQ(statuses, (std::vector{200, 404, 400}));
}

TEST(ViewServer, LivesThroughClientsThatLeaveEarly) {
  const Served served;
  for (int i = 0; i < 50; ++i) {
    const Served::Client client = served.client();
    client.send("GET / HTTP/1.1\r\nHost: " + served.host() + "\r\nCookie: " + served.cookie() + "\r\n\r\n");
    const linger at_once{1, 0};
    if (i % 2 == 0) setsockopt(client.socket(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  }
  EXPECT_EQ(served.status(served.get("/")), 200);
}

TEST(ViewServer, LivesThroughBytesThatAreNoRequest) {
  const Served served;
  for (const std::string& bytes :
       {std::string("\r\n\r\n"), std::string("GET\r\n\r\n"), std::string("GET / HTTP/9.9\r\n\r\n"),
        std::string(5000, '\xff') + "\r\n\r\n", std::string("\x16\x03\x01\x02\x00\x01", 6) + "\r\n\r\n",
        "GET " + served.root() + "\r\n\r\n", "GET / HTTP/1.1\nHost: " + served.host() + "\n\n"})
    EXPECT_NE(served.status(served.say(bytes, true)), 200);
  for (const char* query :
       {"after=x", "after=nan", "after=1e999", "stride=-1", "stride=1.5", "stride=", "after=1;2"})
    EXPECT_EQ(served.status(served.get(std::string("/scene?") + query)), 400) << query;
  EXPECT_EQ(served.status(served.get("/")), 200);
}

TEST(ViewServer, TellsWhatIsWrongWithARecordingAsText) {
  const Served served;
  const std::string answer = served.get("/scene?stride=13");
  EXPECT_EQ(served.status(answer), 503);
  EXPECT_NE(answer.find("text/plain"), std::string::npos);
  EXPECT_NE(answer.find("the recording is damaged"), std::string::npos);
}

TEST(ViewServer, SaysThatAPortIsTaken) {
  const Served served;
  const auto nothing = [](const ViewServer::Request&) { return std::string(); };
  try {
    ViewServer second(nothing, {.port = served.port()});
    FAIL() << "two servers at one port";
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("is taken"), std::string::npos) << e.what();
    EXPECT_NE(std::string(e.what()).find(std::to_string(served.port())), std::string::npos);
  }
  EXPECT_THROW(ViewServer(nothing, {.port = 70000}), Error);
  EXPECT_THROW(ViewServer(nothing, {.host = "no.such.host.invalid"}), Error);
}

TEST(ViewServer, HasAnotherTokenEachTime) {
  const auto nothing = [](const ViewServer::Request&) { return std::string(); };
  const std::string a = ViewServer(nothing).address(), b = ViewServer(nothing).address();
  EXPECT_NE(a.substr(a.find('/', 8)), b.substr(b.find('/', 8)));
  EXPECT_EQ(a.substr(0, 17), "http://127.0.0.1:");
}

}  // namespace
}  // namespace amble
