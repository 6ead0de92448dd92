#include "tests/support/source_folder.hpp"

namespace ringmaster::test {

std::string source_path(std::string_view relative) {
  return std::string{RINGMASTER_SOURCE_DIR "/"}.append(relative);
}

} // namespace ringmaster::test
