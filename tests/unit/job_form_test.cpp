// Forms of XXL's clients, decoded for core.

#include <string>

#include "protocol/wire/xxl/job_form.hpp"
#include "tests/support/catch.hpp"

using namespace std::string_literals;
using namespace ringmaster;
using namespace protocol::wire;

namespace {

form sent(const std::string& query) {
  auto parsed = form::parse("/?" + query, "", "");
  REQUIRE(parsed);
  return *parsed;
}

/// Returns true if the error names the parameter.
template <class Value>
bool names(const core::result<Value>& got, const std::string& parameter) {
  return !got && got.error().code == core::errc::invalid_argument &&
         got.error().context.find("the parameter " + parameter + ' ') != std::string::npos;
}

const auto form_now = *core::zone{}.parse("2024-05-31 10:20:30");

} // namespace

TEST_CASE("job form: every field is read", "[wire][job_form]") {
  const auto draft = job_draft_of(
    sent("jobGroup=2&jobDesc=d&author=a&alarmEmail=m&scheduleType=CRON&scheduleConf=c&misfireStrategy=x&executorRouteStrategy=r"
         "&executorBlockStrategy=b&executorHandler=+h%09&executorParam=+p+&executorTimeout=3&executorFailRetryCount=-1"
         "&childJobId=1,+2&glueType=BEAN&glueSource=s&glueRemark=k&triggerStatus=1&id=9&unknown=1"));
  REQUIRE(draft);
  CHECK(draft->group == core::group_id{2});
  CHECK(draft->name == "d");
  CHECK(draft->author == "a");
  CHECK(draft->alarm_email == "m");
  CHECK(draft->schedule_type == "CRON");
  CHECK(draft->schedule_conf == "c");
  CHECK(draft->misfire == "x");
  CHECK(draft->route == "r");
  CHECK(draft->block == "b");
  CHECK(draft->handler == "h");
  CHECK(draft->param == " p ");
  CHECK(draft->timeout_s == 3);
  CHECK(draft->retry_count == -1);
  CHECK(draft->children == "1, 2");
  CHECK(draft->glue_type == "BEAN");
  CHECK(draft->glue_source == "s");
  CHECK(draft->glue_remark == "k");
  CHECK_FALSE(draft->options);
}

TEST_CASE("job form: absent numbers are 0, an absent schedule is unset, either name is accepted", "[wire][job_form]") {
  const auto empty = job_draft_of(sent(""));
  REQUIRE(empty);
  CHECK(empty->group == core::group_id{0});
  CHECK(empty->timeout_s == 0);
  CHECK_FALSE(empty->schedule_conf);
  CHECK(job_draft_of(sent("scheduleConf="))->schedule_conf == "");
  CHECK(job_draft_of(sent("name=n"))->name == "n");
  CHECK(job_draft_of(sent("name=n&jobDesc="))->name == "n");
  CHECK(job_draft_of(sent("name=n&jobDesc=d"))->name == "d");
}

TEST_CASE("job form: an invalid number is named", "[wire][job_form]") {
  CHECK(names(job_draft_of(sent("jobGroup=x&executorTimeout=y")), "jobGroup"));
  CHECK(names(job_draft_of(sent("executorTimeout=1.5")), "executorTimeout"));
  CHECK(names(job_draft_of(sent("executorFailRetryCount=99999999999")), "executorFailRetryCount"));
  CHECK(names(job_search_of(sent("triggerStatus=-1")), "jobGroup"));
  CHECK(names(job_search_of(sent("jobGroup=1&triggerStatus=")), "triggerStatus"));
  CHECK(names(job_search_of(sent("jobGroup=1&triggerStatus=0&length=all")), "length"));
  CHECK(names(run_search_of(sent("jobGroup=1&logStatus=1"), {}, dialect::xxl3), "jobId"));
  CHECK(names(group_draft_of(sent("addressType=manual")), "addressType"));
  CHECK(names(group_search_of(sent("offset=-")), "offset"));
  CHECK(names(user_search_of(sent("username=a")), "role"));
}

TEST_CASE("windows: both ages' names are accepted, and values are bounded", "[wire][job_form]") {
  const auto window = [](const std::string& query) {
    const auto read = window_of(sent(query));
    REQUIRE(read);
    return std::pair{read->offset, read->limit};
  };
  using pair = std::pair<std::size_t, std::size_t>;
  CHECK(window("") == pair{0, 10});
  CHECK(window("start=20&length=5") == pair{20, 5});
  CHECK(window("offset=20&pagesize=5") == pair{20, 5});
  CHECK(window("start=1&offset=2&length=3&pagesize=4") == pair{1, 3});
  CHECK(window("start=-1&length=-1") == pair{0, 10});
  CHECK(window("length=0") == pair{0, 10});
  CHECK(window("start=9223372036854775807&length=9223372036854775807") == pair{2147483647, core::page_rows_max});
  CHECK_FALSE(window_of(sent("start=9223372036854775808")));
}

