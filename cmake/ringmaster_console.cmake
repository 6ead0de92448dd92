# The web console: built by npm from console/, and embedded in the binary.

set(RINGMASTER_CONSOLE AUTO CACHE STRING "Web console in the binary: ON, OFF, or AUTO: where node 18 and npm are installed")
set_property(CACHE RINGMASTER_CONSOLE PROPERTY STRINGS AUTO ON OFF)

# Sets `result` to the source with the console's files, and adds the commands that make it.
function(add_console result)
  set(${result} "${PROJECT_SOURCE_DIR}/apps/server/no_console.cpp" PARENT_SCOPE)
  if(NOT RINGMASTER_CONSOLE STREQUAL "AUTO" AND NOT RINGMASTER_CONSOLE)
    return()
  endif()
  find_program(NODE_PROGRAM node)
  find_program(NPM_PROGRAM npm)
  set(version "0")
  if(NODE_PROGRAM AND NPM_PROGRAM)
    execute_process(COMMAND "${NODE_PROGRAM}" --version OUTPUT_VARIABLE version OUTPUT_STRIP_TRAILING_WHITESPACE)
    string(REGEX REPLACE "^v" "" version "${version}")
  endif()
  if(version VERSION_LESS 18)
    if(RINGMASTER_CONSOLE STREQUAL "AUTO")
      message(STATUS "no node 18 and npm: the binary has no web console")
      return()
    endif()
    message(FATAL_ERROR "RINGMASTER_CONSOLE=ON needs node 18 and npm (scripts/deps.sh --build installs them)")
  endif()

  set(folder "${PROJECT_SOURCE_DIR}/console")
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${folder}/src/*" "${folder}/public/*" "${folder}/types/*" "${folder}/scripts/*")
  list(APPEND sources "${folder}/index.html" "${folder}/vite.config.ts" "${folder}/tsconfig.json")
  set(dist "${CMAKE_CURRENT_BINARY_DIR}/console")
  set(output "${CMAKE_CURRENT_BINARY_DIR}/console_files.cpp")
  string(TOLOWER "${RINGMASTER_CONSOLE}" mode)
  add_custom_command(OUTPUT "${output}"
    COMMAND "${PROJECT_SOURCE_DIR}/scripts/build_console.sh" ${mode} "${folder}" "${dist}" "${output}"
    DEPENDS ${sources} "${folder}/package.json" "${folder}/package-lock.json" "${folder}/.npmrc" "${PROJECT_SOURCE_DIR}/scripts/build_console.sh"
      "${PROJECT_SOURCE_DIR}/scripts/embed_console.mjs"
    VERBATIM COMMENT "Building the web console")
  set(${result} "${output}" PARENT_SCOPE)
endfunction()
