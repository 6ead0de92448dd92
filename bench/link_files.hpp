#pragma once

// Certificates and port of native links, for a server and executors in separate processes.

#include <cstdint>
#include <string>
#include <vector>

#include "tests/support/certificates.hpp"
#include "tests/support/temp_folder.hpp"

namespace ringmaster::bench {

/// Certificates and port for both ends of a native link.
class link_files {
public:
  link_files();

  /// Return `key=value` of the server, and of the executor.
  [[nodiscard]] std::vector<std::string> settings() const;
  [[nodiscard]] std::vector<std::string> executor_words() const;

private:
  test::temp_folder folder_;
  test::test_authority authority_{folder_, "authority"};
  test::certificate_files node_ = authority_.issue("node"), executor_ = authority_.issue("executor");
  std::uint16_t port_;
};

} // namespace ringmaster::bench
