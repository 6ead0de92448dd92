// Requests and replies of /api/v1.

#include <random>
#include <string>

#include <nlohmann/json.hpp>

#include "protocol/wire/v1/api_bulk.hpp"
#include "protocol/wire/v1/api_groups.hpp"
#include "protocol/wire/v1/api_jobs.hpp"
#include "protocol/wire/v1/api_runs.hpp"
#include "protocol/wire/v1/api_users.hpp"
#include "tests/support/catch.hpp"

using namespace ringmaster;
using namespace ringmaster::protocol::wire;
using nlohmann::json;

namespace {

core::job_record a_job() {
  core::job_record job;
  job.id = core::job_id{7};
  job.group = core::group_id{3};
  job.name = "settle \"<b>\"\n\xe4\xb8\xad";
  job.author = "ann";
  job.alarm_email = "a@b.c";
  job.schedule_type = "FIX_RATE";
  job.schedule_conf = "2";
  job.misfire = "FIRE_ONCE_NOW";
  job.route = "BUSYOVER";
  job.block = "COVER_EARLY";
  job.on_unknown = core::unknown_policy::skip;
  job.keep_logs = true;
  job.alarm_on = {false, true};
  job.missed = core::from_ms(3000);
  job.timeout_s = 9;
  job.retry_count = 2;
  job.handler = "settle";
  job.param = "p=1";
  job.children = "8,,x,9";
  job.description = "Settles the day.\nAsk pay-team.";
  job.timing = {"", 1500, core::from_ms(1000), core::from_ms(2000), 7};
  job.glue_type = "BEAN";
  job.revision = 41;
  return job;
}

/// Returns the body of a PUT for a job that was read.
json draft_of(const std::string& job) {
  auto sent = json::parse(job);
  for (const auto* name : {"id", "running", "stopped_by", "stopped_ms", "next_ms", "last_ms", "missed_ms", "added_ms",
                           "updated_ms", "revision", "key", "source", "glue_type", "glue_source", "glue_remark",
                           "glue_updated_ms"})
    sent.erase(name);
  return sent;
}

std::string refusal_of(std::string_view body) {
  const auto draft = parse_api_job(body, core::draft_use::add);
  return draft ? "accepted" : draft.error().context;
}

} // namespace

TEST_CASE("api: a job that is read and sent back is unchanged", "[wire][api]") {
  const auto job = a_job();
  const auto draft = parse_api_job(draft_of(api_job(job)).dump(), core::draft_use::update);
  REQUIRE(draft);
  CHECK(draft->group == job.group);
  CHECK(draft->name == job.name);
  CHECK(draft->author == job.author);
  CHECK(draft->alarm_email == job.alarm_email);
  CHECK(draft->schedule_type == job.schedule_type);
  CHECK(draft->schedule_conf == job.schedule_conf);
  CHECK(draft->misfire == job.misfire);
  CHECK(draft->route == job.route);
  CHECK(draft->block == job.block);
  REQUIRE(draft->options);
  CHECK(*draft->options == static_cast<const core::job_options&>(job));
  CHECK(draft->timeout_s == job.timeout_s);
  CHECK(draft->retry_count == job.retry_count);
  CHECK(draft->handler == job.handler);
  CHECK(draft->param == job.param);
  CHECK(draft->children == "8,9");
}

TEST_CASE("api: a missing or null member has the default of a new job", "[wire][api]") {
  const auto plain = parse_api_job(R"({"group":1,"name":"x"})", core::draft_use::add);
  const auto nulls = parse_api_job(R"({"group":1,"name":"x","schedule":null,"misfire":null,"children":null,"jitter_ms":null,
    "timeout_s":null,"params":null,"on_unknown":null})", core::draft_use::add);
  for (const auto& draft : {plain, nulls}) {
    REQUIRE(draft);
    CHECK(draft->schedule_type == "NONE");
    CHECK_FALSE(draft->schedule_conf);
    CHECK(draft->misfire == "DO_NOTHING");
    CHECK(draft->route == "FIRST");
    CHECK(draft->block == "SERIAL_EXECUTION");
    CHECK(draft->glue_type == "BEAN");
    CHECK(draft->options == core::job_options{});
    CHECK(draft->children.empty());
  }
}

