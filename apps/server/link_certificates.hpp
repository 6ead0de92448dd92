#pragma once

// Certificates of native links: a private authority, and what it signs (docs/native_links.md).

#include <cstdint>
#include <string>
#include <vector>

#include "core/result.hpp"
#include "core/time.hpp"

namespace ringmaster::apps {

/// The end of a link that a certificate is for.
enum class link_end : std::uint8_t { node, executor };

/// Returns `node` or `executor`.
[[nodiscard]] const char* name_of(link_end end) noexcept;

struct link_holder {
  link_end end;
  /// Node id or app name; part of the file names, of the subject and of the URI in the certificate.
  std::string name;
};

struct link_certificate {
  /// `authority`, `node` or `executor`.
  std::string kind;
  /// Empty for the authority.
  std::string name;
  /// Paths of the PEM files.
  std::string certificate;
  std::string key;
  core::time_point not_after;
};

struct link_certificates_wanted {
  std::string folder;
  std::vector<link_holder> holders;
  /// Replaces certificates and keys of the holders. The authority stays.
  bool renew = false;
};

/// Makes a key (P-256) and a certificate of each holder, signed by the authority in the folder, which is made, valid for ten
/// years, if there is none. Certificates of holders are valid for two years, not longer than the authority. Returns the new
/// files, in this order. Only the owner may read the keys. Files are written one by one: after an error some may exist. Errors:
/// `invalid_argument`: a name, or the authority cannot sign; `conflict`: a file exists already; `unavailable`: the folder cannot
/// be written; `internal`: OpenSSL failed.
[[nodiscard]] core::result<std::vector<link_certificate>> make_link_certificates(const link_certificates_wanted& wanted,
                                                                                 core::time_point now);

} // namespace ringmaster::apps
