#include "amble/gait/fate.hpp"

#include <numeric>

#include "amble/dynamics/lane_stack.hpp"
#include "amble/gait/lane_motion.hpp"

namespace amble {

/// Without the number of lanes.
class LaneFates::Crowd {
 public:
  virtual ~Crowd() = default;
  virtual void follow(std::size_t begin, std::size_t end,
                      const std::function<void(std::size_t, double*)>& start,
                      const std::function<void(std::size_t, const Fate&, const double*)>& done) = 0;
};

namespace {

constexpr double kRounding = 1e-9;  // of feet that start on the floor (m), as PhaseFlow has it
constexpr int kSamples = 5;         // of guards in a step, ends included
constexpr double kNoTime = 1e-14;   // relative: steps this short are none
constexpr double kFound = 1e-6;     // of a step: where on its interpolant an event is
constexpr int kMostSearches = 60;

/// A start on its way.
struct Walk {
  std::size_t start = 0;
  int steps = 0;                // completed
  double t = 0.0;               // since this one began (s)
  double h = 0.0, error = 1.0;  // next step of the integrator (s), and how the last one did
  double from = 0.0,
         to = 0.0;  // the fractions of the last step between which the phase ends, and the guard there
  double at_from = 0.0, at_to = 0.0;
  std::vector<double> x, guards;
  std::array<std::vector<double>, dormand_prince::kStages> k;
};

/// Where a guard may reach zero and turn back between samples: the parabola through three of them says so, by
/// the test of EventFinder. Returns the place of its peak, counted in samples, or a negative number.
double hidden_peak(double g0, double g1, double g2, int k) {
  const bool above = g1 > 0.0;
  if ((g0 > 0.0) != above || (g2 > 0.0) != above) return -1.0;
  const double bend = g0 - 2.0 * g1 + g2, at = 0.5 * (g0 - g2) / bend, sign = above ? 1.0 : -1.0;
  const double peak = g1 - 0.25 * (g0 - g2) * at;
  return std::abs(at) < 1.0 && sign * bend > 0.0 && sign * peak < 0.1 * std::abs(bend) ? k + at : -1.0;
}

template <int L>
class LaneCrowd final : public LaneFates::Crowd {
  using Numbers = std::vector<Lane<L>>;
  using Ids = std::array<int, L>;
  static constexpr int kNobody = -1;

  /// A phase: those who move in it, those who wait for a seat, those who have come to its end.
  struct Leg {
    Leg(StepPhase& of, int next)
        : phase(of.in_lanes()),
          n(2 * of.freedoms()),
          next_n(2 * next),
          guards(1 + of.failures()),
          seated(n),
          ending(n) {
      if (!phase) phase = std::make_unique<OneByOneLanes>(of, next, L);
      seat.fill(kNobody);
      state.resize(n), after.resize(next_n), last.resize(guards), values.resize(kSamples + 1),
          counts.resize(kSamples + 1);
      for (Numbers& each : values) each.resize(guards);
    }
    std::unique_ptr<LanePhase> phase;
    int n, next_n, guards;
    LaneMotion<L> seated, ending;
    Ids seat;
    std::vector<int> ready, ended;
    Numbers state, after, last;   // room
    std::vector<Numbers> values;  // of guards at samples of the step, and at a peak between them
    std::vector<Lane<L>> counts;  // whether the end of the phase counts there
    Lane<L> peak{};               // where that is, as a fraction of the step; 0: nowhere
    int movers() const {
      return static_cast<int>(ready.size() +
                              std::count_if(seat.begin(), seat.end(), [](int i) { return i >= 0; }));
    }
  };

 public:
  LaneCrowd(StepModel& model, const FateOptions& options)
      : options_(options), longest_(model.longest_step()) {
    const int phases = model.phases();
    int n = 0, guards = 0;
    for (int i = 0; i < phases; ++i) {
      legs_.emplace_back(model.phase(i), model.phase((i + 1) % phases).freedoms());
      n = std::max(n, legs_.back().n), guards = std::max(guards, legs_.back().guards);
    }
    // Events wait in each phase until a group of them is full; with as many as this, another group is full
    // meanwhile.
    walks_.resize(static_cast<std::size_t>((2 * phases + 2) * L));
    for (Walk& walk : walks_) {
      walk.x.resize(n), walk.guards.resize(guards);
      for (auto& rates : walk.k) rates.resize(n);
    }
    free_.resize(walks_.size());
    std::iota(free_.begin(), free_.end(), 0);
    for (Leg& leg : legs_) leg.ready.reserve(walks_.size()), leg.ended.reserve(walks_.size());
  }

