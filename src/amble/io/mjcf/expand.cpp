#include "amble/io/mjcf/expand.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <functional>
#include <numbers>

#include "amble/base/limits.hpp"
#include "amble/io/mjcf/check.hpp"
#include "amble/io/mjcf/orientation.hpp"
#include "amble/io/mjcf/references.hpp"
#include "amble/io/source.hpp"
#include "amble/io/xml/numbers.hpp"

namespace amble {

namespace {

namespace fs = std::filesystem;
using Elements = std::vector<MjcfElement>;
using Renaming = std::function<std::string(const std::string&)>;

void set_model(MjcfElement& element, int model) {
  element.model = model;
  for (MjcfElement& child : element.children) set_model(child, model);
}

/// Sections in the order of their names above: tendons before the drives and sensors that refer to them.
std::vector<std::size_t> referring_sections(const MjcfElement& root) {
  std::vector<std::size_t> out;
  for (const std::string_view name : {"contact", "equality", "tendon", "actuator", "sensor"})
    for (std::size_t i = 0; i < root.children.size(); ++i)
      if (root.children[i].name == name) out.push_back(i);
  return out;
}

MjcfElement frame_at(const MjcfElement& like, const Pose& X) {
  MjcfElement out;
  out.name = "frame", out.file = like.file, out.line = like.line, out.model = like.model;
  out.tag = MjcfTag::frame, out.rule = mjcf_rule("body", "frame");
  const Quaternion<double> q = X.rotation().quaternion();
  out.set("pos", format_numbers(X.translation()));
  out.set("quat", format_numbers(Vector4<double>(q.w, q.v[0], q.v[1], q.v[2])));
  return out;
}

const MjcfElement* find_element(const MjcfElement& in, MjcfTag tag, const std::string& name) {
  if (in.tag == tag && in.get("name") == name) return &in;
  for (const MjcfElement& child : in.children)
    if (const MjcfElement* found = find_element(child, tag, name)) return found;
  return nullptr;
}

class Expander {
 public:
  Expander(const LoadOptions& options, Problems& findings) : options_(options), findings_(findings) {}

  MjcfSources run(const std::string& text, const std::string& file) {
    add_source(text, file, 0);
    return std::move(sources_);
  }

 private:
  MjcfSource& source(int model) { return *sources_[static_cast<std::size_t>(model)]; }

  int add_source(const std::string& text, const std::string& file, int depth) {
    const int model = static_cast<int>(sources_.size());
    sources_.push_back(std::make_unique<MjcfSource>());
    MjcfSource& s = source(model);
    s.file = file;
    s.root = mjcf_tree(text, file, budget_, findings_);
    check_mjcf(s.root, findings_);
    set_model(s.root, model);
    s.settings = mjcf_settings(s.root);
    s.classes = std::make_unique<MjcfClasses>(s.root);
    expand_source(model, depth);
    // Last, since assets are named in messages by their elements, which must stay where they are.
    s.assets = std::make_unique<MjcfAssets>(s.root, *s.classes, s.settings, file, options_, findings_);
    return model;
  }

  void expand_source(int model, int depth) {
    for (std::size_t i = 0; i < source(model).root.children.size(); ++i) {
      if (source(model).root.children[i].tag != MjcfTag::worldbody) continue;
      // Taken out while it changes: what it attaches adds sections to the root.
      Elements children = std::move(source(model).root.children[i].children);
      children = expanded(std::move(children), model, depth);
      source(model).root.children[i].children = std::move(children);
    }
  }

  Elements expanded(Elements elements, int model, int depth) {
    Elements out;
    for (MjcfElement& e : elements) {
      if (e.tag == MjcfTag::attach) {
        attach(e, model, depth, out);
        continue;
      }
      if (!e.children.empty() && e.tag != MjcfTag::unread)
        e.children = expanded(std::move(e.children), model, depth);
      if (e.tag == MjcfTag::replicate)
        replicate(e, model, out);
      else
        out.push_back(std::move(e));
    }
    return out;
  }

