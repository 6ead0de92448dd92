// Mail and webhooks against real servers on loopback.

#include "gateway/notification/notification.hpp"

#include <cstdlib>
#include <future>

#include "core/text/mail_text.hpp"
#include "core/elastic/error_target.hpp"
#include "tests/gateway/alarm_receiver.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temp_folder.hpp"

using namespace ringmaster;
using namespace ringmaster::test;
using namespace std::chrono_literals;

namespace {

/// These cases are skipped without the package of the SMTP server.
bool smtp_is_there() {
  static const bool there = std::system("/usr/bin/python3 -c 'import aiosmtpd' 2>/dev/null") == 0;
  if (!there)
    skip("python3-aiosmtpd is not installed");
  return there;
}

/// A self-signed certificate for 127.0.0.1.
struct certificate {
  certificate() {
    const auto command = "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=127.0.0.1 "
                         "-addext subjectAltName=IP:127.0.0.1 -keyout " + key() + " -out " + file() + " 2>/dev/null";
    REQUIRE(std::system(command.c_str()) == 0);
  }
  [[nodiscard]] std::string file() const { return folder.path() + "/cert.pem"; }
  [[nodiscard]] std::string key() const { return folder.path() + "/key.pem"; }
  temp_folder folder;
};

gateway::notification_settings mail_to(int port) {
  gateway::notification_settings settings;
  settings.mail.host = "127.0.0.1";
  settings.mail.port = static_cast<std::size_t>(port);
  settings.mail.tls = "none";
  settings.mail.from = "ringmaster@example.org";
  settings.mail.timeout = 10s;
  settings.language = core::language::zh_cn;
  return settings;
}

gateway::notification_settings post_to(int port, const std::string& preset = "generic") {
  gateway::notification_settings settings;
  config::webhook_settings webhook;
  webhook.name = "ops";
  webhook.url = "http://127.0.0.1:" + std::to_string(port) + "/hook?key=k";
  webhook.preset = preset;
  settings.webhooks = {webhook};
  settings.alarm.webhook_timeout = 5s;
  return settings;
}

protocol::notice notice_for(const std::string& channel, const std::string& recipient = {}) {
  core::alarm_message message{"任务调度中心监控报警", "line <1>\nline 2", "<p>line &lt;1&gt;</p>", {{"title", "t"}, {"job_id", "7"}}};
  return {channel, recipient, "ringmaster.alarm.12", message};
}

std::future<core::result<void>> start(protocol::notifier& notifier, protocol::notice what) {
  auto promise = std::make_shared<std::promise<core::result<void>>>();
  notifier.send(std::move(what), [promise](core::result<void> outcome) { promise->set_value(std::move(outcome)); });
  return promise->get_future();
}

core::result<void> wait(std::future<core::result<void>>& outcome) {
  if (outcome.wait_for(30s) != std::future_status::ready)
    return core::fail(core::errc::internal, "no answer came");
  return outcome.get();
}

core::result<void> send(gateway::notification_settings settings, protocol::notice what) {
  const auto notifier = gateway::make_notifier(std::move(settings));
  auto outcome = start(*notifier, std::move(what));
  return wait(outcome);
}

void require_sent(const core::result<void>& outcome) {
  INFO((outcome ? std::string{} : outcome.error().context));
  REQUIRE(outcome);
}

} // namespace

namespace {

/// Returns a notice to the place that the properties of a job name.
protocol::notice notice_to(const std::string& handler, const core::elastic::job_props& props) {
  auto what = notice_for({});
  auto target = core::elastic::error_target_of(handler, props);
  REQUIRE(target);
  what.target = std::make_shared<const core::elastic::error_target>(std::move(*target));
  return what;
}

} // namespace