  void follow(std::size_t begin, std::size_t end, const std::function<void(std::size_t, double*)>& start,
              const std::function<void(std::size_t, const Fate&, const double*)>& done) override {
    start_ = &start, done_ = &done;
    for (;;) {
      while (begin < end && free_.size() >= L) begin = admit(begin, end);
      Leg& moving = most([](const Leg& leg) { return leg.movers(); });
      Leg& ending = most([](const Leg& leg) { return static_cast<int>(leg.ended.size()); });
      const int waiting = static_cast<int>(ending.ended.size());
      if (waiting >= L || (waiting > 0 && moving.movers() < L))
        finish(ending);
      else if (moving.movers() > 0)
        step(moving);
      else
        return;
    }
  }

 private:
  template <class F>
  Leg& most(const F& count) {
    return *std::max_element(legs_.begin(), legs_.end(),
                             [&](const Leg& a, const Leg& b) { return count(a) < count(b); });
  }
  Leg& next_of(const Leg& leg) {
    return legs_[static_cast<std::size_t>(&leg - legs_.data() + 1) % legs_.size()];
  }

  // ---- who comes and goes

  /// Takes up to L starts; returns the first that is left.
  std::size_t admit(std::size_t begin, std::size_t end) {
    Ids ids;
    int count = 0;
    for (; begin < end && count < L; ++begin, ++count) {
      const int id = free_.back();
      free_.pop_back();
      Walk& walk = walks_[id];
      walk.start = begin, walk.steps = 0, walk.t = walk.h = 0.0;
      (*start_)(begin, walk.x.data());
      ids[count] = id;
    }
    enter(legs_.front(), ids, count);
    return begin;
  }

  void leave(int id, int cycle) {
    const Walk& walk = walks_[id];
    (*done_)(walk.start, {cycle, cycle == Fate::kFell ? walk.steps + 1 : walk.steps}, walk.x.data());
    free_.push_back(id);
  }

  /// Lanes beyond the last repeat the first.
  static void gather(const Ids& ids, int count, const std::vector<Walk>& walks,
                     std::vector<double> Walk::*from, Numbers& to, int n) {
    for (int l = 0; l < L; ++l)
      for (int i = 0; i < n; ++i) to[i][l] = (walks[ids[l < count ? l : 0]].*from)[i];
  }

  /// A phase begins, or goes on after an event, with the states x.
  void enter(Leg& leg, const Ids& ids, int count) {
    if (count == 0) return;
    gather(ids, count, walks_, &Walk::x, leg.state, leg.n);
    leg.ending.evaluate(*leg.phase, leg.state, 0);
    leg.phase->guards(LaneMotion<L>::flat(leg.state), LaneMotion<L>::flat(leg.last));
    for (int l = 0; l < count; ++l) {
      Walk& walk = walks_[ids[l]];
      double size = 0.0, rate = 0.0, fit = 0.0;
      for (int i = 0; i < leg.n; ++i) {
        const double r = walk.k[0][i] = leg.ending.k[0][i][l];
        size = std::max(size, std::abs(walk.x[i])), rate = std::max(rate, std::abs(r)), fit += 0.0 * r;
      }
      for (int r = 0; r < leg.guards; ++r) walk.guards[r] = leg.last[r][l];
      // The first guess of Integrator; later steps go on with the length of the one before.
      if (walk.h == 0.0) walk.h = 0.1 * std::pow(options_.tolerance, 0.2) * (1.0 + size) / (1e-3 + rate);
      walk.error = 1.0;
      fit == 0.0 ? leg.ready.push_back(ids[l]) : leave(ids[l], Fate::kFell);
    }
  }

