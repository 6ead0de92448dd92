#include "protocol/wire/executor/stored_reports.hpp"

#include <limits>
#include <string>
#include <vector>

#include "tests/support/catch.hpp"

using namespace ringmaster;
using namespace ringmaster::protocol::wire;

TEST_CASE("stored reports: are read back unchanged", "[wire]") {
  const std::vector<core::run_report> reports{
      {core::log_id{1}, core::from_ms(1700000000000), 200, std::nullopt},
      {core::log_id{2}, core::from_ms(-1), 500, ""},
      {core::log_id{0}, core::from_ms(0), -1, "zero"},
      {core::log_id{std::numeric_limits<std::int64_t>::max()}, core::from_ms(5), 999, "\"\\\r\n\t 你好 \x7F <br>"},
      {core::log_id{3}, core::from_ms(6), 200, std::nullopt, core::job_id{7}},
  };
  const auto read = parse_stored_reports(encode_stored_reports(reports));
  REQUIRE(read);
  CHECK(*read == reports);
}

TEST_CASE("stored reports: the files of a Java executor are read", "[wire]") {
  const auto read = parse_stored_reports(
      R"([{"handleCode":200,"logDateTim":1700000000000,"logId":7},)"
      R"({"handleCode":500,"handleMsg":"no","logDateTime":3,"logId":8}])");
  REQUIRE(read);
  REQUIRE(read->size() == 2);
  CHECK((*read)[0] == core::run_report{core::log_id{7}, core::from_ms(1700000000000), 200, std::nullopt});
  CHECK((*read)[1] == core::run_report{core::log_id{8}, core::from_ms(3), 500, "no"});
}

TEST_CASE("stored reports: a broken one does not affect the others", "[wire]") {
  const auto read = parse_stored_reports(R"([{"handleCode":200},3,null,[],{"logId":9,"handleCode":99999999999}])");
  REQUIRE(read);
  REQUIRE(read->size() == 1);
  CHECK((*read)[0].code == std::numeric_limits<std::int32_t>::max());
}

TEST_CASE("stored reports: a broken file gives an error", "[wire]") {
  const auto whole = encode_stored_reports(std::vector<core::run_report>{{core::log_id{1}, core::from_ms(1), 200, "fine"}});
  for (std::size_t cut = 0; cut < whole.size(); ++cut) {
    const auto read = parse_stored_reports(whole.substr(0, cut));
    REQUIRE_FALSE(read);
    CHECK(read.error().code == core::errc::invalid_argument);
    CHECK_FALSE(read.error().context.empty());
  }
  for (const char* text : {"[]", "{}", "null", "[{}]", "\xAC\xED java"})
    CHECK_FALSE(parse_stored_reports(text));
}
