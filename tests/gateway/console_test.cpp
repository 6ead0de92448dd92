// The web console's files over HTTP, the bookmarks of XXL-JOB's pages, and signing in through /api/v1.

#include "tests/support/catch.hpp"

#include <array>
#include <string>
#include <utility>

#include "gateway/console/console_pages.hpp"
#include "tests/gateway/api_fixture.hpp"

using namespace ringmaster;
using namespace ringmaster::test;

namespace {

using namespace std::string_view_literals;

// `printf 'hello\n' | gzip -9n`
constexpr auto hello_gzip =
  "\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\xcb\x48\xcd\xc9\xc9\xe7\x02\x00\x20\x30\x3a\x36\x06\x00\x00\x00"sv;
constexpr auto first_page = R"(<meta name="p" content="%RINGMASTER_PREFIX%"><script src="./assets/app.js"></script>)"sv;

constexpr std::array files{
  protocol::web_file{"assets/app.js", "text/javascript; charset=utf-8", "\"12ab\"", hello_gzip},
  protocol::web_file{"favicon.svg", "image/svg+xml", "\"34cd\"", hello_gzip},
  protocol::web_file{"index.html", "text/html; charset=utf-8", "\"56ef\"", first_page, true},
};

constexpr auto page_wanted = "Accept: text/html,application/xhtml+xml\r\n";

class console_fixture : public api_fixture {
public:
  console_fixture() { web.console = files; }
};

bool has_header(const raw_socket::message& reply, const std::string& line) {
  return reply.head.find(line + "\r\n") != std::string::npos;
}

} // namespace

TEST_CASE_METHOD(console_fixture, "console: pages and files") {
  open();
  SECTION("every path below /console/ gets the first page with links below the prefix") {
    for (const auto* path : {"/console", "/console/", "/console/jobs/7?tab=runs"}) {
      const auto reply = get(path);
      CHECK(reply.status() == 200);
      CHECK(reply.body == R"(<meta name="p" content=""><script src="/console/assets/app.js"></script>)");
      CHECK(has_header(reply, "Cache-Control: no-cache"));
      CHECK(has_header(reply, "Content-Type: text/html; charset=utf-8"));
    }
    CHECK(get("/xxl-job-admin/console/runs").body ==
          R"(<meta name="p" content="/xxl-job-admin"><script src="/xxl-job-admin/console/assets/app.js"></script>)");
  }
  SECTION("the page has the policy for its own scripts only") {
    CHECK(get("/console/").head.find("Content-Security-Policy: default-src 'self'") != std::string::npos);
  }
  SECTION("a file comes compressed to who takes gzip, else plain") {
    const auto packed = get("/console/assets/app.js", "Accept-Encoding: br, gzip\r\n");
    CHECK(packed.body == hello_gzip);
    CHECK(has_header(packed, "Content-Encoding: gzip"));
    CHECK(has_header(packed, "Cache-Control: public, max-age=31536000, immutable"));
    CHECK(has_header(packed, "ETag: \"12ab\""));
    for (const auto* accepted : {"", "Accept-Encoding: br\r\n", "Accept-Encoding: gzip;q=0\r\n"}) {
      const auto plain = get("/console/assets/app.js", accepted);
      CHECK(plain.body == "hello\n");
      CHECK_FALSE(has_header(plain, "Content-Encoding: gzip"));
    }
    CHECK(has_header(get("/console/favicon.svg"), "Cache-Control: no-cache"));
  }
  SECTION("what the browser has is not sent again") {
    CHECK(get("/console/assets/app.js", "If-None-Match: \"12ab\"\r\n").status() == 304);
    const auto head = get("/console/").head;
    const auto at = head.find("ETag: ");
    REQUIRE(at != std::string::npos);
    const auto tag = head.substr(at + 6, head.find('\r', at) - at - 6);
    CHECK(get("/console/", "If-None-Match: " + tag + "\r\n").status() == 304);
    CHECK(get("/xxl-job-admin/console/", "If-None-Match: " + tag + "\r\n").status() == 200);
  }
  SECTION("an unknown asset is not found, no other method is taken, no path leads out") {
    CHECK(get("/console/assets/other.js").status() == 404);
    CHECK(get("/console/assets/../../etc/passwd").status() == 404);
    CHECK(post("/console/", "x").status() == 405);
    CHECK(get("/consoles").status() == 404);
  }
}