  /// Those who wait take the seats that are free; seats that stay empty repeat another, which does no harm.
  void seat(Leg& leg) {
    int somebody = 0;
    for (int l = 0; l < L; ++l) {
      if (leg.seat[l] == kNobody && !leg.ready.empty()) {
        leg.seat[l] = leg.ready.back();
        leg.ready.pop_back();
        sit(leg, l);
      }
      if (leg.seat[l] != kNobody) somebody = l;
    }
    for (int l = 0; l < L; ++l)
      if (leg.seat[l] == kNobody) {
        for (int i = 0; i < leg.n; ++i)
          leg.seated.x[i][l] = leg.seated.x[i][somebody],
          leg.seated.k[0][i][l] = leg.seated.k[0][i][somebody];
        leg.seated.h[l] = walks_[leg.seat[somebody]].h;
      }
  }

  void sit(Leg& leg, int l) {
    const Walk& walk = walks_[leg.seat[l]];
    for (int i = 0; i < leg.n; ++i) leg.seated.x[i][l] = walk.x[i], leg.seated.k[0][i][l] = walk.k[0][i];
    for (int r = 0; r < leg.guards; ++r) leg.values[0][r][l] = walk.guards[r];
  }

  // ---- steps

  void step(Leg& leg) {
    seat(leg);
    LaneMotion<L>& motion = leg.seated;
    for (int l = 0; l < L; ++l)
      if (leg.seat[l] != kNobody) {
        const Walk& walk = walks_[leg.seat[l]];
        motion.h[l] = walk.t + 1.01 * walk.h >= longest_ ? longest_ - walk.t : walk.h;
      }
    motion.take(*leg.phase);
    const Lane<L> error = motion.error(options_.tolerance);
    sample(leg);
    for (int l = 0; l < L; ++l) {
      if (leg.seat[l] == kNobody) continue;
      if (error[l] <= 1.0)
        accept(leg, l, error[l]);
      else
        reject(leg, l, error[l]);
    }
    for (int l = 0; l < L; ++l) {
      if (!(error[l] <= 1.0)) continue;
      for (int i = 0; i < leg.n; ++i)
        motion.x[i][l] = motion.end[i][l], motion.k[0][i][l] = motion.k.back()[i][l];
      for (int r = 0; r < leg.guards; ++r) leg.values[0][r][l] = leg.values[kSamples - 1][r][l];
    }
  }

  void reject(Leg& leg, int l, double error) {
    using namespace dormand_prince;
    Walk& walk = walks_[leg.seat[l]];
    const double h = leg.seated.h[l];
    walk.h =
        h * (std::isfinite(error) ? std::clamp(kSafety * rough_power(error, -0.2), kShrink, 1.0) : kShrink);
    if (!(walk.h > kNoTime)) rise(leg, l, Fate::kFell);
  }

  void accept(Leg& leg, int l, double error) {
    using namespace dormand_prince;
    Walk& walk = walks_[leg.seat[l]];
    const double h = leg.seated.h[l];
    if (const int fate = look(leg, l); fate != kGoesOn) {
      if (fate == Fate::kFell) rise(leg, l, fate);
      return;
    }
    error = std::max(error, 1e-8);
    const double grow = kSafety * rough_power(error, -kProportional) * rough_power(walk.error, kIntegral);
    if (h >= walk.h || grow < 1.0) walk.h = h * std::clamp(grow, kShrink, kGrow);
    walk.error = error, walk.t += h;
    if (walk.t >= longest_) rise(leg, l, Fate::kFell);  // stands still
  }

  void rise(Leg& leg, int l, int fate) {
    leave(leg.seat[l], fate);
    leg.seat[l] = kNobody;
  }

  // ---- what happens in a step

  /// Guards along the step, and at a peak that may hide between two samples.
  void sample(Leg& leg) {
    static constexpr std::array kInside{dormand_prince::weights_at(0.25), dormand_prince::weights_at(0.5),
                                        dormand_prince::weights_at(0.75)};
    leg.phase->counting(LaneMotion<L>::flat(leg.seated.x), leg.counts[0].data());
    for (int k = 1; k < kSamples; ++k) {
      if (k + 1 < kSamples) leg.seated.inside(kInside[k - 1], leg.state);
      Numbers& at = k + 1 < kSamples ? leg.state : leg.seated.end;
      leg.phase->guards(LaneMotion<L>::flat(at), LaneMotion<L>::flat(leg.values[k]));
      leg.phase->counting(LaneMotion<L>::flat(at), leg.counts[k].data());
    }
    if (!find_peaks(leg)) return;
    leg.seated.inside(leg.peak, leg.state);
    leg.phase->guards(LaneMotion<L>::flat(leg.state), LaneMotion<L>::flat(leg.values[kSamples]));
    leg.phase->counting(LaneMotion<L>::flat(leg.state), leg.counts[kSamples].data());
  }

