# Writes OUTPUT, the source that names the commit of SOURCE_DIR; does not touch it when the commit is unchanged. Run at build time
# with cmake -P. A given COMMIT is used literally, for a tree without git.
if(NOT COMMIT)
  execute_process(COMMAND git -C "${SOURCE_DIR}" rev-parse --short=12 HEAD
    OUTPUT_VARIABLE COMMIT OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
  if(failed)
    set(COMMIT unknown)
  else()
    execute_process(COMMAND git -C "${SOURCE_DIR}" status --porcelain --untracked-files=no
      OUTPUT_VARIABLE changes OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    if(changes)
      string(APPEND COMMIT "+changes")
    endif()
  endif()
endif()
set(text "// Written by cmake/ringmaster_commit.cmake.\n#include \"apps/terminal/version_text.hpp\"\n\n")
string(APPEND text "std::string_view ringmaster::apps::built_from() noexcept { return \"${COMMIT}\"; }\n")
set(known "")
if(EXISTS "${OUTPUT}")
  file(READ "${OUTPUT}" known)
endif()
if(NOT known STREQUAL text)
  file(WRITE "${OUTPUT}" "${text}")
endif()
