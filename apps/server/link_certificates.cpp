#include "apps/server/link_certificates.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <ctime>
#include <memory>
#include <utility>

#include <openssl/bn.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <sys/stat.h>

#include "apps/server/new_file.hpp"
#include "config/validate.hpp"
#include "core/columns.hpp"

namespace ringmaster::apps {

namespace {

template <auto Free>
struct freed_by {
  template <class T>
  void operator()(T* of) const noexcept {
    Free(of);
  }
};
using key_ptr = std::unique_ptr<EVP_PKEY, freed_by<EVP_PKEY_free>>;
using x509_ptr = std::unique_ptr<X509, freed_by<X509_free>>;
using bio_ptr = std::unique_ptr<BIO, freed_by<BIO_free_all>>;
using number_ptr = std::unique_ptr<BIGNUM, freed_by<BN_free>>;
using extension_ptr = std::unique_ptr<X509_EXTENSION, freed_by<X509_EXTENSION_free>>;

constexpr long day_s = 86'400;
constexpr long authority_days = 3650;
constexpr long holder_days = 730;
/// Certificates count from a while ago: the clocks of both ends may differ.
constexpr long clock_tolerance_s = 3600;
/// X.509 has numbers of at most 20 bytes.
constexpr int serial_bits = 127;
constexpr const char* authority_name = "Ringmaster links";

struct key_pair {
  x509_ptr certificate;
  key_ptr key;
};

struct certificate_form {
  std::string subject;
  long days = 0;
  /// Extensions in OpenSSL's notation.
  std::vector<std::pair<int, std::string>> extensions;
};

core::error openssl_failed(const std::string& what) {
  const auto reason = ERR_peek_last_error();
  const char* const text = reason == 0 ? nullptr : ERR_reason_error_string(reason);
  ERR_clear_error();
  return {core::errc::internal, what + (text == nullptr ? std::string{} : std::string{": "} + text)};
}

bool add_extension(X509* to, X509* issuer, int what, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, issuer, to, nullptr, nullptr, 0);
  const extension_ptr made{X509V3_EXT_conf_nid(nullptr, &context, what, value.c_str())};
  return made && X509_add_ext(to, made.get(), -1) == 1;
}

bool set_serial(X509* to) {
  const number_ptr number{BN_new()};
  return number && BN_rand(number.get(), serial_bits, BN_RAND_TOP_ANY, BN_RAND_BOTTOM_ANY) == 1
         && BN_to_ASN1_INTEGER(number.get(), X509_get_serialNumber(to)) != nullptr;
}

bool set_times(X509* to, const X509* issuer, long days, std::time_t now) {
  if (X509_time_adj_ex(X509_getm_notBefore(to), 0, -clock_tolerance_s, &now) == nullptr
      || X509_time_adj_ex(X509_getm_notAfter(to), static_cast<int>(days), 0, &now) == nullptr)
    return false;
  // Nothing is valid for longer than what signed it.
  if (issuer != nullptr && ASN1_TIME_compare(X509_get0_notAfter(issuer), X509_get0_notAfter(to)) < 0)
    return X509_set1_notAfter(to, X509_get0_notAfter(issuer)) == 1;
  return true;
}

/// Makes a key and its certificate. Without `issuer` the certificate signs itself.
core::result<key_pair> make(const certificate_form& form, const key_pair* issuer, std::time_t now) {
  key_pair out{x509_ptr{X509_new()}, key_ptr{EVP_EC_gen("P-256")}};
  auto* const made = out.certificate.get();
  if (made == nullptr || !out.key)
    return tl::unexpected{openssl_failed("cannot make a key")};
  auto* const signer = issuer == nullptr ? made : issuer->certificate.get();
  auto* const subject = X509_get_subject_name(made);
  const auto* const text = reinterpret_cast<const unsigned char*>(form.subject.c_str());
  bool is_done = X509_set_version(made, X509_VERSION_3) == 1 && set_serial(made)
                 && set_times(made, issuer == nullptr ? nullptr : signer, form.days, now)
                 && X509_set_pubkey(made, out.key.get()) == 1
                 && X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_UTF8, text, -1, -1, 0) == 1
                 && X509_set_issuer_name(made, X509_get_subject_name(signer)) == 1;
  for (const auto& [what, value] : form.extensions)
    is_done = is_done && add_extension(made, signer, what, value);
  auto* const key = issuer == nullptr ? out.key.get() : issuer->key.get();
  if (!is_done || X509_sign(made, key, EVP_sha256()) == 0)
    return tl::unexpected{openssl_failed("cannot make the certificate of " + form.subject)};
  return out;
}