  bool find_peaks(Leg& leg) {
    leg.peak.fill(0.0);
    bool any = false;
    for (int r = 0; r < leg.guards; ++r) {
      const Lane<L> suspicion = suspects(leg, r);
      for (int l = 0; l < L; ++l) {
        if (!(suspicion[l] > 0.0) || leg.peak[l] > 0.0 || leg.seat[l] == kNobody) continue;
        for (int k = 1; k + 1 < kSamples && leg.peak[l] <= 0.0; ++k)
          leg.peak[l] =
              hidden_peak(leg.values[k - 1][r][l], leg.values[k][r][l], leg.values[k + 1][r][l], k) /
              (kSamples - 1);
        leg.peak[l] = std::max(leg.peak[l], 0.0);
        any |= leg.peak[l] > 0.0;
      }
    }
    return any;
  }

  /// Above zero where a guard comes so near to zero, for how it bends, that it may hide a peak: hidden_peak()
  /// cannot say so unless |g| < 0.6 |bend|. The end of a phase is of no interest where it counts nowhere.
  static Lane<L> suspects(const Leg& leg, int r) {
    Lane<L> bend{}, nearest, count = leg.counts[0];
    nearest.fill(std::numeric_limits<double>::infinity());
    for (int k = 1; k < kSamples; ++k)
      for (int l = 0; l < L; ++l) count[l] = std::max(count[l], leg.counts[k][l]);
    for (int k = 1; k + 1 < kSamples; ++k)
      for (int l = 0; l < L; ++l) {
        const double g0 = leg.values[k - 1][r][l], g1 = leg.values[k][r][l], g2 = leg.values[k + 1][r][l];
        bend[l] = std::max(bend[l], std::abs(g0 - 2.0 * g1 + g2));
        nearest[l] = std::min(nearest[l], std::abs(g1));
      }
    for (int l = 0; l < L; ++l) bend[l] = r == 0 && !(count[l] > 0.0) ? -1.0 : 0.6 * bend[l] - nearest[l];
    return bend;
  }

  static constexpr int kGoesOn = 1, kEnds = 2;

  /// What becomes of the walk in a lane in this step; when its phase ends, it waits for that.
  int look(Leg& leg, int l) {
    std::array<int, kSamples + 1> order{0, 1, 2, 3, 4, kSamples};
    int count = kSamples;
    if (leg.peak[l] > 0.0) {
      const int place = static_cast<int>(leg.peak[l] * (kSamples - 1)) + 1;
      std::copy_backward(order.begin() + place, order.begin() + kSamples, order.end());
      order[place] = kSamples, count = kSamples + 1;
    }
    const auto falls = [&](int i, int r) {
      return leg.values[order[i - 1]][r][l] > 0.0 && !(leg.values[order[i]][r][l] > 0.0);
    };
    for (int i = 1; i < count; ++i) {
      if (falls(i, 0) && (leg.counts[order[i - 1]][l] > 0.0 || leg.counts[order[i]][l] > 0.0)) {
        end(leg, l, order[i - 1], order[i]);
        return kEnds;
      }
      for (int r = 1; r < leg.guards; ++r)
        if (falls(i, r)) return Fate::kFell;
    }
    for (int r = 1; r < leg.guards; ++r)
      if (leg.values[kSamples - 1][r][l] < -kRounding) return Fate::kFell;
    return kGoesOn;
  }

