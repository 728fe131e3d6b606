# Sources compiled in batches read each header once per batch: a first build takes less processor time, a
# changed source costs its batch. Off (AMBLE_UNITY), because it is not safe yet: a name in the anonymous namespace of one
# source hides the same name of namespace amble in the sources after it, without a word from the compiler. A version
# number was replaced that way. Such names have to be made unique first.
#
# amble_unity(TARGET FOLDER [SIZE n] [ALONE a.cpp ...]): the target's sources, in FOLDER below an include path. ALONE names
# those that stay out of batches: they have names in common with others, or take long by themselves; so do sources with
# flags of their own. CMake's own UNITY_BUILD writes absolute paths, with which no other clone could use the compiler cache.
function(amble_unity TARGET FOLDER)
  cmake_parse_arguments(ARG "" "SIZE" "ALONE" ${ARGN})
  if(NOT AMBLE_UNITY)
    return()
  endif()
  if(NOT ARG_SIZE)
    set(ARG_SIZE 8)
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    # Types with parts in an anonymous namespace are still in one source, though that is no longer the main file.
    target_compile_options(${TARGET} PRIVATE -Wno-subobject-linkage)
  endif()
  get_target_property(sources ${TARGET} SOURCES)
  list(FILTER sources INCLUDE REGEX "^[^$/].*[.]cpp$")
  list(REMOVE_ITEM sources ${ARG_ALONE})
  set(text "")
  set(count 0)
  set(batch 0)
  foreach(source IN LISTS sources)
    get_source_file_property(flags ${source} COMPILE_OPTIONS)
    get_source_file_property(apart ${source} SKIP_PRECOMPILE_HEADERS)
    if(flags OR apart)
      continue()
    endif()
    set_source_files_properties(${source} PROPERTIES HEADER_FILE_ONLY ON)  # its batch is compiled instead
    string(APPEND text "#include \"${FOLDER}${source}\"\n")
    math(EXPR count "${count} + 1")
    if(count EQUAL ARG_SIZE)
      amble_unity_batch()
    endif()
  endforeach()
  if(count)
    amble_unity_batch()
  endif()
endfunction()

macro(amble_unity_batch)
  set(file ${CMAKE_CURRENT_BINARY_DIR}/${TARGET}_${batch}.cpp)
  file(CONFIGURE OUTPUT ${file} CONTENT "${text}" @ONLY)
  target_sources(${TARGET} PRIVATE ${file})
  math(EXPR batch "${batch} + 1")
  set(count 0)
  set(text "")
endmacro()
