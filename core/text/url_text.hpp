#pragma once

// The parts of URLs and of addresses with a host and a port. The only parser of either; the rules what a caller accepts stand on
// these parts (docs/adr/0034). It divides any text and judges none. Views point into the text, so a temporary string does not
// compile.

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ringmaster::core {

/// Parts of `scheme://authority/path?query#fragment`, as written: nothing is decoded, and case is kept.
struct url_parts {
  /// The text before the first `://`; unset without one.
  std::optional<std::string_view> scheme;
  /// Account, host and port.
  std::string_view authority;
  /// Empty, or begins with a slash.
  std::string_view path;
  /// Query and fragment; empty, or begins with `?` or `#`.
  std::string_view tail;

  /// Returns true for `http` and `https` in lower case.
  [[nodiscard]] bool is_http() const noexcept { return scheme == "http" || scheme == "https"; }
  /// Returns true when nothing follows the scheme.
  [[nodiscard]] bool is_scheme_only() const noexcept { return authority.empty() && path.empty() && tail.empty(); }
  /// Returns true for an `@` before the first slash: an account, or what another reader may take for one.
  [[nodiscard]] bool may_have_account() const noexcept;
};

[[nodiscard]] url_parts split_url(std::string_view url) noexcept;
template <std::same_as<std::string> Temporary>
url_parts split_url(Temporary&&) = delete;
/// Divides a text that begins with the authority, even if it contains `://`.
[[nodiscard]] url_parts split_schemeless(std::string_view text) noexcept;
template <std::same_as<std::string> Temporary>
url_parts split_schemeless(Temporary&&) = delete;

/// Parts of `host:port` or `[host]:port`.
struct host_port {
  /// Without the brackets of an IPv6 address.
  std::string_view host;
  /// The text after the last colon; unset without one.
  std::optional<std::string_view> port;
  bool in_brackets = false;
  /// False for a host with a colon outside brackets, for brackets that are not closed, and for text between them and the port.
  bool is_plain = true;
};

[[nodiscard]] host_port split_host_port(std::string_view text) noexcept;
template <std::same_as<std::string> Temporary>
host_port split_host_port(Temporary&&) = delete;

/// Returns true for text that was meant as an IPv6 address without its brackets, with or without a port. A guess for messages.
[[nodiscard]] bool is_ip6_without_brackets(std::string_view place) noexcept;

/// Parts of `account@host:port`.
struct authority_parts {
  /// The text before the last `@`; unset without one.
  std::optional<std::string_view> account;
  /// `host:port`
  std::string_view place;
};

[[nodiscard]] authority_parts split_authority(std::string_view authority) noexcept;
template <std::same_as<std::string> Temporary>
authority_parts split_authority(Temporary&&) = delete;

/// Parses a port from 0 to 65535, digits only.
[[nodiscard]] std::optional<std::uint16_t> parse_port(std::string_view digits) noexcept;

/// Replaces each `%` and its two hexadecimal digits by their byte, and `+` by a space where `plus_is_space` says so, as in forms.
/// Unset for a `%` without two digits.
[[nodiscard]] std::optional<std::string> percent_decoded(std::string_view text, bool plus_is_space = false);

/// Writes every byte but the unreserved characters of RFC 3986 as `%` with two digits.
[[nodiscard]] std::string percent_encoded(std::string_view text);

} // namespace ringmaster::core
