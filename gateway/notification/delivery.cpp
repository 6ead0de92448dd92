#include "gateway/notification/delivery.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include <sys/socket.h>

#include "core/text/mail_text.hpp"
#include "core/text/text.hpp"
#include "core/text/url_text.hpp"
#include "gateway/notification/allowed_addresses.hpp"
#include "gateway/notification/error_place.hpp"
#include "gateway/notification/signature.hpp"
#include "protocol/wire/webhook_body.hpp"

namespace ringmaster::gateway {

namespace {

using std::chrono::milliseconds;

constexpr std::size_t answer_bytes_max = 64 * 1024;
// An answer that is longer than this may be endless, and ends the call.
constexpr std::size_t heard_bytes_max = 1024 * 1024;
constexpr milliseconds connect_limit{10'000};

core::time_point now() { return std::chrono::floor<core::milliseconds>(std::chrono::system_clock::now()); }

std::string url_of(const config::mail_settings& mail) {
  const bool v6 = mail.host.find(':') != std::string::npos;
  const auto host = v6 ? "[" + mail.host + "]" : mail.host;
  return (mail.tls == "tls" ? "smtps://" : "smtp://") + host + ":" + std::to_string(mail.port);
}

std::string printable(std::string_view text) {
  auto out = core::valid_utf8(text);
  while (!out.empty() && static_cast<unsigned char>(out.back()) <= ' ')
    out.pop_back();
  std::replace_if(out.begin(), out.end(), [](char c) { return static_cast<unsigned char>(c) < ' '; }, ' ');
  return out;
}

} // namespace

delivery::delivery(protocol::notice what, protocol::notifier::done then)
  : what_{std::move(what)}, then_{std::move(then)} {}

core::result<std::unique_ptr<delivery>> delivery::make(const notification_settings& settings, protocol::notice what,
                                                       protocol::notifier::done then) {
  if (!what.target)
    if (auto known = check_channel(settings, what.channel); !known)
      return tl::unexpected{known.error()};
  std::unique_ptr<delivery> made{new delivery{std::move(what), std::move(then)}};
  if (!made->transfer_)
    return core::fail(core::errc::unavailable, "libcurl cannot create a handle");
  if (auto ready = made->what_.target ? made->prepare_target(settings) : made->prepare(settings); !ready)
    return tl::unexpected{std::move(ready.error())};
  return made;
}

core::result<void> delivery::prepare(const notification_settings& settings) {
  const auto webhook = std::find_if(settings.webhooks.begin(), settings.webhooks.end(),
                                    [&](const auto& each) { return each.name == what_.channel; });
  if (webhook == settings.webhooks.end())
    return prepare_mail(settings.mail, settings.language);
  return prepare_webhook(*webhook, settings.alarm.webhook_timeout);
}

core::result<void> delivery::prepare_target(const notification_settings& settings) {
  const auto& target = *what_.target;
  if (target.what == core::elastic::error_target::form::mail)
    return prepare_mail(mail_of(target), settings.language);
  if (!target.keyword.empty())
    what_.message.title.insert(0, target.keyword + ' ');
  return prepare_webhook(webhook_of(target), target.timeout);
}

void delivery::begin(const std::string& url, const char* protocols, milliseconds limit) {
  transfer_.begin(url, {.timeout = limit,
                        .connect_timeout = std::min(limit, connect_limit),
                        .protocols = protocols,
                        .answer = protocol::bounded_answer{answer_bytes_max, heard_bytes_max}});
  transfer_.set(CURLOPT_OPENSOCKETFUNCTION, &delivery::open_socket);
  transfer_.set(CURLOPT_OPENSOCKETDATA, static_cast<void*>(this));
  // The other side may have closed an older connection, or be about to.
  transfer_.set(CURLOPT_FRESH_CONNECT, 1L);
  transfer_.set(CURLOPT_FORBID_REUSE, 1L);
}

core::result<void> delivery::prepare_mail(const config::mail_settings& mail, core::language language) {
  is_mail_ = true;
  if (!core::is_mail_address(what_.recipient))
    return core::fail(core::errc::invalid_argument, "invalid e-mail address \"" + printable(what_.recipient) + "\"");
  const auto domain = mail.from.substr(mail.from.rfind('@'));
  body_ = core::mail_text({mail.from, std::string{core::sender_name(language)}, what_.recipient, what_.message.title,
                           what_.message.text, what_.message.html, what_.message_id + domain, now()});
  begin(url_of(mail), "smtp,smtps", mail.timeout);
  transfer_.set(CURLOPT_USE_SSL, static_cast<long>(mail.tls == "none" ? CURLUSESSL_NONE : CURLUSESSL_ALL));
  transfer_.set(CURLOPT_SSL_VERIFYPEER, mail.verify_certificate ? 1L : 0L);
  transfer_.set(CURLOPT_SSL_VERIFYHOST, mail.verify_certificate ? 2L : 0L);
  if (!mail.ca_file.empty())
    transfer_.trust_only(mail.ca_file);
  if (!mail.user.empty()) {
    transfer_.set(CURLOPT_USERNAME, mail.user.c_str());
    transfer_.set(CURLOPT_PASSWORD, mail.password.c_str());
  }
  transfer_.set(CURLOPT_MAIL_FROM, ("<" + mail.from + ">").c_str());
  transfer_.add_line("<" + what_.recipient + ">");
  transfer_.set_lines(CURLOPT_MAIL_RCPT);
  transfer_.upload(body_);
  transfer_.set(CURLOPT_HEADERFUNCTION, &delivery::take_line);
  transfer_.set(CURLOPT_HEADERDATA, static_cast<void*>(this));
  return {};
}

core::result<void> delivery::prepare_webhook(const config::webhook_settings& webhook, milliseconds limit) {
  namespace wire = protocol::wire;
  preset_ = webhook.preset;
  const auto preset = wire::find_webhook_preset(webhook.preset);
  if (!preset)
    return core::fail(core::errc::invalid_argument, "unknown preset \"" + webhook.preset + "\"");
  std::optional<wire::webhook_signature> signature;
  auto url = webhook.url;
  if (!webhook.secret.empty() && *preset == wire::webhook_preset::dingtalk) {
    signature = sign_dingtalk(webhook.secret, now());
    url += (url.find('?') == std::string::npos ? "?" : "&");
    url += "timestamp=" + signature->timestamp + "&sign=" + core::percent_encoded(signature->sign);
  } else if (!webhook.secret.empty()) {
    signature = sign_feishu(webhook.secret, now());
  }
  body_ = webhook.body_template.empty() ? wire::webhook_body(*preset, what_.message, signature)
                                        : wire::webhook_body(webhook.body_template, what_.message, signature);
  begin(url, "http,https", limit);
  if (!webhook.ca_file.empty())
    transfer_.trust_only(webhook.ca_file);
  transfer_.post(body_);
  transfer_.add_line("Content-Type: " + webhook.content_type);
  transfer_.add_line("User-Agent: ringmaster");
  // Some services never send the interim answer 100 Continue, so the call would wait in vain.
  transfer_.add_line("Expect:");
  transfer_.set_lines(CURLOPT_HTTPHEADER);
  return {};
}

curl_socket_t delivery::open_socket(void* self, curlsocktype, curl_sockaddr* address) {
  if (!is_allowed_address(address->addr)) {
    static_cast<delivery*>(self)->forbidden_ = text_of(address->addr);
    return CURL_SOCKET_BAD;
  }
  return ::socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

std::size_t delivery::take_line(char* from, std::size_t size, std::size_t count, void* self) {
  // The server's reply to QUIT after its refusal no longer matters.
  if (size * count > 0 && (*from == '4' || *from == '5'))
    static_cast<delivery*>(self)->last_line_.assign(from, std::min<std::size_t>(size * count, 500));
  return size * count;
}

core::result<void> delivery::verdict(CURLcode code) const {
  if (!forbidden_.empty() && code != CURLE_OK)
    return core::fail(core::errc::invalid_argument, "the address " + forbidden_ + " is not allowed for messages");
  const auto status = transfer_.status();
  const bool mail = is_mail_;
  if (!mail && (code == CURLE_OK || transfer_.answer().is_too_long()))
    return protocol::wire::webhook_verdict(*protocol::wire::find_webhook_preset(preset_), status, transfer_.answer().kept());
  if (code == CURLE_OK)
    return {};
  auto why = transfer_.problem(code);
  if (mail && !last_line_.empty())
    why += " (" + printable(last_line_) + ")";
  if (code == CURLE_OPERATION_TIMEDOUT)
    return core::fail(core::errc::timeout, printable(why));
  // A failed sign-in (RFC 4954) is an error of the configuration, which an operator may fix.
  const bool sign_in = code == CURLE_LOGIN_DENIED || status == 530 || status == 534 || status == 535 || status == 538;
  const bool for_good = mail && status >= 500 && status < 600 && !sign_in;
  return core::fail(for_good ? core::errc::invalid_argument : core::errc::unavailable, printable(why));
}

// libcurl asks at least once a second.
core::result<void> delivery::probe(milliseconds limit, const std::function<bool()>& go_on) {
  const auto ask = [](void* asked, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
    return (*static_cast<const std::function<bool()>*>(asked))() ? 0 : 1;
  };
  if (go_on) {
    transfer_.set(CURLOPT_XFERINFOFUNCTION, static_cast<curl_xferinfo_callback>(ask));
    transfer_.set(CURLOPT_XFERINFODATA, static_cast<const void*>(&go_on));
    transfer_.set(CURLOPT_NOPROGRESS, 0L);
  }
  transfer_.set(CURLOPT_TIMEOUT_MS, static_cast<long>(limit.count()));
  transfer_.set(CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(limit.count()));
  if (is_mail_) {
    transfer_.set(CURLOPT_UPLOAD, 0L);
    transfer_.set(CURLOPT_NOBODY, 1L);
    transfer_.set(CURLOPT_MAIL_FROM, static_cast<const char*>(nullptr));
    transfer_.set(CURLOPT_MAIL_RCPT, static_cast<curl_slist*>(nullptr));
    transfer_.set(CURLOPT_CUSTOMREQUEST, "NOOP");
  } else {
    transfer_.set(CURLOPT_CONNECT_ONLY, 1L);
  }
  const auto code = transfer_.perform();
  return code == CURLE_OK ? core::result<void>{} : verdict(code);
}

void delivery::finish(CURLcode code) {
  auto then = std::exchange(then_, nullptr);
  if (then)
    then(verdict(code));
}

void delivery::give_up(core::error why) {
  if (auto then = std::exchange(then_, nullptr))
    then(tl::unexpected{std::move(why)});
}

} // namespace ringmaster::gateway
