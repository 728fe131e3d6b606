#pragma once

#include <functional>
#include <memory>
#include <string>

namespace amble {

struct ViewServerSettings {
  std::string host = "127.0.0.1";  ///< another one lets other machines in; the token stays
  int port = 0;                    ///< 0: any that is free
};

/// Serves the viewer's page and the scene of a recording to those who know a random token. It is in the
/// address that is opened first, /TOKEN/, which gives the browser a cookie and sends it on to /; from then on
/// the cookie counts, so that history and logs do not have the token. Whatever else is asked for gets 404,
/// files are never looked up. Requests for other host names, from pages of other sites, and such that are
/// long, slow or carry anything are refused.
class ViewServer {
 public:
  /// What a page asks for: the scene of what is later than `after` (s), `stride` rows to one (0: as fits).
  struct Request {
    double after;
    std::size_t stride;
  };
  using Scene = std::function<std::string(const Request&)>;

  /// Throws an Error when the port is taken or the host is not one of this machine. What `scene`
  /// throws becomes a text that the page shows.
  ViewServer(Scene scene, const ViewServerSettings& settings = {});
  ~ViewServer();
  ViewServer(ViewServer&&) noexcept;

  /// Where to look: http://HOST:PORT/TOKEN/
  std::string address() const;
  /// Serves until `stop` says so, which is asked several times a second.
  void run(const std::function<bool()>& stop);

 private:
  struct Memory;
  std::unique_ptr<Memory> memory_;
};

}  // namespace amble
