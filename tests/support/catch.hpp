#pragma once

// One header for Catch2 2.13 (Debian 12) and 3.x.

#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
#define RINGMASTER_CATCH3 1
#else
#include <catch2/catch.hpp>
#define RINGMASTER_CATCH3 0
#endif

#include <string>

namespace ringmaster::test {

/// Counts the running test case as skipped, with its reason, in the runner's last line. The test must return after the call.
void skip(const std::string& reason);

} // namespace ringmaster::test
