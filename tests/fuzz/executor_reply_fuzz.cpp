// Answers of executors: any bytes are an answer or a refusal with a text.

#include "protocol/wire/executor/executor_codec.hpp"
#include "tests/fuzz/fuzz.hpp"

using namespace ringmaster;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto body = fuzz::text_of(data, size);
  fuzz::require(protocol::wire::parse_reply(200, body, core::log_id{7}).code != 0, "a reply has a code");
  fuzz::require(protocol::wire::parse_reply(503, body, core::log_id{7}).code != 200, "a server error is not a success");
  (void)protocol::wire::parse_log_reply(200, body, 1);
  return 0;
}
