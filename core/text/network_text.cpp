#include "core/text/network_text.hpp"

#include <algorithm>
#include <charconv>
#include <vector>

#include "core/text/ascii_case.hpp"
#include "core/text/url_text.hpp"

namespace ringmaster::core {

namespace {

/// Parses a number of digits only.
std::optional<std::uint8_t> read_prefix(std::string_view text) noexcept {
  std::uint8_t number{};
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failure != std::errc{} || end != text.data() + text.size())
    return std::nullopt;
  return number;
}

/// Splits `a:b:c`; unset if a group is empty.
std::optional<std::vector<std::string_view>> groups_of(std::string_view text) {
  std::vector<std::string_view> groups;
  while (!text.empty()) {
    const auto colon = text.find(':');
    if (colon == 0 || colon == text.size() - 1)
      return std::nullopt;
    groups.push_back(text.substr(0, colon));
    text.remove_prefix(colon == std::string_view::npos ? text.size() : colon + 1);
  }
  return groups;
}

} // namespace

std::string client_network(std::string_view address) {
  constexpr std::string_view v4_inside = "::ffff:", gap_mark = "::";
  constexpr std::size_t groups_max = 8, network_groups = 4;
  const auto plain = address.substr(0, address.find('%')); // the rest is an interface name
  if (plain.find(':') == std::string_view::npos)
    return std::string{address};
  if (plain.starts_with(v4_inside) && plain.find('.') != std::string_view::npos)
    return std::string{plain.substr(v4_inside.size())};
  const auto gap = plain.find(gap_mark);
  const auto head = groups_of(plain.substr(0, gap));
  const auto tail = groups_of(gap == std::string_view::npos ? std::string_view{} : plain.substr(gap + gap_mark.size()));
  if (!head || !tail || head->size() + tail->size() > groups_max)
    return std::string{address};
  auto all = *head;
  all.resize(groups_max - tail->size(), "0");
  all.insert(all.end(), tail->begin(), tail->end());
  std::string network;
  for (std::size_t i = 0; i < network_groups; ++i)
    network.append(all[i]).append(":");
  return network + ":/64";
}

std::optional<network_text> split_network(std::string_view text) noexcept {
  constexpr std::uint8_t v4_bits = 32, v6_bits = 128;
  const auto slash = text.find('/');
  const bool v6 = text.find(':') != std::string_view::npos;
  const auto bits = v6 ? v6_bits : v4_bits;
  const auto prefix = slash == std::string_view::npos ? std::optional{bits} : read_prefix(text.substr(slash + 1));
  if (slash == 0 || text.empty() || !prefix || *prefix > bits)
    return std::nullopt;
  return network_text{text.substr(0, slash), *prefix, v6};
}

std::optional<listen_text> split_listen(std::string_view text) noexcept {
  const auto place = split_host_port(text);
  const auto port = place.port ? parse_port(*place.port) : std::nullopt;
  if (!port || place.host.empty() || !place.is_plain
      || (!place.in_brackets && place.host.find_first_of(" \t/") != std::string_view::npos))
    return std::nullopt;
  return listen_text{place.host, *port, place.in_brackets};
}

bool is_loopback_host(std::string_view host) noexcept {
  const auto place = split_host_port(host);
  const auto is_part = [](char c) { return c == '.' || (c >= '0' && c <= '9'); };
  if (place.in_brackets || !place.is_plain)
    return place.is_plain && place.host == "::1";
  const bool numeric = std::all_of(place.host.begin(), place.host.end(), is_part);
  return equal_without_case(place.host, "localhost") || (numeric && place.host.starts_with("127."));
}

} // namespace ringmaster::core
