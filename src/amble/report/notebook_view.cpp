#include "amble/report/notebook_view.hpp"

#include <fmt/format.h>

#include "amble/report/plot.hpp"
#include "amble/report/scene_page.hpp"

namespace amble {

namespace {

constexpr std::size_t kMostTriangles = 60'000, kMostBytes = 8'000'000;

std::string facts(const Mechanism& m) {
  return fmt::format("<div><b>{}</b>: {} bodies, {} joints with coordinates, nq {}, nv {}, {:.6g} kg</div>\n",
                     escaped(m.name()), m.body_names().size(), m.joint_names().size(), m.nq(), m.nv(),
                     m.mass());
}

}  // namespace

std::string quoted_page(const std::string& page) {
  std::string out;
  out.reserve(page.size() + page.size() / 50);
  for (const char c : page) c == '&' ? out += "&amp;" : c == '\'' ? out += "&#39;" : out += c;
  return out;
}

std::string notebook_view(const Mechanism& m) {
  const std::string page = quoted_page(scene_page(model_stream(m, {.most_triangles = kMostTriangles})));
  if (page.size() > kMostBytes)
    return facts(m) +
           fmt::format(
               "<div>Its picture has {:.0f} MB, too much for a notebook: amble.view(robot) shows it.</div>\n",
               static_cast<double>(page.size()) / 1e6);
  return facts(m) + fmt::format(
                        "<iframe title='The model in 3D' sandbox='allow-scripts' "
                        "style='width:100%;height:520px;border:1px "
                        "solid #8884;border-radius:8px' srcdoc='{}'></iframe>\n",
                        page);
}

}  // namespace amble
