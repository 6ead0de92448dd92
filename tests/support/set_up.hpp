#pragma once

namespace ringmaster::test {

/// Called once around all tests of an executable. Suites that speak CAF register its meta objects here; the default does nothing.
void set_up();
void tear_down();

} // namespace ringmaster::test