certificate_form authority_form() {
  return {authority_name,
          authority_days,
          {{NID_basic_constraints, "critical,CA:TRUE,pathlen:0"},
           {NID_key_usage, "critical,keyCertSign,cRLSign"},
           {NID_subject_key_identifier, "hash"}}};
}

// A node dials other nodes, too.
certificate_form holder_form(const link_holder& whose) {
  const bool is_node = whose.end == link_end::node;
  return {whose.name,
          holder_days,
          {{NID_basic_constraints, "critical,CA:FALSE"},
           {NID_key_usage, "critical,digitalSignature"},
           {NID_ext_key_usage, is_node ? "serverAuth,clientAuth" : "clientAuth"},
           {NID_subject_alt_name, std::string{"URI:urn:ringmaster:"} + name_of(whose.end) + ':' + whose.name},
           {NID_subject_key_identifier, "hash"},
           {NID_authority_key_identifier, "keyid:always"}}};
}

// -- files -----------------------------------------------------------------------------------------------------------------

struct file_pair {
  std::string certificate;
  std::string key;
};

file_pair files_in(const std::string& folder, const std::string& stem) {
  const auto path = folder + (folder.ends_with('/') ? "" : "/") + stem;
  return {path + ".pem", path + ".key"};
}

bool exists(const std::string& path) {
  struct stat found {};
  return ::lstat(path.c_str(), &found) == 0;
}

core::result<void> write(const std::string& path, BIO* text, mode_t mode, bool replace) {
  char* bytes = nullptr;
  const auto size = BIO_get_mem_data(text, &bytes);
  auto file = new_file::begin(path, replace);
  if (!file)
    return tl::unexpected{file.error()};
  if (auto written = file->write({bytes, static_cast<std::size_t>(size)}); !written)
    return written;
  if (auto done = file->finish(); !done)
    return done;
  if (::chmod(path.c_str(), mode) != 0)
    return tl::unexpected{core::error{core::errc::unavailable, "cannot set the permissions of " + path}};
  return {};
}

core::result<void> write(const file_pair& to, const key_pair& what, bool replace) {
  const bio_ptr key{BIO_new(BIO_s_secmem())};
  const bio_ptr certificate{BIO_new(BIO_s_mem())};
  if (!key || !certificate
      || PEM_write_bio_PrivateKey(key.get(), what.key.get(), nullptr, nullptr, 0, nullptr, nullptr) != 1
      || PEM_write_bio_X509(certificate.get(), what.certificate.get()) != 1)
    return tl::unexpected{openssl_failed("cannot write " + to.key)};
  // The key first: a certificate without its key is of no use.
  if (auto done = write(to.key, key.get(), 0600, replace); !done)
    return done;
  return write(to.certificate, certificate.get(), 0644, replace);
}

core::time_point end_of(const X509* certificate) {
  std::tm civil{};
  if (ASN1_TIME_to_tm(X509_get0_notAfter(certificate), &civil) != 1)
    return {};
  return core::time_point{std::chrono::seconds{::timegm(&civil)}};
}

core::error unusable(const std::string& path, const std::string& why) {
  ERR_clear_error();
  return {core::errc::invalid_argument, path + ": " + why};
}

int no_passphrase(char*, int, int, void*) { return 0; }

