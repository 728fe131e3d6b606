#include "amble/report/view_server.hpp"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "amble/base/error.hpp"

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
  }
  ~Served() {
    stop_ = true;
    thread_.join();
  }

  /// What the server says to these bytes, until it closes or has said all.
  std::string say(const std::string& bytes, bool hang_up = false) const {
    const int s = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in to{};
    to.sin_family = AF_INET, to.sin_port = htons(static_cast<std::uint16_t>(port_)),
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(connect(s, reinterpret_cast<sockaddr*>(&to), sizeof to), 0);
    const timeval patience{10, 0};
    setsockopt(s, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    for (std::size_t sent = 0; sent < bytes.size();) {
      const ssize_t n = send(s, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
      if (n <= 0) break;
      sent += static_cast<std::size_t>(n);
    }
    if (hang_up) shutdown(s, SHUT_WR);  // nothing more comes: the server need not wait for it
    std::string out;
    char buffer[65536];
    for (ssize_t n = 0; (n = recv(s, buffer, sizeof buffer, 0)) > 0;)
      out.append(buffer, static_cast<std::size_t>(n));
    close(s);
    return out;
  }
  std::string get(const std::string& path, const std::string& more = "") const {
    return say("GET " + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n" + more + "\r\n");
  }
  int status(const std::string& answer) const {
    return answer.size() < 12 ? 0 : std::stoi(answer.substr(9, 3));
  }

  const std::string& root() const { return root_; }
  int port() const { return port_; }
  const ViewServer::Request& last() const { return last_; }

 private:
  ViewServer::Request last_{};
  ViewServer server_;
  std::string root_;
  int port_ = 0;
  std::atomic<bool> stop_ = false;
  std::thread thread_;
};

TEST(ViewServer, ServesThePageAndTheSceneToThoseWhoKnowTheToken) {
  const Served served;
  const std::string page = served.get(served.root());
  EXPECT_EQ(served.status(page), 200);
  EXPECT_NE(page.find("<!doctype html>"), std::string::npos);
  EXPECT_NE(page.find("no-store"), std::string::npos);
  const std::string scene = served.get(served.root() + "scene?after=1.5&stride=4");
  EXPECT_EQ(served.status(scene), 200);
  EXPECT_TRUE(scene.ends_with("\r\n\r\nSCENE"));
  EXPECT_EQ(served.last().after, 1.5);
  EXPECT_EQ(served.last().stride, 4u);
}

TEST(ViewServer, TellsNothingToOthers) {
  const Served served;
  std::string wrong = served.root();
  wrong[5] = wrong[5] == 'a' ? 'b' : 'a';
  for (const std::string& path :
       {std::string("/"), wrong, wrong + "scene", std::string("/scene"), std::string("//scene"),
        served.root().substr(0, 20) + "/", served.root() + "../../etc/passwd",
        served.root() + "%2e%2e/%2e%2e/etc/passwd", std::string("/../../etc/passwd"),
        served.root() + "scene/../scene", served.root() + "page.html", served.root() + "scene%00",
        std::string("/") + std::string(32, '0') + "/"}) {
    const std::string answer = served.get(path);
    EXPECT_TRUE(served.status(answer) == 404 || served.status(answer) == 400) << path << "\n"
                                                                              << answer.substr(0, 200);
    EXPECT_EQ(answer.find("root:"), std::string::npos);
    EXPECT_EQ(answer.find("<!doctype"), std::string::npos);
  }
}

TEST(ViewServer, RefusesWhatIsTooLongOrCarriesAnything) {
  const Served served;
  EXPECT_NE(served.status(served.get(served.root() + std::string(300, 'a'))), 200);
  EXPECT_NE(served.status(served.get(served.root() + "scene?after=" + std::string(20000, '1'))), 200);
  EXPECT_NE(served.status(served.get(served.root(), "X: " + std::string(100000, 'x') + "\r\n")), 200);
  EXPECT_NE(served.status(served.say(
                "POST " + served.root() +
                "scene HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 100000\r\n\r\n" +
                std::string(100000, 'x'))),
            200);
  EXPECT_NE(
      served.status(served.say("PUT " + served.root() +
                               " HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 1\r\n\r\nx")),
      200);
  EXPECT_EQ(served.status(served.get(served.root())), 200);  // and goes on
}

TEST(ViewServer, LivesThroughBytesThatAreNoRequest) {
  const Served served;
  for (const std::string& bytes :
       {std::string("\r\n\r\n"), std::string("GET\r\n\r\n"), std::string("GET / HTTP/9.9\r\n\r\n"),
        std::string(5000, '\xff') + "\r\n\r\n", std::string("\x16\x03\x01\x02\x00\x01", 6) + "\r\n\r\n",
        "GET " + served.root() + "\r\n\r\n"})
    EXPECT_NE(served.status(served.say(bytes, true)), 200);
  for (const char* query :
       {"after=x", "after=nan", "after=1e999", "stride=-1", "stride=1.5", "stride=", "after=1;2"})
    EXPECT_EQ(served.status(served.get(served.root() + "scene?" + query)), 400) << query;
  EXPECT_EQ(served.status(served.get(served.root())), 200);
}

TEST(ViewServer, TellsWhatIsWrongWithARecordingAsText) {
  const Served served;
  const std::string answer = served.get(served.root() + "scene?stride=13");
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
