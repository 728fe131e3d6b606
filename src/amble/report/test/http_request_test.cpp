#include "amble/report/http_request.hpp"

#include <gtest/gtest.h>

#include "amble/base/limits.hpp"

namespace amble {
namespace {

ParsedRequest parsed(const std::string& first, const std::string& fields = "Host: a\r\n") {
  return parse_http_request(first + "\r\n" + fields + "\r\n");
}
int status(const std::string& first, const std::string& fields = "Host: a\r\n") {
  return parsed(first, fields).status;
}

TEST(HttpRequest, HasItsParts) {
  const std::string sent =
      "GET /scene?after=1 HTTP/1.1\r\nHost: LocalHost:80\r\nOrigin: "
      "http://localhost:80\r\nSec-Fetch-Site:same-origin \r\n"
      "Cookie: a=1; b=2\r\nAccept: */*\r\n\r\n";
  const ParsedRequest p = parse_http_request(sent + "GET / HTTP/1.1\r\n");
  EXPECT_EQ(p.status, 200);
  EXPECT_EQ(p.size, sent.size());
  EXPECT_EQ(p.request.path, "/scene");
  EXPECT_EQ(p.request.query, "after=1");
  EXPECT_EQ(p.request.host, "localhost:80");
  EXPECT_EQ(p.request.origin, "http://localhost:80");
  EXPECT_EQ(p.request.fetch_site, "same-origin");
  EXPECT_EQ(p.request.cookie, "a=1; b=2");
  EXPECT_TRUE(p.request.keep_alive);
  EXPECT_FALSE(p.request.head_only);
}

TEST(HttpRequest, IsNotThereBeforeItsHeadHasEnded) {
  const std::string sent = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
  for (std::size_t i = 0; i < sent.size(); ++i) {
    const ParsedRequest p = parse_http_request(sent.substr(0, i));
    EXPECT_EQ(p.size, 0u);
    EXPECT_EQ(p.status, 200);
  }
  EXPECT_EQ(parse_http_request(sent).size, sent.size());
}

TEST(HttpRequest, OfOtherMethodsVersionsOrTargetsIsRefused) {
  EXPECT_EQ(status("HEAD / HTTP/1.0"), 200);
  EXPECT_EQ(status("POST / HTTP/1.1"), 405);
  EXPECT_EQ(status("OPTIONS / HTTP/1.1"), 405);
  EXPECT_EQ(status("GET / HTTP/2.0"), 505);
  EXPECT_EQ(status("GET / HTTP/1.1 "), 505);
  EXPECT_EQ(status("GET /" + std::string(300, 'a') + " HTTP/1.1"), 414);
  for (const char* line :
       {"", "GET", "GET /", "GET  / HTTP/1.1", "GET a HTTP/1.1", "GET http://a/ HTTP/1.1",
        "G(T / HTTP/1.1", "GET /\x80 HTTP/1.1", "GET /\t HTTP/1.1", "get", " GET / HTTP/1.1"})
    EXPECT_EQ(status(line), 400) << line;
}

TEST(HttpRequest, WithFieldsThatAreWrongTwiceOrMissingIsRefused) {
  EXPECT_EQ(status("GET / HTTP/1.1", ""), 400);
  EXPECT_EQ(status("GET / HTTP/1.1", "Host:\r\n"), 400);
  EXPECT_EQ(status("GET / HTTP/1.1", "Host: a\r\nhost: b\r\n"), 400);
  EXPECT_EQ(status("GET / HTTP/1.1", "Host: a\r\nCookie: a=1\r\nCookie: a=2\r\n"), 400);
  EXPECT_EQ(status("GET / HTTP/1.1", "Host : a\r\n"), 400);
  EXPECT_EQ(status("GET / HTTP/1.1", "Host: a\r\n folded\r\n"), 400);
  EXPECT_EQ(status("GET / HTTP/1.1", "Host: a\r\nno colon\r\n"), 400);
  EXPECT_EQ(status("GET / HTTP/1.1", "Host: a\nX: b\r\n"), 400);
  EXPECT_EQ(status("GET / HTTP/1.1", "Host: a\r\nX: \x01\r\n"), 400);
}

TEST(HttpRequest, ThatCarriesAnythingIsRefused) {
  EXPECT_EQ(status("GET / HTTP/1.1", "Host: a\r\nContent-Length: 0\r\n"), 200);
  EXPECT_EQ(status("GET / HTTP/1.1", "Host: a\r\nContent-Length: 1\r\n"), 413);
  EXPECT_EQ(status("GET / HTTP/1.1", "Host: a\r\nContent-Length: 00\r\n"), 413);
  EXPECT_EQ(status("GET / HTTP/1.1", "Host: a\r\nTransfer-Encoding: chunked\r\n"), 413);
  EXPECT_EQ(status("GET / HTTP/1.1", "Host: a\r\nExpect: 100-continue\r\n"), 417);
}

TEST(HttpRequest, OfAHeadWithoutEndIsRefusedAtTheLimit) {
  const auto most = static_cast<std::size_t>(limit(Limit::request_bytes));
  const std::string start = "GET / HTTP/1.1\r\nHost: a\r\nX: ";
  EXPECT_EQ(parse_http_request(start + std::string(most - start.size() - 1, 'x')).size, 0u);
  EXPECT_EQ(parse_http_request(start + std::string(most - start.size(), 'x')).status, 431);
  EXPECT_EQ(parse_http_request(start + std::string(most, 'x') + "\r\n\r\n").status, 431);
}

TEST(HttpRequest, ThatIsNoTextIsRefusedAtOnce) {
  EXPECT_EQ(parse_http_request({"\x16\x03\x01\x02\x00\x01", 6}).status, 400);
  EXPECT_EQ(parse_http_request("\r\n\r\n").status, 400);
}

TEST(HttpRequest, KeepsTheConnectionOnlyWhereAsked) {
  EXPECT_FALSE(parsed("GET / HTTP/1.0").request.keep_alive);
  EXPECT_FALSE(parsed("GET / HTTP/1.1", "Host: a\r\nConnection: Close\r\n").request.keep_alive);
  EXPECT_FALSE(parsed("POST / HTTP/1.1").request.keep_alive);
}

TEST(HttpRequest, ValuesOfListsAreFound) {
  EXPECT_EQ(value_in("a=1; bc=2;d=3", "bc", ';'), "2");
  EXPECT_EQ(value_in("a=1; bc=2;d=3", "c", ';'), "");
  EXPECT_EQ(value_in("a=1&b=&b=3", "b", '&'), "");
  EXPECT_EQ(value_in("", "b", '&'), "");
  EXPECT_EQ(value_in("b", "b", '&'), "");
}

}  // namespace
}  // namespace amble
