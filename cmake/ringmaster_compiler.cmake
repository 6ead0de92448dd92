# Warnings, sanitizers and ccache, as one interface target that every module links.
add_library(ringmaster_compiler INTERFACE)
target_compile_options(ringmaster_compiler INTERFACE -Wall -Wextra -Wpedantic -Wnon-virtual-dtor -Woverloaded-virtual)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # By default g++ collects its garbage far too often for units of this size: a seventh of the time, for a seventh less memory.
  target_compile_options(ringmaster_compiler INTERFACE -Wshadow=local -fpch-preprocess --param=ggc-min-heapsize=524288)
endif()
if(RINGMASTER_WARNINGS_AS_ERRORS)
  target_compile_options(ringmaster_compiler INTERFACE -Werror)
endif()

if(RINGMASTER_SANITIZER STREQUAL "address")
  # In preset ci tests' own code is checked for addresses alone: the other checks took a third of its compile time. Preset asan has
  # them.
  define_property(TARGET PROPERTY RINGMASTER_UNCHECKED BRIEF_DOCS "Whether a target is not checked for undefined behaviour")
  target_compile_options(ringmaster_compiler INTERFACE
    $<IF:$<BOOL:$<TARGET_PROPERTY:RINGMASTER_UNCHECKED>>,-fsanitize=address,-fsanitize=address$<COMMA>undefined;-fno-sanitize-recover=undefined>
    -fno-omit-frame-pointer)
  # The sanitizer's tables of places are millions of relocations, which each start of a position independent program carries out.
  target_link_options(ringmaster_compiler INTERFACE -fsanitize=address,undefined -no-pie)
elseif(RINGMASTER_SANITIZER STREQUAL "thread")
  # GCC reports uninitialized members where its instrumentation hides the constructor.
  target_compile_options(ringmaster_compiler INTERFACE -fsanitize=thread -fno-omit-frame-pointer -Wno-tsan -Wno-maybe-uninitialized)
  target_link_options(ringmaster_compiler INTERFACE -fsanitize=thread)
elseif(RINGMASTER_SANITIZER STREQUAL "fuzz")
  target_compile_options(ringmaster_compiler INTERFACE -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined)
  target_link_options(ringmaster_compiler INTERFACE -fsanitize=address,undefined)
elseif(NOT RINGMASTER_SANITIZER STREQUAL "")
  message(FATAL_ERROR "RINGMASTER_SANITIZER is '${RINGMASTER_SANITIZER}'; it must be address, thread, fuzz or empty")
endif()

# Packed relative relocations make the program half a megabyte smaller; they need glibc 2.36, which Debian 12 has.
include(CheckLinkerFlag)
check_linker_flag(CXX "-Wl,-z,pack-relative-relocs" RINGMASTER_HAS_PACKED_RELOCATIONS)
if(RINGMASTER_HAS_PACKED_RELOCATIONS)
  target_link_options(ringmaster_compiler INTERFACE -Wl,-z,pack-relative-relocs)
endif()

# Paths below the source folder are relative for ccache, so that all checkouts and worktrees of a machine share one cache.
find_program(RINGMASTER_CCACHE ccache)
if(RINGMASTER_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER
      "${CMAKE_COMMAND}" -E env "CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime"
      "CCACHE_BASEDIR=${PROJECT_SOURCE_DIR}" CCACHE_NOHASHDIR=1 CCACHE_PCH_EXTSUM=1 "${RINGMASTER_CCACHE}")
endif()
