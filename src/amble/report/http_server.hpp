#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "amble/report/http_request.hpp"

namespace amble {

struct HttpResponse {
  int status = 200;
  std::string type = "text/plain; charset=utf-8", body;
  std::vector<std::pair<std::string, std::string>> fields = {};  ///< further ones of the head
};

/// Answers GET and HEAD, one request after the other, on one thread that waits for nobody: each client has
/// Limit::request_seconds for a head, and of more than Limit::clients the one that waits longest leaves,
/// unless it was let in before.
class HttpServer {
 public:
  using Handler = std::function<HttpResponse(const HttpRequest&)>;

  /// Throws an Error when the port is taken or the host is not one of this machine. Port 0 is any that is
  /// free.
  HttpServer(const std::string& host, int port, Handler handler);
  ~HttpServer();

  int port() const;
  /// Serves until `stop` returns true; it is called several times a second.
  void run(const std::function<bool()>& stop);

 private:
  struct Memory;
  std::unique_ptr<Memory> memory_;
};

}  // namespace amble
