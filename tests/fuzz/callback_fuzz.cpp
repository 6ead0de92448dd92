// Callbacks of executors: every parsed result can be stored, and skipped ones are counted.

#include "core/text/text.hpp"
#include "protocol/wire/executor/callback_codec.hpp"
#include "tests/fuzz/fuzz.hpp"

using namespace ringmaster;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto batch = protocol::wire::parse_callbacks(fuzz::text_of(data, size));
  if (!batch) {
    fuzz::require(!batch.error().context.empty(), "a refusal has a reason");
    return 0;
  }
  for (const auto& item : batch->items)
    fuzz::require(core::valid_utf8(item.message) == item.message, "a message is valid UTF-8 without NUL");
  return 0;
}