TEST_CASE("a place that a job names is used only if the configuration allows its host", "[gateway]") {
  alarm_receiver server{{"http", "--body", R"({"errcode":0})"}};
  const auto url = "http://127.0.0.1:" + std::to_string(server.port()) + "/robot?access_token=t";
  const core::elastic::job_props props{
    {"dingtalk.webhook", url}, {"dingtalk.secret", "s"}, {"dingtalk.keyword", "[jobs]"}};
  const auto refused = send({}, notice_to("DINGTALK", props));
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == core::errc::not_found);
  CHECK(refused.error().context.find("the host 127.0.0.1 is not in elastic.error_targets") != std::string::npos);
  CHECK(refused.error().context.find("access_token") == std::string::npos);
  gateway::notification_settings allowing;
  allowing.error_targets = {"other.example", "127.0.0.1:1"};
  CHECK_FALSE(send(allowing, notice_to("DINGTALK", props)));
  allowing.error_targets.push_back("127.0.0.1:" + std::to_string(server.port()));
  CHECK_FALSE(server.has_more());
  require_sent(send(allowing, notice_to("DINGTALK", props)));
  const auto got = server.next();
  const std::string path = got["path"];
  CHECK(path.starts_with("/robot?access_token=t&timestamp="));
  CHECK(path.find("&sign=") != std::string::npos);
  const std::string body = got["body"];
  CHECK(body.find("[jobs] ") != std::string::npos);
}

TEST_CASE("a message to a place that is not allowed goes to the channel of the node of the same kind", "[gateway]") {
  alarm_receiver server{{"http"}};
  auto settings = post_to(server.port());
  const core::elastic::job_props elsewhere{{"webhook.url", "http://evil.example/x"}};
  require_sent(send(settings, notice_to("WEBHOOK", elsewhere)));
  CHECK(server.next()["path"] == "/hook?key=k");
  // Another kind of channel does not stand in, unless the job names it.
  CHECK_FALSE(send(settings, notice_to("WECHAT", {{"wechat.webhook", "http://evil.example/x"}})));
  CHECK_FALSE(server.has_more());
  require_sent(send(settings, notice_to("WECHAT", {{"error.channel", "ops"}})));
  CHECK(server.next()["path"] == "/hook?key=k");
  const auto unknown = send(settings, notice_to("WECHAT", {{"error.channel", "other"}}));
  REQUIRE_FALSE(unknown);
  CHECK(unknown.error().context == "no [[webhook]] named \"other\"");
}

TEST_CASE("an allowed name of a metadata address is refused on its socket", "[gateway]") {
  gateway::notification_settings settings;
  settings.error_targets = {"169.254.169.254"};
  const auto refused = send(settings, notice_to("WEBHOOK", {{"webhook.url", "http://169.254.169.254/latest"}}));
  REQUIRE_FALSE(refused);
  CHECK(refused.error().context == "the address 169.254.169.254 is not allowed for messages");
}

TEST_CASE("a mail of a job goes to its own server if that is allowed, else through the node's", "[gateway]") {
  if (!smtp_is_there())
    return;
  alarm_receiver own{{"smtp"}}, common{{"smtp"}};
  const core::elastic::job_props props{{"email.host", "127.0.0.1"}, {"email.port", std::to_string(own.port())},
                                       {"email.from", "jobs@example.org"}, {"email.to", "ann@example.org"},
                                       {"email.useSsl", "false"}};
  auto settings = mail_to(common.port());
  auto what = notice_to("EMAIL", props);
  what.recipient = "ann@example.org";
  require_sent(send(settings, what));
  CHECK(common.next()["from"] == "ringmaster@example.org");
  settings.error_targets = {"127.0.0.1"};
  require_sent(send(settings, what));
  CHECK(own.next()["from"] == "jobs@example.org");
}