  void count_copies(const MjcfElement& at, double elements) {
    copies_ += elements;
    if (const std::string breach =
            limit_breach(Limit::bodies, copies_, "the number of elements that are copied");
        !breach.empty())
      refuse(at, breach);
  }

  /// Every copy may be referred to from every other element, so that work is bounded too.
  void count_work(const MjcfElement& at, const MjcfElement& root) {
    constexpr double kMostVisits = 2e8;
    for (const MjcfElement& section : root.children)
      visits_ += 1.0 + static_cast<double>(section.children.size());
    if (visits_ > kMostVisits)
      refuse(at, "too many copies in a model with too many elements that may refer to them");
  }

  // ---- replicate

  /// Copy i is turned by i times the angles; each is further on by the offset as the one before it is turned.
  void replicate(const MjcfElement& e, int model, Elements& out) {
    const MjcfValues values(e, nullptr);
    const double count = values.number("count", 0.0);
    if (count < 1.0) refuse(e, "count must be 1 or more");
    if (const std::string breach = limit_breach(Limit::replicates, count, "count"); !breach.empty())
      refuse(e, breach);
    double size = 0.0;
    for (const MjcfElement& child : e.children) size += element_count(child);
    count_copies(e, count * (1.0 + size));

    const int copies = static_cast<int>(count);
    const MjcfSettings& settings = source(model).settings;
    const double unit = settings.degrees ? std::numbers::pi / 180.0 : 1.0;
    MjcfNames names;
    for (const MjcfElement& child : e.children) collect_names(child, names);
    Vector3<double> p = Vector3<double>::Zero();
    for (int i = 0; i < copies; ++i) {
      const SO3<double> R = mjcf_euler(i * unit * values.vector("euler"), settings.euler_sequence);
      MjcfElement frame = frame_at(e, Pose(R, p));
      if (const std::string* childclass = e.find("childclass")) frame.set("childclass", *childclass);
      frame.children = e.children;
      for (MjcfElement& child : frame.children) rename(child, names, suffixed(e, i, copies));
      out.push_back(std::move(frame));
      p += R * values.vector("offset");
    }
    replicate_references(e, names, copies, source(model).root);
  }

  static Renaming suffixed(const MjcfElement& e, int i, int copies) {
    const std::string suffix =
        fmt::format("{}{:0{}}", e.get("sep"), i, static_cast<int>(std::to_string(copies).size()));
    return [suffix](const std::string& name) { return name + suffix; };
  }

  void replicate_references(const MjcfElement& e, MjcfNames names, int copies, MjcfElement& root) {
    if (names.empty()) return;
    count_work(e, root);
    for (const std::size_t at : referring_sections(root)) {
      MjcfElement& section = root.children[at];
      Elements kept, copied;
      for (MjcfElement& x : section.children)
        (count_references(x, names).inside > 0 ? copied : kept).push_back(std::move(x));
      for (const MjcfElement& x : copied) count_copies(e, copies * element_count(x)), collect_names(x, names);
      for (int i = 0; i < copies; ++i)
        for (const MjcfElement& x : copied) {
          kept.push_back(x);
          rename(kept.back(), names, suffixed(e, i, copies));
        }
      section.children = std::move(kept);
    }
  }

  // ---- attach

  void attach(const MjcfElement& e, int model, int depth, Elements& out) {
    if (const std::string breach =
            limit_breach(Limit::attach_nesting, depth + 1, "the depth of attached models");
        !breach.empty())
      refuse(e, breach);
    const std::string* name = e.find("model");
    if (name == nullptr) refuse(e, "without model, which would attach a part of this model, is not read");
    count_work(e, source(model).root);
    const int from = model_named(e, *name, model, depth);
    count_work(e, source(from).root);
    Elements parts = parts_of(e, source(from).root);
    double size = 0.0;
    for (const MjcfElement& part : parts) size += element_count(part);
    count_copies(e, size);

    MjcfNames names;
    for (const MjcfElement& part : parts) collect_names(part, names);
    const std::string prefix = e.get("prefix");
    const Renaming renamed = [&](const std::string& x) { return prefix + x; };
    for (MjcfElement& part : parts) rename(part, names, renamed), out.push_back(std::move(part));
    attach_references(e, source(from).root, names, renamed, source(model).root);
  }

