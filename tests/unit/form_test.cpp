// Parameters of queries and bodies, cookies: valid and hostile input.

#include <chrono>
#include <random>
#include <string>

#include "core/text/text.hpp"
#include "protocol/wire/xxl/form.hpp"
#include "tests/support/catch.hpp"

using namespace std::string_literals;
using namespace ringmaster;
using protocol::wire::find_cookie;
using protocol::wire::form;

namespace {

constexpr const char* urlencoded = "application/x-www-form-urlencoded; charset=UTF-8";
constexpr const char* multipart = "multipart/form-data; boundary=XyZ";

form parsed(std::string_view target, std::string_view type = "", std::string_view body = "") {
  auto sent = form::parse(target, type, body);
  INFO((sent ? "" : sent.error().context));
  REQUIRE(sent);
  return *sent;
}

std::string refusal_of(std::string_view target, std::string_view type = "", std::string_view body = "") {
  const auto sent = form::parse(target, type, body);
  if (sent)
    return "accepted";
  CHECK(sent.error().code == core::errc::invalid_argument);
  CHECK(core::valid_utf8(sent.error().context) == sent.error().context);
  CHECK(sent.error().context.size() < 300);
  return sent.error().context;
}

std::string part(const std::string& name, const std::string& value) {
  return "--XyZ\r\nContent-Disposition: form-data; name=\"" + name + "\"\r\n\r\n" + value + "\r\n";
}

std::string piece_repeated(std::string_view piece, std::size_t count) {
  std::string out;
  for (std::size_t i = 0; i < count; ++i)
    out += piece;
  return out;
}

} // namespace

TEST_CASE("form: the query precedes the body, and the first of equal names applies", "[wire][form]") {
  const auto sent = parsed("/jobinfo/add?author=q&x=&flag&a%62c=%E4%BB%BB+%2B#author=f", urlencoded,
                           "author=b&jobDesc=a%26b%3Dc&name=%F0%9F%98%80&&=lost&list=1,2");
  CHECK(sent.text("author") == "q");
  CHECK(sent.text("x") == "");
  CHECK(sent.text("flag") == "");
  CHECK(sent.text("abc") == "任 +");
  CHECK(sent.text("jobDesc") == "a&b=c");
  CHECK(sent.text("name") == "😀");
  CHECK_FALSE(sent.text("Author"));
  CHECK_FALSE(sent.text(""));
  CHECK(sent.text_or_empty("nothing").empty());
}

TEST_CASE("form: a body is read only as its declared type", "[wire][form]") {
  CHECK(parsed("/a", "Application/X-WWW-Form-URLencoded", "x=1").text("x") == "1");
  CHECK_FALSE(parsed("/a", "application/json", "x=1").text("x"));
  CHECK_FALSE(parsed("/a", "", "x=1").text("x"));
  CHECK_FALSE(parsed("/a", "application/x-www-form-urlencodedx", "x=1").text("x"));
  CHECK_FALSE(parsed("/a?").text("x"));
  CHECK_FALSE(parsed("").text("x"));
}

TEST_CASE("form: numbers are checked for their width, and errors name the parameter", "[wire][form]") {
  const auto sent = parsed("?id=7&neg=-2147483648&plus=%2B5&blank=+8+&empty=&big=2147483648&huge=9223372036854775808"
                           "&x=12a&h=0x1");
  CHECK(sent.int32("id").value() == std::optional{7});
  CHECK(sent.int32("neg").value() == std::optional{-2147483647 - 1});
  CHECK(sent.int32("plus").value() == std::optional{5});
  CHECK(sent.int32("blank").value() == std::optional{8});
  CHECK(sent.int32("empty").value() == std::optional<std::int32_t>{});
  CHECK(sent.int32("gone").value() == std::optional<std::int32_t>{});
  CHECK(sent.int64("big").value() == std::optional{std::int64_t{2147483648}});
  for (const char* name : {"big", "huge", "x", "h"}) {
    CAPTURE(name);
    const auto number = sent.int32(name);
    REQUIRE_FALSE(number);
    CHECK(number.error().code == core::errc::invalid_argument);
    CHECK(number.error().context.find("parameter "s + name + " must be") != std::string::npos);
  }
  CHECK_FALSE(sent.int64("huge"));
  CHECK(sent.needed_int64("big") == 2147483648);
  for (const char* name : {"gone", "empty"}) {
    CHECK(sent.needed_int32(name).error().context == "the parameter "s + name + " is missing");
    CHECK_FALSE(sent.needed_int64(name));
  }
}