TEST_CASE("a mail arrives with its parts intact", "[gateway]") {
  if (!smtp_is_there())
    return;
  alarm_receiver server{{"smtp"}};
  require_sent(send(mail_to(server.port()), notice_for("mail", "ann@example.org")));
  const auto mail = server.next();
  CHECK(mail["from"] == "ringmaster@example.org");
  CHECK(mail["to"] == nlohmann::json::array({"ann@example.org"}));
  CHECK(mail["subject"] == "任务调度中心监控报警");
  CHECK(mail["sender"] == "分布式任务调度平台XXL-JOB <ringmaster@example.org>");
  CHECK(mail["id"] == "<ringmaster.alarm.12@example.org>");
  CHECK(mail["text"] == "line <1>\nline 2");
  CHECK(mail["html"] == "<p>line &lt;1&gt;</p>");
  CHECK_FALSE(server.has_more());
}

TEST_CASE("mail is sent over TLS with the password to a server with a trusted certificate", "[gateway]") {
  if (!smtp_is_there())
    return;
  certificate own;
  const std::string tls = GENERATE("starttls", "tls");
  alarm_receiver server{{"smtp", "--tls", tls, "--cert", own.file(), "--key", own.key(), "--login", "bob:s3cret"}};
  auto settings = mail_to(server.port());
  settings.mail.tls = tls;
  settings.mail.user = "bob";
  settings.mail.password = "s3cret";
  auto stranger = send(settings, notice_for("mail", "ann@example.org"));
  REQUIRE_FALSE(stranger);
  CHECK(stranger.error().code == core::errc::unavailable);
  CHECK(stranger.error().context.find("ertificate") != std::string::npos);
  settings.mail.ca_file = own.file();
  require_sent(send(settings, notice_for("mail", "ann@example.org")));
  const auto mail = server.next();
  CHECK(mail["tls"] == true);
  CHECK(mail["login"] == "bob");
  CHECK(gateway::probe_channel(settings, "mail"));
  settings.mail.password = "wrong";
  auto refused = send(settings, notice_for("mail", "ann@example.org"));
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == core::errc::unavailable);
  CHECK(refused.error().context.find("wrong") == std::string::npos);
  CHECK_FALSE(gateway::probe_channel(settings, "mail"));
  CHECK_FALSE(server.has_more());
}

TEST_CASE("a server without TLS gets no mail when TLS is configured", "[gateway]") {
  if (!smtp_is_there())
    return;
  alarm_receiver server{{"smtp"}};
  auto settings = mail_to(server.port());
  settings.mail.tls = "starttls";
  CHECK_FALSE(send(settings, notice_for("mail", "ann@example.org")));
  CHECK_FALSE(server.has_more());
}

TEST_CASE("permanent SMTP refusals are not retried, temporary ones are", "[gateway]") {
  if (!smtp_is_there())
    return;
  alarm_receiver strict{{"smtp", "--mode", "refuse"}};
  auto refused = send(mail_to(strict.port()), notice_for("mail", "unknown@example.org"));
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == core::errc::invalid_argument);
  CHECK(refused.error().context.find("550 no such user here") != std::string::npos);
  alarm_receiver grey{{"smtp", "--mode", "grey"}};
  auto later = send(mail_to(grey.port()), notice_for("mail", "ann@example.org"));
  REQUIRE_FALSE(later);
  CHECK(later.error().code == core::errc::unavailable);
  require_sent(send(mail_to(grey.port()), notice_for("mail", "ann@example.org")));
}

TEST_CASE("a hanging server delays only its own messages", "[gateway]") {
  alarm_receiver hanging{{"smtp", "--mode", "hang"}};
  alarm_receiver hook{{"http"}};
  auto settings = mail_to(hanging.port());
  settings.mail.timeout = 1s;
  settings.webhooks = post_to(hook.port()).webhooks;
  const auto notifier = gateway::make_notifier(settings);
  std::vector<std::future<core::result<void>>> stuck;
  for (int i = 0; i < 8; ++i)
    stuck.push_back(start(*notifier, notice_for("mail", "ann@example.org")));
  auto other = start(*notifier, notice_for("ops"));
  require_sent(wait(other));
  CHECK(stuck.back().wait_for(0s) == std::future_status::timeout);
  for (auto& each : stuck) {
    auto outcome = wait(each);
    REQUIRE_FALSE(outcome);
    CHECK(outcome.error().code == core::errc::timeout);
  }
  CHECK(gateway::probe_channel(settings, "ops"));
}

