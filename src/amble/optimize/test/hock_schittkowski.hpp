#pragma once

#include <memory>
#include <string>

#include "amble/optimize/test/dual_program.hpp"

namespace amble {

/// Test problems with the optima published by Hock and Schittkowski (1981), Lecture Notes in Economics and
/// Mathematical Systems 187.
struct PublishedProblem {
  std::string name;
  double optimum;
  std::unique_ptr<NonlinearProgram> program;
};

namespace hs {

template <class T>
T sq(const T& x) {
  return x * x;
}

struct Hs6 {
  template <class X>
  auto f(const X& x) const {
    return sq(1.0 - x[0]);
  }
  template <class X, class T>
  void g(const X& x, T* g) const {
    g[0] = 10.0 * (x[1] - sq(x[0]));
  }
};
struct Hs7 {
  template <class X>
  auto f(const X& x) const {
    return log(1.0 + sq(x[0])) - x[1];
  }
  template <class X, class T>
  void g(const X& x, T* g) const {
    g[0] = sq(1.0 + sq(x[0])) + sq(x[1]) - 4.0;
  }
};
struct Hs28 {
  template <class X>
  auto f(const X& x) const {
    return sq(x[0] + x[1]) + sq(x[1] + x[2]);
  }
  template <class X, class T>
  void g(const X& x, T* g) const {
    g[0] = x[0] + 2.0 * x[1] + 3.0 * x[2] - 1.0;
  }
};
struct Hs35 {
  template <class X>
  auto f(const X& x) const {
    return 9.0 - 8.0 * x[0] - 6.0 * x[1] - 4.0 * x[2] + 2.0 * sq(x[0]) + 2.0 * sq(x[1]) + sq(x[2]) +
           2.0 * x[0] * x[1] + 2.0 * x[0] * x[2];
  }
  template <class X, class T>
  void g(const X& x, T* g) const {
    g[0] = x[0] + x[1] + 2.0 * x[2];
  }
};
struct Hs38 {
  template <class X>
  auto f(const X& x) const {
    return 100.0 * sq(x[1] - sq(x[0])) + sq(1.0 - x[0]) + 90.0 * sq(x[3] - sq(x[2])) + sq(1.0 - x[2]) +
           10.1 * (sq(x[1] - 1.0) + sq(x[3] - 1.0)) + 19.8 * (x[1] - 1.0) * (x[3] - 1.0);
  }
  template <class X, class T>
  void g(const X&, T*) const {}
};
struct Hs39 {
  template <class X>
  auto f(const X& x) const {
    return -x[0];
  }
  template <class X, class T>
  void g(const X& x, T* g) const {
    g[0] = x[1] - x[0] * sq(x[0]) - sq(x[2]);
    g[1] = sq(x[0]) - x[1] - sq(x[3]);
  }
};
struct Hs40 {
  template <class X>
  auto f(const X& x) const {
    return -x[0] * x[1] * x[2] * x[3];
  }
  template <class X, class T>
  void g(const X& x, T* g) const {
    g[0] = x[0] * sq(x[0]) + sq(x[1]) - 1.0;
    g[1] = sq(x[0]) * x[3] - x[2];
    g[2] = sq(x[3]) - x[1];
  }
};
struct Hs43 {
  template <class X>
  auto f(const X& x) const {
    return sq(x[0]) + sq(x[1]) + 2.0 * sq(x[2]) + sq(x[3]) - 5.0 * x[0] - 5.0 * x[1] - 21.0 * x[2] +
           7.0 * x[3];
  }
  template <class X, class T>
  void g(const X& x, T* g) const {
    g[0] = 8.0 - sq(x[0]) - sq(x[1]) - sq(x[2]) - sq(x[3]) - x[0] + x[1] - x[2] + x[3];
    g[1] = 10.0 - sq(x[0]) - 2.0 * sq(x[1]) - sq(x[2]) - 2.0 * sq(x[3]) + x[0] + x[3];
    g[2] = 5.0 - 2.0 * sq(x[0]) - sq(x[1]) - sq(x[2]) - 2.0 * x[0] + x[1] + x[3];
  }
};
struct Hs71 {
  template <class X>
  auto f(const X& x) const {
    return x[0] * x[3] * (x[0] + x[1] + x[2]) + x[2];
  }
  template <class X, class T>
  void g(const X& x, T* g) const {
    g[0] = x[0] * x[1] * x[2] * x[3];
    g[1] = sq(x[0]) + sq(x[1]) + sq(x[2]) + sq(x[3]);
  }
};
struct Hs76 {
  template <class X>
  auto f(const X& x) const {
    return sq(x[0]) + 0.5 * sq(x[1]) + sq(x[2]) + 0.5 * sq(x[3]) - x[0] * x[2] + x[2] * x[3] - x[0] -
           3.0 * x[1] + x[2] - x[3];
  }
  template <class X, class T>
  void g(const X& x, T* g) const {
    g[0] = x[0] + 2.0 * x[1] + x[2] + x[3];
    g[1] = 3.0 * x[0] + x[1] + 2.0 * x[2] - x[3];
    g[2] = x[1] + 4.0 * x[2];
  }
};
struct Hs78 {
  template <class X>
  auto f(const X& x) const {
    return x[0] * x[1] * x[2] * x[3] * x[4];
  }
  template <class X, class T>
  void g(const X& x, T* g) const {
    g[0] = sq(x[0]) + sq(x[1]) + sq(x[2]) + sq(x[3]) + sq(x[4]) - 10.0;
    g[1] = x[1] * x[2] - 5.0 * x[3] * x[4];
    g[2] = x[0] * sq(x[0]) + x[1] * sq(x[1]) + 1.0;
  }
};
struct Hs100 {
  template <class X>
  auto f(const X& x) const {
    return sq(x[0] - 10.0) + 5.0 * sq(x[1] - 12.0) + sq(sq(x[2])) + 3.0 * sq(x[3] - 11.0) +
           10.0 * sq(x[4]) * sq(sq(x[4])) + 7.0 * sq(x[5]) + sq(sq(x[6])) - 4.0 * x[5] * x[6] - 10.0 * x[5] -
           8.0 * x[6];
  }
  template <class X, class T>
  void g(const X& x, T* g) const {
    g[0] = 127.0 - 2.0 * sq(x[0]) - 3.0 * sq(sq(x[1])) - x[2] - 4.0 * sq(x[3]) - 5.0 * x[4];
    g[1] = 282.0 - 7.0 * x[0] - 3.0 * x[1] - 10.0 * sq(x[2]) - x[3] + x[4];
    g[2] = 196.0 - 23.0 * x[0] - sq(x[1]) - 6.0 * sq(x[5]) + 8.0 * x[6];
    g[3] = -4.0 * sq(x[0]) - sq(x[1]) + 3.0 * x[0] * x[1] - 2.0 * sq(x[2]) - 5.0 * x[5] + 11.0 * x[6];
  }
};

}  // namespace hs

inline std::vector<PublishedProblem> published_problems() {
  using namespace hs;
  constexpr double inf = kInfinity;
  std::vector<PublishedProblem> all;
  const auto add = [&]<int N, class F>(const char* name, double optimum, DualProgram<N, F> p) {
    all.push_back({name, optimum, std::make_unique<DualProgram<N, F>>(p)});
  };
  add("HS6", 0.0, DualProgram<2, Hs6>({}, {-1.2, 1}, {{0, 0}}));
  add("HS7", -std::sqrt(3.0), DualProgram<2, Hs7>({}, {2, 2}, {{0, 0}}));
  add("HS28", 0.0, DualProgram<3, Hs28>({}, {-4, 1, 1}, {{0, 0}}));
  add("HS35", 1.0 / 9.0,
      DualProgram<3, Hs35>({}, {0.5, 0.5, 0.5}, {{-inf, 3}}, {{0, inf}, {0, inf}, {0, inf}}));
  add("HS38", 0.0,
      DualProgram<4, Hs38>({}, {-3, -1, -3, -1}, {}, {{-10, 10}, {-10, 10}, {-10, 10}, {-10, 10}}));
  add("HS39", -1.0, DualProgram<4, Hs39>({}, {2, 2, 2, 2}, {{0, 0}, {0, 0}}));
  add("HS40", -0.25, DualProgram<4, Hs40>({}, {0.8, 0.8, 0.8, 0.8}, {{0, 0}, {0, 0}, {0, 0}}));
  add("HS43", -44.0, DualProgram<4, Hs43>({}, {0, 0, 0, 0}, {{0, inf}, {0, inf}, {0, inf}}));
  add("HS71", 17.0140173,
      DualProgram<4, Hs71>({}, {1, 5, 5, 1}, {{25, inf}, {40, 40}}, {{1, 5}, {1, 5}, {1, 5}, {1, 5}}));
  add("HS76", -103.0 / 22.0,
      DualProgram<4, Hs76>({}, {0.5, 0.5, 0.5, 0.5}, {{-inf, 5}, {-inf, 4}, {1.5, inf}},
                           {{0, inf}, {0, inf}, {0, inf}, {0, inf}}));
  add("HS78", -2.91970041, DualProgram<5, Hs78>({}, {-2, 1.5, 2, -1, -1}, {{0, 0}, {0, 0}, {0, 0}}));
  add("HS100", 680.6300573,
      DualProgram<7, Hs100>({}, {1, 2, 0, 4, 0, 1, 1}, {{0, inf}, {0, inf}, {0, inf}, {0, inf}}));
  return all;
}

}  // namespace amble
