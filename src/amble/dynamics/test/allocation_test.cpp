#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <functional>

#include "amble/dynamics/dynamics.hpp"
#include "amble/dynamics/kinematics.hpp"
#include "amble/mechanism/random_mechanism.hpp"

// Nothing allocates once a Workspace is there. The allocator itself is replaced and counts; sanitizers bring one of
// their own, so this test is not part of their build.
#if !defined(__SANITIZE_ADDRESS__)

namespace {
std::atomic<long> allocations{0};
}

extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);

void* malloc(std::size_t size) {
  ++allocations;
  return __libc_malloc(size);
}
void* calloc(std::size_t count, std::size_t size) {
  ++allocations;
  return __libc_calloc(count, size);
}
void* realloc(void* p, std::size_t size) {
  ++allocations;
  return __libc_realloc(p, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
  ++allocations;
  return __libc_memalign(alignment, size);
}
}

namespace amble {
namespace {

long allocations_of(const std::function<void()>& f) {
  f();  // what happens once, happens now
  const long before = allocations;
  f();
  return allocations - before;
}

TEST(Allocation, TheCounterCounts) {
  EXPECT_GT(allocations_of([] { delete new std::string(1000, 'x'); }), 0);
  EXPECT_GT(allocations_of([] { Eigen::VectorXd x(1000); }), 0);
}

TEST(Allocation, NoFunctionAllocatesAfterTheWorkspaceIsMade) {
  for (double mimic : {0.0, 0.5}) {
    const RandomMechanism r = random_mechanism(3, {.bodies = 40, .mimic = mimic});
    const Mechanism& m = r.mechanism;
    Workspace work(m);
    const Eigen::VectorXd v = Eigen::VectorXd::Ones(m.nv()), a = 2.0 * v;
    const std::vector<ExternalWrench> external{{5, Wrench<double>({1, 2, 3}, {4, 5, 6})}};
    const std::vector<std::pair<const char*, std::function<void()>>> functions{
        {"forward_kinematics", [&] { forward_kinematics(m, work, r.q); }},
        {"pose", [&] { pose(m, work, r.q, "body39"); }},
        {"jacobian", [&] { jacobian(m, work, r.q, "body39"); }},
        {"inverse_dynamics", [&] { inverse_dynamics(m, work, r.q, v, a, external); }},
        {"forward_dynamics", [&] { forward_dynamics(m, work, r.q, v, a, external); }},
        {"mass_matrix", [&] { mass_matrix(m, work, r.q); }},
        {"bias_forces", [&] { bias_forces(m, work, r.q, v); }},
        {"gravity_forces", [&] { gravity_forces(m, work, r.q); }},
    };
    for (const auto& [name, f] : functions) EXPECT_EQ(allocations_of(f), 0) << name << ", mimic " << mimic;
  }
}

}  // namespace
}  // namespace amble

#endif