TEST_CASE("form: lists come as repeated names or between commas", "[wire][form]") {
  const auto sent = parsed("?ids%5B%5D=3&ids[]=-4&ids=1,2&none=&gap=1,,2&word=1,x");
  CHECK(sent.int64_list("ids").value() == std::vector<std::int64_t>{1, 2, 3, -4});
  CHECK(sent.int64_list("none").value() == std::vector<std::int64_t>{});
  CHECK(sent.int64_list("gone").value() == std::vector<std::int64_t>{});
  CHECK_FALSE(sent.int64_list("gap"));
  CHECK_FALSE(sent.int64_list("word"));
}

TEST_CASE("form: multipart bodies without files", "[wire][form]") {
  const auto body = "preamble\r\n" + part("jobDesc", "a & b=%41+\r\n--Xy\r\n") + part("empty", "") +
                    "--XyZ  \r\nX: y\r\ncontent-disposition: FORM-DATA; x=\"a;name=b\"; NAME=author\r\n\r\nme\r\n"
                    "--XyZ--\r\nwhatever";
  const auto sent = parsed("/a?author=query", "Multipart/Form-Data; charset=utf-8; BOUNDARY=\"XyZ\"", body);
  CHECK(sent.text("jobDesc") == "a & b=%41+\r\n--Xy\r\n");
  CHECK(sent.text("empty") == "");
  CHECK(sent.text("author") == "query");
  CHECK(parsed("/a", multipart, "--XyZ--").text("x") == std::nullopt);
  CHECK(parsed("/a", multipart, part(R"(q\"uote)", "1") + "--XyZ--\r\n").text("q\"uote") == "1");
}

TEST_CASE("form: broken multipart bodies are refused", "[wire][form]") {
  const auto good = part("a", "1") + "--XyZ--\r\n";
  CHECK(refusal_of("/", multipart, good) == "accepted");
  for (std::size_t cut = 0; cut + 4 < good.size(); ++cut) {
    CAPTURE(cut);
    CHECK(refusal_of("/", multipart, good.substr(0, cut)) != "accepted");
  }
  for (const char* type : {"multipart/form-data", "multipart/form-data; boundary=", "multipart/form-data; boundary=\"a\r\nb\"",
                           "multipart/form-data; boundary=\"\"", "multipart/form-data; boundary=\"", "multipart/form-data;;;"}) {
    CAPTURE(type);
    CHECK(refusal_of("/", type, good) != "accepted");
  }
  CHECK(refusal_of("/", "multipart/form-data; boundary=" + std::string(71, 'a'), good) != "accepted");
  const auto file = "--XyZ\r\nContent-Disposition: form-data; name=\"f\"; filename=\"x.sh\"\r\n\r\n1\r\n--XyZ--"s;
  CHECK(refusal_of("/", multipart, file).find("file") != std::string::npos);
  CHECK(refusal_of("/", multipart, "--XyZ\r\n\r\n1\r\n--XyZ--") != "accepted");
  CHECK(refusal_of("/", multipart, "--XyZ\r\nContent-Disposition: attachment; name=a\r\n\r\n1\r\n--XyZ--") != "accepted");
  CHECK(refusal_of("/", multipart, "--XyZ\nContent-Disposition: form-data; name=a\n\n1\n--XyZ--") != "accepted");
  CHECK(refusal_of("/", multipart, part("a", "1") + "--XyZtail\r\n\r\n--XyZ--") != "accepted");
}

TEST_CASE("form: a multipart body inside another one is a text", "[wire][form]") {
  const auto inner = "--in\r\nContent-Disposition: form-data; name=\"b\"\r\n\r\n2\r\n--in--"s;
  const auto body = "--XyZ\r\nContent-Disposition: form-data; name=\"a\"\r\nContent-Type: multipart/mixed; boundary=in\r\n\r\n" +
                    inner + "\r\n--XyZ--";
  const auto sent = parsed("/", multipart, body);
  CHECK(sent.text("a") == inner);
  CHECK_FALSE(sent.text("b"));
}

TEST_CASE("form: invalid UTF-8 and NUL are refused", "[wire][form]") {
  for (const char* pairs : {"a=%", "a=%4", "a=%zz", "a=%4g", "%=1", "a=1&b=%u0041"}) {
    CAPTURE(pairs);
    CHECK(refusal_of("/?"s + pairs).find('%') != std::string::npos);
    CHECK(refusal_of("/", urlencoded, pairs).find('%') != std::string::npos);
  }
  for (const char* pairs : {"a=%00", "a=x%00y", "a%00=1", "a=%FF", "a=%C0%80", "a=%ED%A0%80", "%80=1", "a=%E4%BB"}) {
    CAPTURE(pairs);
    CHECK(refusal_of("/?"s + pairs).find("not valid UTF-8") != std::string::npos);
  }
  CHECK(refusal_of("/", urlencoded, "a=\0"s) != "accepted");
  CHECK(refusal_of("/", urlencoded, "a=\xFF") != "accepted");
  CHECK(refusal_of("/", multipart, part("a", "\xFF") + "--XyZ--") != "accepted");
  CHECK(refusal_of("/", multipart, part("a\0b"s, "1") + "--XyZ--") != "accepted");
}

