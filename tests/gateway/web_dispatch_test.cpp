// Path of a request from a browser, script or tool to its handler: methods, origins, cookies, dialects.

#include "tests/support/catch.hpp"

#include <array>

#include "tests/gateway/web_fixture.hpp"

using namespace ringmaster;
using namespace ringmaster::test;

namespace {

constexpr auto list_form = "jobGroup=0&triggerStatus=-1";
constexpr auto list_path = "/xxl-job-admin/jobinfo/pageList?jobGroup=0&triggerStatus=-1";

bool is_2(const raw_socket::message& reply) { return has(reply.body, R"("recordsTotal":41)"); }
bool is_3(const raw_socket::message& reply) { return has(reply.body, R"("total":41)"); }

constexpr std::array safety_headers{"X-Content-Type-Options: nosniff\r\n", "X-Frame-Options: DENY\r\n",
                                    "Referrer-Policy: same-origin\r\n", "frame-ancestors 'none'", "default-src 'self'"};

} // namespace

TEST_CASE_METHOD(web_fixture, "a reply of the web API has the expected headers and body", "[gateway][web]") {
  open();
  const auto reply = submit("/jobinfo/start", "id=7", cookie_2("operator"));
  CHECK(reply.head ==
        "HTTP/1.1 200 OK\r\nConnection: keep-alive\r\nKeep-Alive: timeout=90\r\n"
        "Content-Type: application/json;charset=UTF-8\r\nCache-Control: no-store\r\n"
        "Content-Security-Policy: default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; "
        "form-action 'self'; frame-ancestors 'none'\r\nX-Content-Type-Options: nosniff\r\nX-Frame-Options: DENY\r\n"
        "Referrer-Policy: same-origin\r\n"
        "Content-Length: 38\r\n\r\n");
  CHECK(reply.body == R"({"code":200,"msg":null,"content":null})");
  CHECK(script->take_asked() == std::vector<std::string>{"start_job(7) by otto@127.0.0.1"});
}

TEST_CASE_METHOD(web_fixture, "routes that change something accept only POST", "[gateway][web]") {
  open();
  for (const auto& row : gateway::routes()) {
    if (row.by == gateway::dialect_set::none || !row.changes())
      continue;
    CAPTURE(row.path);
    for (const auto& cookie : {cookie_2("admin"), cookie_3("admin")}) {
      const auto reply = get(std::string{row.path} + "?id=7&ids[]=7&userName=a&password=b", cookie);
      CHECK(reply.status() == 405);
      CHECK(has(reply.head, "Allow: POST\r\n"));
      CHECK(has(reply.body, R"({"code":500,"msg":"this path takes POST only")"));
    }
  }
  CHECK(script->take_asked().empty());
}

TEST_CASE_METHOD(web_fixture, "lists accept only GET and POST", "[gateway][web]") {
  open();
  CHECK(is_2(get(list_path, cookie_2("admin"))));
  CHECK(is_2(submit("/jobinfo/pageList", list_form, cookie_2("admin"))));
  const auto reply = ask(text("DELETE", list_path, "", cookie_2("admin")));
  CHECK(reply.status() == 405);
  CHECK(has(reply.head, "Allow: GET, HEAD, POST\r\n"));
}

