#include "amble/ports/bonds/layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <sstream>

#include "amble/base/error.hpp"

namespace amble {

namespace {

using enum BondElementType;

constexpr double kInch = 72.0, kMargin = 28.0, kTitle = 34.0, kLegend = 30.0;
constexpr double kLargeLetter = 11.5, kValueLetter = 8.3, kSmallLetter = 6.6, kLine = 22.0, kSmallLine = 15.0;
constexpr std::size_t kLongestValue = 30;
constexpr const char* kSignalColour = "gray";  // tells signals from bonds in what dot answers

/// Formulas as they are printed: Greek letters by their names, a dot for times.
std::string typeset(const std::string& text) {
  static const std::map<std::string, std::string> kGreek{
      {"alpha", "\u03B1"}, {"beta", "\u03B2"},   {"gamma", "\u03B3"}, {"delta", "\u03B4"}, {"epsilon", "\u03B5"},
      {"theta", "\u03B8"}, {"lambda", "\u03BB"}, {"mu", "\u03BC"},    {"rho", "\u03C1"},   {"sigma", "\u03C3"},
      {"tau", "\u03C4"},   {"phi", "\u03C6"},    {"psi", "\u03C8"},   {"omega", "\u03C9"}};
  std::string out, word;
  const auto finish = [&] {
    const auto found = kGreek.find(word);
    out += found == kGreek.end() ? word : found->second;
    word.clear();
  };
  for (const char c : text) {
    if (std::isalpha(static_cast<unsigned char>(c)) != 0) {
      word += c;
      continue;
    }
    finish();
    out += c == '*' ? "\u00B7" : std::string(1, c);
  }
  finish();
  return out;
}

std::string shortened(const std::string& text) {
  return typeset(text.size() <= kLongestValue ? text : text.substr(0, kLongestValue - 1)) +
         (text.size() <= kLongestValue ? "" : "\u2026");
}

std::size_t letters(const std::string& text) {
  return std::count_if(text.begin(), text.end(),
                       [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; });
}

/// DS B.2: a colon before a parameter, two before an energy function.
DrawnNode element_node(const BondElement& e, int index) {
  DrawnNode n{.symbol = e.symbol, .name = e.name, .element = index};
  if (e.type == mechanism) n.symbol = e.mechanism->name();
  if (!e.value.empty()) n.value = shortened(e.value.text());
  n.beside = e.is_storage() || e.is_resistor() || e.is_source();
  if (n.beside) n.value = (e.law == "energy" ? "\u00A0::\u00A0" : "\u00A0:\u00A0") + n.value;
  const double large = kLargeLetter * static_cast<double>(letters(n.symbol)),
               value = kValueLetter * static_cast<double>(letters(n.value));
  n.width = std::max({n.beside ? large + value : std::max(large, value),
                      kSmallLetter * static_cast<double>(letters(n.name)), 22.0}) +
            8.0;
  n.height = kLine + kSmallLine + (n.beside || n.value.empty() ? 0.0 : kSmallLine);
  if (e.type == mechanism) n.width += 18.0, n.height += 14.0;
  return n;
}

DrawnNode signal_node(const BondSignalDescription& s) {
  DrawnNode n{.symbol = typeset(s.name),
              .value = shortened(s.integrated ? "\u222B " + s.value.text() : "= " + s.value.text()),
              .beside = false};
  n.width = std::max(kLargeLetter * static_cast<double>(letters(n.symbol)),
                     kSmallLetter * static_cast<double>(letters(n.value))) +
            16.0;
  n.height = kLine + kSmallLine;
  return n;
}

/// The signals that reach a modulated element, and the arrows between.
class SignalNodes {
 public:
  SignalNodes(const BondGraph& graph, BondLayout& layout) : graph_(graph), layout_(layout) {
    const auto count = static_cast<int>(graph.elements().size());
    for (int e = 0; e < count; ++e)
      for (const std::string& name : graph.elements()[e].modulated_by) connect(name, e);
  }