  /// What is read stays read: a model is attached several times under several prefixes.
  int model_named(const MjcfElement& e, const std::string& name, int model, int depth) {
    for (const MjcfElement& section : source(model).root.children) {
      if (section.name != "asset") continue;
      for (const MjcfElement& asset : section.children)  // reading one changes nothing of this model
        if (asset.tag == MjcfTag::model && is_called(asset, name, model, depth))
          return read_model(asset, model, depth);
    }
    refuse(e, fmt::format("there is no model '{}' among the assets", name));
  }

  /// A model without a name here is called as it calls itself.
  bool is_called(const MjcfElement& asset, const std::string& name, int model, int depth) {
    const std::string* given = asset.find("name");
    return (given != nullptr
                ? *given
                : source(read_model(asset, model, depth)).root.get("model", "MuJoCo Model")) == name;
  }

  int read_model(const MjcfElement& asset, int model, int depth) {
    const fs::path folder = fs::path(source(model).file).parent_path();
    const std::string path = (folder / asset.get("file")).lexically_normal().string();
    if (const auto found = models_.find(path); found != models_.end()) {
      if (found->second < 0) refuse(asset, fmt::format("the model '{}' attaches itself", asset.get("file")));
      return found->second;
    }
    if (const std::string breach =
            limit_breach(Limit::included_files, ++budget_.files, "the number of included files");
        !breach.empty())
      refuse(asset, breach);
    models_[path] = -1;
    return models_[path] = add_source(text_of(asset, path), path, depth + 1);
  }

  std::string text_of(const MjcfElement& asset, const std::string& path) {
    try {
      std::string text = read_text(path);
      check_limit(Limit::file_bytes, static_cast<double>(budget_.bytes + text.size()),
                  "the size of the file with its includes");
      return text;
    } catch (const Error& error) {
      refuse(asset, error.what());
    }
  }

  /// A body, a frame, or all of the world.
  static Elements parts_of(const MjcfElement& e, const MjcfElement& root) {
    const std::string* name = e.find("body") != nullptr ? e.find("body") : e.find("frame");
    const MjcfTag tag = e.find("body") != nullptr ? MjcfTag::body : MjcfTag::frame;
    Elements out;
    for (const MjcfElement& section : root.children) {
      if (section.tag != MjcfTag::worldbody) continue;
      if (name == nullptr) out.insert(out.end(), section.children.begin(), section.children.end());
      if (const MjcfElement* found = name == nullptr ? nullptr : find_element(section, tag, *name))
        return {*found};
    }
    if (name != nullptr)
      refuse(e, fmt::format("its model has no {} '{}'", e.find("body") ? "body" : "frame", *name));
    return out;
  }

  /// What refers to nothing but the parts comes along.
  void attach_references(const MjcfElement& e, const MjcfElement& from, MjcfNames names,
                         const Renaming& renamed, MjcfElement& into) {
    for (const std::size_t at : referring_sections(from)) {
      const MjcfElement& section = from.children[at];
      MjcfElement copy = section;
      copy.children.clear();
      for (const MjcfElement& x : section.children) {
        const MjcfReferences references = count_references(x, names);
        if (references.inside == 0 || references.outside > 0) continue;
        count_copies(e, element_count(x)), collect_names(x, names);
        copy.children.push_back(x);
        rename(copy.children.back(), names, renamed);
      }
      if (!copy.children.empty()) into.children.push_back(std::move(copy));
    }
  }

  const LoadOptions& options_;
  Problems& findings_;
  MjcfBudget budget_;
  MjcfSources sources_;
  std::map<std::string, int> models_;  ///< by path; -1 while it is read
  double copies_ = 0.0, visits_ = 0.0;
};

}  // namespace

MjcfSources expand_mjcf(const std::string& text, const std::string& file, const LoadOptions& options,
                        Problems& findings) {
  return Expander(options, findings).run(text, file);
}

}  // namespace amble
