#pragma once

namespace ringmaster::test {

/// Runs once around all tests of an executable. Suites that use CAF register its meta objects here; the default does nothing.
void set_up();
void tear_down();

} // namespace ringmaster::test
