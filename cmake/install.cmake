# What "make install" puts under the prefix: program, library, headers, manual page, tenon.pc and the CMake package.
# The pkg-config file and the CMake package find themselves, so the tree may be installed under any prefix.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(TARGETS tenon_program)
install(TARGETS tenon_shell LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/tenon)
if(TARGET tenon_fmu)
  install(TARGETS tenon_fmu LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/tenon)
  install(FILES ${PROJECT_BINARY_DIR}/tenon_fmu_sources.zip DESTINATION ${CMAKE_INSTALL_LIBDIR}/tenon)
endif()
install(TARGETS tenon EXPORT tenonTargets)
install(DIRECTORY include/tenon DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY examples/ DESTINATION ${CMAKE_INSTALL_DATADIR}/tenon/examples FILES_MATCHING PATTERN "*.yaml" PATTERN "*.yaml.studio"
        PATTERN "component_from_scratch/*")
install(FILES docs/man/tenon.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
if(TARGET tenon_cad)
  install(FILES docs/man/tenon-cad.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
endif()
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES cmake/desktop/tenon.desktop DESTINATION ${CMAKE_INSTALL_DATADIR}/applications)
install(FILES cmake/desktop/tenon.xml DESTINATION ${CMAKE_INSTALL_DATADIR}/mime/packages)

# Completion for shells, by the program itself.
set(completions "bash bash-completion/completions/tenon;zsh zsh/site-functions/_tenon;fish fish/vendor_completions.d/tenon.fish")
foreach(item ${completions})
  string(REPLACE " " ";" item ${item})
  list(GET item 0 shell)
  list(GET item 1 place)
  get_filename_component(folder ${place} DIRECTORY)
  install(CODE "set(folder \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DATADIR}/${folder}\")
    file(MAKE_DIRECTORY \"\${folder}\")
    get_filename_component(name ${place} NAME)
    execute_process(COMMAND $<TARGET_FILE:tenon_program> completion ${shell} OUTPUT_FILE \"\${folder}/\${name}\"
                    COMMAND_ERROR_IS_FATAL ANY)")
endforeach()

# Notices of what is linked and bundled, and the bill of materials: by the packages of a Debian system.
find_program(DPKG_PROGRAM dpkg)
find_package(Python3 COMPONENTS Interpreter)
if(DPKG_PROGRAM AND Python3_FOUND AND NOT TENON_SANITIZE)
  install(CODE "execute_process(COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tools/notices.py
                $<TARGET_FILE:tenon_program> ${PROJECT_BINARY_DIR}/web ${PROJECT_SOURCE_DIR}/web
                \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DOCDIR}\" COMMAND_ERROR_IS_FATAL ANY)")
endif()

# Users of a static library link what it needs themselves; users of a shared one do not.
list(TRANSFORM TENON_LIBRARY_NAMES PREPEND " -l" OUTPUT_VARIABLE pc_libs)
list(JOIN pc_libs "" pc_libs)
if(BUILD_SHARED_LIBS)
  set(TENON_PC_LIBS_PRIVATE "${pc_libs}")
else()
  set(TENON_PC_LIBS "${pc_libs}")
endif()
string(REGEX REPLACE "[^/]+" ".." TENON_PC_TO_PREFIX ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
configure_file(cmake/tenon.pc.in tenon.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/tenon.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/tenon)
configure_package_config_file(cmake/tenonConfig.cmake.in tenonConfig.cmake INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(tenonConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/tenonConfig.cmake ${PROJECT_BINARY_DIR}/tenonConfigVersion.cmake
        DESTINATION ${package_folder})
install(EXPORT tenonTargets NAMESPACE tenon:: DESTINATION ${package_folder})
