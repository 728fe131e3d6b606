# What is installed, in the parts that packages are made of: `program`, `library`, `development` and `python`.
install(TARGETS amble EXPORT amble
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library NAMELINK_COMPONENT development)
install(TARGETS amble-mesh amble-mesh-module
        RUNTIME DESTINATION ${CMAKE_INSTALL_LIBDIR}/amble COMPONENT library
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/amble COMPONENT library)
if(AMBLE_BUILD_COMMANDS)
  get_property(modules GLOBAL PROPERTY AMBLE_MODULES)
  install(TARGETS amble-cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)
  get_property(help_text GLOBAL PROPERTY AMBLE_HELP_TEXT)
  install(FILES ${help_text} DESTINATION ${CMAKE_INSTALL_LIBDIR}/amble COMPONENT program)
  install(TARGETS ${modules} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/amble COMPONENT program)
endif()

include(CMakePackageConfigHelpers)
set(config ${PROJECT_BINARY_DIR}/cmake)
set(config_folder ${CMAKE_INSTALL_LIBDIR}/cmake/amble)
configure_package_config_file(cmake/ambleConfig.cmake.in ${config}/ambleConfig.cmake INSTALL_DESTINATION ${config_folder})
write_basic_package_version_file(${config}/ambleConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${config}/ambleConfig.cmake ${config}/ambleConfigVersion.cmake DESTINATION ${config_folder} COMPONENT development)
install(EXPORT amble NAMESPACE amble:: FILE ambleTargets.cmake DESTINATION ${config_folder} COMPONENT development)
configure_file(cmake/install_headers.cmake.in ${config}/install_headers.cmake @ONLY)
install(SCRIPT ${config}/install_headers.cmake COMPONENT development)