TEST_CASE("a closed port is reported as unavailable", "[gateway]") {
  int port = 0;
  { port = alarm_receiver{{"http"}}.port(); }
  auto mail = send(mail_to(port), notice_for("mail", "ann@example.org"));
  REQUIRE_FALSE(mail);
  CHECK(mail.error().code == core::errc::unavailable);
  auto hook = send(post_to(port), notice_for("ops"));
  REQUIRE_FALSE(hook);
  CHECK(hook.error().code == core::errc::unavailable);
  CHECK(hook.error().context.find("key=k") == std::string::npos);
  CHECK_FALSE(gateway::probe_channel(post_to(port), "ops"));
}

TEST_CASE("a probe that is not wanted any more ends before its time limit", "[gateway]") {
  alarm_receiver server{{"smtp", "--mode", "hang"}};
  auto settings = mail_to(server.port());
  settings.mail.timeout = std::chrono::milliseconds{5000};
  const auto began = std::chrono::steady_clock::now();
  CHECK_FALSE(gateway::probe_channel(settings, "mail", [] { return false; }));
  CHECK(std::chrono::steady_clock::now() - began < std::chrono::seconds{4});
}

TEST_CASE("a webhook gets the body of its preset", "[gateway]") {
  alarm_receiver hook{{"http", "--body", R"({"errcode":0,"code":0})"}};
  require_sent(send(post_to(hook.port()), notice_for("ops")));
  const auto posted = hook.next();
  CHECK(posted["path"] == "/hook?key=k");
  CHECK(posted["type"] == "application/json");
  CHECK(nlohmann::json::parse(posted["body"].get<std::string>())["job_id"] == 7);
  auto settings = post_to(hook.port(), "dingtalk");
  settings.webhooks[0].secret = "SEC1";
  require_sent(send(settings, notice_for("ops")));
  const auto signed_path = hook.next()["path"].get<std::string>();
  CHECK(signed_path.find("/hook?key=k&timestamp=") == 0);
  CHECK(signed_path.find("&sign=") != std::string::npos);
  settings = post_to(hook.port());
  settings.webhooks[0].body_template = R"({"text":"{title} {job_id}"})";
  require_sent(send(settings, notice_for("ops")));
  CHECK(hook.next()["body"] == R"({"text":"t 7"})");
}

TEST_CASE("webhook answers are classified as retry, permanent failure or redirect", "[gateway]") {
  struct answer {
    std::vector<std::string> arguments;
    core::errc code;
  };
  auto each = GENERATE(answer{{"http", "--status", "500"}, core::errc::unavailable},
                       answer{{"http", "--status", "429"}, core::errc::unavailable},
                       answer{{"http", "--status", "404"}, core::errc::invalid_argument},
                       answer{{"http", "--mode", "redirect"}, core::errc::invalid_argument});
  alarm_receiver hook{each.arguments};
  auto outcome = send(post_to(hook.port()), notice_for("ops"));
  REQUIRE_FALSE(outcome);
  CHECK(outcome.error().code == each.code);
  CHECK(outcome.error().context.find("HTTP ") == 0);
  (void) hook.next();
  CHECK_FALSE(hook.has_more());
}

TEST_CASE("an endless answer is read for one mebibyte, and its beginning decides", "[gateway]") {
  alarm_receiver taken{{"http", "--mode", "endless"}};
  require_sent(send(post_to(taken.port()), notice_for("ops")));
  alarm_receiver refused{{"http", "--mode", "endless", "--status", "404"}};
  const auto outcome = send(post_to(refused.port()), notice_for("ops"));
  REQUIRE_FALSE(outcome);
  CHECK(outcome.error().code == core::errc::invalid_argument);
}

