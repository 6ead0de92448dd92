// Errors in a submitted job: each refusal, and their order (XXL admin §8.6).

#include <functional>
#include <string>
#include <vector>

#include "core/editing/job_draft.hpp"
#include "tests/support/catch.hpp"

using namespace std::string_literals;
using namespace ringmaster::core;

namespace {

const principal root{user_id{1}, "root", true};
const principal tom{user_id{2}, "tom", false, {{group_id{1}, group_right::editor}, {group_id{2}, group_right::operate}}};
const auto draft_now = *zone{}.parse("2024-05-31 10:20:30");

job_draft sound_draft() {
  job_draft draft;
  draft.group = group_id{1};
  draft.name = "nightly";
  draft.author = "ann";
  draft.schedule_type = "CRON";
  draft.schedule_conf = "0 0 1 * * ?";
  draft.misfire = "DO_NOTHING";
  draft.route = "FIRST";
  draft.block = "SERIAL_EXECUTION";
  draft.handler = "h";
  draft.glue_type = "BEAN";
  return draft;
}

draft_facts sound_facts() {
  draft_facts facts;
  facts.group_exists = true;
  facts.job = job_id{7};
  facts.children = {{job_id{7}, group_id{1}}, {job_id{8}, group_id{1}}, {job_id{9}, group_id{2}}};
  return facts;
}

/// A valid draft, except for the change of `spoil`.
struct given {
  job_draft draft = sound_draft();
  draft_facts facts = sound_facts();

  [[nodiscard]] result<void> checked(draft_use use, const principal& by = root) const {
    return check(draft, use, facts, by, zone{}, draft_now);
  }
  [[nodiscard]] refusal why(draft_use use, const principal& by = root) const {
    const auto outcome = checked(use, by);
    return outcome ? refusal::none : outcome.error().why;
  }
  [[nodiscard]] error wrong(draft_use use, const principal& by = root) const {
    const auto outcome = checked(use, by);
    REQUIRE_FALSE(outcome);
    return outcome.error();
  }
};

struct mistake {
  refusal why;
  std::function<void(given&)> make;
};

const mistake no_group_on_add{refusal::choose_group, [](given& in) { in.facts.group_exists = false; }};
const mistake no_group_on_update{refusal::group_illegal, [](given& in) { in.facts.group_exists = false; }};
const mistake no_name{refusal::job_name_empty, [](given& in) { in.draft.name = " \t"; }};
const mistake no_author{refusal::author_empty, [](given& in) { in.draft.author = ""; }};
const mistake bad_type{refusal::schedule_type_illegal, [](given& in) { in.draft.schedule_type = "cron"; }};
const mistake bad_cron{refusal::cron_illegal, [](given& in) { in.draft.schedule_conf = "0 0 1 * *"; }};
const mistake bad_glue{refusal::glue_type_illegal, [](given& in) { in.draft.glue_type = "bean"; }};
const mistake no_handler{refusal::handler_empty, [](given& in) { in.draft.handler = " "; }};
const mistake bad_route{refusal::route_illegal, [](given& in) { in.draft.route = ""; }};
const mistake bad_misfire{refusal::misfire_illegal, [](given& in) { in.draft.misfire = "x"; }};
const mistake bad_block{refusal::block_illegal, [](given& in) { in.draft.block = "x"; }};
const mistake bad_child{refusal::child_illegal, [](given& in) { in.draft.children = "x"; }};
const mistake no_child{refusal::child_missing, [](given& in) { in.draft.children = "77"; }};
const mistake no_job{refusal::job_missing, [](given& in) { in.facts.job_exists = false; }};
const mistake never_again{refusal::schedule_type_illegal, [](given& in) {
                            in.draft.schedule_conf = "0 0 1 1 1 ? 2020";
                            in.facts.must_fire_again = true;
                          }};
const mistake wide{refusal::too_long, [](given& in) { in.draft.name = std::string(256, 'n'); }};

/// Checks that each error is found alone, and the earlier of any two.
void check_order(const std::vector<mistake>& in_order, draft_use use) {
  for (std::size_t first = 0; first < in_order.size(); ++first) {
    CAPTURE(first);
    given one;
    in_order[first].make(one);
    CHECK(one.why(use) == in_order[first].why);
    for (std::size_t second = first + 1; second < in_order.size(); ++second) {
      CAPTURE(second);
      // The later error is made first: where both change one field, the earlier one remains.
      given both;
      in_order[second].make(both);
      in_order[first].make(both);
      CHECK(both.why(use) == in_order[first].why);
    }
  }
}

} // namespace

