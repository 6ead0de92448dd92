# add_module(NAME SOURCES … DEPS … [CAF]): adds one folder as one static library with one namespace.
# CAF: the module includes <caf/all.hpp> and shares the one precompiled header. Without SOURCES the module is header-only.
function(add_module name)
  cmake_parse_arguments(arg "CAF" "" "SOURCES;DEPS;PRIVATE_DEPS" ${ARGN})
  if(NOT arg_SOURCES)
    add_header_module(${name})
    return()
  endif()
  add_library(${name} STATIC ${arg_SOURCES})
  add_library(ringmaster::${name} ALIAS ${name})
  target_include_directories(${name} PUBLIC "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>"
    "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/ringmaster>")
  # Installed libraries are linked by programs with other flags; this feature tells them the C++ version of the headers.
  target_compile_features(${name} PUBLIC cxx_std_20)
  target_link_libraries(${name} PUBLIC ${arg_DEPS} PRIVATE $<BUILD_INTERFACE:ringmaster_compiler> ${arg_PRIVATE_DEPS})
  if(arg_CAF)
    use_caf(${name})
  endif()
  unite_rooms(${name})
endfunction()

# Unity builds: each room is one unit, so that a name in an anonymous namespace must be unique in its room, not in its target.
function(unite_rooms target)
  if(NOT CMAKE_UNITY_BUILD)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD_MODE GROUP)
  get_target_property(sources ${target} SOURCES)
  foreach(source IN LISTS sources)
    if(NOT IS_ABSOLUTE "${source}")
      get_filename_component(room "${source}" DIRECTORY)
      string(REPLACE "/" "_" room "${target}_${room}")
      set_source_files_properties("${source}" PROPERTIES UNITY_GROUP "${room}")
    endif()
  endforeach()
endfunction()

function(add_header_module name)
  add_library(${name} INTERFACE)
  add_library(ringmaster::${name} ALIAS ${name})
  target_include_directories(${name} INTERFACE "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>")
endfunction()

# Links CAF, with one precompiled header for all targets that use it.
function(use_caf target)
  if(NOT TARGET caf_pch)
    file(WRITE "${PROJECT_BINARY_DIR}/caf_pch.cpp" "// Carries the precompiled header.\n")
    add_library(caf_pch STATIC "${PROJECT_BINARY_DIR}/caf_pch.cpp")
    target_link_libraries(caf_pch PUBLIC CAF::core PRIVATE ringmaster_compiler)
    target_precompile_headers(caf_pch PRIVATE <caf/all.hpp>)
    # The bytes of a precompiled header differ each time it is compiled. ccache compares this text instead.
    file(WRITE "${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/caf_pch.dir/cmake_pch.hxx.gch.sum"
         "${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}, CAF ${CAF_VERSION}\n")
  endif()
  target_link_libraries(${target} PUBLIC CAF::core)
  # g++ 12 mistakes CAF's reference counts for a use after free when it inlines them into our code, system headers or not. The
  # sanitizers of preset ci find real ones.
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-use-after-free>)
  # An executable's -fPIE would not fit the precompiled header's -fPIC.
  target_compile_options(${target} PRIVATE -fPIC)
  target_precompile_headers(${target} REUSE_FROM caf_pch)
endfunction()

# add_test_suite(LABEL SOURCES … DEPS … [CAF]): adds one Catch2 executable per folder of tests/; the label is the folder.
function(add_test_suite label)
  cmake_parse_arguments(arg "CAF" "TIMEOUT" "SOURCES;DEPS" ${ARGN})
  set(target ${label}_tests)
  add_executable(${target} ${arg_SOURCES})
  set_target_properties(${target} PROPERTIES RINGMASTER_UNCHECKED "${RINGMASTER_UNCHECKED_TESTS}")
  target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}")
  target_link_libraries(${target} PRIVATE test_support ${arg_DEPS} ringmaster_compiler)
  if(arg_CAF)
    use_caf(${target})
  endif()
  add_test(NAME ${label} COMMAND ${target})
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 600)
  endif()
  set_tests_properties(${label} PROPERTIES LABELS ${label} TIMEOUT ${arg_TIMEOUT})
endfunction()
