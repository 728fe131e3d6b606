#include "amble/scenario/variables.hpp"

#include "amble/base/names.hpp"

namespace amble {

namespace {

class Resolver {
 public:
  Resolver(const toml::table& variables, const std::string& file, Problems& problems)
      : variables_(variables), file_(file), problems_(problems) {
    for (const auto& [name, value] : variables_) names_.emplace_back(name.str());
  }

  void table(toml::table& t) {
    for (auto&& [key, value] : t)
      if (const toml::node* other = replacement(value))
        t.insert_or_assign(key, *other);
      else
        inside(value);
  }

 private:
  void inside(toml::node& node) {
    if (toml::table* t = node.as_table()) return table(*t);
    toml::array* const list = node.as_array();
    if (list == nullptr) return;
    for (std::size_t i = 0; i < list->size(); ++i)
      if (const toml::node* other = replacement((*list)[i]))
        list->replace(list->cbegin() + static_cast<std::ptrdiff_t>(i), *other);
      else
        inside((*list)[i]);
  }

  /// What stands for "$name"; null for everything else.
  const toml::node* replacement(const toml::node& node) {
    const auto* const text = node.as_string();
    if (text == nullptr || text->get().empty() || text->get()[0] != '$') return nullptr;
    const std::string name = text->get().substr(1);
    const toml::node* const value = variables_.get(name);
    if (value == nullptr)
      problems_.push_back({Severity::error, file_, static_cast<int>(node.source().begin.line), "'$" + name + "'",
                           "is not among the variables" + suggestion(name, names_)});
    return value;
  }

  const toml::table& variables_;
  const std::string& file_;
  Problems& problems_;
  std::vector<std::string> names_;
};

}  // namespace

bool set_variable(toml::table& document, const toml::table& setting) {
  toml::node* const variables = document.get("variables");
  if (variables == nullptr || !variables->is_table() || setting.size() != 1) return false;
  const auto given = setting.cbegin();
  const std::string name(given->first.str());
  if (given->second.is_table() || !variables->as_table()->contains(name)) return false;
  variables->as_table()->insert_or_assign(name, given->second);
  return true;
}

void resolve_variables(toml::table& document, const std::string& file, Problems& problems) {
  toml::table variables;
  if (toml::node* const given = document.get("variables"); given != nullptr && given->is_table()) {
    variables = *given->as_table();
    document.erase("variables");
  }
  Resolver(variables, file, problems).table(document);
}

}  // namespace amble
