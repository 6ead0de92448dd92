// Channels of alarms in /api/v1.

#include "tests/support/catch.hpp"

#include <string>
#include <vector>

#include "tests/gateway/api_fixture.hpp"

using namespace ringmaster;
using namespace ringmaster::test;
using nlohmann::json;

using asked_of_alarms = std::vector<std::string>;

TEST_CASE_METHOD(api_fixture, "channels of alarms are listed", "[gateway][api][alarms]") {
  open();
  CHECK(json_of(call("GET", "/alarms/channels")) == json::parse(R"({"items":[
    {"name":"mail","kind":"mail","place":"smtp.example.org:587","sender":"ops@example.org"},
    {"name":"ops","kind":"slack","place":"hooks.example.org","sender":null}]})"));
}

TEST_CASE_METHOD(api_fixture, "rules of alarms are listed", "[gateway][api][alarms]") {
  open();
  const auto page = json_of(call("GET", "/alarms/rules?limit=1"));
  CHECK(page["items"] == json::parse(R"([{"key":"night","source":"deploy","group":"pay-worker","job":null,
    "channels":["ops","mail"],"mail_to":["ann@example.org"],"on":"last_attempt","dedup_ms":60000,"kinds":[],
    "recovered":false}])"));
  CHECK(page["total"] == 2);
  const auto rest = json_of(call("GET", "/alarms/rules?cursor=" + page["next"].get<std::string>()));
  CHECK(rest["items"].size() == 1);
  CHECK(rest["items"][0]["group"].is_null());
  CHECK(rest["items"][0]["kinds"] == json::parse(R"(["ej_late"])"));
  CHECK(rest["items"][0]["dedup_ms"].is_null());
  CHECK(rest["next"].is_null());
  CHECK(json_of(call("GET", "/alarms/rules?cursor=p9"))["items"].empty());
  CHECK(call("GET", "/alarms/rules?job=7").status() == 400);
}

TEST_CASE_METHOD(api_fixture, "open alarms are listed with the latest messages", "[gateway][api][alarms]") {
  open();
  CHECK(json_of(call("GET", "/alarms/open")) == json::parse(R"({"items":[
    {"id":90,"kind":"failure","job":7,"job_name":"nightly \"<b>\"","group":1,"group_title":"Payments","run":70,
     "elastic_job":null,"item":null,"item_run":null,"since_ms":1767225600000,"state":"taken","node":"node-b"},
    {"id":91,"kind":"recovery","job":8,"job_name":null,"group":null,"group_title":null,"run":71,
     "elastic_job":null,"item":null,"item_run":null,"since_ms":1767225601000,"state":"waiting","node":null},
    {"id":90,"kind":"ej_fail","job":null,"job_name":null,"group":null,"group_title":null,"run":null,
     "elastic_job":7,"item":3,"item_run":24,"since_ms":1767225602000,"state":"waiting","node":null}],
    "truncated":true,"messages":[
    {"at_ms":1767225602000,"channel":"mail","recipient":"ann@example.org","kind":"failure","job":7,"job_name":"nightly","run":70,
     "elastic_job":null,"item":null,"item_run":null,"count":2,"outcome":"will_retry","attempts":3,"detail":"connection refused"},
    {"at_ms":1767225601000,"channel":"ops","recipient":null,"kind":"ej_late","job":null,"job_name":"sums","run":null,
     "elastic_job":7,"item":null,"item_run":null,"count":1,"outcome":"delivered","attempts":1,"detail":null},
    {"at_ms":1767225600000,"channel":"ops","recipient":null,"kind":"summary","job":null,"job_name":null,"run":null,
     "elastic_job":null,"item":null,"item_run":null,"count":5,"outcome":"delivered","attempts":1,"detail":null}],
    "node":"node-a"})"));
  CHECK(script->take_asked() == asked_of_alarms{"open_alarms_query() by admin@127.0.0.1",
                                                "sent_messages_query() by admin@127.0.0.1"});
}

TEST_CASE_METHOD(api_fixture, "open alarms are not listed while the store cannot be read", "[gateway][api][alarms]") {
  open();
  script->refuse({core::errc::unavailable, "the database does not answer"}, "open_alarms_query");
  CHECK(call("GET", "/alarms/open").status() == 503);
  CHECK(call("GET", "/alarms/open?limit=1").status() == 400);
}

TEST_CASE_METHOD(api_fixture, "a test of a channel answers how its delivery ended", "[gateway][api][alarms]") {
  open();
  const auto reply = call("POST", "/alarms/channels/mail/test", R"({"to":"ann@example.org"})");
  CHECK(reply.status() == 200);
  CHECK(json_of(reply) == json::parse(R"({"delivered":false,"detail":"refused","took_ms":12})"));
  CHECK(call("POST", "/alarms/channels/on%20call%20%E5%91%8A/test").status() == 200);
  CHECK(script->take_asked() == asked_of_alarms{"test_channel('mail', 'ann@example.org') by admin@127.0.0.1",
                                                "test_channel('on call 告', '') by admin@127.0.0.1"});
}

TEST_CASE_METHOD(api_fixture, "a test of a channel with a wrong name or body is refused", "[gateway][api][alarms]") {
  open();
  for (const auto* place : {"%", "%zz", "%ff", "%00", "a/b", "%80"}) {
    CAPTURE(place);
    CHECK(call("POST", std::string{"/alarms/channels/"} + place + "/test").status() == 404);
  }
  for (const auto* body : {"[]", R"({"to":7})", R"({"to":"a","more":1})", R"({"to":"a","to":"b"})", "{"}) {
    CAPTURE(body);
    CHECK(call("POST", "/alarms/channels/mail/test", body).status() == 400);
  }
  CHECK(script->take_asked().empty());
}