core::result<key_pair> read_authority(const file_pair& files, core::time_point now) {
  const bio_ptr certificate{BIO_new_file(files.certificate.c_str(), "r")};
  const bio_ptr key{BIO_new_file(files.key.c_str(), "r")};
  if (!certificate || !key)
    return tl::unexpected{
      unusable(certificate ? files.key : files.certificate, "cannot be read; the authority needs both files")};
  key_pair out{x509_ptr{PEM_read_bio_X509(certificate.get(), nullptr, no_passphrase, nullptr)},
               key_ptr{PEM_read_bio_PrivateKey(key.get(), nullptr, no_passphrase, nullptr)}};
  if (!out.certificate)
    return tl::unexpected{unusable(files.certificate, "has no certificate")};
  if (!out.key)
    return tl::unexpected{unusable(files.key, "has no key, or one with a passphrase")};
  if (X509_check_private_key(out.certificate.get(), out.key.get()) != 1)
    return tl::unexpected{unusable(files.key, "is the key of another certificate")};
  if (X509_check_ca(out.certificate.get()) != 1)
    return tl::unexpected{unusable(files.certificate, "is not the certificate of an authority")};
  if (end_of(out.certificate.get()) <= now)
    return tl::unexpected{unusable(files.certificate, "has expired")};
  return out;
}

core::result<void> check(const link_certificates_wanted& wanted) {
  std::vector<std::string> stems;
  for (const auto& each : wanted.holders) {
    if (each.name.empty() || !config::is_node_name(each.name))
      return tl::unexpected{core::error{core::errc::invalid_argument,
                                        std::string{"invalid name \""} + each.name + "\" of a" +
                                          (each.end == link_end::node ? " node" : "n executor") + "; expected at most " +
                                          std::to_string(core::node_chars) + " letters, digits, '-', '_' and '.'"}};
    const auto stem = std::string{name_of(each.end)} + '-' + each.name;
    if (std::find(stems.begin(), stems.end(), stem) != stems.end())
      return tl::unexpected{core::error{core::errc::invalid_argument,
                                        std::string{name_of(each.end)} + " " + each.name + " is named twice"}};
    stems.push_back(stem);
    const auto files = files_in(wanted.folder, stem);
    for (const auto& path : {files.certificate, files.key})
      if (!wanted.renew && exists(path))
        return tl::unexpected{core::error{core::errc::conflict, path + " already exists; --renew replaces it"}};
  }
  return {};
}

} // namespace

const char* name_of(link_end end) noexcept { return end == link_end::node ? "node" : "executor"; }

core::result<std::vector<link_certificate>> make_link_certificates(const link_certificates_wanted& wanted,
                                                                   core::time_point now) {
  if (auto checked = check(wanted); !checked)
    return tl::unexpected{checked.error()};
  if (::mkdir(wanted.folder.c_str(), 0700) != 0 && errno != EEXIST)
    return tl::unexpected{core::error{core::errc::unavailable, "cannot make " + wanted.folder + ": " + std::strerror(errno)}};
  const auto seconds = static_cast<std::time_t>(core::to_ms(now) / 1000);
  const auto authority_files = files_in(wanted.folder, "authority");
  std::vector<link_certificate> out;
  const bool is_new = !exists(authority_files.certificate) && !exists(authority_files.key);
  if (is_new && wanted.renew)
    return tl::unexpected{
      core::error{core::errc::invalid_argument, authority_files.certificate + " is missing: nothing can sign"}};
  const auto authority = is_new ? make(authority_form(), nullptr, seconds) : read_authority(authority_files, now);
  if (!authority)
    return tl::unexpected{authority.error()};
  if (is_new) {
    if (auto written = write(authority_files, *authority, false); !written)
      return tl::unexpected{written.error()};
    out.push_back({"authority", {}, authority_files.certificate, authority_files.key, end_of(authority->certificate.get())});
  }
  for (const auto& each : wanted.holders) {
    const auto files = files_in(wanted.folder, std::string{name_of(each.end)} + '-' + each.name);
    const auto made = make(holder_form(each), &*authority, seconds);
    if (!made)
      return tl::unexpected{made.error()};
    if (auto written = write(files, *made, wanted.renew); !written)
      return tl::unexpected{written.error()};
    out.push_back({name_of(each.end), each.name, files.certificate, files.key, end_of(made->certificate.get())});
  }
  return out;
}

} // namespace ringmaster::apps
