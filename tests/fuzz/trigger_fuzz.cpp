// Requests of admins to an executor: any bytes are a request or a refusal with a reason.

#include "core/text/text.hpp"
#include "protocol/wire/executor/trigger_codec.hpp"
#include "tests/fuzz/fuzz.hpp"

using namespace ringmaster;

namespace {

void require_clean(const std::optional<std::string>& text) {
  fuzz::require(!text || core::valid_utf8(*text) == *text, "a text is valid UTF-8 without NUL");
}

template <class T>
void require_reason(const core::result<T>& read) {
  fuzz::require(read || read.error().context.starts_with("request error:"), "a refusal has a reason");
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  namespace wire = protocol::wire;
  const auto body = fuzz::text_of(data, size);
  const auto trigger = wire::parse_trigger(body);
  require_reason(trigger);
  require_reason(wire::parse_job_question(body));
  require_reason(wire::parse_log_question(body));
  if (!trigger)
    return 0;
  for (const auto* text : {&trigger->handler, &trigger->param, &trigger->glue_type, &trigger->glue_source})
    require_clean(*text);
  fuzz::require(trigger->shard_index >= 0 && trigger->shard_total >= 1, "shard numbers are valid");
  return 0;
}
