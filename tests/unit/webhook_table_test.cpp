#include <map>

#include "config/declared/declared_file.hpp"
#include "config/load.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temp_folder.hpp"

using namespace ringmaster;
using namespace ringmaster::config;
using namespace std::chrono_literals;

namespace {

struct configuration {
  core::result<settings> load(const std::string& text) {
    load_request request;
    request.file = folder.write("c.toml", text);
    request.variable = [](const std::string& name) {
      return name == "HOOK" ? std::optional<std::string>{"https://hook.example/x?token=1"} : std::nullopt;
    };
    return config::load(request);
  }
  /// Returns the error without the folder.
  std::string refusal(const std::string& text) {
    auto loaded = load(text);
    REQUIRE_FALSE(loaded);
    auto out = loaded.error().context;
    for (auto at = out.find(folder.path() + "/"); at != std::string::npos; at = out.find(folder.path() + "/"))
      out.erase(at, folder.path().size() + 1);
    return out;
  }
  test::temp_folder folder;
};

std::string with(const std::string& lines) { return "[[webhook]]\nname = \"ops\"\nurl = \"https://h.example/\"\n" + lines; }

} // namespace

TEST_CASE("webhooks: read with secrets from variables and files", "[config]") {
  configuration c;
  c.folder.write("secret", "SEC\n");
  auto loaded = c.load("[[webhook]]\nname = \"ops\"\nurl = { env = \"HOOK\" }\npreset = \"dingtalk\"\n"
                       "secret = { file = \"secret\" }\nca_file = \"ca.pem\"\n"
                       "[[webhook]]\nname = \"b\"\nurl = \"http://10.0.0.1:8080/\"\n"
                       "template = '{\"x\":\"{title}\"}'\n");
  REQUIRE(loaded);
  REQUIRE(loaded->webhooks.size() == 2);
  CHECK(loaded->webhooks[0].url == "https://hook.example/x?token=1");
  CHECK(loaded->webhooks[0].secret == "SEC");
  CHECK(loaded->webhooks[0].ca_file == c.folder.path() + "/ca.pem");
  CHECK(loaded->webhooks[1].preset == "generic");
  CHECK(loaded->webhooks[1].body_template == "{\"x\":\"{title}\"}");
}

TEST_CASE("webhooks: errors name their line but not the URL", "[config]") {
  configuration c;
  CHECK(c.refusal("webhook = 3\n") == "c.toml:1: webhook: expected a table in double brackets, [[webhook]]");
  CHECK(c.refusal("[[webhook]]\nname = \"ops\"\nurl = \"ftp://s3cret@h\"\n") ==
        "c.toml:3: url: expected http://host/… or https://host/…, without a user");
  CHECK(c.refusal("[[webhook]]\nname = \"ops\"\nurl = { env = \"NONE\" }\n").find("the variable NONE is not set") !=
        std::string::npos);
  CHECK(c.refusal(with("preset = \"dingding\"\n")).find("c.toml:4: preset: \"dingding\" is unknown") == 0);
  CHECK(c.refusal(with("secret = \"x\"\n")) == "c.toml:4: secret: only messages to dingtalk and feishu are signed");
  CHECK(c.refusal(with("nmae = 1\n")).find("unknown key 'nmae'") != std::string::npos);
  CHECK(c.refusal(with("") + with("")).find("is the name of another webhook") != std::string::npos);
  CHECK(c.refusal("[[webhook]]\nname = \"mail\"\nurl = \"https://h.example/\"\n").find("is the channel of [mail]") !=
        std::string::npos);
}

TEST_CASE("webhooks: a URL needs a host and a valid port", "[config]") {
  configuration c;
  const auto with_url = [](const std::string& url) { return "[[webhook]]\nname = \"ops\"\nurl = \"" + url + "\"\n"; };
  for (const auto* url : {"http://h:abc/", "http://?x", "http://#x", "http://", "http:///x", "http://:80/", "http://h:0/",
                          "http://h:65536/", "http://h:80:80/", "http://::1:80/", "http://[::1", "http://[]:80/", "http://u@h/",
                          "http://h?@x"}) {
    CAPTURE(url);
    CHECK(c.refusal(with_url(url)) == "c.toml:3: url: expected http://host/… or https://host/…, without a user");
  }
  for (const auto* url : {"http://h", "https://h:65535/x", "http://h:/x", "http://[::1]:80/", "https://h/?a=b|c",
                          "http://10.0.0.1?x"}) {
    CAPTURE(url);
    CHECK(c.load(with_url(url)));
  }
}

TEST_CASE("mail: a server needs a sender", "[config]") {
  configuration c;
  CHECK(c.refusal("[mail]\nhost = \"smtp.example.org\"\n") ==
        "mail.from: \"\" is not valid; expected an address such as \"ringmaster@example.org\"");
  CHECK(c.refusal("[mail]\nhost = \"a/b\"\nfrom = \"a@b.example\"\n").find("c.toml:2: mail.host") == 0);
  auto loaded = c.load("[mail]\nhost = \"smtp.example.org\"\nfrom = \"a@b.example\"\nca_file = \"ca.pem\"\n");
  REQUIRE(loaded);
  CHECK(loaded->mail.ca_file == c.folder.path() + "/ca.pem");
}

TEST_CASE("declared alarms: read, and errors name their line", "[config]") {
  auto declared = parse_declared("[[alarm]]\nkey = \"on-call\"\ngroup = \"pay\"\njob = \"settle\"\nchannels = [\"ops\"]\n"
                                 "mail_to = [\"a@x.example\"]\non = \"last_attempt\"\ndedup = \"10m\"\nrecovered = true\n",
                                 "a.toml", "s");
  REQUIRE(declared);
  REQUIRE(declared->alarms.size() == 1);
  const auto& rule = declared->alarms[0].rule;
  CHECK(declared->alarms[0].where == "a.toml:1");
  CHECK(rule.key == "on-call");
  CHECK(rule.group == "pay");
  CHECK(rule.job == "settle");
  CHECK(rule.channels == std::vector<std::string>{"ops"});
  CHECK(rule.mail_to == std::vector<std::string>{"a@x.example"});
  CHECK(rule.on == core::alarm_attempts::last_attempt);
  CHECK(rule.dedup == 10min);
  CHECK(rule.recovered);
  const auto refusal = [](const std::string& text) {
    auto read = parse_declared(text, "a.toml", "s");
    REQUIRE_FALSE(read);
    return read.error().context;
  };
  CHECK(refusal("[[alarm]]\n") == "a.toml:1: key: missing; it is required");
  CHECK(refusal("[[alarm]]\nkey = \"a\"\njob = \"x\"\n") == "a.toml:3: job: needs the group of the job");
  CHECK(refusal("[[alarm]]\nkey = \"a\"\nchannels = [\"mail\"]\n").find("a.toml:3: channels: \"mail\" is not a webhook") == 0);
  CHECK(refusal("[[alarm]]\nkey = \"a\"\nmail_to = [\"x\"]\n") == "a.toml:3: mail_to: invalid e-mail address \"x\"");
  CHECK(refusal("[[alarm]]\nkey = \"a\"\non = \"never\"\n").find("a.toml:3: on: \"never\" is unknown") == 0);
  CHECK(refusal("[[alarm]]\nkey = \"a\"\ndedup = \"25h\"\n") == "a.toml:3: dedup: longer than a day");
  CHECK(refusal("[[alarm]]\nkey = \"a\"\n[[alarm]]\nkey = \"a\"\n") ==
        "a.toml:3: alarm 'a' is declared twice, first at a.toml:1");
}
