// Parts of URLs and addresses, compared with Boost.URL where a URL keeps to RFC 3986.

#include "core/text/url_text.hpp"

#include <string>
#include <utility>
#include <vector>

#include <boost/url/src.hpp>

#include "tests/support/catch.hpp"

using namespace std::string_literals;
using namespace ringmaster::core;

namespace {

template <class Text>
concept is_split = requires(Text&& text) {
  split_url(std::forward<Text>(text));
  split_schemeless(std::forward<Text>(text));
  split_host_port(std::forward<Text>(text));
  split_authority(std::forward<Text>(text));
};

// The parts would point into a string that is gone.
template <class Text>
concept is_split_by_any = requires(Text&& text) { split_url(std::forward<Text>(text)); }
                          || requires(Text&& text) { split_schemeless(std::forward<Text>(text)); }
                          || requires(Text&& text) { split_host_port(std::forward<Text>(text)); }
                          || requires(Text&& text) { split_authority(std::forward<Text>(text)); };

static_assert(is_split<std::string&> && is_split<const std::string&> && is_split<std::string_view> && is_split<const char*>);
static_assert(!is_split_by_any<std::string>);

} // namespace

TEST_CASE("URLs that keep to RFC 3986 have the parts that Boost.URL finds", "[unit]") {
  const auto text_of = [](auto part) { return std::string{part.data(), part.size()}; };
  for (const std::string scheme : {"http", "HTTPS", "ringmaster"})
    for (const std::string account : {"", "u@", "u:p@", "u%40:@"})
      for (const std::string host : {"h", "Worker_1.example.", "10.0.0.7", "[::1]", "[2001:db8::1]"})
        for (const std::string port : {"", ":", ":80", ":65536"})
          for (const std::string path : {"", "/", "/a//b/", "/a%2Fb@c:d"})
            for (const std::string tail : {"", "?", "?x=/y?z@:", "#f", "?x#f?/"}) {
              const auto url = scheme + "://" + account + host + port + path + tail;
              CAPTURE(url);
              const auto expected = boost::urls::parse_uri(url);
              REQUIRE(expected);
              const auto parts = split_url(url);
              const auto [user, place] = split_authority(parts.authority);
              const auto server = split_host_port(place);
              CHECK(parts.scheme == text_of(expected->scheme()));
              CHECK(parts.authority == text_of(expected->encoded_authority()));
              CHECK(parts.path == text_of(expected->encoded_path()));
              CHECK(parts.tail == tail);
              CHECK(user.has_value() == expected->has_userinfo());
              CHECK(user.value_or("") == text_of(expected->encoded_userinfo()));
              CHECK((server.in_brackets ? '[' + std::string{server.host} + ']' : server.host) ==
                    text_of(expected->encoded_host()));
              CHECK(server.port.has_value() == expected->has_port());
              CHECK(server.port.value_or("") == text_of(expected->port()));
              CHECK(server.is_plain);
            }
}

TEST_CASE("addresses that no RFC knows have parts, too", "[unit]") {
  const auto bare = split_url("10.0.0.7:9999/job");
  CHECK_FALSE(bare.scheme);
  CHECK(bare.authority == "10.0.0.7:9999");
  CHECK(bare.path == "/job");
  CHECK(split_url("ringmaster://支付/one").authority == "支付");
  CHECK(split_url("not an url").authority == "not an url");
  CHECK(split_url("http://h/a|b?c={d}").tail == "?c={d}");
  CHECK(split_url("http://h:abc/x").path == "/x"); // Boost.URL 1.81 finds the path abc/x
  CHECK(split_url("").authority.empty());
  CHECK(split_schemeless("h:1/x?to=http://y").authority == "h:1");
  CHECK(split_authority("u:p@q@h").account == "u:p@q");
}

TEST_CASE("an http URL is told by its scheme, and may end there", "[unit]") {
  CHECK(split_url("https://h").is_http());
  CHECK_FALSE(split_url("HTTP://h").is_http());
  CHECK_FALSE(split_url("h:80").is_http());
  CHECK(split_url("http://").is_scheme_only());
  CHECK_FALSE(split_url("http://?x").is_scheme_only());
}

TEST_CASE("an @ before the first slash may be an account", "[unit]") {
  for (const auto* url : {"http://u@h/", "http://h?u@v", "http://@"})
    CHECK(split_url(url).may_have_account());
  for (const auto* url : {"http://h/u@v", "http://h?x/u@v", "http://h/?u@v"})
    CHECK_FALSE(split_url(url).may_have_account());
}

TEST_CASE("a host with stray colons or brackets is not plain", "[unit]") {
  for (const auto* text : {"::1:80", "[::1", "[::1]x", "[::1]x:80", "h]:80", "h:80:90"}) {
    CAPTURE(text);
    CHECK_FALSE(split_host_port(text).is_plain);
  }
  CHECK(split_host_port("[::1]:80").is_plain);
  CHECK(split_host_port("::1:80").port == "80");
  CHECK_FALSE(split_host_port("[::1]").port);
}

TEST_CASE("a port is a number of digits only", "[unit]") {
  CHECK(parse_port("0") == 0);
  CHECK(parse_port("65535") == 65535);
  for (const auto* bad : {"", "65536", "-1", "+1", "8x", " 8", "0x1"})
    CHECK_FALSE(parse_port(bad));
}

TEST_CASE("percent escapes are decoded, and broken ones refused", "[unit]") {
  CHECK(percent_decoded("s%40f%3a%2Fe") == "s@f:/e");
  CHECK(percent_decoded("a+b") == "a+b");
  CHECK(percent_decoded("a+b%2B", true) == "a b+");
  CHECK(percent_decoded("%00") == "\0"s);
  for (const auto* bad : {"%", "a%4", "%zz", "%4z", "%+1", "%-1", "%0x"})
    CHECK_FALSE(percent_decoded(bad));
  std::string all;
  for (int byte = 0; byte < 256; ++byte)
    all += static_cast<char>(byte);
  CHECK(percent_encoded("aZ9-._~ /+\xff") == "aZ9-._~%20%2F%2B%FF");
  CHECK(percent_decoded(percent_encoded(all)) == all);
}

TEST_CASE("an IPv6 address without brackets is noticed", "[unit]") {
  for (const auto* text : {"::1", "::1:9999", "2001:db8::1:9999", "1:2:3:4:5:6:7:8", "1:2:3:4:5:6:10.0.0.7", "fd00::A:80"})
    CHECK(is_ip6_without_brackets(text));
  for (const auto* text : {"", "[::1]:80", "h:80:80", "10.0.0.7:80", "10.0.0.7:80:80", "u:p@::1", ":80"})
    CHECK_FALSE(is_ip6_without_brackets(text));
}
