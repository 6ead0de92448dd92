// Names, passwords and group lists of users (XXL admin §8.10).

#include <string>

#include "core/access/user_rules.hpp"
#include "tests/support/catch.hpp"

using namespace ringmaster::core;

namespace {

ringmaster::core::refusal why(const result<void>& outcome) { return outcome ? refusal::none : outcome.error().why; }

using rights = std::vector<std::pair<group_id, group_right>>;

} // namespace

TEST_CASE("user names have from 4 to 20 characters without surrounding blanks", "[unit][user_rules]") {
  CHECK(why(check_user_name("")) == refusal::user_name_empty);
  CHECK(why(check_user_name("  ")) == refusal::user_name_empty);
  CHECK(why(check_user_name(" abc ")) == refusal::name_length);
  CHECK(why(check_user_name("abcd")) == refusal::none);
  CHECK(why(check_user_name("  " + std::string(20, 'a') + "  ")) == refusal::none);
  CHECK(why(check_user_name(std::string(21, 'a'))) == refusal::name_length);
  CHECK(why(check_user_name("任务调度")) == refusal::none);
  for (const char* wrong : {"an\nna", "an\x7Fna", "ann\x01"}) {
    REQUIRE_FALSE(check_user_name(wrong));
    CHECK(check_user_name(wrong).error().code == errc::invalid_argument);
  }
  CHECK(check_user_name("abc").error().code == errc::invalid_argument);
}

TEST_CASE("user names have no characters that make them look like others", "[unit][user_rules]") {
  for (const char* hidden : {"\u061C", "\u200B", "\u200C", "\u200D", "\u200E", "\u200F", "\u202A", "\u202E", "\u2060", "\u2066",
                             "\u2069", "\uFEFF"}) {
    CAPTURE(hidden);
    const auto refused = check_user_name(std::string{"bob"} + hidden + "gpj");
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == errc::invalid_argument);
    CHECK(refused.error().context.starts_with("name: "));
  }
  // Their neighbours, right-to-left letters and punctuation are visible.
  for (const char* seen : {"\u2010", "\u2026", "\u2030", "\u203F", "\u061B", "\u0628\u0628", "\u2070", "\uFEFC"}) {
    CAPTURE(seen);
    CHECK(check_user_name(std::string{"bob"} + seen + "gpj"));
  }
}

TEST_CASE("the length of a password is checked for its stored form", "[unit][user_rules]") {
  using enum password_form;
  for (const auto form : {md5, sha256, argon2id}) {
    CHECK(why(check_password("", form)) == refusal::password_empty);
    CHECK(why(check_password("   \t ", form)) == refusal::password_empty);
    CHECK(why(check_password(std::string(1025, 'p'), form)) == refusal::too_long);
    CHECK(why(check_password(std::string(20, 'p'), form)) == refusal::none);
  }
  for (const auto form : {md5, sha256}) {
    CHECK(why(check_password("123", form)) == refusal::name_length);
    CHECK(why(check_password("1234", form)) == refusal::none);
  }
  CHECK(why(check_password("1234567", argon2id)) == refusal::password_short);
  CHECK(why(check_password("12345678", argon2id)) == refusal::none);
  CHECK(why(check_password("1")) == refusal::none); // its stored form is not known yet
  CHECK(why(check_password(" ")) == refusal::password_empty);
  CHECK(why(check_password(" 123 ", sha256)) == refusal::name_length);
  CHECK(why(check_password(std::string(21, 'p'), sha256)) == refusal::name_length);
  CHECK(why(check_password(std::string(1024, 'p'), argon2id)) == refusal::none);
  const auto huge = check_password(std::string(1025, 'p'), argon2id);
  CHECK(why(huge) == refusal::too_long);
  // Seven characters, regardless of the bytes.
  CHECK(why(check_password("密码密码密码密", argon2id)) == refusal::password_short);
  CHECK(huge.error().context.find("ppp") == std::string::npos);
}

TEST_CASE("a permission list gives editor in each group", "[unit][user_rules]") {
  using enum group_right;
  CHECK(parse_permission("").value() == rights{});
  CHECK(parse_permission(" ,, ").value() == rights{});
  CHECK(parse_permission("5, 1,3,1,").value() == rights{{group_id{1}, editor}, {group_id{3}, editor}, {group_id{5}, editor}});
  for (const char* wrong : {"x", "1;2", "0", "-1", "1.0", "2147483648", "1,<b>"}) {
    CAPTURE(wrong);
    REQUIRE_FALSE(parse_permission(wrong));
    CHECK(parse_permission(wrong).error().code == errc::invalid_argument);
    CHECK(parse_permission(wrong).error().context.find("permission") != std::string::npos);
  }
  std::string wide;
  for (int i = 0; i < 128; ++i)
    wide += "1,";
  REQUIRE_FALSE(parse_permission(wide));
  CHECK(parse_permission(wide).error().why == refusal::too_long);
}

TEST_CASE("a permission list is written as XXL reads it", "[unit][user_rules]") {
  using enum group_right;
  CHECK(permission_text({}).empty());
  CHECK(permission_text({{group_id{1}, editor}, {group_id{2}, operate}, {group_id{3}, editor}, {group_id{4}, viewer}}) == "1,3");
  CHECK(permission_text(parse_permission("3,1").value()) == "1,3");
}
