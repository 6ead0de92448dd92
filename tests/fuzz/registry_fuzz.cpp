// Registrations of executors: what is accepted can be a row.

#include "core/job/group.hpp"
#include "protocol/wire/executor/registry_codec.hpp"
#include "tests/fuzz/fuzz.hpp"

using namespace ringmaster;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto wanted = protocol::wire::parse_registry(fuzz::text_of(data, size));
  if (wanted)
    fuzz::require(core::misfit_of(wanted->registry_group, wanted->registry_key, wanted->registry_value).empty(),
                  "an accepted registration can be a row");
  return 0;
}
