#include <console_bridge/console.h>
#include <tinyxml2.h>
#include <urdf_parser/urdf_parser.h>

#include <mutex>

#include "amble/io/console_lock.hpp"
#include "amble/io/urdf/parts.hpp"

namespace amble {

namespace {

/// Collects what console_bridge would print. Its handler is one for the whole process: hold the lock
/// meanwhile.
class Messages : public console_bridge::OutputHandler {
 public:
  Messages() : lock_(console_lock()) { console_bridge::useOutputHandler(this); }
  ~Messages() override { console_bridge::restorePreviousOutputHandler(); }
  Messages(const Messages&) = delete;
  Messages& operator=(const Messages&) = delete;

  void log(const std::string& text, console_bridge::LogLevel level, const char*, int) override {
    if (level >= console_bridge::CONSOLE_BRIDGE_LOG_ERROR && first_error_.empty()) first_error_ = text;
  }
  const std::string& first_error() const { return first_error_; }

 private:
  std::unique_lock<std::mutex> lock_;
  std::string first_error_;
};

}  // namespace

std::string urdfdom_objection(const tinyxml2::XMLDocument& document) {
  // Printed anew: urdfdom's own XML parser is an old one, which shall see plain and well-formed text only.
  tinyxml2::XMLPrinter text(nullptr, true);
  document.RootElement()->Accept(&text);
  Messages messages;
  try {
    // It may return a model and yet have left things out: what it says counts, not only what it returns.
    const bool refused = urdf::parseURDF(text.CStr()) == nullptr;
    return refused && messages.first_error().empty() ? "refused without a reason" : messages.first_error();
  } catch (const std::exception& e) {
    return e.what();
  }
}

}  // namespace amble
