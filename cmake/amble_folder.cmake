# amble_folder(NAME SOURCES a.cpp ... [TESTS test/a_test.cpp ...] [USES library ...] [TEST_USES library ...])
#
# A folder of the library is one object library, amble_NAME, and, with AMBLE_TESTS, one test program, amble_NAME_test.
# USES names libraries that this folder and its tests see, TEST_USES those of the tests alone.
function(amble_folder NAME)
  cmake_parse_arguments(ARG "" "" "SOURCES;TESTS;USES;TEST_USES" ${ARGN})
  add_library(amble_${NAME} OBJECT ${ARG_SOURCES})
  target_include_directories(amble_${NAME} PUBLIC ${PROJECT_SOURCE_DIR}/src ${PROJECT_BINARY_DIR}/include)
  target_link_libraries(amble_${NAME} PUBLIC Eigen3::Eigen PRIVATE fmt::fmt ${ARG_USES})
  set_property(GLOBAL APPEND PROPERTY AMBLE_FOLDERS amble_${NAME})
  set_property(GLOBAL APPEND PROPERTY AMBLE_USES ${ARG_USES})
  if(AMBLE_TESTS AND ARG_TESTS)
    find_package(GTest REQUIRED)
    include(GoogleTest)
    add_executable(amble_${NAME}_test ${ARG_TESTS})
    target_link_libraries(amble_${NAME}_test PRIVATE amble fmt::fmt ${ARG_USES} ${ARG_TEST_USES} GTest::gtest GTest::gtest_main)
    target_compile_options(amble_${NAME}_test PRIVATE -O1)  # quick to compile; the library itself is as users run it
    target_compile_definitions(amble_${NAME}_test PRIVATE AMBLE_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
    gtest_discover_tests(amble_${NAME}_test TEST_PREFIX ${NAME}/ PROPERTIES LABELS ${NAME} DISCOVERY_TIMEOUT 60)
  endif()
endfunction()