TEST_CASE_METHOD(console_fixture, "console: a browser's bookmarks of XXL-JOB's pages lead to it") {
  open();
  const std::array rows{
    std::pair{"/", "/console/"},
    std::pair{"/index", "/console/"},
    std::pair{"/dashboard", "/console/"},
    std::pair{"/toLogin", "/console/sign-in"},
    std::pair{"/auth/login", "/console/sign-in"},
    std::pair{"/jobinfo?jobGroup=3", "/console/jobs?group=3"},
    std::pair{"/jobinfo", "/console/jobs"},
    std::pair{"/joblog?jobId=7", "/console/runs?job=7"},
    std::pair{"/joblog?jobId=0&jobGroup=2", "/console/runs?group=2"},
    std::pair{"/joblog?jobId=%22%3E", "/console/runs"},
    std::pair{"/joblog/logDetailPage?id=71", "/console/runs/71/log"},
    std::pair{"/joblog/logDetailPage", "/console/runs"},
    std::pair{"/jobcode?jobId=9", "/console/jobs/9/script"},
    std::pair{"/jobgroup", "/console/executors"},
    std::pair{"/user", "/console/users"},
    std::pair{"/help", "/console/help"},
  };
  for (const auto& [from, to] : rows)
    for (const std::string prefix : {"", "/xxl-job-admin"}) {
      CAPTURE(prefix, from);
      const auto reply = get(prefix + from, page_wanted);
      CHECK(reply.status() == 302);
      CHECK(has_header(reply, "Location: " + prefix + to));
    }
  SECTION("other clients see what they saw before") {
    CHECK(get("/jobinfo").status() == 404);
    const auto start = get("/xxl-job-admin/");
    CHECK(start.status() == 200);
    CHECK(start.body.find("<a href=\"/xxl-job-admin/console/\">") != std::string::npos);
    CHECK(start.body.find("without the web console") == std::string::npos);
    CHECK(get("/toLogin").status() == 200);
  }
}

TEST_CASE_METHOD(api_fixture, "console: a server without it says so") {
  open();
  CHECK(get("/console/").status() == 404);
  CHECK(get("/", page_wanted).status() == 200);
}

TEST_CASE_METHOD(api_fixture, "api: a browser signs in and out") {
  open();
  const std::string json = "Content-Type: application/json\r\n";
  SECTION("with the right password") {
    const auto reply = call_as("", "POST", "/session", R"({"name":"admin","password":"123456","remember":true})");
    REQUIRE(reply.status() == 200);
    CHECK(has(reply.head, "Set-Cookie: ringmaster_session_80=s-new; Path=/; HttpOnly; SameSite=Lax; Max-Age="));
    const auto session = json_of(reply);
    CHECK(session["name"] == "admin");
    CHECK(session["by"] == "session");
    CHECK(session["csrf_token"].get<std::string>().size() == 64);
  }
  SECTION("a page of another site is refused") {
    const auto reply = call_as("Origin: https://evil.example\r\n", "POST", "/session", R"({"name":"admin","password":"123456"})");
    CHECK(reply.status() == 403);
  }
  SECTION("another body is refused") {
    for (const auto* body : {"", "{}", R"({"name":"admin"})", R"({"name":"a","password":"b","more":1})"})
      CHECK(call_as("Content-Type: application/json\r\n", "POST", "/session", body).status() == 400);
    CHECK(post("/api/v1/session", "name=a", "Content-Type: application/x-www-form-urlencoded\r\n").status() == 415);
  }
  SECTION("out, with the CSRF token only") {
    CHECK(call_as(cookie_3("admin"), "DELETE", "/session").status() == 403);
    const auto reply = call("DELETE", "/session");
    CHECK(reply.status() == 204);
    CHECK(reply.head.find("Set-Cookie: ringmaster_session_80=; ") != std::string::npos);
  }
}

TEST_CASE_METHOD(api_fixture, "api: about shows a visitor little") {
  open();
  const auto visitor = json_of(call_as("", "GET", "/about"));
  CHECK(visitor["product"] == "Ringmaster");
  CHECK(visitor["languages"].size() == 3);
  CHECK_FALSE(visitor.contains("version"));
  const auto user = json_of(call("GET", "/about"));
  CHECK(user.contains("version"));
  CHECK(user["limits"]["page_max"] == 500);
  CHECK(user["features"]["glue"] == false);
}
