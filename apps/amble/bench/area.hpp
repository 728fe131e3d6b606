#pragma once

#include <string>
#include <vector>

#include "bench/subject.hpp"
#include "bench/task.hpp"

namespace amble::bench {

/// A field of the library that is measured: what there is to time for a robot, peers included.
struct Area {
  const char* name;
  std::vector<Task> (*tasks)(const Subject& subject, Notes& notes);
};

/// The area of that name, or all when it is empty; an Error otherwise.
std::vector<Area> areas(const std::string& wanted);

std::vector<Task> dynamics_tasks(const Subject& subject, Notes& notes);
std::vector<Task> constraint_tasks(const Subject& subject, Notes& notes);
std::vector<Task> simulation_tasks(const Subject& subject, Notes& notes);
std::vector<Task> contact_tasks(const Subject& subject, Notes& notes);
std::vector<Task> gait_tasks(const Subject& subject, Notes& notes);
std::vector<Task> control_tasks(const Subject& subject, Notes& notes);
std::vector<Task> geometry_tasks(const Subject& subject, Notes& notes);

}  // namespace amble::bench
