# Libraries that `amble bench` compares with when they are there, by header and library: their own CMake files ask for
# much that this does not need.
function(find_peer NAME HEADER SUFFIX)
  find_path(${NAME}_INCLUDE_DIR ${HEADER} PATH_SUFFIXES ${SUFFIX})
  set(libraries "")
  foreach(library IN LISTS ARGN)
    find_library(${NAME}_${library}_LIBRARY ${library})
    list(APPEND libraries ${${NAME}_${library}_LIBRARY})
  endforeach()
  if(${NAME}_INCLUDE_DIR AND NOT "${libraries}" MATCHES NOTFOUND)
    message(STATUS "Benchmark peer ${NAME}: found")
    add_library(peer::${NAME} INTERFACE IMPORTED GLOBAL)
    target_include_directories(peer::${NAME} SYSTEM INTERFACE ${${NAME}_INCLUDE_DIR})
    target_link_libraries(peer::${NAME} INTERFACE ${libraries})
  endif()
endfunction()

find_peer(dart dart/dynamics/Skeleton.hpp "" dart)
find_peer(mujoco mujoco/mujoco.h "" mujoco)  # Debian's own files ask for OpenGL too
find_peer(ode ode/ode.h "" ode)
find_peer(simbody Simbody.h simbody SimTKsimbody SimTKmath SimTKcommon)