TEST_CASE_METHOD(web_fixture, "pages of other sites change nothing", "[gateway][web][safety]") {
  open();
  const std::array foreign{"Origin: http://evil.example\r\n", "Origin: null\r\n", "Origin: http://localhost.evil.example\r\n",
                           "Origin: http://localhost:8080\r\n",       "Origin: x\r\n",    "Sec-Fetch-Site: cross-site\r\n",
                           "Sec-Fetch-Site: same-site\r\n",   "Origin: \r\n"};
  for (const std::string header : foreign) {
    CAPTURE(header);
    const auto reply = submit("/jobinfo/start", "id=7", cookie_2("admin") + header);
    CHECK(reply.status() == 403);
    CHECK(has(reply.body, R"("msg":"refused: a page of another site sent this request)"));
    // Other sites cannot sign a user in either.
    CHECK(submit("/login", "userName=a&password=b", header).status() == 403);
    CHECK(submit("/auth/logout", "", cookie_3("admin") + header).status() == 403);
  }
  CHECK(script->take_asked().empty());
  for (const std::string header : {"", "Origin: http://localhost\r\n", "Origin: https://LOCALHOST\r\n",
                                   "Sec-Fetch-Site: same-origin\r\n", "Sec-Fetch-Site: none\r\n",
                                   "Sec-Fetch-Site: same-origin\r\nOrigin: http://localhost\r\n"}) {
    CAPTURE(header);
    CHECK(submit("/jobinfo/start", "id=7", cookie_2("admin") + header).status() == 200);
  }
}

TEST_CASE_METHOD(web_fixture, "headers of an untrusted proxy are ignored", "[gateway][web][safety]") {
  open();
  const auto reply =
    submit("/jobinfo/start", "id=7", cookie_2("admin") + "X-Forwarded-Host: evil.example\r\nOrigin: http://evil.example\r\n");
  CHECK(reply.status() == 403);
  submit("/login", "userName=a&password=b", "X-Forwarded-For: 203.0.113.7\r\n");
  CHECK(script->take_asked() == std::vector<std::string>{"sign_in('a', 'b', false, '127.0.0.1')"});
}

TEST_CASE_METHOD(web_fixture, "client, scheme and host are taken from a trusted proxy", "[gateway][web][safety]") {
  server.trusted_proxies = {"127.0.0.0/8"};
  open();
  const auto in = submit("/login", "userName=a&password=b",
                         "X-Forwarded-For: 198.51.100.1, 203.0.113.7\r\n"
                         "X-Forwarded-Proto: https\r\nX-Forwarded-Host: jobs.example\r\n"
                         "Origin: https://jobs.example\r\n");
  CHECK(has(in.head, "HttpOnly; SameSite=Lax; Secure\r\n"));
  CHECK_FALSE(has(in.head, "Strict-Transport-Security"));
  CHECK(script->take_asked() == std::vector<std::string>{"sign_in('a', 'b', false, '203.0.113.7')"});
  const std::string https = cookie_2("admin") + "X-Forwarded-Proto: https\r\nX-Forwarded-Host: jobs.example\r\n";
  CHECK(submit("/jobinfo/start", "id=7", https + "Origin: https://jobs.example\r\n").status() == 200);
  // An origin with our host but without TLS, and one with the host that only the proxy uses for us.
  CHECK(submit("/jobinfo/start", "id=7", https + "Origin: http://jobs.example\r\n").status() == 403);
  CHECK(submit("/jobinfo/start", "id=7", https + "Origin: https://x\r\n").status() == 403);
}

TEST_CASE_METHOD(web_fixture, "every answer to users has the safety headers", "[gateway][web][safety]") {
  open();
  const std::array replies{get("/nowhere"),
                           get("/toLogin"),
                           get("/livez"),
                           get(list_path),
                           get(list_path, cookie_2("admin")),
                           get("/jobinfo/start", cookie_2("admin")),
                           submit("/jobinfo/start", "id=x", cookie_2("admin")),
                           submit("/jobinfo/start", "id=1", cookie_2("viewer"))};
  for (const auto& reply : replies) {
    CAPTURE(reply.head);
    for (const auto* header : safety_headers)
      CHECK(has(reply.head, header));
  }
  for (std::size_t i = 3; i < replies.size(); ++i)
    CHECK(has(replies[i].head, "Cache-Control: no-store\r\n"));
}

TEST_CASE_METHOD(web_fixture, "session cookies are HttpOnly, Lax, and Secure by setting", "[gateway][web][safety]") {
  const bool secure = GENERATE(false, true);
  security.secure_cookies = secure;
  open();
  const std::string end = secure ? "; Secure" : "";
  const auto cookie = [&](std::string_view target, const char* form) { return submit(std::string{target}, form).head; };
  CHECK(has(cookie("/login", "userName=a&password=b"),
            "Set-Cookie: XXL_JOB_LOGIN_IDENTITY=s-new; Path=/; HttpOnly; SameSite=Lax" + end + "\r\n"));
  CHECK(has(cookie("/auth/doLogin", "userName=a&password=b&ifRemember=on"),
            "Set-Cookie: xxl_job_login_token=s-new; Path=/; HttpOnly; SameSite=Lax" + end + "; Max-Age=604800\r\n"));
  CHECK(has(cookie("/auth/logout", ""),
            "Set-Cookie: xxl_job_login_token=; Path=/; HttpOnly; SameSite=Lax" + end + "; Max-Age=0\r\n"));
}

TEST_CASE_METHOD(web_fixture, "too many sign-ins are refused with Retry-After, in either dialect", "[gateway][web]") {
  open();
  for (const auto* target : {"/login", "/auth/doLogin"}) {
    CAPTURE(target);
    script->refuse({core::errc::too_large, "too many failures: try again in 7 s", core::refusal::none, "7"}, "sign_in");
    const auto reply = submit(target, "userName=a&password=b");
    CHECK(reply.status() == 200);
    CHECK(has(reply.head, "Retry-After: 7\r\n"));
    CHECK(has(reply.body, R"("code":500,"msg":"too many failures: try again in 7 s")"));
  }
}

TEST_CASE_METHOD(web_fixture, "signing out ends the session that the cookie names", "[gateway][web]") {
  open();
  CHECK(submit("/logout", "", cookie_2("s-1")).status() == 200);
  CHECK(submit("/auth/logout", "", cookie_3("s-2")).status() == 200);
  CHECK(submit("/logout", "").status() == 200);
  CHECK(script->take_asked() == std::vector<std::string>{"sign_out('s-1')", "sign_out('s-2')"});
}

TEST_CASE_METHOD(web_fixture, "signing in and out leaves no session of the other dialect", "[gateway][web][safety]") {
  open();
  const std::string both = "Cookie: XXL_JOB_LOGIN_IDENTITY=s-1; xxl_job_login_token=s-2\r\n";
  constexpr auto no_2 = "Set-Cookie: XXL_JOB_LOGIN_IDENTITY=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0\r\n";
  constexpr auto no_3 = "Set-Cookie: xxl_job_login_token=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0\r\n";
  const auto out = submit("/logout", "", both);
  CHECK(has(out.head, no_2));
  CHECK(has(out.head, no_3));
  CHECK(script->take_asked() == std::vector<std::string>{"sign_out('s-2')", "sign_out('s-1')"});

  // Another user signs in at the same browser.
  const auto in = submit("/auth/doLogin", "userName=a&password=b", both);
  CHECK(has(in.head, "Set-Cookie: xxl_job_login_token=s-new;"));
  CHECK(has(in.head, no_2));
  CHECK(script->take_asked() ==
        std::vector<std::string>{"sign_in('a', 'b', false, '127.0.0.1')", "sign_out('s-1')", "sign_out('s-2')"});

  // A wrong password ends no session.
  script->refuse({core::errc::invalid_argument, "wrong", core::refusal::sign_in_wrong});
  CHECK_FALSE(has(submit("/login", "userName=a&password=x", both).head, "Set-Cookie"));
  CHECK(script->take_asked() == std::vector<std::string>{"sign_in('a', 'x', false, '127.0.0.1')"});
}

TEST_CASE_METHOD(web_fixture, "a sign-out that cannot end one session ends the other and says so", "[gateway][web][safety]") {
  open();
  script->refuse({core::errc::unavailable, "the store is away"});
  const auto reply = submit("/logout", "", "Cookie: XXL_JOB_LOGIN_IDENTITY=s-1; xxl_job_login_token=s-2\r\n");
  CHECK(has(reply.body, R"("code":500)"));
  CHECK_FALSE(has(reply.head, "Set-Cookie"));
  CHECK(script->take_asked() == std::vector<std::string>{"sign_out('s-2')", "sign_out('s-1')"});
}

TEST_CASE_METHOD(web_fixture, "visitors without a session are refused in their dialect", "[gateway][web]") {
  open();
  const auto two = submit("/jobinfo/start", "id=7", cookie_2("forged"));
  CHECK(two.status() == 302);
  CHECK(has(two.head, "Location: /xxl-job-admin/toLogin\r\n"));
  CHECK(has(two.head, "Set-Cookie: XXL_JOB_LOGIN_IDENTITY=; "));
  const auto three = submit("/jobinfo/start", "id=7", cookie_3("forged"));
  CHECK(three.status() == 200);
  CHECK(has(three.body, R"("msg":"com.xxl.sso.core.exception.XxlSsoException: not login for path:/jobinfo/start")"));
  CHECK(has(three.head, "Set-Cookie: xxl_job_login_token=; "));
  // The page is also served below no context path.
  const auto short_path = post("/jobinfo/add", "", "");
  CHECK(short_path.status() == 302);
  CHECK(has(short_path.head, "Location: /toLogin\r\n"));
  CHECK_FALSE(has(short_path.head, "Set-Cookie"));
  CHECK(script->take_asked().empty());
}

TEST_CASE_METHOD(web_fixture, "forged and malformed cookies have no session", "[gateway][web][hostile]") {
  open();
  const std::array odd{std::string{"Cookie: \r\n"},
                       std::string{"Cookie: XXL_JOB_LOGIN_IDENTITY\r\n"},
                       std::string{"Cookie: XXL_JOB_LOGIN_IDENTITY=\r\n"},
                       std::string{"Cookie: ;;;===;XXL_JOB_LOGIN_IDENTITY=admin2\r\n"},
                       std::string{"Cookie: xxl_job_login_identity=admin\r\n"},
                       std::string{"Cookie: XXL_JOB_LOGIN_IDENTITY=7b226964223a312c22757365726e616d65223a2261646d696e227d\r\n"},
                       cookie_2(std::string(513, 'a')),
                       cookie_2(std::string(8000, 'a')),
                       cookie_2("\xff\xfe")};
  for (const auto& cookie : odd) {
    CAPTURE(cookie);
    web.of_schema = protocol::wire::dialect::xxl2;
    const auto reply = submit("/jobinfo/add", "id=7", cookie);
    CHECK(reply.status() == 302);
  }
  CHECK(script->take_asked().empty());
}

TEST_CASE_METHOD(web_fixture, "of two cookies the one with a valid session counts", "[gateway][web]") {
  open();
  const std::string both = "Cookie: XXL_JOB_LOGIN_IDENTITY=forged; xxl_job_login_token=admin\r\n";
  CHECK(submit("/jobinfo/remove", "id=7", both).body == R"({"code":200,"msg":null,"content":null})");
  CHECK(submit("/jobinfo/delete", "ids=7", both).body == R"({"code":200,"msg":"Success","data":null,"success":true})");
}

TEST_CASE_METHOD(web_fixture, "an unavailable store signs no user out", "[gateway][web]") {
  open();
  const auto reply = submit("/jobinfo/start", "id=7", cookie_2("broken"));
  CHECK(reply.status() == 200);
  CHECK(reply.body == R"({"code":500,"msg":"the database or a component is not available now; see the log","content":null})");
  CHECK_FALSE(has(reply.head, "Set-Cookie"));
}

TEST_CASE_METHOD(web_fixture, "the dialect comes from the path, else the cookie, else the schema", "[gateway][web]") {
  web.of_schema = GENERATE(protocol::wire::dialect::xxl2, protocol::wire::dialect::xxl3);
  const bool old_schema = web.of_schema == protocol::wire::dialect::xxl2;
  open();
  CHECK(is_2(get(list_path, cookie_2("admin"))));
  CHECK(is_3(get(list_path, cookie_3("admin"))));
  CHECK(submit("/jobinfo/add", "jobGroup=1", cookie_3("admin")).body == R"({"code":200,"msg":null,"content":"71"})");
  CHECK(submit("/jobinfo/insert", "jobGroup=1", cookie_2("admin")).body ==
        R"({"code":200,"msg":"Success","data":"71","success":true})");
  const std::string both = "Cookie: XXL_JOB_LOGIN_IDENTITY=admin; xxl_job_login_token=admin\r\n";
  CHECK(is_2(get(list_path, both)) == old_schema);
  CHECK(get(list_path).status() == (old_schema ? 302 : 200));
}

TEST_CASE_METHOD(web_fixture, "with one dialect configured the other's paths are not served", "[gateway][web]") {
  const bool two = GENERATE(true, false);
  web.settings.dialect = two ? "2.x" : "3.3+";
  open();
  CHECK(submit("/login", "userName=a&password=b").status() == (two ? 200 : 404));
  CHECK(submit("/auth/doLogin", "userName=a&password=b").status() == (two ? 404 : 200));
  CHECK(submit("/jobinfo/insert", "jobGroup=1", cookie_3("admin")).status() == (two ? 404 : 200));
  CHECK(is_2(get(list_path, cookie_3("admin"))) == two);
  CHECK(is_3(get(list_path, cookie_2("admin"))) != two);
}

TEST_CASE_METHOD(web_fixture, "the sign-in page has no scripts and redirects a signed-in user", "[gateway][web]") {
  open();
  const auto page = get("/xxl-job-admin/toLogin");
  CHECK(page.status() == 200);
  CHECK(has(page.head, "Content-Type: text/html;charset=utf-8\r\n"));
  CHECK(has(page.body, R"(action="/xxl-job-admin/login")"));
  CHECK_FALSE(has(page.body, "<script"));
  CHECK(has(get("/auth/login").body, R"(action="/auth/doLogin")"));
  const auto away = get("/xxl-job-admin/toLogin", cookie_2("viewer"));
  CHECK(away.status() == 303);
  CHECK(has(away.head, "Location: /xxl-job-admin/\r\n"));
  const auto opened = submit("/login", "userName=a&password=b", "Sec-Fetch-Mode: navigate\r\nSec-Fetch-Site: same-origin\r\n");
  CHECK(opened.status() == 303);
  CHECK(has(opened.head, "Set-Cookie: XXL_JOB_LOGIN_IDENTITY=s-new;"));
}

TEST_CASE_METHOD(web_fixture, "a missing actor causes an error reply, not a 500", "[gateway][web]") {
  open();
  end_partner(3);
  const auto reply = submit("/jobinfo/start", "id=7", cookie_2("admin"));
  CHECK(reply.status() == 200);
  CHECK(has(reply.body, R"({"code":500,"msg":")"));
}

TEST_CASE_METHOD(web_fixture, "a defect shows no details to the client", "[gateway][web]") {
  open();
  script->refuse({core::errc::internal, "SQL: SELECT secret"});
  const auto reply = submit("/jobinfo/start", "id=7", cookie_3("admin"));
  CHECK(reply.status() == 200);
  CHECK(has(reply.body, R"("code":500)"));
  CHECK_FALSE(has(reply.body, "SELECT"));
  CHECK(has(log_text.str(), "SELECT secret"));
}

TEST_CASE_METHOD(web_fixture, "the store's error text is logged and not shown to users", "[gateway][web][safety]") {
  open();
  constexpr auto driver_text = "Access denied for user 'ring'@'10.0.3.7' /var/lib/ringmaster.db";
  for (const auto code : {core::errc::unavailable, core::errc::timeout}) {
    CAPTURE(core::to_string(code));
    script->refuse({code, driver_text});
    const auto signing_in = submit("/login", "userName=a&password=b");
    CHECK(signing_in.status() == 200);
    CHECK(has(signing_in.body, R"({"code":500,"msg":"the database or a component is not available now; see the log")"));
    script->refuse({code, driver_text});
    CHECK_FALSE(has(submit("/jobinfo/start", "id=7", cookie_3("admin")).body, "10.0.3.7"));
  }
  CHECK(has(log_text.str(), driver_text));
  // An executor is not a component of ours: a reader of its log learns that it is away.
  script->refuse({core::errc::unavailable, "the executor http://a:1 did not answer", core::refusal::none, "http://a:1"});
  CHECK(has(submit("/jobinfo/start", "id=7", cookie_3("admin")).body, "the executor http://a:1 did not answer"));
}

TEST_CASE_METHOD(gateway_fixture, "before the actors are started users get an error that says so", "[gateway][web]") {
  open();
  const auto reply = post("/login", "userName=a&password=b", "Content-Type: application/x-www-form-urlencoded\r\n");
  CHECK(reply.status() == 200);
  CHECK(reply.body == R"({"code":500,"msg":"the node is still starting","content":null})");
}
