# MuJoCo by its header and library: Debian's own CMake files ask for OpenGL, which reading models does not need.
find_path(MUJOCO_INCLUDE_DIR mujoco/mujoco.h REQUIRED)
find_library(MUJOCO_LIBRARY mujoco REQUIRED)
add_library(mujoco::mujoco SHARED IMPORTED)
set_target_properties(mujoco::mujoco PROPERTIES IMPORTED_LOCATION ${MUJOCO_LIBRARY})
file(STRINGS ${MUJOCO_INCLUDE_DIR}/mujoco/mujoco.h version_line REGEX "define mjVERSION_HEADER")
string(REGEX REPLACE ".*mjVERSION_HEADER ([0-9])([0-9])([0-9]).*" "\\1.\\2.\\3" mujoco_VERSION "${version_line}")
