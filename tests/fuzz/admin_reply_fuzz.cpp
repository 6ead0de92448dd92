// Answers of admins to an executor, and results kept on disk: any bytes are an answer, or a refusal with a reason.

#include "core/text/text.hpp"
#include "protocol/wire/executor/stored_reports.hpp"
#include "protocol/wire/xxl/admin_codec.hpp"
#include "tests/fuzz/fuzz.hpp"

using namespace ringmaster;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  namespace wire = protocol::wire;
  const auto body = fuzz::text_of(data, size);
  const auto reply = wire::parse_admin_reply(200, body);
  fuzz::require(core::valid_utf8(reply.message) == reply.message, "a message is valid UTF-8 without NUL");
  fuzz::require(reply.accepted() || reply.code != 0 || !reply.message.empty(), "an unreadable reply has a text");
  fuzz::require(!wire::parse_admin_reply(201, body).accepted(), "another status is a failure");

  const auto reports = wire::parse_stored_reports(body);
  fuzz::require(reports || !reports.error().context.empty(), "a refusal has a reason");
  if (reports)
    fuzz::require(wire::parse_stored_reports(wire::encode_stored_reports(*reports)) == *reports, "written reports are read back");
  return 0;
}
