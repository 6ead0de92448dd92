#pragma once

// Certificates for tests, made at run time: an authority and the certificates that it signs, as PEM files in a folder of the
// test.

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include "tests/support/temp_folder.hpp"

namespace ringmaster::test {

struct certificate_files {
  std::string certificate;
  std::string key;
};

/// Signs with a key of its own.
class test_authority {
public:
  test_authority(temp_folder& folder, std::string name) : folder_(folder), name_(std::move(name)), key_(make_key()) {
    certificate_ = make(key_.get(), name_, "", 3600, 1);
    file_ = write_certificate(name_ + ".pem", certificate_.get());
  }

  /// The authority's own certificate.
  [[nodiscard]] const std::string& file() const noexcept { return file_; }

  /// Makes a certificate for `names`, e.g. `DNS:localhost,IP:127.0.0.1`, that expires in the given number of seconds, which may
  /// be negative. `usage`: extended key usage, e.g. `clientAuth`; empty: none.
  certificate_files issue(const std::string& name, const std::string& names = "DNS:localhost,IP:127.0.0.1", long seconds = 3600,
                          const std::string& usage = {}) {
    auto key = make_key();
    auto made = make(key.get(), name, names, seconds, ++serial_, usage);
    certificate_files files{write_certificate(name + ".pem", made.get()), folder_.path() + "/" + name + ".key"};
    std::unique_ptr<BIO, decltype(&BIO_free)> out{BIO_new_file(files.key.c_str(), "w"), &BIO_free};
    if (!out || PEM_write_bio_PrivateKey(out.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr) != 1)
      throw std::runtime_error{"cannot write " + files.key};
    return files;
  }

private:
  using key_ptr = std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)>;
  using x509_ptr = std::unique_ptr<X509, decltype(&X509_free)>;

  static key_ptr make_key() { return {EVP_EC_gen("P-256"), &EVP_PKEY_free}; }

  x509_ptr make(EVP_PKEY* key, const std::string& name, const std::string& names, long seconds, long serial,
                const std::string& usage = {}) {
    x509_ptr made{X509_new(), &X509_free};
    X509_set_version(made.get(), X509_VERSION_3);
    ASN1_INTEGER_set(X509_get_serialNumber(made.get()), serial);
    X509_gmtime_adj(X509_getm_notBefore(made.get()), std::min(0L, seconds) - 3600);
    X509_gmtime_adj(X509_getm_notAfter(made.get()), seconds);
    X509_set_pubkey(made.get(), key);
    set_name(X509_get_subject_name(made.get()), name);
    set_name(X509_get_issuer_name(made.get()), name_);
    add(made.get(), NID_basic_constraints, names.empty() ? "critical,CA:TRUE" : "CA:FALSE");
    if (!names.empty())
      add(made.get(), NID_subject_alt_name, names.c_str());
    if (!usage.empty())
      add(made.get(), NID_ext_key_usage, usage.c_str());
    if (X509_sign(made.get(), key_.get(), EVP_sha256()) == 0)
      throw std::runtime_error{"cannot sign " + name};
    return made;
  }
  static void set_name(X509_NAME* to, const std::string& name) {
    X509_NAME_add_entry_by_txt(to, "CN", MBSTRING_UTF8, reinterpret_cast<const unsigned char*>(name.c_str()), -1, -1, 0);
  }
  static void add(X509* to, int what, const char* value) {
    std::unique_ptr<X509_EXTENSION, decltype(&X509_EXTENSION_free)> extension{X509V3_EXT_conf_nid(nullptr, nullptr, what, value),
                                                                              &X509_EXTENSION_free};
    X509_add_ext(to, extension.get(), -1);
  }
  std::string write_certificate(const std::string& file, X509* certificate) {
    const auto path = folder_.path() + "/" + file;
    std::unique_ptr<BIO, decltype(&BIO_free)> out{BIO_new_file(path.c_str(), "w"), &BIO_free};
    if (!out || PEM_write_bio_X509(out.get(), certificate) != 1)
      throw std::runtime_error{"cannot write " + path};
    return path;
  }

  temp_folder& folder_;
  std::string name_;
  key_ptr key_;
  x509_ptr certificate_{nullptr, &X509_free};
  std::string file_;
  long serial_ = 1;
};

} // namespace ringmaster::test