TEST_CASE("link-local and metadata addresses are never called", "[gateway]") {
  for (const char* ip : {"169.254.169.254", "169.254.0.1", "100.100.100.200", "0.0.0.0", "224.0.0.1", "255.255.255.255",
                         "fe80::1", "fd00:ec2::254", "fd20:ce::254", "::ffff:169.254.169.254", "::169.254.169.254",
                         "64:ff9b::a9fe:a9fe", "2002:a9fe:a9fe::1", "ff02::1", "::", "not an address"})
    CHECK_FALSE(gateway::is_allowed_address(ip));
  for (const char* ip : {"127.0.0.1", "10.0.0.1", "192.168.1.1", "8.8.8.8", "::1", "2001:db8::1", "fd00::1", "::ffff:10.0.0.1"})
    CHECK(gateway::is_allowed_address(ip));
  for (const char* host : {"169.254.169.254", "[::ffff:169.254.169.254]", "[fe80::1]", "2852039166", "0xa9fea9fe"}) {
    auto settings = post_to(80);
    settings.webhooks[0].url = std::string{"http://"} + host + "/latest/meta-data";
    auto outcome = send(settings, notice_for("ops"));
    CAPTURE(host);
    REQUIRE_FALSE(outcome);
    CHECK(outcome.error().code == core::errc::invalid_argument);
    CHECK(outcome.error().context.find("is not allowed for messages") != std::string::npos);
    CHECK_FALSE(gateway::probe_channel(settings, "ops"));
  }
  auto mail = mail_to(25);
  mail.mail.host = "169.254.169.254";
  CHECK(send(mail, notice_for("mail", "a@example.org")).error().code == core::errc::invalid_argument);
}

TEST_CASE("an invalid message is refused before a byte is sent", "[gateway]") {
  CHECK(send(mail_to(1), notice_for("mail", "a@b>\r\nRCPT TO:<x@y")).error().code == core::errc::invalid_argument);
  CHECK(send(mail_to(1), notice_for("mail", "")).error().code == core::errc::invalid_argument);
  CHECK(send(mail_to(1), notice_for("nowhere")).error().context == "no [[webhook]] named \"nowhere\"");
  CHECK(send({}, notice_for("mail", "a@example.org")).error().context == "cannot send mail: mail.host is not set");
}

TEST_CASE("stop gives up messages on their way and refuses later ones", "[gateway]") {
  alarm_receiver hanging{{"http", "--mode", "hang"}};
  const auto notifier = gateway::make_notifier(post_to(hanging.port()));
  std::vector<std::future<core::result<void>>> stuck;
  for (int i = 0; i < 10; ++i)
    stuck.push_back(start(*notifier, notice_for("ops")));
  notifier->stop();
  stuck.push_back(start(*notifier, notice_for("ops")));
  for (auto& each : stuck) {
    REQUIRE(each.wait_for(0s) == std::future_status::ready);
    CHECK(each.get().error().code == core::errc::unavailable);
  }
}

TEST_CASE("channels are shown without their secrets", "[gateway][notification]") {
  gateway::notification_settings settings;
  CHECK(gateway::channels_of(settings).empty());
  settings.mail.host = "smtp.example.org";
  settings.mail.from = "ops@example.org";
  settings.mail.password = "secret-1";
  auto& webhook = settings.webhooks.emplace_back();
  webhook.name = "ops";
  webhook.url = "https://account:secret-2@hooks.example.org:8443/secret-3?token=secret-4";
  webhook.preset = "slack";
  const auto channels = gateway::channels_of(settings);
  REQUIRE(channels.size() == 2);
  CHECK(channels[0].name == "mail");
  CHECK(channels[0].place == "smtp.example.org:587");
  CHECK(channels[0].sender == "ops@example.org");
  CHECK(channels[1].name == "ops");
  CHECK(channels[1].kind == "slack");
  CHECK(channels[1].place == "hooks.example.org:8443");
}
