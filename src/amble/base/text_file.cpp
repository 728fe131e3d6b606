#include "amble/base/text_file.hpp"

#include "amble/base/output_file.hpp"

namespace amble {

void write_text_file(const std::string& path, std::string_view text) {
  OutputFile file(path);
  file.write(text);
  file.finish();
}

}  // namespace amble