TEST_CASE("job draft: a valid draft is accepted", "[unit][job_draft]") {
  given in;
  in.draft.children = "8,9";
  CHECK(in.checked(draft_use::add));
  CHECK(in.checked(draft_use::update));
  for (const char* type : {"GLUE_GROOVY", "GLUE_SHELL", "GLUE_PYTHON", "GLUE_PYTHON2", "GLUE_PHP", "GLUE_NODEJS",
                           "GLUE_POWERSHELL"}) {
    in.draft.glue_type = type;
    in.draft.handler = "";
    CHECK(in.checked(draft_use::add));
  }
  in.draft.timeout_s = in.draft.retry_count = -1;
  CHECK(in.checked(draft_use::add));
}

TEST_CASE("job draft: errors of a new job are found in XXL's order", "[unit][job_draft]") {
  check_order({no_group_on_add, no_name, no_author, bad_type, bad_cron, bad_glue, no_handler, bad_route, bad_misfire, bad_block,
               bad_child, wide},
              draft_use::add);
}

TEST_CASE("job draft: errors of an update are found in XXL's order", "[unit][job_draft]") {
  check_order({no_name, no_author, bad_type, bad_cron, bad_route, bad_misfire, bad_block, no_child, no_group_on_update, no_job,
               never_again, wide},
              draft_use::update);
  given in;
  no_job.make(in);
  CHECK(in.wrong(draft_use::update).code == errc::not_found);
}

TEST_CASE("job draft: an update ignores fields that it does not write", "[unit][job_draft]") {
  given in;
  in.draft.glue_type = "nonsense";
  in.draft.handler = "";
  in.draft.glue_remark = std::string(1000, 'r');
  CHECK(in.checked(draft_use::update));
}

TEST_CASE("job draft: fixed rates", "[unit][job_draft]") {
  given in;
  in.draft.schedule_type = "FIX_RATE";
  in.draft.schedule_conf.reset();
  CHECK(in.why(draft_use::add) == refusal::schedule_text_missing);
  CHECK(in.why(draft_use::update) == refusal::schedule_type_illegal);
  for (const char* bad : {"", "0", "-1", "x", "1.5", " 30", "2147483648"}) {
    CAPTURE(bad);
    in.draft.schedule_conf = bad;
    CHECK(in.why(draft_use::add) == refusal::schedule_type_illegal);
    CHECK(in.why(draft_use::update) == refusal::schedule_type_illegal);
  }
  for (const char* good : {"1", "30", "2147483647"}) {
    in.draft.schedule_conf = good;
    CHECK(in.checked(draft_use::add));
  }
}

TEST_CASE("job draft: a missing cron is refused, a cron of another type is ignored", "[unit][job_draft]") {
  given in;
  in.draft.schedule_conf.reset();
  CHECK(in.why(draft_use::add) == refusal::cron_illegal);
  CHECK_FALSE(in.wrong(draft_use::add).context.empty());
  in.draft.schedule_type = "NONE";
  CHECK(in.checked(draft_use::add));
  CHECK(in.checked(draft_use::update));
}

TEST_CASE("job draft: only a running job must fire again", "[unit][job_draft]") {
  given in;
  in.draft.schedule_conf = "0 0 1 1 1 ? 2020";
  CHECK(in.checked(draft_use::add));
  CHECK(in.checked(draft_use::update));
  in.facts.must_fire_again = true;
  CHECK(in.why(draft_use::update) == refusal::schedule_type_illegal);
  in.draft.schedule_type = "NONE";
  CHECK(in.why(draft_use::update) == refusal::schedule_type_illegal);
  in.draft.schedule_type = "FIX_RATE";
  in.draft.schedule_conf = "10";
  CHECK(in.checked(draft_use::update));
}

TEST_CASE("job draft: options beyond XXL are checked, too", "[unit][job_draft]") {
  given in;
  in.draft.options = job_options{};
  CHECK(in.checked(draft_use::add));
  in.draft.options->timing.interval_ms = 500;
  CHECK(in.wrong(draft_use::add).context.find("interval") != std::string::npos);
  in.draft.schedule_type = "FIX_RATE";
  in.draft.schedule_conf.reset();
  CHECK(in.checked(draft_use::add));
  in.draft = sound_draft();
  in.draft.options = job_options{};
  in.draft.options->timing.time_zone = "Mars/Olympus";
  CHECK(in.wrong(draft_use::add).context.find("Mars/Olympus") != std::string::npos);
  in.draft.options->timing.time_zone = "Asia/Shanghai";
  CHECK(in.checked(draft_use::add));
  in.draft.options->on_unknown = unknown_policy::resend;
  CHECK(in.checked(draft_use::add));
  in.draft.block = "COVER_EARLY";
  CHECK(in.wrong(draft_use::add).code == errc::invalid_argument);
}

