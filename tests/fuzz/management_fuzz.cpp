// Bodies of the job management for executors' programs.

#include "core/text/text.hpp"
#include "protocol/wire/xxl/open_api_codec.hpp"
#include "tests/fuzz/fuzz.hpp"

using namespace ringmaster;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto body = fuzz::text_of(data, size);
  if (const auto job = protocol::wire::parse_open_job(body))
    fuzz::require(core::valid_utf8(job->draft.name) == job->draft.name, "a text is valid UTF-8 without NUL");
  (void)protocol::wire::parse_open_job_id(body);
  (void)protocol::wire::parse_open_trigger(body);
  return 0;
}
