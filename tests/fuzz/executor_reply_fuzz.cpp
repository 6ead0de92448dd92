// Answers of executors: any bytes are an answer or a refusal with a text.

#include <algorithm>
#include <string>
#include <string_view>

#include "core/text/text.hpp"
#include "protocol/wire/executor/executor_codec.hpp"
#include "protocol/wire/executor/log_decoder.hpp"
#include "tests/fuzz/fuzz.hpp"

using namespace ringmaster;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto body = fuzz::text_of(data, size);
  fuzz::require(protocol::wire::parse_reply(200, body, core::log_id{7}).code != 0, "a reply has a code");
  fuzz::require(protocol::wire::parse_reply(503, body, core::log_id{7}).code != 200, "a server error is not a success");
  (void)protocol::wire::parse_log_reply(200, body, 1);
  protocol::wire::log_decoder decoder{1};
  std::string text;
  for (std::string_view rest = body; !rest.empty(); rest.remove_prefix(std::min<std::size_t>(rest.size(), 7)))
    decoder.feed(rest.substr(0, 7), text);
  const auto decoded = decoder.finish(200);
  fuzz::require(!decoded || core::valid_utf8(text) == text, "the text of a log is valid");
  return 0;
}
