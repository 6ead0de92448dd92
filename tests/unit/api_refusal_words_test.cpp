// Texts by which /api/v1 refuses requests.

#include <string>
#include <utility>

#include "protocol/wire/v1/api_refusal_words.hpp"
#include "tests/support/catch.hpp"

using namespace ringmaster;
using core::errc;
using core::language;
using core::refusal;
using protocol::wire::api_message_of;
using protocol::wire::api_schedule_text;

namespace {

std::string refused_with(refusal why, std::string context, std::string subject = {}, language reader = language::en) {
  return api_message_of({errc::invalid_argument, std::move(context), why, std::move(subject)}, reader);
}

} // namespace

TEST_CASE("api refusals: every refusal is a sentence that is not XXL-JOB's", "[unit][api]") {
  for (auto code = 1; code <= static_cast<int>(refusal::option_unsupported); ++code)
    for (const auto reader : {language::en, language::zh_cn, language::zh_tc}) {
      const auto text = refused_with(static_cast<refusal>(code), "context", "7", reader);
      INFO(code << ' ' << text);
      CHECK_FALSE(text.empty());
      CHECK(text.find("llegal") == std::string::npos);
      CHECK(text.find('%') == std::string::npos);
      CHECK(text.find('$') == std::string::npos);
    }
}

TEST_CASE("api refusals: objects that do not exist are named", "[unit][api]") {
  CHECK(refused_with(refusal::job_id_illegal, "job 99999 does not exist") == "job 99999 does not exist");
  CHECK(refused_with(refusal::job_missing, "job 8 does not exist") == "job 8 does not exist");
  CHECK(refused_with(refusal::run_id_illegal, "run 5 does not exist") == "run 5 does not exist");
  CHECK(refused_with(refusal::run_id_illegal, "run 5 does not exist", {}, language::zh_cn) == "执行记录不存在");
}

TEST_CASE("api refusals: a member of the request is named first", "[unit][api]") {
  CHECK(refused_with(refusal::title_empty, "the title is empty") == "title: must have 1 to 64 characters");
  CHECK(refused_with(refusal::user_repeated, "there is a user x already") == "name: the user name exists already");
  CHECK(refused_with(refusal::old_password_wrong, "x") == "old_password: the old password is wrong");
  CHECK(refused_with(refusal::child_missing, "x", "12") == "children: job 12 does not exist");
  CHECK(refused_with(refusal::too_long, "jobDesc is longer than 255 characters", "jobDesc") ==
        "name: is longer than 255 characters");
  CHECK(refused_with(refusal::too_long, "title is longer than its column", "title") == "title: is longer than its column");
}

TEST_CASE("api refusals: elastic jobs are refused in the language of the user", "[unit][api]") {
  CHECK(refused_with(refusal::option_unsupported, "pool: not supported by this release", "pool")
        == "pool: not supported by this release");
  CHECK(refused_with(refusal::option_unsupported, "pool: not supported by this release", "pool", language::zh_cn)
        == "pool: 此版本暂不支持");
  CHECK(refused_with(refusal::elastic_name_repeated, "there is an elastic job sums already")
        == "name: there is an elastic job sums already");
  CHECK(refused_with(refusal::elastic_items_run, "x", {}, language::zh_tc) == "該彈性任務仍有分片項在執行或等待，請先關停");
}

TEST_CASE("api refusals: mistakes of schedules are plain", "[unit][api]") {
  CHECK(refused_with(refusal::cron_illegal, "Illegal characters for this position: 'ABC' at position 1") ==
        "schedule: invalid characters 'ABC' at position 1");
  CHECK(refused_with(refusal::schedule_type_illegal, "For input string: \"1.5\"") ==
        "schedule: expected a whole number of seconds, not \"1.5\"");
  CHECK(api_schedule_text("Illegal cron expression format (a name has three letters)") == "a name has three letters");
  CHECK(api_schedule_text("Illegal cron expression format "
                          "(java.lang.IllegalArgumentException: Start year must be less than stop year)") ==
        "Start year must be less than stop year");
  CHECK(api_schedule_text("Hour values must be between 0 and 23") == "Hour values must be between 0 and 23");
  // A text of the user is no place for other words.
  CHECK(refused_with(refusal::schedule_type_illegal, "For input string: \"%$\"", "$") ==
        "schedule: expected a whole number of seconds, not \"%$\"");
}
