#include "amble/contact/release.hpp"

#include <Eigen/QR>
#include <algorithm>
#include <map>

namespace amble {

TwoContacts decide_two_contacts(const TwoContactAccelerations& a) {
  const bool first = !decide_release(a.first), second = !decide_release(a.second);
  if (!first && !second) return TwoContacts::free;
  const bool first_alone = decide_release(a.second_with_first_held);
  const bool second_alone = decide_release(a.first_with_second_held);
  if (first && first_alone) return TwoContacts::first;
  if (second_alone) return TwoContacts::second;
  return first_alone ? TwoContacts::first : TwoContacts::both;
}

OwnedVector held_forces(const Eigen::Ref<const Eigen::MatrixXd>& G, const VectorRef& w, int rows,
                        const std::vector<char>& held) {
  std::vector<int> at;
  for (std::size_t i = 0; i < held.size(); ++i)
    for (int k = 0; held[i] && k < rows; ++k) at.push_back(static_cast<int>(i) * rows + k);
  OwnedVector f(w.size());
  if (at.empty()) return f;
  const Eigen::MatrixXd block = G(at, at);
  const Eigen::VectorXd wanted = -w(at);
  Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> solver;
  solver.setThreshold(1e-11);
  Eigen::VectorXd few = solver.compute(block).solve(wanted);
  few += solver.solve(wanted - block * few);  // what rounding left
  f(at) = few;
  return f;
}

namespace {

/// Normal accelerations under each choice of contacts that are held, computed once.
class Choices {
 public:
  using Choice = std::vector<char>;

  Choices(const Eigen::Ref<const Eigen::MatrixXd>& G, const VectorRef& w, int rows)
      : G_(G), w_(w), rows_(rows), count_(static_cast<int>(w.size()) / rows) {
    const Eigen::VectorXd sizes = w.cwiseAbs();
    nothing_ = count_ == 0 ? 0.0 : 1e-10 * sizes.maxCoeff();
  }

  int count() const { return count_; }
  const Eigen::VectorXd& accelerations(const Choice& held) {
    const auto [at, added] = known_.try_emplace(held);
    if (added) at->second = (G_ * held_forces(G_, w_, rows_, held) + w_)(Eigen::seqN(0, count_, rows_));
    return at->second;
  }
  /// Whether a contact would part, without its own force.
  bool parts(Choice held, int i) {
    held[i] = false;
    return decide_release(accelerations(held)[i] - nothing_);
  }
  /// The one that enters fastest, or else one that is held and would part; -1 when there is none.
  int most_wrong(const Choice& held) {
    int out = -1;
    double fastest = 0.0;
    for (int i = 0; i < count_; ++i) {
      const double a = accelerations(held)[i];
      if (!held[i] && !parts(held, i) && (out < 0 || a < fastest)) out = i, fastest = a;
    }
    for (int i = 0; i < count_ && out < 0; ++i)
      if (held[i] && parts(held, i)) out = i;
    return out;
  }
  bool right(const Choice& held) {
    for (int i = 0; i < count_; ++i)
      if (parts(held, i) == (held[i] != 0)) return false;
    return true;
  }

 private:
  Eigen::MatrixXd G_;
  Eigen::VectorXd w_;
  int rows_, count_;
  double nothing_;
  std::map<Choice, Eigen::VectorXd> known_;
};

/// All choices of `size` contacts, in order; true at the first that is right.
bool find_choice(Choices& choices, int size, int from, std::vector<char>& held) {
  if (size == 0) return choices.right(held);
  for (int i = from; i + size <= choices.count(); ++i) {
    held[i] = true;
    if (find_choice(choices, size - 1, i + 1, held)) return true;
    held[i] = false;
  }
  return false;
}

}  // namespace

std::vector<char> decide_held(const Eigen::Ref<const Eigen::MatrixXd>& G, const VectorRef& w, int rows) {
  constexpr int kAllTried = 8;
  Choices choices(G, w, rows);
  std::vector<char> held(choices.count(), false);
  if (choices.count() <= kAllTried) {
    for (int size = 0; size <= choices.count(); ++size)
      if (find_choice(choices, size, 0, held)) return held;
  } else {
    for (int exchange = 0; exchange < 4 * choices.count(); ++exchange) {
      const int wrong = choices.most_wrong(held);
      if (wrong < 0) return held;
      held[wrong] = !held[wrong];
    }
  }
  std::fill(held.begin(), held.end(), true);
  return held;
}

}  // namespace amble
