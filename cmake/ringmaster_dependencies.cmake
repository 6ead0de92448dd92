# Third-party libraries. All are Debian packages except CAF, which scripts/deps.sh builds once into a per-user cache.
find_package(Threads REQUIRED)
# A build folder remembers the path of CAF; another CAF_ROOT overrides it.
if(CAF_ROOT AND CAF_DIR)
  cmake_path(IS_PREFIX CAF_ROOT "${CAF_DIR}" caf_is_there)
  if(NOT caf_is_there)
    unset(CAF_DIR CACHE)
  endif()
endif()
find_package(CAF 0.18.7 REQUIRED COMPONENTS core io)
find_package(Boost 1.81 REQUIRED)
find_package(SQLite3 REQUIRED)
find_package(CURL 7.85 REQUIRED)
find_package(ZLIB REQUIRED)
find_package(OpenSSL 3.0 REQUIRED COMPONENTS Crypto SSL)
find_package(nlohmann_json 3.11 REQUIRED)
find_package(spdlog REQUIRED)
find_package(CLI11 REQUIRED)
find_package(tl-expected REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(TOMLPLUSPLUS REQUIRED IMPORTED_TARGET tomlplusplus)
# For the import of files of ElasticJob (docs/adr/0038).
pkg_check_modules(PUGIXML REQUIRED IMPORTED_TARGET pugixml)
pkg_check_modules(YAMLCPP REQUIRED IMPORTED_TARGET yaml-cpp)
pkg_check_modules(ARGON2 REQUIRED IMPORTED_TARGET libargon2)
# Both have the calls that are used (docs/adr/0016).
pkg_search_module(MYSQL REQUIRED IMPORTED_TARGET libmariadb mysqlclient)

# CAF's own headers are not compiled with our warnings.
foreach(component core io)
  get_target_property(caf_includes CAF::${component} INTERFACE_INCLUDE_DIRECTORIES)
  set_target_properties(CAF::${component} PROPERTIES INTERFACE_SYSTEM_INCLUDE_DIRECTORIES "${caf_includes}")
endforeach()
