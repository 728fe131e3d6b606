#include "records.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <thread>

namespace amble::python {

namespace {

std::atomic<int> thread_limit{0};

/// Below this many rows a thread costs more than it brings.
constexpr std::ptrdiff_t kFewestRows = 256;

/// Rows [begin, end); returns what went wrong, if anything.
std::exception_ptr run(const std::function<Worker()>& new_worker, std::ptrdiff_t begin, std::ptrdiff_t end,
                       const Extents& leading) noexcept {
  std::ptrdiff_t i = begin;
  try {
    const Worker worker = new_worker();
    for (; i < end; ++i) worker(i);
  } catch (const Error& e) {
    if (leading.empty()) return std::current_exception();
    return std::make_exception_ptr(Error(fmt::format("{}: {}", row_name(leading, i), e.what())));
  } catch (...) {
    return std::current_exception();
  }
  return nullptr;
}

void rethrow_first(const std::vector<std::exception_ptr>& problems) {
  for (const std::exception_ptr& p : problems)
    if (p) std::rethrow_exception(p);
}

}  // namespace

std::string row_name(const Extents& leading, std::ptrdiff_t row) {
  return leading.size() == 1 ? fmt::format("row {}", row) : "row " + index_text(leading, row);
}

int threads() {
  const int limit = thread_limit;
  return limit > 0 ? limit : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

void set_threads(int count) {
  if (count < 0)
    throw Error(fmt::format("count is {}: expected a number of threads, or 0 for one per core", count));
  thread_limit = count;
}

void for_each_row(const Extents& leading, const std::function<Worker()>& new_worker) {
  for_each_row(leading, new_worker, kFewestRows);
}

void for_each_row(const Extents& leading, const std::function<Worker()>& new_worker, std::ptrdiff_t fewest_rows) {
  const std::ptrdiff_t count = product(leading);
  const std::ptrdiff_t parts = std::clamp<std::ptrdiff_t>(count / fewest_rows, 1, threads());
  std::vector<std::exception_ptr> problems(parts);
  const auto part = [&](std::ptrdiff_t k) {
    problems[k] = run(new_worker, count * k / parts, count * (k + 1) / parts, leading);
  };
  {
    std::vector<std::jthread> others;
    for (std::ptrdiff_t k = 1; k < parts; ++k) others.emplace_back(part, k);
    part(0);
  }
  rethrow_first(problems);
}

}  // namespace amble::python
