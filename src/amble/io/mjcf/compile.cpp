#include "amble/io/mjcf/compile.hpp"

#include <fmt/format.h>
#include <mujoco/mujoco.h>

#include <algorithm>
#include <climits>
#include <cstring>
#include <mutex>
#include <regex>

namespace amble {

void MjcfModelDeleter::operator()(mjModel_* model) const { mj_deleteModel(model); }

namespace {

/// MuJoCo's global handlers while a file is compiled, put back afterwards.
class Handlers {
 public:
  Handlers() : lock_(mutex()), error_(mju_user_error), warning_(mju_user_warning) {
    messages().clear();
    mju_user_error = [](const char* message) { throw Error(message); };
    mju_user_warning = [](const char* message) { messages().emplace_back(message); };
  }
  ~Handlers() {
    mju_user_error = error_;
    mju_user_warning = warning_;
  }
  Handlers(const Handlers&) = delete;
  Handlers& operator=(const Handlers&) = delete;

  static std::vector<std::string>& messages() {
    static std::vector<std::string> list;
    return list;
  }

 private:
  static std::mutex& mutex() {
    static std::mutex m;
    return m;
  }

  std::lock_guard<std::mutex> lock_;
  void (*error_)(const char*);
  void (*warning_)(const char*);
};

/// Files in memory under MuJoCo's eyes, the model first.
class VirtualFiles {
 public:
  static constexpr const char* kModel = "model.xml";

  VirtualFiles(const std::string& model, const MjcfFiles& others) : vfs_(new mjVFS) {
    mj_defaultVFS(vfs_.get());
    add(kModel, model);
    for (const auto& [name, bytes] : others) add(name.c_str(), bytes);
  }
  const mjVFS* get() const { return vfs_.get(); }

 private:
  struct Deleter {
    void operator()(mjVFS* vfs) const {
      mj_deleteVFS(vfs);
      delete vfs;
    }
  };

  void add(const char* name, const std::string& bytes) {
    if (vfs_->nfile >= mjMAXVFS - 1)
      throw Error(fmt::format("the model has more than {} mesh files that decide inertias", mjMAXVFS - 2));
    if (bytes.size() > INT_MAX || mj_makeEmptyFileVFS(vfs_.get(), name, static_cast<int>(bytes.size())) != 0)
      throw Error(fmt::format("no memory for a copy of '{}' for MuJoCo", name));
    std::memcpy(vfs_->filedata[vfs_->nfile - 1], bytes.data(), bytes.size());
  }

  std::unique_ptr<mjVFS, Deleter> vfs_;
};

/// The first line of MuJoCo's message without its prefix; the lines below say where, which problem() says
/// better.
std::string reason_of(const std::string& message) {
  std::string reason = message.substr(0, message.find('\n'));
  for (const std::string prefix : {"XML Error: ", "Error: "})
    if (reason.starts_with(prefix)) reason.erase(0, prefix.size());
  return reason;
}

/// MuJoCo tells the line as `Element 'joint', line 5` or `Object name = knee, id = 2, line = 5, column = -1`.
const MjcfElement* element_of(const std::string& message, const MjcfText& text) {
  static const std::regex kLine("\\nElement '.*', line (\\d+)|\\nObject name = .*, line = (\\d+), column");
  std::smatch match;
  if (!std::regex_search(message, match, kLine)) return nullptr;
  const std::size_t line = std::strtoul((match[1].matched ? match[1] : match[2]).str().c_str(), nullptr, 10);
  return line >= 1 && line <= text.elements.size() ? text.elements[line - 1] : nullptr;
}

[[noreturn]] void refuse(const std::string& message, const MjcfText& text, const MjcfElement& root) {
  const MjcfElement* element = element_of(message, text);
  Problem problem = (element != nullptr ? element : &root)->problem(Severity::error, reason_of(message));
  if (element == nullptr) problem.line = 0, problem.element.clear();
  problem.reason += " (said by MuJoCo, which compiles MJCF files)";
  throw Error(problem.text());
}

}  // namespace

MjcfModel compile_mjcf(const MjcfElement& root, const MjcfFiles& files, Problems& findings) {
  const MjcfText text = mjcf_text(root);
  const Handlers handlers;
  const VirtualFiles all(text.text, files);
  char message[2000] = "";
  MjcfModel model;
  try {
    model.reset(mj_loadXML(VirtualFiles::kModel, all.get(), message, sizeof message));
  } catch (const std::exception& e) {
    refuse(e.what(), text, root);
  }
  if (!model) refuse(message, text, root);
  if (message[0] != '\0') Handlers::messages().emplace_back(message);
  for (const std::string& m : Handlers::messages())
    findings.push_back({Severity::warning, *root.file, 0, "", "MuJoCo: " + reason_of(m)});
  return model;
}

}  // namespace amble