  /// The phase ends between two samples: the walk leaves its seat, with its step, until others do so too.
  void end(Leg& leg, int l, int from, int to) {
    const auto fraction = [&](int i) {
      return i == kSamples ? leg.peak[l] : static_cast<double>(i) / (kSamples - 1);
    };
    const int id = leg.seat[l];
    Walk& walk = walks_[id];
    walk.from = fraction(from), walk.to = fraction(to);
    walk.at_from = leg.values[from][0][l], walk.at_to = leg.values[to][0][l];
    ending_h(walk) = leg.seated.h[l];
    for (int i = 0; i < leg.n; ++i) {
      walk.x[i] = leg.seated.x[i][l];
      for (std::size_t s = 0; s < walk.k.size(); ++s) walk.k[s][i] = leg.seated.k[s][i][l];
    }
    leg.ended.push_back(id);
    leg.seat[l] = kNobody;
  }
  /// The length of the step that a phase ends in lives where the error of the last one did, which the next
  /// phase forgets.
  static double& ending_h(Walk& walk) { return walk.error; }

  // ---- the end of a phase

  void finish(Leg& leg) {
    Ids ids;
    const int count = std::min<int>(L, static_cast<int>(leg.ended.size()));
    for (int l = 0; l < count; ++l) ids[l] = leg.ended.back(), leg.ended.pop_back();
    LaneMotion<L>& motion = leg.ending;
    gather(ids, count, walks_, &Walk::x, motion.x, leg.n);
    for (int l = 0; l < L; ++l) {
      Walk& walk = walks_[ids[l < count ? l : 0]];
      motion.h[l] = ending_h(walk);
      for (std::size_t s = 0; s < walk.k.size(); ++s)
        for (int i = 0; i < leg.n; ++i) motion.k[s][i][l] = walk.k[s][i];
    }
    const Lane<L> taken = go_to_end(leg, search(leg, ids, count));
    leg.phase->counting(LaneMotion<L>::flat(motion.end), leg.counts[0].data());
    leg.phase->reset(LaneMotion<L>::flat(motion.end), LaneMotion<L>::flat(leg.after));
    sort(leg, ids, count, taken);
  }

  /// Where on the interpolant the guard falls through zero, by regula falsi (Illinois), as a fraction of the
  /// step. A lane that has found it waits for the others.
  Lane<L> search(Leg& leg, const Ids& ids, int count) {
    Lane<L> a, b, at_a, at_b, s;
    std::array<int, L> side{};
    std::array<bool, L> found{};
    for (int l = 0; l < L; ++l) {
      const Walk& walk = walks_[ids[l < count ? l : 0]];
      a[l] = walk.from, b[l] = walk.to, at_a[l] = walk.at_from, at_b[l] = walk.at_to, s[l] = b[l];
    }
    for (int i = 0; i < kMostSearches && !std::all_of(found.begin(), found.end(), [](bool f) { return f; });
         ++i) {
      for (int l = 0; l < L; ++l) {
        if (found[l]) continue;
        double t = i > 20 ? 0.5 * (a[l] + b[l]) : (a[l] * at_b[l] - b[l] * at_a[l]) / (at_b[l] - at_a[l]);
        if (!(t > a[l] && t < b[l])) t = 0.5 * (a[l] + b[l]);
        found[l] = std::abs(t - s[l]) < kFound;
        s[l] = t;
      }
      leg.ending.inside(s, leg.state);
      leg.phase->guards(LaneMotion<L>::flat(leg.state), LaneMotion<L>::flat(leg.last));
      for (int l = 0; l < L; ++l) {
        if (found[l]) continue;
        const double value = leg.last[0][l];
        if (value > 0.0) {
          a[l] = s[l], at_a[l] = value;
          if (side[l] == -1) at_b[l] *= 0.5;
          side[l] = -1;
        } else {
          b[l] = s[l], at_b[l] = value;
          if (side[l] == 1) at_a[l] *= 0.5;
          side[l] = 1;
        }
      }
    }
    return s;
  }

