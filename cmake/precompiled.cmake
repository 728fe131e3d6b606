# The headers of others that most files read, compiled once. Sources keep their includes: AMBLE_PRECOMPILED=OFF builds
# without, which shows an include that is missing.
#
# g++ takes a precompiled header only under the flags it was made with, so there is one for each set of flags:
# amble_pch (the library), amble_pch_light (folders without inner loops), amble_pch_test (tests).
set(AMBLE_STD_HEADERS <algorithm> <array> <cmath> <cstdint> <functional> <limits> <map> <memory> <optional> <set> <span>
    <string> <string_view> <utility> <variant> <vector>)
set(AMBLE_LIBRARY_HEADERS ${AMBLE_STD_HEADERS} <Eigen/Dense> <fmt/format.h>)
set(AMBLE_DECOMPOSITIONS <amble/base/decompositions.hpp>)
# What is not compiled for its speed: commands, tests, readers, reports. It takes a third of the time.
set(AMBLE_LIGHT_FLAGS $<$<CONFIG:Release>:-O1>)

# PROGRAM: for sources of programs, which are compiled as position-independent executables, not libraries.
function(amble_pch NAME)
  cmake_parse_arguments(ARG "PROGRAM" "" "HEADERS;USES;FLAGS" ${ARGN})
  if(NOT AMBLE_PRECOMPILED)
    return()
  endif()
  file(GENERATE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/${NAME}.cpp CONTENT "int main() {}\n")
  if(ARG_PROGRAM)
    add_executable(${NAME} ${CMAKE_CURRENT_BINARY_DIR}/${NAME}.cpp)
  else()
    add_library(${NAME} OBJECT ${CMAKE_CURRENT_BINARY_DIR}/${NAME}.cpp)
  endif()
  target_include_directories(${NAME} PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(${NAME} PRIVATE Eigen3::Eigen fmt::fmt ${ARG_USES})
  target_compile_options(${NAME} PRIVATE ${ARG_FLAGS})
  target_precompile_headers(${NAME} PRIVATE ${ARG_HEADERS})
endfunction()

# Files with flags of their own, as kernels have, or that a header of the list would disturb.
function(amble_without_pch)
  set_source_files_properties(${ARGN} PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
endfunction()

function(amble_use_pch TARGET FROM)
  if(AMBLE_PRECOMPILED)
    target_precompile_headers(${TARGET} REUSE_FROM ${FROM})
  endif()
endfunction()