TEST_CASE("job draft: children are plain ids", "[unit][job_draft]") {
  struct row {
    const char* list;
    const char* subject;
  };
  for (const auto& [list, subject] : {row{"1, 2", "1"}, row{"8, 9", " 9"}, row{"-5", "-5"}, row{"+8", "+8"}, row{",", ","},
                                      row{",,,", ",,,"}, row{"8,,9", ""}, row{",8", ""}, row{"8;9", "8;9"}, row{"8.0", "8.0"},
                                      row{"99999999999", "99999999999"}, row{"８", "８"}, row{"8,x<b>", "x<b>"}}) {
    given in;
    in.draft.children = list;
    CAPTURE(list);
    const auto found = in.wrong(draft_use::add);
    if (list == "1, 2"s) {
      // Item by item: the first one is missing before the second is checked.
      CHECK(found.why == refusal::child_missing);
    } else {
      CHECK(found.why == refusal::child_illegal);
    }
    CHECK(found.subject == subject);
    CHECK(found.code == errc::invalid_argument);
  }
  for (const char* list : {"", "  ", "8", "8,9", "8,", "8,9,,,", "008", "8,8"}) {
    given in;
    in.draft.children = list;
    CAPTURE(list);
    CHECK(in.checked(draft_use::add));
  }
}

TEST_CASE("job draft: a child must exist, be another job, and be in a group that the user may edit", "[unit][job_draft]") {
  given in;
  in.draft.children = "8,10";
  CHECK(in.wrong(draft_use::add).why == refusal::child_missing);
  CHECK(in.wrong(draft_use::add).subject == "10");
  in.draft.children = "0";
  CHECK(in.why(draft_use::add) == refusal::child_missing);
  in.draft.children = "8,7";
  CHECK(in.checked(draft_use::add));
  CHECK(in.wrong(draft_use::update).why == refusal::child_illegal);
  CHECK(in.wrong(draft_use::update).subject == "7");
  in.draft.children = "8,9";
  const auto forbidden = in.wrong(draft_use::update, tom);
  CHECK(forbidden.why == refusal::child_not_permitted);
  CHECK(forbidden.code == errc::forbidden);
  CHECK(forbidden.subject == "9");
  in.draft.children = "8";
  CHECK(in.checked(draft_use::update, tom));
}

TEST_CASE("job draft: ids of children", "[unit][job_draft]") {
  using ids = std::vector<job_id>;
  CHECK(numbers_in("") == ids{});
  CHECK(numbers_in("8,9") == ids{job_id{8}, job_id{9}});
  CHECK(numbers_in("8, 9,-5,+6,x,,0,99999999999,007,8") == ids{job_id{8}, job_id{7}, job_id{8}});
  std::string many;
  for (int i = 0; i < 1'000'000; ++i)
    many += "1,";
  // At most as many as the column can hold, because the store looks up each.
  CHECK(numbers_in(many).size() <= 128);
  given in;
  in.draft.children = many;
  CHECK(in.why(draft_use::add) == refusal::too_long);
}

TEST_CASE("job draft: no text is longer than its column", "[unit][job_draft]") {
  const auto long_text = [](std::size_t count) {
    std::string text;
    for (std::size_t i = 0; i < count; ++i)
      text += "任";
    return text;
  };
  struct row {
    const char* field;
    std::size_t max;
    std::string& (*of)(job_draft&);
  };
  for (const auto& [field, max, of] :
       {row{"jobDesc", 255, [](job_draft& in) -> std::string& { return in.name; }},
        row{"author", 64, [](job_draft& in) -> std::string& { return in.author; }},
        row{"alarmEmail", 255, [](job_draft& in) -> std::string& { return in.alarm_email; }},
        row{"executorHandler", 255, [](job_draft& in) -> std::string& { return in.handler; }},
        row{"glueRemark", 128, [](job_draft& in) -> std::string& { return in.glue_remark; }}}) {
    CAPTURE(field);
    given in;
    of(in.draft) = long_text(max);
    CHECK(in.checked(draft_use::add));
    of(in.draft) = long_text(max + 1);
    const auto found = in.wrong(draft_use::add);
    CHECK(found.why == refusal::too_long);
    CHECK(found.subject == field);
    CHECK(found.context.find(field) == 0);
  }
  given in;
  in.draft.param = std::string(65'535, 'p');
  CHECK(in.checked(draft_use::add));
  in.draft.param += 'p';
  CHECK(in.wrong(draft_use::update).subject == "executorParam");
  in.draft = sound_draft();
  in.draft.schedule_conf = "0 0 1 * * ?" + std::string(200, ' ');
  CHECK(in.wrong(draft_use::update).subject == "scheduleConf");
}
