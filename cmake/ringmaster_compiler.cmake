# Warnings, sanitizers and ccache, as one interface target that every module links.
add_library(ringmaster_compiler INTERFACE)
target_compile_options(ringmaster_compiler INTERFACE -Wall -Wextra -Wpedantic -Wshadow=local -Wnon-virtual-dtor -Woverloaded-virtual -fpch-preprocess)
if(RINGMASTER_WARNINGS_AS_ERRORS)
  target_compile_options(ringmaster_compiler INTERFACE -Werror)
endif()

if(RINGMASTER_SANITIZER STREQUAL "address")
  target_compile_options(ringmaster_compiler INTERFACE -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
  target_link_options(ringmaster_compiler INTERFACE -fsanitize=address,undefined)
elseif(RINGMASTER_SANITIZER STREQUAL "thread")
  target_compile_options(ringmaster_compiler INTERFACE -fsanitize=thread -fno-omit-frame-pointer -Wno-tsan)
  target_link_options(ringmaster_compiler INTERFACE -fsanitize=thread)
elseif(NOT RINGMASTER_SANITIZER STREQUAL "")
  message(FATAL_ERROR "RINGMASTER_SANITIZER is '${RINGMASTER_SANITIZER}'; it must be address, thread or empty")
endif()

find_program(RINGMASTER_CCACHE ccache)
if(RINGMASTER_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER
      "${CMAKE_COMMAND}" -E env "CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime" "${RINGMASTER_CCACHE}")
endif()
