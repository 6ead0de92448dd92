// Two versions of the native link: what stays as it was, and how ends of both meet.

#include <caf/binary_serializer.hpp>

#include "protocol/elastic_border.hpp"
#include "protocol/inspect.hpp"
#include "tests/actors/elastic_samples.hpp"
#include "tests/actors/raw_executor.hpp"
#include "tests/actors/raw_node.hpp"

using namespace ringmaster;
using namespace std::chrono_literals;
using test::raw_executor;
using test::raw_node;

namespace {

/// Bytes of a message on a link, in hexadecimal digits.
struct link_bytes : test::virtual_time {
  template <class Message>
  std::string of(Message message) {
    caf::byte_buffer bytes;
    caf::binary_serializer sink{system(), bytes};
    if (!caf::make_message(std::move(message)).save(sink))
      return "not written";
    std::string digits;
    for (const auto each : bytes)
      for (const auto half : {static_cast<unsigned>(each) >> 4U, static_cast<unsigned>(each) & 15U})
        digits += "0123456789abcdef"[half];
    return digits;
  }

  static constexpr protocol::link_key key{1, 2};
  const std::string key_text = "00000000000000010000000000000002";
};

} // namespace

// Never change these lines: executors of version 4 read and write such bytes.
TEST_CASE_METHOD(link_bytes, "the messages of version 4 have their bytes", "[actors][links]") {
  using namespace protocol;
  const core::trigger_request run{
    .job = core::job_id{7}, .run = core::log_id{12}, .log_time = core::from_ms(1000), .handler = "h"};
  CHECK(of(link_hello{4, "app", "ringmaster://app/1", {}, {}, key})
        == "0100c800000004036170701272696e676d61737465723a2f2f6170702f31000000000000000000ff" + key_text);
  CHECK(of(link_welcome{{}, {3, 4}, "proof", key})
        == "0100c90000000000000000ff000000000000000300000000000000040570726f6f66" + key_text);
  CHECK(of(link_refusal{"no", key}) == "0100ca026e6f" + key_text);
  CHECK(of(link_runs{9, {run}, key})
        == "0100cb00000000000000090100000007000000000000000c00000000000003e80101680000000000000000"
             + ("00000000000000000000000000000001" + key_text));
  CHECK(of(link_verdicts{9, {{500, "no"}}, key}) == "0100cc000000000000000901000001f4026e6f" + key_text);
  CHECK(of(link_question{5, link_topic::log, run.job, run.run, run.log_time, 3, core::log_bounds{100, 2}, key})
        == "0100cd00000000000000050300000007000000000000000c00000000000003e80000000301000000640100000002" + key_text);
  CHECK(of(link_answer{5, {200, ""}, core::log_lines{1, 2, "x", true, core::log_size{4, 20}}, key})
        == "0100ce0000000000000005000000c8000100000001000000020178010100000004000000000000001401" + key_text);
  CHECK(of(link_reports{9, {{run.run, run.log_time, 200, "ok"}}, key})
        == "0100cf000000000000000901000000000000000c00000000000003e8000000c801026f6b" + key_text);
  CHECK(of(link_receipt{9, true, key}) == "0100d0000000000000000901" + key_text);
  CHECK(of(link_goodbye{key}) == "0100d1" + key_text);
  CHECK(of(link_challenge{{3, 4}, key}) == "0100d200000000000000030000000000000004" + key_text);
  CHECK(of(link_proof{{3, 4}, "proof"}) == "0100d3000000000000000300000000000000040570726f6f66");
}

TEST_CASE_METHOD(link_bytes, "heartbeats and their answers are small", "[actors][links]") {
  constexpr std::size_t type_digits = 6;
  CHECK(of(test::good_beat()).size() == type_digits + 2 * 57);
  CHECK(of(protocol::elastic_ack{1, 2, true}).size() == type_digits + 2 * 33);
  CHECK(of(test::good_hello()).starts_with("0100d4"));
  CHECK(of(protocol::elastic_receipt{1, true}).starts_with("0100dd"));
}

