# amble_folder(NAME [LIGHT] [APART] [UNBATCHED] SOURCES a.cpp ... [NOT_FUZZED b.cpp ...] [TESTS test/a_test.cpp ...] [ALONE a.cpp ...]
#              [LONG Suite.Test*] [USES library ...] [TEST_USES library ...])
#
# LIGHT folders have no inner loops and are compiled quickly instead of for speed (docs/install.md, "By hand").
# A folder that is APART is no part of libamble: what needs it links its objects, amble_NAME.
# A folder of the library is one object library, amble_NAME, and, with AMBLE_BUILD_TESTS, one test program, amble_NAME_test.
# NOT_FUZZED are further sources, which no fuzz target comes to: fuzzing does without them, and is built sooner.
# ALONE names sources that stay out of batches (cmake/unity.cmake); of an UNBATCHED folder all do: its files share too many names.
# USES names libraries that this folder and its tests see, TEST_USES those of the tests alone. The tests that LONG matches
# get the label `long`: they run when asked for (`amble test --long`).
function(amble_folder NAME)
  cmake_parse_arguments(ARG "LIGHT;APART;UNBATCHED" "LONG" "SOURCES;NOT_FUZZED;TESTS;ALONE;USES;TEST_USES" ${ARGN})
  if(NOT AMBLE_BUILD_FUZZ)
    list(APPEND ARG_SOURCES ${ARG_NOT_FUZZED})
  endif()
  add_library(amble_${NAME} OBJECT ${ARG_SOURCES})
  if(NOT ARG_UNBATCHED)
    amble_unity(amble_${NAME} amble/${NAME}/ ALONE ${ARG_ALONE})
  endif()
  target_include_directories(amble_${NAME} PUBLIC ${PROJECT_SOURCE_DIR}/src ${PROJECT_BINARY_DIR}/include)
  target_link_libraries(amble_${NAME} PUBLIC Eigen3::Eigen PRIVATE fmt::fmt ${ARG_USES})
  if(ARG_LIGHT)
    target_compile_options(amble_${NAME} PRIVATE ${AMBLE_LIGHT_FLAGS})
    amble_use_pch(amble_${NAME} amble_pch_light)
    set(kind LIGHT_FOLDERS)
  else()
    amble_use_pch(amble_${NAME} amble_pch)
    set(kind FOLDERS)
  endif()
  if(ARG_APART)
    set(apart amble_${NAME})
  else()
    set_property(GLOBAL APPEND PROPERTY AMBLE_${kind} amble_${NAME})
    set_property(GLOBAL APPEND PROPERTY AMBLE_USES ${ARG_USES})
  endif()
  if(AMBLE_BUILD_TESTS AND ARG_TESTS)
    find_package(GTest REQUIRED)
    include(GoogleTest)
    add_executable(amble_${NAME}_test ${ARG_TESTS})
    target_link_libraries(amble_${NAME}_test PRIVATE ${apart} amble fmt::fmt ${ARG_USES} ${ARG_TEST_USES} amble_source_dir
                          GTest::gtest GTest::gtest_main)
    target_compile_options(amble_${NAME}_test PRIVATE ${AMBLE_LIGHT_FLAGS})  # the library itself is as users run it
    amble_use_pch(amble_${NAME}_test amble_pch_test)
    set(discover amble_${NAME}_test TEST_PREFIX ${NAME}/ DISCOVERY_TIMEOUT 60)
    if(ARG_LONG)
      gtest_discover_tests(${discover} TEST_FILTER -${ARG_LONG} PROPERTIES LABELS ${NAME})
      gtest_discover_tests(${discover} TEST_FILTER ${ARG_LONG} PROPERTIES LABELS long TIMEOUT 7200)
    else()
      gtest_discover_tests(${discover} PROPERTIES LABELS ${NAME})
    endif()
  endif()
endfunction()
