#include "tests/support/set_up.hpp"

namespace ringmaster::test {

void set_up() {}
void tear_down() {}

} // namespace ringmaster::test