TEST_CASE("a refusal names the version of the node in a form that executors read", "[actors][links]") {
  const auto version_of = [](std::string reason) { return protocol::version_in({std::move(reason), {}}); };
  CHECK(version_of("this node speaks version 4 of the link protocol, not 5") == 4);
  CHECK(version_of(protocol::text_of_version_refusal(9)) == protocol::link_version);
  for (const auto* other : {"", "this node speaks version ", "this node speaks version x of the link protocol",
                            "this node speaks version 99999999999 of the link protocol", "this node speaks version 4 of it",
                            "the access token is wrong", " this node speaks version 4 of the link protocol"}) {
    CAPTURE(other);
    CHECK_FALSE(version_of(other));
  }
  CHECK(protocol::is_link_version(protocol::link_version_min));
  CHECK(protocol::is_link_version(protocol::link_version));
  CHECK_FALSE(protocol::is_link_version(protocol::link_version_min - 1));
  CHECK_FALSE(protocol::is_link_version(protocol::link_version + 1));
}

TEST_CASE_METHOD(raw_executor, "an executor of the version before gets a link, and may not speak of elastic jobs",
                 "[actors][links]") {
  hello.version = protocol::link_version_min;
  try_token("secret");
  REQUIRE(welcomes.size() == 1);
  CHECK(refusals.empty());
  REQUIRE(is_linked());
  const auto gate_of_node = caf::actor_cast<protocol::elastic_link_gate>(welcomes[0].gate);
  auto said = test::good_hello();
  tell(gate_of_node, said); // without the key of the link
  run();
  CHECK(is_linked());
  said.key = welcomes[0].gate_key;
  tell(gate_of_node, said);
  run();
  CHECK_FALSE(is_linked());
}

TEST_CASE_METHOD(raw_node, "a node of the version before gets a link of its version, at once", "[actors][links]") {
  welcomes = challenges = false;
  dial();
  REQUIRE(hellos.size() == 1);
  CHECK(hellos[0].version == protocol::link_version);
  say(protocol::link_refusal{"this node speaks version 4 of the link protocol, not 5", {}});
  welcomes = challenges = true;
  advance(0s);
  REQUIRE(hellos.size() == 2);
  CHECK(hellos[1].version == 4);
  say(protocol::link_runs{1, {{.job = core::job_id{7}, .run = core::log_id{1}}}});
  run();
  CHECK(verdicts.size() == 1);
  SECTION("the next link begins with the newest version: the node may be a newer one then") {
    caf::anon_send_exit(gate_there(), caf::exit_reason::kill);
    advance(1s);
    REQUIRE(hellos.size() == 3);
    CHECK(hellos[2].version == protocol::link_version);
  }
  SECTION("a message of elastic jobs ends the link") {
    auto ack = protocol::elastic_ack{1, 0, false};
    ack.key = hellos.back().gate_key;
    tell(caf::actor_cast<protocol::elastic_executor_gate>(gate_there()), ack);
    advance(1s);
    CHECK(hellos.size() == 3);
  }
}

TEST_CASE_METHOD(raw_node, "a node that refuses every version is tried at growing intervals", "[actors][links]") {
  welcomes = challenges = false;
  dial();
  const auto refuse = [this](const std::string& reason) {
    say(protocol::link_refusal{reason, {}});
    advance(0s);
  };
  SECTION("also the one that it names") {
    refuse("this node speaks version 4 of the link protocol, not 5");
    REQUIRE(hellos.size() == 2);
    refuse("this node speaks version 4 of the link protocol, not 4");
    CHECK(hellos.size() == 2);
    advance(1s);
    REQUIRE(hellos.size() == 3);
    CHECK(hellos[2].version == protocol::link_version);
  }
  SECTION("one that is too old, or not known here") {
    refuse("this node speaks version 3 of the link protocol, not 5");
    CHECK(hellos.size() == 1);
    advance(1s);
    REQUIRE(hellos.size() == 2);
    refuse("this node speaks version 6 of the link protocol, and those since 6, not 5");
    CHECK(hellos.size() == 2);
  }
  SECTION("for another reason") {
    refuse("the access token is wrong");
    advance(1s);
    REQUIRE(hellos.size() == 2);
    CHECK(hellos[1].version == protocol::link_version);
  }
}