 private:
  void connect(const std::string& name, int to) {
    const int from = node_of(name);
    const auto same = [&](const DrawnSignal& s) { return s.from == from && s.to == to; };
    if (from < 0 || from == to || std::any_of(layout_.signals.begin(), layout_.signals.end(), same)) return;
    layout_.signals.push_back({from, to});
  }
  int node_of(const std::string& name) {
    for (const BondSignalDescription& s : graph_.signals())
      if (s.name == name) return signal(s);
    const std::string first = name.substr(0, name.find('.'));
    for (int e = 0; e < static_cast<int>(graph_.elements().size()); ++e) {
      const BondElement& x = graph_.elements()[e];
      if (x.name == first || std::find(x.states.begin(), x.states.end(), name) != x.states.end()) return e;
    }
    const int bond = graph_.bond_of(first);
    return bond < 0 ? -1 : graph_.bonds()[bond].from;
  }
  int signal(const BondSignalDescription& s) {
    if (const auto found = known_.find(s.name); found != known_.end()) return found->second;
    const int index = known_[s.name] = static_cast<int>(layout_.nodes.size());
    layout_.nodes.push_back(signal_node(s));
    for (const std::string& used : s.value.variables()) connect(used, index);
    return index;
  }

  const BondGraph& graph_;
  BondLayout& layout_;
  std::map<std::string, int> known_;
};

/// Elements that hang on a junction: at most one above and one below it.
std::map<int, std::vector<int>> hanging(const BondGraph& graph) {
  std::map<int, std::vector<int>> out;
  for (const Bond& b : graph.bonds()) {
    const BondElement& e = graph.elements()[b.to];
    const bool hangs =
        e.ports.size() == 1 && (e.is_storage() || e.is_resistor()) && graph.elements()[b.from].is_junction();
    if (hangs && out[b.from].size() < 2) out[b.from].push_back(b.to);
  }
  return out;
}

std::string dot_text(const BondGraph& graph, const BondLayout& layout) {
  std::string out = "digraph g {\nrankdir=LR; nodesep=0.6; ranksep=0.8; node [shape=box, fixedsize=true];\n";
  for (std::size_t i = 0; i < layout.nodes.size(); ++i)
    out += fmt::format("n{} [width={:.3f}, height={:.3f}{}];\n", i, layout.nodes[i].width / kInch,
                       layout.nodes[i].height / kInch,
                       i < graph.elements().size() && graph.elements()[i].ports.size() > 1 ? ", group=main" : "");
  const std::map<int, std::vector<int>> all = hanging(graph);
  std::set<std::pair<int, int>> drawn;
  for (const auto& [junction, elements] : all) {
    out += fmt::format("{{rank=same; n{} -> n{} [weight=4];", elements[0], junction);
    if (elements.size() > 1) out += fmt::format(" n{} -> n{} [weight=4];", junction, elements[1]);
    out += "}\n";
    for (const int e : elements) drawn.insert({junction, e});
  }
  for (const Bond& b : graph.bonds())
    if (!drawn.contains({b.from, b.to})) out += fmt::format("n{} -> n{} [weight=8];\n", b.from, b.to);
  for (const DrawnSignal& s : layout.signals)
    out += fmt::format("n{} -> n{} [color={}];\n", s.from, s.to, kSignalColour);
  return out + "}\n";
}

/// Reads what dot answers, in inches from below.
void read_plain(const std::string& plain, BondLayout& out) {
  std::istringstream lines(plain);
  double height = 0.0;
  const auto place = [&](double& x, double& y) {
    x = kMargin + kInch * x, y = kTitle + kMargin / 2 + kInch * (height - y);
  };
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string kind, name, head;
    words >> kind >> name;
    if (kind == "graph") words >> out.width >> height;
    if (kind == "node") {
      DrawnNode& node = out.nodes.at(std::stoul(name.substr(1)));
      words >> node.x >> node.y;
      place(node.x, node.y);
    }
    if (kind != "edge" || !line.ends_with(kSignalColour)) continue;
    std::size_t points = 0;
    words >> head >> points;
    std::vector<double> path(2 * points);
    for (std::size_t i = 0; i < points; ++i)
      words >> path[2 * i] >> path[2 * i + 1], place(path[2 * i], path[2 * i + 1]);
    for (DrawnSignal& s : out.signals)
      if (name == fmt::format("n{}", s.from) && head == fmt::format("n{}", s.to)) s.path = path;
  }
  out.width = kInch * out.width + 2 * kMargin, out.height = kInch * height + kTitle + kMargin + kLegend;
}

}  // namespace

BondLayout lay_out(const BondGraph& graph) {
  BondLayout out;
  for (std::size_t i = 0; i < graph.elements().size(); ++i)
    out.nodes.push_back(element_node(graph.elements()[i], static_cast<int>(i)));
  SignalNodes(graph, out);
  std::string plain;
  try {
    plain = output_of({"dot", "-Tplain"}, dot_text(graph, out));
  } catch (const Error& e) {
    throw Error(
        fmt::format("a bond graph is laid out by Graphviz: {}; the Debian package graphviz has it", e.what()));
  }
  read_plain(plain, out);
  return out;
}

}  // namespace amble
