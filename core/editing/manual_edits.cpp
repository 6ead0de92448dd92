#include "core/editing/manual_edits.hpp"

#include <algorithm>

#include "core/columns.hpp"
#include "core/text/text.hpp"
#include "core/text/url_text.hpp"

namespace ringmaster::core {

namespace {

/// Maximum length of a refused address in an error.
constexpr std::size_t shown_address_chars = 300;

/// Returns true for `host:port` with or without trailing parts. Node's executors register in this form; such an address is called
/// with http (XXL wire §2.1).
bool names_host_and_port(std::string_view address) noexcept {
  const auto place = split_host_port(split_schemeless(address).authority);
  return !place.host.empty() && place.is_plain && !place.in_brackets && place.port
         && parse_port(*place.port).value_or(0) > 0;
}

bool can_be_called(std::string_view address) {
  const auto url = split_url(address);
  const bool is_url = url.is_http() && !url.is_scheme_only();
  return (is_url || names_host_and_port(address)) && address.size() <= address_chars &&
         address.find_first_of("<> \t\r\n") == std::string_view::npos && valid_utf8(address) == address;
}

/// Mixes all bits, one to one (splitmix64).
constexpr std::uint64_t mixed_bits(std::uint64_t x) noexcept {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

} // namespace

std::int64_t rerun_token(std::int64_t request, log_id run) noexcept {
  if (request == 0)
    return 0;
  const auto both = static_cast<std::uint64_t>(request) ^ mixed_bits(static_cast<std::uint64_t>(number(run)));
  return static_cast<std::int64_t>(mixed_bits(both) >> 4) + 1;
}

result<job_name> parse_job_name(std::string_view text) {
  if (const auto id = parse_int32(text)) {
    if (*id > 0)
      return job_name{job_id{*id}};
    return fail(errc::invalid_argument, "invalid job id \"" + valid_utf8(text) + "\"; ids begin at 1");
  }
  const auto slash = text.rfind('/');
  if (slash == std::string_view::npos || slash == 0 || slash + 1 == text.size())
    return fail(errc::invalid_argument, "invalid job \"" + valid_utf8(text) + "\"; expected an id or group/key");
  return job_name{std::nullopt, std::string{text.substr(0, slash)}, std::string{text.substr(slash + 1)}};
}

result<std::vector<std::string>> parse_addresses(const std::vector<std::string>& texts) {
  std::vector<std::string> addresses;
  std::size_t bytes = 0;
  for (std::string_view rest : texts)
    for (bool more = true; more;) {
      const auto comma = rest.find(',');
      const auto address = trimmed(rest.substr(0, comma));
      more = comma != std::string_view::npos;
      rest.remove_prefix(more ? comma + 1 : rest.size());
      if (address.empty() || std::find(addresses.begin(), addresses.end(), address) != addresses.end())
        continue;
      if (!can_be_called(address))
        return fail(errc::invalid_argument, "\"" + std::string{cut_characters(valid_utf8(address), shown_address_chars)} +
                                              "\" is not an address; expected http://host:port/, at most " +
                                              std::to_string(address_chars) + " characters");
      bytes += address.size() + 1;
      addresses.emplace_back(address);
    }
  if (bytes > text_bytes)
    return fail(errc::invalid_argument, "the addresses are longer than " + std::to_string(text_bytes) + " bytes");
  return addresses;
}

} // namespace ringmaster::core