TEST_CASE("job search: XXL's -1 and 0 mean all", "[wire][job_form]") {
  const auto all = job_search_of(sent("jobGroup=0&triggerStatus=-1"));
  REQUIRE(all);
  CHECK_FALSE(all->group);
  CHECK_FALSE(all->running);
  CHECK_FALSE(all->visible);
  const auto some = job_search_of(sent("jobGroup=3&triggerStatus=0&jobDesc=d&executorHandler=h&author=a&start=10"));
  REQUIRE(some);
  CHECK(some->group == core::group_id{3});
  CHECK(some->running == false);
  CHECK(some->name_part == "d");
  CHECK(some->handler_part == "h");
  CHECK(some->author_part == "a");
  CHECK(some->window.offset == 10);
  CHECK(job_search_of(sent("jobGroup=-1&triggerStatus=1"))->running == true);
}

TEST_CASE("run search: a job replaces the group up to 3.2, later both are filters", "[wire][job_form]") {
  const auto form = sent("jobGroup=3&jobId=7&logStatus=2&filterTime=");
  const auto before = run_search_of(form, {}, dialect::xxl2), since = run_search_of(form, {}, dialect::xxl3);
  REQUIRE(before);
  REQUIRE(since);
  CHECK_FALSE(before->group);
  CHECK(before->job == core::job_id{7});
  CHECK(since->group == core::group_id{3});
  CHECK(since->job == core::job_id{7});
  CHECK(since->status == core::run_status::failed);
  CHECK(run_search_of(sent("jobGroup=3&jobId=0&logStatus=3"), {}, dialect::xxl2)->group == core::group_id{3});
  CHECK(run_search_of(sent("jobGroup=3&jobId=0&logStatus=3"), {}, dialect::xxl2)->status == core::run_status::running);
  CHECK(run_search_of(sent("jobGroup=3&jobId=0&logStatus=1"), {}, dialect::xxl2)->status == core::run_status::succeeded);
  for (const char* any : {"-1", "0", "4"})
    CHECK(run_search_of(sent("jobGroup=3&jobId=0&logStatus="s + any), {}, dialect::xxl2)->status == core::run_status::any);
}

TEST_CASE("run search: times are in the users' zone", "[wire][job_form]") {
  const auto shanghai = *core::zone::find("Asia/Shanghai");
  const auto search = [&](const std::string& times, dialect which) {
    return run_search_of(sent("jobGroup=0&jobId=0&logStatus=-1&filterTime=" + times), shanghai, which);
  };
  const auto whole = search("2024-05-31+00:00:00+-+2024-05-31+23:59:59", dialect::xxl3);
  REQUIRE(whole);
  CHECK(whole->from == *core::zone{}.parse("2024-05-30 16:00:00"));
  CHECK(whole->to == *core::zone{}.parse("2024-05-31 15:59:59"));
  const auto half = search("x+-+2024-05-31+23:59:59", dialect::xxl2);
  REQUIRE(half);
  CHECK_FALSE(half->from);
  CHECK(half->to);
  CHECK(names(search("x+-+2024-05-31+23:59:59", dialect::xxl3), "filterTime"));
  for (const char* none : {"", "2024-05-31+00:00:00", "a-b", "+"}) {
    CHECK_FALSE(search(none, dialect::xxl3)->from);
    CHECK_FALSE(search(none, dialect::xxl2)->to);
  }
}

TEST_CASE("clearing: nine types are accepted and no other", "[wire][job_form]") {
  const auto clear = [](const std::string& type) {
    return clear_search_of(sent("jobGroup=1&jobId=0&type=" + type), {}, form_now);
  };
  const auto until = [&](const char* type) { return core::zone{}.format(*clear(type)->until); };
  CHECK(until("1") == "2024-04-30 10:20:30");
  CHECK(until("2") == "2024-02-29 10:20:30");
  CHECK(until("3") == "2023-11-30 10:20:30");
  CHECK(until("4") == "2023-05-31 10:20:30");
  CHECK(clear("5")->keep_newest == 1000u);
  CHECK(clear("6")->keep_newest == 10'000u);
  CHECK(clear("7")->keep_newest == 30'000u);
  CHECK(clear("8")->keep_newest == 100'000u);
  REQUIRE(clear("9"));
  CHECK_FALSE(clear("9")->until);
  CHECK_FALSE(clear("9")->keep_newest);
  CHECK(clear("9")->group == core::group_id{1});
  CHECK_FALSE(clear("9")->job);
  for (const char* wrong : {"0", "10", "-1", "2147483647"}) {
    REQUIRE_FALSE(clear(wrong));
    CHECK(clear(wrong).error().why == core::refusal::clear_type_illegal);
  }
  CHECK(names(clear(""), "type"));
  CHECK(names(clear("x"), "type"));
}

TEST_CASE("groups and users: drafts and searches", "[wire][job_form]") {
  const auto draft = group_draft_of(sent("appname=app&name=n&addressType=1&addressList=http://a/,http://b/"));
  REQUIRE(draft);
  CHECK(draft->app_name == "app");
  CHECK(draft->title == "n");
  CHECK(draft->type == 1);
  CHECK(draft->address_list == "http://a/,http://b/");
  CHECK(group_draft_of(sent("title=t&name=n"))->title == "t");
  const auto groups = group_search_of(sent("appname=app&title=t&pagesize=3"));
  REQUIRE(groups);
  CHECK(groups->app_name_part == "app");
  CHECK(groups->title_part == "t");
  CHECK(groups->window.limit == 3);
  const auto users = user_search_of(sent("username=u&role=1"));
  REQUIRE(users);
  CHECK(users->name_part == "u");
  CHECK(users->admin == true);
  CHECK_FALSE(user_search_of(sent("role=-1"))->admin);
}