TEST_CASE("form: the number of parameters is bounded", "[wire][form]") {
  CHECK(refusal_of("/?" + piece_repeated("a=1&", 256)) == "accepted");
  CHECK(refusal_of("/?" + piece_repeated("a=1&", 257)).find("256") != std::string::npos);
  CHECK(refusal_of("/?" + piece_repeated("a&", 200), urlencoded, piece_repeated("b=&", 57)).find("256") != std::string::npos);
  CHECK(refusal_of("/", multipart, piece_repeated(part("a", "1"), 257) + "--XyZ--").find("256") != std::string::npos);
  CHECK(refusal_of("/", urlencoded, piece_repeated("a=1&", 10'000)) != "accepted");
}

TEST_CASE("form: any megabyte is read quickly", "[wire][form]") {
  constexpr std::size_t bytes = 1 << 20;
  const auto begin = std::chrono::steady_clock::now();
  CHECK(parsed("/", urlencoded, "a=" + std::string(bytes, 'x')).text("a")->size() == bytes);
  CHECK(parsed("/", urlencoded, "a=" + piece_repeated("%2B", bytes / 3)).text("a")->size() == bytes / 3);
  CHECK_FALSE(parsed("/", urlencoded, std::string(bytes, '&')).text("a"));
  CHECK_FALSE(parsed("/", urlencoded, std::string(bytes, '=')).text("a"));
  CHECK(refusal_of("/", urlencoded, std::string(bytes, '%')) != "accepted");
  CHECK(refusal_of("/", multipart, std::string(bytes, '-')) != "accepted");
  CHECK(refusal_of("/", multipart, piece_repeated("\r\n--Xy", bytes / 6)) != "accepted");
  CHECK(refusal_of("/", multipart, piece_repeated("--XyZ\r\n", bytes / 7)) != "accepted");
  CHECK(refusal_of("/", multipart, "--XyZ\r\nContent-Disposition: form-data" + piece_repeated(";\"", bytes / 2)) != "accepted");
  CHECK(refusal_of("/", multipart, "--XyZ\r\n" + piece_repeated("a:b\r\n", bytes / 5) + "\r\n\r\n--XyZ--") != "accepted");
  CHECK_FALSE(find_cookie(std::string(bytes, ';'), "a"));
  CHECK_FALSE(find_cookie(piece_repeated("a", bytes) + "=1", "a"));
  // About twelve passes over a megabyte: quadratic ones would take minutes.
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds{20});
}

TEST_CASE("form: random bytes are read or refused", "[wire][form]") {
  const auto seed = std::random_device{}();
  CAPTURE(seed);
  std::mt19937 random{seed};
  const std::string alphabet = "a=&%+2F;\r\n-\"XyZ: ,[]\xE4\xBB\0"s;
  for (int round = 0; round < 3000; ++round) {
    std::string bytes;
    for (auto left = random() % 60; left > 0; --left)
      bytes += alphabet[random() % alphabet.size()];
    for (const char* type : {urlencoded, multipart})
      if (const auto sent = form::parse("/?" + bytes, type, round % 2 == 0 ? bytes : "--XyZ\r\n" + bytes + "\r\n--XyZ--")) {
        const auto a = sent->text_or_empty("a");
        CHECK(core::valid_utf8(a) == a);
        (void)sent->int64_list("a");
      }
    (void)form::parse("/", bytes, bytes);
    (void)find_cookie(bytes, "a");
  }
}

TEST_CASE("the first cookie with the whole name is found", "[wire][form]") {
  const auto header = "xxl_job_login_token_old=0; XXL_JOB_LOGIN_IDENTITY=7b22; a=b=c ;xxl_job_login_token=t0; "
                      "xxl_job_login_token=t1; empty=; bare"s;
  CHECK(find_cookie(header, "xxl_job_login_token") == "t0");
  CHECK(find_cookie(header, "XXL_JOB_LOGIN_IDENTITY") == "7b22");
  CHECK(find_cookie(header, "a") == "b=c");
  CHECK(find_cookie(header, "empty") == "");
  CHECK_FALSE(find_cookie(header, "bare"));
  CHECK_FALSE(find_cookie(header, "token"));
  CHECK_FALSE(find_cookie("", "a"));
  CHECK_FALSE(find_cookie(";;=;", "a"));
}
