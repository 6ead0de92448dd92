#include "gateway/transport/transport.hpp"

#include <cstdint>
#include <ctime>
#include <memory>

#include <openssl/bio.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>
#include <sys/stat.h>

#include "gateway/transport/tls/tls_context.hpp"

namespace ringmaster::gateway {

namespace {

using level = tls_finding::level;

constexpr int soon_days = 30;

std::string named(std::string_view key, const std::string& file) { return std::string(key) + " = \"" + file + "\""; }

std::string text_of(const ASN1_TIME* time) {
  tm parts{};
  char text[32] = "?";
  if (ASN1_TIME_to_tm(time, &parts) == 1)
    std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S UTC", &parts);
  return text;
}

tls_finding judge_time(const SSL_CTX* context, const std::string& name, std::time_t now) {
  const auto* certificate = SSL_CTX_get0_certificate(context);
  const auto* begin = X509_get0_notBefore(certificate);
  const auto* end = X509_get0_notAfter(certificate);
  std::time_t soon = now + std::time_t{soon_days} * 24 * 3600;
  if (X509_cmp_time(end, &now) <= 0)
    return {level::failure, name + " expired on " + text_of(end)};
  if (X509_cmp_time(begin, &now) > 0)
    return {level::failure, name + " is not valid before " + text_of(begin)};
  if (X509_cmp_time(end, &soon) <= 0)
    return {level::warning, name + " expires soon, on " + text_of(end)};
  return {level::fine, name + " is valid until " + text_of(end)};
}

/// Each end of a link checks the purpose of the other end's certificate, where the certificate states one.
void check_usage(const SSL_CTX* context, const std::string& name, bool is_node, std::vector<tls_finding>& findings) {
  const auto usage = X509_get_extended_key_usage(SSL_CTX_get0_certificate(context));
  const std::string needed = is_node ? "serverAuth" : "clientAuth";
  if (usage == UINT32_MAX) // the extension is missing
    findings.push_back({level::warning, name + " has no extendedKeyUsage, so it is accepted at either end of a link; use one"
                                               " with extendedKeyUsage=" + needed});
  else if ((usage & (is_node ? XKU_SSL_SERVER : XKU_SSL_CLIENT)) == 0)
    findings.push_back({level::failure, name + " has the wrong purpose: its extendedKeyUsage lacks " + needed});
  else if (!is_node && (usage & XKU_SSL_SERVER) != 0)
    findings.push_back({level::warning, name + " is also valid for a node; use one with extendedKeyUsage=clientAuth only"});
}

void check_readers(std::string_view key, const std::string& file, std::vector<tls_finding>& findings) {
  struct stat found{};
  if (::stat(file.c_str(), &found) == 0 && (found.st_mode & S_IROTH) != 0)
    findings.push_back({level::warning, named(key, file) + " is readable by every user of this machine; run chmod o-r on it"});
}

/// Makes the context of links from three files like those of calls to executors, under other names.
core::result<http::tls_context> link_context(const config::link_settings& link) {
  config::security_settings files;
  files.executor_ca = link.ca;
  files.executor_certificate = link.certificate;
  files.executor_key = link.key;
  return http::make_client_context(files).map_error([](core::error&& why) {
    constexpr std::string_view other = "security.executor_";
    if (const auto at = why.context.find(other); at != std::string::npos)
      why.context.replace(at, other.size(), "link.");
    return std::move(why);
  });
}

} // namespace

std::vector<tls_finding> examine_tls(const config::server_settings& server, const config::security_settings& security,
                                     const config::link_settings& link, std::chrono::system_clock::time_point now) {
  std::vector<tls_finding> findings;
  const auto at = std::chrono::system_clock::to_time_t(now);
  const auto examine = [&](const core::result<http::tls_context>& context, std::string_view certificate_key,
                           const std::string& certificate, std::string_view key_key, const std::string& key) {
    if (!context)
      return findings.push_back({level::failure, context.error().context});
    if (certificate.empty())
      return findings.push_back({level::fine, named("security.executor_ca", security.executor_ca)});
    findings.push_back(judge_time(context->get(), named(certificate_key, certificate), at));
    check_readers(key_key, key, findings);
  };
  if (!server.tls_certificate.empty())
    examine(http::make_server_context(server), "server.tls_certificate", server.tls_certificate, "server.tls_key",
            server.tls_key);
  if (!security.executor_ca.empty() || !security.executor_certificate.empty())
    examine(http::make_client_context(security), "security.executor_certificate", security.executor_certificate,
            "security.executor_key", security.executor_key);
  if (!link.certificate.empty()) {
    const auto context = link_context(link);
    examine(context, "link.certificate", link.certificate, "link.key", link.key);
    if (context)
      check_usage(context->get(), named("link.certificate", link.certificate), !link.listen.empty(), findings);
  }
  return findings;
}

} // namespace ringmaster::gateway
