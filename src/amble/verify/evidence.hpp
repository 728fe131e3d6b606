#pragma once

#include "amble/mechanism/random_mechanism.hpp"
#include "amble/verify/verify.hpp"

// What the entries of an area are made of.
namespace amble {

/// |ours - reference| / (1 + |reference|), Frobenius norms: not a number as soon as anything is not.
double relative_error(const Eigen::MatrixXd& ours, const Eigen::MatrixXd& reference);

/// The largest of error(0) .. error(seeds - 1): not a number as soon as one of them is.
double worst_error(int seeds, const std::function<double(std::uint64_t)>& error);

/// Identity and source of an entry, known before it is run.
struct Claim {
  std::string id, source, kind;
  double tolerance = 0.0;
};

/// One number against one number.
VerificationEntry number_entry(const Claim& claim, double reference, const std::function<double()>& ours);
/// worst_error(), which should be zero.
VerificationEntry worst_entry(const Claim& claim, int seeds, const std::function<double(std::uint64_t)>& error);

/// A mechanism in motion.
struct Motion {
  Mechanism m;
  OwnedVector q;
  Eigen::VectorXd v, a;
};

/// A velocity and an acceleration drawn from the seed.
Motion in_motion(const Mechanism& m, const OwnedVector& q, std::uint64_t seed);
Motion random_motion(std::uint64_t seed, const RandomMechanismOptions& options);
/// Of 1 to `most_bodies` bodies: every joint type but custom, trees with one root or two, in every third mechanism
/// joints that follow others.
Motion random_motion(std::uint64_t seed, int most_bodies = 60);
/// One tree whose first joint is of type `root` and has no drive.
Motion rooted_motion(std::uint64_t seed, const std::string& root, int most_bodies = 30);
/// One tree whose root floats: the first joint is free and has no drive.
Motion floating_motion(std::uint64_t seed, int most_bodies = 30);

}  // namespace amble
