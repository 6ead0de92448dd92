// Invalid input to every endpoint of the web API: it answers an error with a reason, asks no actor, and never answers 500.

#include "tests/support/catch.hpp"

#include <array>

#include "tests/gateway/web_fixture.hpp"

using namespace ringmaster;
using namespace ringmaster::test;

namespace {

constexpr std::array numbers{"id", "ids", "ids[]", "jobGroup", "triggerStatus", "jobId", "logStatus", "logId", "fromLineNum",
                             "type", "role", "start", "length", "offset", "pagesize", "executorTimeout", "addressType",
                             "permission"};

/// Returns every parameter of any endpoint, each with the same value.
std::string all_with(std::string_view value) {
  std::string form;
  for (const auto* name : numbers)
    form.append(name).append("=").append(value).append("&");
  return form + "jobDesc=x";
}

bool is_error(const raw_socket::message& reply) {
  return (reply.status() == 200 || reply.status() == 400) && reply.body.find(R"({"code":500,"msg":")") == 0;
}

bool takes_no_number(std::string_view path) {
  constexpr std::array<std::string_view, 10> without{
    "/login",          "/logout",  "/auth/doLogin", "/auth/logout",             "/user/updatePwd",
    "/auth/updatePwd", "/toLogin", "/auth/login",   "/jobinfo/nextTriggerTime", "/chartInfo"};
  return std::find(without.begin(), without.end(), path) != without.end();
}

} // namespace

TEST_CASE_METHOD(web_fixture, "invalid numbers are refused by every endpoint", "[gateway][web][hostile]") {
  open();
  for (const auto& row : gateway::routes()) {
    if (row.by == gateway::dialect_set::none || takes_no_number(row.path))
      continue;
    for (const auto* value : {"x", "1.5", "99999999999999999999", "%20", "1%201", "0x10", "NaN", "%5B%5D", "1%3B2"}) {
      CAPTURE(row.path, value);
      const auto reply = submit(std::string{row.path}, all_with(value), cookie_2("admin"));
      CHECK(is_error(reply));
      CHECK(script->take_asked().empty());
    }
  }
}

TEST_CASE_METHOD(web_fixture, "an invalid form is refused by every endpoint", "[gateway][web][hostile]") {
  open();
  std::string many;
  for (int i = 0; i < 1'000; ++i)
    many += "a" + std::to_string(i) + "=1&";
  for (const auto& row : gateway::routes()) {
    if (row.by == gateway::dialect_set::none || row.path == "/toLogin" || row.path == "/auth/login" || row.path == "/logout" ||
        row.path == "/auth/logout")
      continue;
    CAPTURE(row.path);
    for (const std::string& form : {std::string{"id=%zz"}, std::string{"id=7&x=%00"}, std::string{"x=%ff%fe&id=7"}, many}) {
      const auto reply = submit(std::string{row.path}, form, cookie_2("admin"));
      CHECK(reply.status() == 400);
      CHECK(is_error(reply));
    }
    CHECK(script->take_asked().empty());
  }
}

TEST_CASE_METHOD(web_fixture, "huge, empty and repeated parameters never break anything", "[gateway][web][hostile]") {
  open();
  const std::string mega(1024 * 1024, 'x');
  for (const auto& row : gateway::routes()) {
    if (row.by == gateway::dialect_set::none)
      continue;
    CAPTURE(row.path);
    const std::string base = "id=7&jobGroup=1&jobId=7&logId=70&fromLineNum=1&type=9&role=0&triggerStatus=-1&logStatus=-1";
    const std::string negative = "id=-2147483648&jobGroup=-1&jobId=-5&logId=-1&fromLineNum=-7";
    for (const std::string& form : {base + "&jobDesc=" + mega, base + "&id=8&id=9", base + "&id[]=1&jobGroup[0]=2", std::string{},
                                    base + "&=&&=x&id", negative}) {
      const auto reply = submit(std::string{row.path}, form, cookie_2("admin"));
      CHECK(reply.status() < 500);
      const auto as_json = ask(text("POST", "/xxl-job-admin" + std::string{row.path}, "{\"id\":7}",
                                    "Content-Type: application/json\r\n" + cookie_2("admin")));
      CHECK(as_json.status() < 500);
    }
  }
}

TEST_CASE_METHOD(web_fixture, "a body that is longer than its route accepts is not read", "[gateway][web][hostile]") {
  open();
  for (const auto& row : gateway::routes()) {
    if (row.by == gateway::dialect_set::none || !row.changes())
      continue;
    CAPTURE(row.path);
    const bool for_visitors = row.who.who == gateway::access::anyone;
    CHECK(row.body_max == (for_visitors ? 16u * 1024 : 1024u * 1024));
    // No user is signed in: a stranger's form is not read.
    const std::string form = "userName=a&password=" + std::string(row.body_max, 'x');
    const auto reply = submit(std::string{row.path}, form);
    CHECK(reply.status() == 413);
    CHECK(reply.body.find(R"({"code":500,"msg":"the body is longer than )") == 0);
    CHECK(submit(std::string{row.path}, form.substr(0, row.body_max)).status() != 413);
    script->take_asked();
  }
}

TEST_CASE_METHOD(web_fixture, "bodies of executors have only the transport's limit", "[gateway][hostile]") {
  open();
  const std::string msg(2 * gateway::form_bytes_max, 'x');
  const auto reply = post("/xxl-job-admin/api/callback",
                          R"([{"logId":1,"logDateTim":1,"handleCode":200,"handleMsg":")" + msg + R"("}])");
  CHECK(reply.body == plain_success);
}
