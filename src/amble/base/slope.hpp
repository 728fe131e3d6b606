#pragma once

namespace amble {

/// f'(0) by central differences of order eight: what is cut off is 2e-3 (step w)^8 of f' for an f that swings with
/// frequency w, and rounding adds f's own over the step. The default suits mechanisms, whose fastest joints turn about
/// ten times as fast as their coordinate: 1e-12.
template <class F>
auto slope_at_zero(F f, double step = 2e-3) {
  constexpr double kWeights[] = {4.0 / 5.0, -1.0 / 5.0, 4.0 / 105.0, -1.0 / 280.0};
  auto slope = f(step);
  slope *= 0.0;
  for (int i = 0; i < 4; ++i) slope += kWeights[i] / step * (f((i + 1) * step) - f(-(i + 1) * step));
  return slope;
}

}  // namespace amble
