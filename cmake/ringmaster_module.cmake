# add_module(NAME SOURCES … DEPS … [CAF]): one folder, one static library, one namespace.
# CAF: the module includes <caf/all.hpp>; it shares the one precompiled header. Without SOURCES it is headers alone.
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
  # What is installed is linked by others, who have flags of their own, and who learn here which C++ the headers are.
  target_compile_features(${name} PUBLIC cxx_std_20)
  target_link_libraries(${name} PUBLIC ${arg_DEPS} PRIVATE $<BUILD_INTERFACE:ringmaster_compiler> ${arg_PRIVATE_DEPS})
  if(arg_CAF)
    use_caf(${name})
  endif()
endfunction()

function(add_header_module name)
  add_library(${name} INTERFACE)
  add_library(ringmaster::${name} ALIAS ${name})
  target_include_directories(${name} INTERFACE "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>")
endfunction()

# The precompiled header of everything that speaks CAF, built once.
function(use_caf target)
  if(NOT TARGET caf_pch)
    file(WRITE "${PROJECT_BINARY_DIR}/caf_pch.cpp" "// Carries the precompiled header.\n")
    add_library(caf_pch STATIC "${PROJECT_BINARY_DIR}/caf_pch.cpp")
    target_link_libraries(caf_pch PUBLIC CAF::core PRIVATE ringmaster_compiler)
    target_precompile_headers(caf_pch PRIVATE <caf/all.hpp>)
  endif()
  target_link_libraries(${target} PUBLIC CAF::core)
  # g++ 12 takes CAF's reference counts for a use after free where it inlines them into ours, system headers or not. The sanitizers of
  # preset ci look for real ones.
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-use-after-free>)
  # An executable's -fPIE would not fit the precompiled header's -fPIC.
  target_compile_options(${target} PRIVATE -fPIC)
  target_precompile_headers(${target} REUSE_FROM caf_pch)
endfunction()

# add_test_suite(LABEL SOURCES … DEPS … [CAF]): one Catch2 executable per folder of tests/; the label is the folder.
function(add_test_suite label)
  cmake_parse_arguments(arg "CAF" "TIMEOUT" "SOURCES;DEPS" ${ARGN})
  set(target ${label}_tests)
  add_executable(${target} ${arg_SOURCES})
  target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}")
  target_compile_definitions(${target} PRIVATE RINGMASTER_TEST_DATA="${PROJECT_SOURCE_DIR}/tests/data" RINGMASTER_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
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
