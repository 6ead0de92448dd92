#include "protocol/link_border.hpp"

#include <set>

#include "tests/actors/native_fixture.hpp"

using namespace ringmaster;
using protocol::breach_of;
using protocol::link_limits;

namespace {

core::trigger_request good_run() { return {.job = core::job_id{7}, .run = core::log_id{12}}; }

} // namespace

TEST_CASE("a batch of runs is limited in number, bytes and values", "[actors][links]") {
  CHECK(breach_of(protocol::link_runs{1, {good_run()}}).empty());
  CHECK_FALSE(breach_of(protocol::link_runs{1, {}}).empty());
  std::vector<core::trigger_request> many(link_limits::items_max, good_run());
  CHECK(breach_of(protocol::link_runs{1, many}).empty());
  many.push_back(good_run());
  CHECK_FALSE(breach_of(protocol::link_runs{1, many}).empty());
  auto bad = good_run();
  SECTION("job") { bad.job = core::job_id{0}; }
  SECTION("run") { bad.run = core::log_id{-1}; }
  SECTION("block strategy") { bad.block = static_cast<core::block_strategy>(3); }
  SECTION("shard") { bad.shard_index = 1; }
  SECTION("shards") { bad.shard_total = 0; }
  SECTION("text") { bad.glue_source = std::string(link_limits::bytes_max, 'x'); }
  CHECK_FALSE(breach_of(protocol::link_runs{1, {good_run(), bad}}).empty());
}

TEST_CASE("results, answers and questions are limited", "[actors][links]") {
  core::run_report report{core::log_id{1}, {}, 200, std::string(link_limits::message_bytes_max, 'x')};
  CHECK(breach_of(protocol::link_reports{1, {report}}).empty());
  CHECK_FALSE(breach_of(protocol::link_reports{1, std::vector(17, report)}).empty());
  report.message->push_back('x');
  CHECK_FALSE(breach_of(protocol::link_reports{1, {report}}).empty());
  CHECK_FALSE(breach_of(protocol::link_reports{1, {{core::log_id{0}, {}, 200, {}}}}).empty());
  CHECK_FALSE(breach_of(protocol::link_verdicts{1, {}}).empty());
  CHECK_FALSE(breach_of(protocol::link_verdicts{1, {{500, std::string(link_limits::bytes_max, 'x')}}}).empty());
  const core::log_lines endless{1, 1, std::string(link_limits::bytes_max + 1, 'x'), true};
  CHECK_FALSE(breach_of(protocol::link_answer{1, {}, endless}).empty());
  core::log_lines sized{1, 1, "x\n", false, core::log_size{1, 2}};
  CHECK(breach_of(protocol::link_answer{1, {}, sized}).empty());
  sized.size->bytes = -1;
  CHECK_FALSE(breach_of(protocol::link_answer{1, {}, sized}).empty());
  CHECK_FALSE(breach_of(protocol::link_question{1, static_cast<protocol::link_topic>(4)}).empty());
  CHECK_FALSE(breach_of(protocol::link_question{1, protocol::link_topic::log}).empty());
  CHECK(breach_of(protocol::link_question{1, protocol::link_topic::idle, core::job_id{1}}).empty());
}

TEST_CASE_METHOD(test::natively_linked, "a hello needs valid names within the column widths of a registration",
                 "[actors][links]") {
  dial();
  protocol::link_hello hello{protocol::link_version, "pay-worker", test::worker_address, {}, {}, {1, 2}};
  CHECK_FALSE(breach_of(hello).empty());
  hello.gate = track(system().spawn([]() -> protocol::executor_gate::behavior_type {
    return {[](const protocol::link_challenge&) {}, [](const protocol::link_welcome&) {}, [](const protocol::link_refusal&) {},
            [](const protocol::link_runs&) {},      [](const protocol::link_question&) {}, [](const protocol::link_receipt&) {}};
  }));
  CHECK(breach_of(hello).empty());
  auto bad = hello;
  bad.app_name.clear();
  CHECK_FALSE(breach_of(bad).empty());
  bad = hello;
  bad.address = std::string(256, 'x');
  CHECK_FALSE(breach_of(bad).empty());
  bad = hello;
  bad.app_name = "\xff";
  CHECK_FALSE(breach_of(bad).empty());
  bad = hello;
  bad.gate_key = {};
  CHECK_FALSE(breach_of(bad).empty());
  bad = hello;
  bad.app_name = std::string(2000, 'x');
  CHECK_FALSE(breach_of(bad).empty());
  bad = hello;
  bad.unused = "secret"; // a token never crosses a link
  CHECK_FALSE(breach_of(bad).empty());
  bad.version = 2; // refused for its version
  CHECK(breach_of(bad).empty());
}

TEST_CASE("a proof has the length of its kind and is valid for one end, one hello and one challenge", "[actors][links]") {
  CHECK(breach_of(protocol::link_proof{{}, std::string(32, 'x')}).empty());
  CHECK_FALSE(breach_of(protocol::link_proof{{}, std::string(31, 'x')}).empty());
  CHECK_FALSE(breach_of(protocol::link_proof{{}, {}}).empty());
  using protocol::link_end;
  const protocol::link_hello hello{protocol::link_version, "app", "http://a/", {}, {}, {1, 2}};
  const auto text = protocol::proof_text(link_end::executor, hello, {3, 4});
  CHECK(text == protocol::proof_text(link_end::executor, hello, {3, 4}));
  std::set<std::string> others{text, protocol::proof_text(link_end::node, hello, {3, 4}),
                               protocol::proof_text(link_end::executor, hello, {3, 5})};
  std::size_t count = 3;
  for (int field = 0; field < 5; ++field, ++count) {
    auto other = hello;
    switch (field) {
    case 0: ++other.version; break;
    case 1: other.app_name = "apps"; break;
    case 2: other.address = "http://b/"; break;
    case 3: other.gate_key = {1, 3}; break;
    default: other.app_name = "ap", other.address = "phttp://a/"; break;
    }
    others.insert(protocol::proof_text(link_end::executor, other, {3, 4}));
  }
  CHECK(others.size() == count);
}