  /// From the interpolant to the motion: the step is taken again, to the fraction s of it, and a step of
  /// Newton's method leads from there to where the guard is zero. The state is then the end of the motion;
  /// returns how long it takes (s).
  Lane<L> go_to_end(Leg& leg, const Lane<L>& s) {
    constexpr double kAhead = 1e-5;  // of the step, for the slope of the guard
    LaneMotion<L>& motion = leg.ending;
    Lane<L> taken;
    for (int l = 0; l < L; ++l) motion.h[l] *= s[l];
    motion.take(*leg.phase);
    leg.phase->guards(LaneMotion<L>::flat(motion.end), LaneMotion<L>::flat(leg.last));
    for (int i = 0; i < leg.n; ++i)
      for (int l = 0; l < L; ++l)
        leg.state[i][l] = motion.end[i][l] + kAhead * motion.h[l] * motion.k.back()[i][l];
    leg.phase->guards(LaneMotion<L>::flat(leg.state), LaneMotion<L>::flat(leg.values[kSamples]));
    for (int l = 0; l < L; ++l) {
      const double g = leg.last[0][l], slope = (leg.values[kSamples][0][l] - g) / (kAhead * motion.h[l]);
      const double rest = -g / slope;
      taken[l] = std::abs(rest) < 0.1 * motion.h[l] ? rest : 0.0;  // not where it grazes
    }
    for (int i = 0; i < leg.n; ++i)
      for (int l = 0; l < L; ++l) motion.end[i][l] += taken[l] * motion.k.back()[i][l];
    for (int l = 0; l < L; ++l) taken[l] += motion.h[l];
    return taken;
  }

  /// Who fell before, whose phase has not ended after all, who goes on into the next.
  void sort(Leg& leg, const Ids& ids, int count, const Lane<L>& taken) {
    Leg& next = next_of(leg);
    Ids stay, go;
    int stays = 0, goes = 0;
    for (int l = 0; l < count; ++l) {
      Walk& walk = walks_[ids[l]];
      walk.t += taken[l];
      const bool ends = leg.counts[0][l] > 0.0;
      bool fell = false;  // where the phase does not end here, what comes right after counts as well: a foot
                          // that scuffs
      for (int r = 1; r < leg.guards; ++r)
        fell |= leg.last[r][l] < -kRounding || (!ends && leg.values[kSamples][r][l] < 0.0);
      const Numbers& to = ends ? leg.after : leg.ending.end;
      for (int i = 0; i < (ends ? leg.next_n : leg.n); ++i)
        walk.x[i] = to[i][l], fell |= !std::isfinite(walk.x[i]);
      if (fell)
        leave(ids[l], Fate::kFell);
      else if (!ends)
        stay[stays++] = ids[l];
      else if (&next != &legs_.front() || !arrives(ids[l], leg.next_n))
        go[goes++] = ids[l];
    }
    enter(leg, stay, stays);
    for (int l = 0; l < stays; ++l) walks_[stay[l]].guards[0] = -0.0;  // it has just fallen through zero
    enter(next, go, goes);
  }

  /// A step is completed; true when that was the last.
  bool arrives(int id, int n) {
    Walk& walk = walks_[id];
    ++walk.steps, walk.t = 0.0;
    const Eigen::Map<const Eigen::VectorXd> x(walk.x.data(), n);
    for (const Catch& each : options_.catches)
      if (each.holds(x)) {
        leave(id, each.cycle);
        return true;
      }
    if (walk.steps < options_.most_steps) return false;
    leave(id, Fate::kWandered);
    return true;
  }

  FateOptions options_;
  double longest_;
  std::vector<Leg> legs_;
  std::vector<Walk> walks_;
  std::vector<int> free_;
  const std::function<void(std::size_t, double*)>* start_ = nullptr;
  const std::function<void(std::size_t, const Fate&, const double*)>* done_ = nullptr;
};

std::unique_ptr<LaneFates::Crowd> make_crowd(StepModel& model, const FateOptions& options) {
  switch (LaneStack(1, 1).lanes()) {
    case 8:
      return std::make_unique<LaneCrowd<8>>(model, options);
    case 4:
      return std::make_unique<LaneCrowd<4>>(model, options);
    default:
      return std::make_unique<LaneCrowd<2>>(model, options);
  }
}

}  // namespace

LaneFates::LaneFates(const StepModel& model, const FateOptions& options)
    : model_(model.clone()), crowd_(make_crowd(*model_, options)) {}
LaneFates::~LaneFates() = default;

void LaneFates::follow(std::size_t begin, std::size_t end,
                       const std::function<void(std::size_t, double*)>& start,
                       const std::function<void(std::size_t, const Fate&, const double*)>& done) {
  crowd_->follow(begin, end, start, done);
}

}  // namespace amble
