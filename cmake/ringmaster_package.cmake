# Debian packages that `cpack` makes of a build (scripts/package.sh): ringmaster, ringmaster-dbgsym, ringmaster-sdk.
# A package needs more than `cmake --install` provides: a configuration file, and for the SDK the CAF that it was built with.
install(FILES packaging/debian/ringmaster.toml DESTINATION /etc/ringmaster COMPONENT server_package EXCLUDE_FROM_ALL)
install(DIRECTORY DESTINATION /etc/ringmaster/jobs.d COMPONENT server_package EXCLUDE_FROM_ALL)
foreach(package ringmaster ringmaster-dbgsym ringmaster-sdk)
  string(REPLACE "ringmaster-dbgsym" "debug" component "${package}")
  string(REPLACE "ringmaster-sdk" "sdk" component "${component}")
  string(REPLACE "ringmaster" "server" component "${component}")
  install(FILES packaging/debian/copyright DESTINATION share/doc/${package} COMPONENT ${component}_package EXCLUDE_FROM_ALL)
endforeach()

# CAF's prefix as scripts/deps.sh makes it; the folder of its CMake package is lib/cmake/CAF.
cmake_path(SET caf_prefix NORMALIZE "${CAF_DIR}/../../..")
if(NOT caf_prefix MATCHES "^/usr(/local)?/?$") # otherwise it is installed on the target, too
  foreach(folder include lib)
    install(DIRECTORY "${caf_prefix}/${folder}" DESTINATION lib/ringmaster-sdk/caf COMPONENT sdk_package EXCLUDE_FROM_ALL)
  endforeach()
endif()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME ringmaster)
set(CPACK_PACKAGE_VENDOR "Ringmaster contributors")
set(CPACK_PACKAGE_CONTACT "Ringmaster contributors <contributors@ringmaster.invalid>")
set(CPACK_PACKAGE_VERSION "${PROJECT_VERSION}")
set(CPACK_PACKAGE_DIRECTORY "${PROJECT_BINARY_DIR}/packages")
set(CPACK_SET_DESTDIR ON)
set(CPACK_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES OFF) # install_program() does it
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING ONE_PER_GROUP)
set(CPACK_COMPONENTS_ALL server server_package debug debug_package sdk sdk_package)
foreach(group server debug sdk)
  string(TOUPPER ${group} name)
  set(CPACK_COMPONENT_${name}_GROUP ${group})
  set(CPACK_COMPONENT_${name}_PACKAGE_GROUP ${group})
endforeach()

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SECTION admin)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

set(CPACK_DEBIAN_SERVER_PACKAGE_NAME ringmaster)
set(CPACK_DEBIAN_SERVER_DESCRIPTION "Distributed job scheduler, drop-in for the XXL-JOB admin
 Ringmaster plans jobs and sends them to executors that speak XXL-JOB's HTTP protocol. It stores them in SQLite, MySQL or MariaDB.")
# dpkg-shlibdeps names the libraries with their lowest versions.
set(CPACK_DEBIAN_SERVER_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_SERVER_PACKAGE_DEPENDS "init-system-helpers, systemd | systemd-standalone-sysusers, systemd | systemd-standalone-tmpfiles, tzdata")
set(CPACK_DEBIAN_SERVER_PACKAGE_RECOMMENDS "ca-certificates")
set(CPACK_DEBIAN_SERVER_PACKAGE_SUGGESTS "mariadb-server | default-mysql-server")
set(debian "${PROJECT_SOURCE_DIR}/packaging/debian")
set(CPACK_DEBIAN_SERVER_PACKAGE_CONTROL_EXTRA "${debian}/conffiles;${debian}/postinst;${debian}/prerm;${debian}/postrm")

set(CPACK_DEBIAN_DEBUG_PACKAGE_NAME ringmaster-dbgsym)
set(CPACK_DEBIAN_DEBUG_PACKAGE_SECTION debug)
set(CPACK_DEBIAN_DEBUG_DESCRIPTION "Debug symbols of ringmaster")
set(CPACK_DEBIAN_DEBUG_PACKAGE_DEPENDS "ringmaster (= ${PROJECT_VERSION}-1)")

set(CPACK_DEBIAN_SDK_PACKAGE_NAME ringmaster-sdk)
set(CPACK_DEBIAN_SDK_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_SDK_DESCRIPTION "C++ library for programs that run Ringmaster's or XXL-JOB's jobs
 Headers, static libraries and the CMake package ringmaster, with the C++ Actor Framework that they were built with.")
set(CPACK_DEBIAN_SDK_PACKAGE_DEPENDS "libcurl4-openssl-dev, libexpected-dev, libspdlog-dev, libssl-dev")
set(CPACK_DEBIAN_SDK_PACKAGE_RECOMMENDS "cmake, g++")
include(CPack)
