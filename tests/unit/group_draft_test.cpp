// Errors in a group as an administrator submits it (XXL admin §8.9).

#include <string>
#include <vector>

#include "core/editing/group_draft.hpp"
#include "tests/support/catch.hpp"

using namespace ringmaster::core;

namespace {

refusal why(const group_draft& draft) {
  const auto outcome = check(draft);
  if (outcome)
    return refusal::none;
  CHECK(outcome.error().code == errc::invalid_argument);
  CHECK_FALSE(outcome.error().context.empty());
  return outcome.error().why;
}

group_draft automatic(const std::string& app_name, const std::string& title) { return {app_name, title, 0, ""}; }

group_draft manual(const std::string& addresses) { return {"app-1", "title", 1, addresses}; }

std::string many(const char* piece, std::size_t count) {
  std::string out;
  for (std::size_t i = 0; i < count; ++i)
    out += piece;
  return out;
}

} // namespace

TEST_CASE("group draft: names", "[unit][group_draft]") {
  CHECK(why(automatic("app-1", "title")) == refusal::none);
  CHECK(why(automatic("", "")) == refusal::app_name_empty);
  CHECK(why(automatic(" \t ", "t")) == refusal::app_name_empty);
  CHECK(why(automatic("app", "")) == refusal::app_name_length);
  CHECK(why(automatic(many("任", 64), "t")) == refusal::none);
  CHECK(why(automatic(many("任", 65), "t")) == refusal::app_name_length);
  CHECK(why(automatic("ap<p", "")) == refusal::app_name_illegal);
  CHECK(why(automatic("JavaScript:x", "t")) == refusal::app_name_illegal);
  CHECK_FALSE(check(automatic("app-\u202E1", "t")));
  CHECK_FALSE(check(automatic("app-\u200B1", "t")));
  CHECK(why(automatic("app-1", "a\u202Eb")) == refusal::none); // the console isolates titles
  CHECK(why(automatic("app-1", " ")) == refusal::title_empty);
  CHECK(why(automatic("app-1", "a>b")) == refusal::title_illegal);
  CHECK(why(automatic("app-1", many("任", 64))) == refusal::none);
  CHECK(why(automatic("app-1", many("任", 65))) == refusal::too_long);
}

TEST_CASE("group draft: addresses are used only for a manual group", "[unit][group_draft]") {
  CHECK(why({"app-1", "t", 0, "<nonsense>,,"}) == refusal::none);
  CHECK(why(manual("")) == refusal::addresses_empty);
  CHECK(why(manual(" \n")) == refusal::addresses_empty);
  CHECK(why({"app-1", "t", -3, ""}) == refusal::addresses_empty);
  CHECK(why(manual("http://a/<script>")) == refusal::addresses_illegal);
  CHECK(why(manual("javascript:alert(1)")) == refusal::addresses_illegal);
}

TEST_CASE("group draft: each address must be valid", "[unit][group_draft]") {
  for (const char* good : {"http://127.0.0.1:9999/", "https://a.b", "http://[::1]:80/job", "http://[::1]", "http://a:1,",
                           " http://a , http://b ", "http://a/,http://a/", "http://a:65535?x"}) {
    CAPTURE(good);
    CHECK(why(manual(good)) == refusal::none);
  }
  for (const char* scheme : {"127.0.0.1:9999", "ftp://a", "http:/a", "HTTP://a", "//a", "http://a,b"}) {
    CAPTURE(scheme);
    CHECK(why(manual(scheme)) == refusal::address_scheme);
  }
  for (const char* form : {"http://", "https:///x", "http://:80", "http://a:0", "http://a:65536", "http://a:x", "http://a:",
                           "http://a b", "http://a\nb", "http://user@a", "http://a:+80", ",", "http://a,,http://b",
                           "http://a, ,http://b"}) {
    CAPTURE(form);
    CHECK(why(manual(form)) == refusal::address_form);
  }
  CHECK(why(manual("http://" + std::string(248, 'a'))) == refusal::none);
  CHECK(why(manual("http://" + std::string(249, 'a'))) == refusal::too_long);
  CHECK(why(manual(many("http://a/,", 6553))) == refusal::none);
  CHECK(why(manual(many("http://a/,", 6554))) == refusal::too_long);
}

TEST_CASE("group draft: addresses are trimmed and distinct, in their order", "[unit][group_draft]") {
  using list = std::vector<std::string>;
  CHECK(addresses_in("") == list{});
  CHECK(addresses_in(" , ,,") == list{});
  CHECK(addresses_in("http://b/, http://a/ ,,http://b/,http://b") == list{"http://b/", "http://a/", "http://b"});
}

TEST_CASE("script is recognised in typed text", "[unit][group_draft]") {
  for (const char* hit : {"<", "a>b", "<ScRiPt>x</script>", "javascript:alert(1)", "JAVASCRIPT:", "x vbscript:y", "onload=1",
                          "x OnError =y", "onclick\t=", "onmouseover=", "onfocus=", "onblur=", "onsubmit=", "onchange=",
                          "oninput  =", "eval(1)", "eval (1)", "Expression(", "url (x)", "url url(x)"}) {
    CAPTURE(hit);
    CHECK(looks_like_script(hit));
  }
  for (const char* fine : {"", "nightly report", "java script", "on load", "onload", "onload x=1", "evaluate(x)", "url", "url: x",
                           "curl x", "onkeyup=1", "任务（一）", "eval", "a = b (c)"}) {
    CAPTURE(fine);
    CHECK_FALSE(looks_like_script(fine));
  }
  CHECK_FALSE(looks_like_script(many("url onload ", 100'000)));
  CHECK_FALSE(looks_like_script("url" + std::string(1'000'000, ' ')));
}