TEST_CASE("api: an interval has the text that a Java admin shows", "[wire][api]") {
  const auto draft =
    parse_api_job(R"({"group":1,"name":"x","schedule":{"type":"FIX_RATE"},"interval_ms":1500})", core::draft_use::add);
  REQUIRE(draft);
  CHECK(draft->schedule_conf == "2");
}

TEST_CASE("api: errors name the path of the wrong member", "[wire][api]") {
  CHECK(refusal_of("") == "the body is not valid JSON");
  CHECK(refusal_of("[]") == "the body must be a JSON object");
  CHECK(refusal_of("{}") == "group: is missing");
  CHECK(refusal_of(R"({"group":1})") == "name: is missing");
  CHECK(refusal_of(R"({"group":"1"})") == "group: must be a whole number");
  CHECK(refusal_of(R"({"group":1.5})") == "group: must be a whole number");
  CHECK(refusal_of(R"({"group":0})") == "group: must be from 1 to 2147483647");
  CHECK(refusal_of(R"({"group":18446744073709551615})") == "group: must be a whole number");
  CHECK(refusal_of(R"({"group":1,"name":["x"]})") == "name: must be a string");
  CHECK(refusal_of(R"({"group":1,"name":"\u0000"})") == "name: must not contain NUL");
  CHECK(refusal_of(R"({"group":1,"name":"x","schedule":"CRON"})") == "schedule: must be an object");
  CHECK(refusal_of(R"({"group":1,"name":"x","schedule":{}})") == "schedule.type: is missing");
  CHECK(refusal_of(R"({"group":1,"name":"x","schedule":{"type":"CRON","cron":1}})") == "schedule.cron: is unknown");
  CHECK(refusal_of(R"({"group":1,"name":"x","children":[1,"2"]})") == "children[1]: must be a whole number");
  CHECK(refusal_of(R"({"group":1,"name":"x","children":{"a":1}})") == "children: must be an array");
  CHECK(refusal_of(R"({"group":1,"name":"x","on_unknown":"odd"})") == "on_unknown: must be ask, skip or resend");
  CHECK(refusal_of(R"({"group":1,"name":"x","running":true})") == "running: is unknown");
  CHECK(refusal_of(R"({"group":1,"name":"x","timeout_s":-1})") == "timeout_s: must be from 0 to 2147483647");
  CHECK(refusal_of(R"({"group":1,"group":2,"name":"x"})") == "group: duplicate member of an object");
  CHECK(refusal_of(R"({"group":1,"name":"x","schedule":{"type":"A","type":"B"}})") == "type: duplicate member of an object");
  CHECK(refusal_of(R"({"a":[[[[[[[[1]]]]]]]]})") == "the body has more than 8 levels");
  CHECK(refusal_of(R"({"group":1,"name":"[[[[[[[[[[[[\"[[["})") == "accepted");
  CHECK_FALSE(parse_api_job(R"({"group":1,"name":"x","glue_type":"BEAN"})", core::draft_use::update));
}

TEST_CASE("api: the name of a long unknown member is cut", "[wire][api]") {
  CHECK(refusal_of(R"({"group":1,"name":"x",")" + std::string(100'000, 'y') + R"(":1})").size() < 100);
}

TEST_CASE("api: the reader survives any body", "[wire][api]") {
  const auto seed = std::random_device{}();
  CAPTURE(seed);
  std::mt19937 random{seed};
  const auto whole = draft_of(api_job(a_job())).dump();
  const std::string letters = "{}[]\",:0123456789eE.+-\\untrfalsb \x01\xff\xc3";
  for (int i = 0; i < 20'000; ++i) {
    auto body = whole;
    for (auto changes = random() % 4 + 1; changes > 0; --changes)
      body[random() % body.size()] = letters[random() % letters.size()];
    const auto draft = parse_api_job(body, core::draft_use::update);
    if (!draft)
      CHECK(draft.error().code == core::errc::invalid_argument);
  }
}

TEST_CASE("api: stored texts with invalid UTF-8 become valid JSON", "[wire][api]") {
  auto job = a_job();
  job.name = std::string{"a\xff\0b", 4};
  CHECK(json::parse(api_job(job))["name"] == "a\xef\xbf\xbd" "b");
}

TEST_CASE("api: ids in queries start at 1", "[wire][api]") {
  for (const auto* id : {"0", "-1", "2147483648", "x", ""}) {
    CAPTURE(id);
    const auto sent = [&](const std::string& name) { return *form::parse("/x?" + name + '=' + id, {}, {}); };
    CHECK_FALSE(api_job_search_of(sent("group"), {}));
    CHECK_FALSE(api_run_search_of(sent("group"), {}));
    CHECK_FALSE(api_run_search_of(sent("job"), {}));
    CHECK_FALSE(api_key_search_of(sent("user"), {}));
  }
  for (const auto* empty : {"/x?limit=", "/x?limit=&cursor=p1"})
    CHECK_FALSE(api_cursor_of(*form::parse(empty, {}, {})));
  CHECK_FALSE(boolean_of(*form::parse("/x?running=", {}, {}), "running"));
  CHECK_FALSE(instant_of(*form::parse("/x?from_ms=", {}, {}), "from_ms"));
  CHECK(api_job_search_of(*form::parse("/x?group=1", {}, {}), {})->group == core::group_id{1});
}

TEST_CASE("api: result of a manual trigger", "[wire][api]") {
  CHECK(api_asked_runs(true, {}) == R"({"waiting":true,"runs":[]})");
  CHECK(api_asked_runs(false, {core::log_id{7}, core::log_id{9'000'000'000}}) == R"({"waiting":false,"runs":[7,9000000000]})");
}

TEST_CASE("api: triggers", "[wire][api]") {
  CHECK_FALSE(parse_api_trigger("")->param);
  CHECK_FALSE(parse_api_trigger(" \r\n\t")->param);
  CHECK_FALSE(parse_api_trigger(std::string_view{"\0", 1}));
  CHECK(parse_api_trigger(R"({"params":""})")->param == "");
  CHECK(parse_api_trigger(R"({"addresses":[" http://a:1 ","http://b:1","http://a:1"]})")->addresses ==
        std::vector<std::string>{"http://a:1", "http://b:1"});
  CHECK(parse_api_trigger(R"({"addresses":[]})")->addresses.empty());
  CHECK(parse_api_trigger("{}")->kind == core::trigger_kind::api);
  for (const auto* odd : {R"({"params":1})", R"({"addresses":"http://a:1"})", R"({"addresses":[1]})", R"({"address":[]})",
                          R"({"addresses":["no url"]})", "x", R"({"addresses":[""]})", R"({"addresses":["http://a:1"," "]})",
                          R"({"addresses":["http://a:1/,http://b:1/"]})",
                          R"({"addresses":["http://a:1/,"]})", R"({"addresses":[","]})"}) {
    CAPTURE(odd);
    CHECK_FALSE(parse_api_trigger(odd));
  }
}

TEST_CASE("api: a group that is read and sent back is unchanged", "[wire][api]") {
  core::group_record record;
  record.group = {core::group_id{2}, "app-2", "Two", core::address_type::manual, {"http://a:1/", "http://b:1/"}};
  record.group.access_token = "secret-token";
  auto sent = json::parse(api_group(record));
  CHECK(sent.dump().find("secret") == std::string::npos);
  for (const auto* name : {"id", "updated_ms", "source"})
    sent.erase(name);
  const auto draft = parse_api_group(sent.dump());
  REQUIRE(draft);
  CHECK(draft->app_name == "app-2");
  CHECK(draft->title == "Two");
  CHECK(draft->type == 1);
  CHECK(draft->address_list == "http://a:1/,http://b:1/");
  for (const auto* odd : {R"({"app_name":"a","title":"b","address_type":1})",
                          R"({"app_name":"a","title":"b","address_type":"x"})", R"({"app_name":"a"})",
                          R"({"app_name":"a","title":"b","addresses":["http://a:1,http://b:1"]})"}) {
    CAPTURE(odd);
    CHECK_FALSE(parse_api_group(odd));
  }
}

TEST_CASE("api: the states of runs equal those of the filter", "[wire][api]") {
  core::log_row run;
  run.handle_msg = "left over";
  run.handle_time = core::from_ms(5);
  const auto status = [&run](std::int32_t trigger, std::int32_t handle) {
    run.trigger_code = trigger;
    run.handle_code = handle;
    return json::parse(api_run(run))["status"].get<std::string>();
  };
  CHECK(status(0, 0) == "pending");
  CHECK(json::parse(api_run(run))["handle_message"].is_null());
  CHECK(json::parse(api_run(run))["handle_ms"].is_null());
  CHECK(status(200, 0) == "running");
  CHECK(status(500, 0) == "failed");
  CHECK(status(200, 502) == "failed");
  CHECK(status(200, 200) == "succeeded");
  CHECK(status(0, 200) == "succeeded");
}

TEST_CASE("api: clearing requires an explicit range", "[wire][api]") {
  CHECK(parse_api_clear(R"({"until_ms":5})")->until == core::from_ms(5));
  CHECK(parse_api_clear(R"({"keep_newest":0,"job":7})")->job == core::job_id{7});
  CHECK(parse_api_clear(R"({"all":true,"group":1})")->group == core::group_id{1});
  for (const auto* odd : {"{}", "", R"({"all":false})", R"({"all":true,"until_ms":5})", R"({"group":0,"all":true})"})
    CHECK_FALSE(parse_api_clear(odd));
}

TEST_CASE("api: users", "[wire][api]") {
  const auto user = parse_api_user(R"({"name":"abcd","password":"efgh","admin":false,"rights":[{"group":5,"right":"viewer"},
    {"group":2,"right":"editor"}]})", user_use::add);
  REQUIRE(user);
  CHECK(user->rights->front().first == core::group_id{2});
  CHECK_FALSE(parse_api_user(R"({"admin":true})", user_use::update)->rights);
  CHECK(parse_api_user(R"({"admin":true,"rights":[]})", user_use::update)->rights->empty());
  for (const auto* odd : {R"({"admin":1})", R"({})", R"({"admin":true,"name":"x"})", R"({"admin":true,"rights":[1]})",
                          R"({"admin":true,"rights":[{"group":1}]})", R"({"admin":true,"rights":[{"group":1,"right":""}]})",
                          R"({"admin":true,"rights":[{"group":1,"right":"viewer"},{"group":1,"right":"editor"}]})"}) {
    CAPTURE(odd);
    CHECK_FALSE(parse_api_user(odd, user_use::update));
  }
  CHECK(parse_api_user(R"({"admin":true,"rights":[{"group":1,"right":"x"}]})", user_use::update).error().context ==
        "rights[0].right: must be viewer, operator or editor");
}

TEST_CASE("api: runs are searched by several statuses, by ids, and after an id", "[wire][api]") {
  const auto search = [](const std::string& query) { return api_run_search_of(*form::parse("/x?" + query, {}, {}), {}); };
  CHECK(search("status=lost")->status == core::run_status::lost);
  CHECK(search("status=any")->one_of.empty());
  CHECK(search("status=timed_out,killed")->one_of == std::vector{core::run_status::timed_out, core::run_status::killed});
  CHECK(search("after=0")->after == core::log_id{0});
  CHECK(search("ids=3,9000000000")->ids == std::vector{core::log_id{3}, core::log_id{9'000'000'000}});
  std::string many = "1";
  for (int i = 0; i < 100; ++i)
    many += ",1";
  for (const auto& odd : {std::string{"status="}, std::string{"status=any,failed"}, std::string{"status=failed,,lost"},
                          std::string{"after=-1"}, std::string{"after=x"}, std::string{"ids="}, std::string{"ids=0"},
                          std::string{"ids=1,x"}, std::string{"ids=1&status=failed"}, "ids=" + many}) {
    CAPTURE(odd);
    CHECK_FALSE(search(odd));
  }
}

TEST_CASE("api: runs are searched by kind, address, duration and words", "[wire][api]") {
  const auto search = [](const std::string& query) { return api_run_search_of(*form::parse("/x?" + query, {}, {}), {}); };
  using enum core::trigger_kind;
  CHECK(search("kind=retry,manual")->kinds == std::vector{retry, manual});
  CHECK(search("address=http%3A%2F%2Fa%3A1%2F")->address == "http://a:1/");
  CHECK(search("min_duration_ms=3600000")->min_duration == core::milliseconds{3'600'000});
  CHECK(search("q=no+space%25")->words == "no space%");
  CHECK(search("q=" + std::string(200, 'x'))->words.size() == 200);
  for (const auto& odd :
       {std::string{"kind="}, std::string{"kind=cron,,api"}, std::string{"kind=Cron"}, std::string{"min_duration_ms=0"},
        std::string{"min_duration_ms="}, std::string{"min_duration_ms=x"}, std::string{"min_duration_ms=315360000001"},
        std::string{"q="}, std::string{"q=+"}, "q=" + std::string(201, 'x'), std::string{"ids=1&q=x"},
        std::string{"ids=1&kind=api"}}) {
    CAPTURE(odd);
    CHECK_FALSE(search(odd));
  }
}

TEST_CASE("api: a page of runs continues where its search ended", "[wire][api]") {
  core::run_list page;
  page.rows = std::vector<core::log_row>(2);
  page.rows[0].id = core::log_id{90};
  page.rows[1].id = core::log_id{70};
  page.total = 2;
  const auto text = [&](std::size_t limit) { return api_run_page(page, {}, limit); };
  const auto ends_with = [](const std::string& all, std::string_view end) { return all.ends_with(end); };
  CHECK(ends_with(text(3), R"("next":null,"total":2,"total_is_capped":false,"searched_to_ms":null})"));
  CHECK(ends_with(text(2), R"("next":"p70","total":2,"total_is_capped":false,"searched_to_ms":null})"));
  // A later page counts from its cursor, so it has no total.
  CHECK(ends_with(api_run_page(page, {}, 2, false),
                  R"("next":"p70","total":null,"total_is_capped":false,"searched_to_ms":null})"));
  page.rest = core::log_id{60};
  page.searched_to = core::from_ms(5000);
  page.total_is_capped = true;
  CHECK(ends_with(text(3), R"("next":"p61","total":2,"total_is_capped":true,"searched_to_ms":5000})"));
  CHECK(ends_with(text(2), R"("next":"p70","total":2,"total_is_capped":true,"searched_to_ms":null})"));
  // Below the rest the rows are not complete: the next page has them.
  page.rest = core::log_id{70};
  CHECK(text(2).find("\"id\":70") == std::string::npos);
  CHECK(ends_with(text(2), R"("next":"p71","total":2,"total_is_capped":true,"searched_to_ms":5000})"));
}

TEST_CASE("api: a run tells why it failed, and how it came about", "[wire][api]") {
  core::log_row run;
  run.id = core::log_id{70};
  run.job = core::job_id{7};
  run.trigger_code = 200;
  run.trigger_time = core::from_ms(1'700'000'000'000);
  run.trigger_msg = "rm1;retry@69;node-a;FIRST;0/1;SERIAL_EXECUTION;5;0;";
  run.handle_code = 500;
  run.handle_time = core::from_ms(1'700'000'002'500);
  run.handle_msg = "script exit value(3) is failed";
  const auto told = json::parse(api_run(run, {{{core::job_id{7}, "settle"}}, {}}));
  CHECK(told["job_name"] == "settle");
  CHECK(told["group_title"].is_null());
  CHECK(told["kind"] == "retry");
  CHECK(told["retry_of"] == 69);
  CHECK(told["origin"] == 69);
  CHECK(told["parent"].is_null());
  CHECK(told["attempt"].is_null());
  CHECK(told["node"] == "node-a");
  CHECK(told["duration_ms"] == 2500);
  CHECK(told["reason"]["code"] == "script_exit");
  CHECK(told["reason"]["params"] == json{{"text", "script exit value(3) is failed"}, {"exit_code", 3}});
  core::related_runs related;
  related.run = run;
  related.retries = {run};
  related.attempt = 2;
  const auto around = json::parse(api_related_runs(related, {}));
  CHECK(around["parent"].is_null());
  CHECK(around["retries"][0]["reason"]["code"] == "script_exit");
  CHECK(around["attempt"] == 2);
  CHECK(around["by"].is_null());
}

TEST_CASE("a late run tells its first instant, its delay and the instants that it replaces", "[unit][api]") {
  core::log_row run;
  run.trigger_time = core::from_ms(1'700'000'065'000);
  run.trigger_msg = "rm1;misfire@1700000000000+6;h;FIRST;0/1;SERIAL_EXECUTION;0;3;";
  const auto late = json::parse(api_run(run, {}));
  CHECK(late["instant_ms"] == 1'700'000'000'000);
  CHECK(late["lateness_ms"] == 65'000);
  CHECK(late["merged_instants"] == 6);
  CHECK(late["kind"] == "misfire");
  run.trigger_msg = "rm1;cron;h;FIRST;0/1;SERIAL_EXECUTION;0;3;";
  CHECK(json::parse(api_run(run, {}))["merged_instants"].is_null());
}
