# Sanitizers over everything that we compile (`./amble test --sanitize KIND`; clang only, see CMakePresets.json). The
# runtime is a shared library, so that Python can load the instrumented package; tests/sanitizers/ has what is passed over.
if(NOT CMAKE_CXX_COMPILER_ID MATCHES Clang)
  message(FATAL_ERROR "AMBLE_SANITIZE needs clang: use one of the presets sanitize-address, -undefined, -thread")
endif()
add_compile_options(-fsanitize=${AMBLE_SANITIZE} -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
add_link_options(-fsanitize=${AMBLE_SANITIZE})
if(NOT AMBLE_BUILD_FUZZ)
  set(runtime ${AMBLE_SANITIZE})
  if(runtime STREQUAL undefined)
    set(runtime ubsan_standalone)
  endif()
  string(REPLACE address asan runtime ${runtime})
  string(REPLACE thread tsan runtime ${runtime})
  execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=libclang_rt.${runtime}-${CMAKE_SYSTEM_PROCESSOR}.so
                  OUTPUT_VARIABLE AMBLE_SANITIZER_RUNTIME OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  get_filename_component(runtime_dir ${AMBLE_SANITIZER_RUNTIME} DIRECTORY)
  add_link_options(-shared-libsan -Wl,-rpath,${runtime_dir})
endif()
