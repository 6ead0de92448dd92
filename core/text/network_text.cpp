#include "core/text/network_text.hpp"

#include <algorithm>
#include <charconv>
#include <vector>

#include "core/text/ascii_case.hpp"

namespace ringmaster::core {

namespace {

/// Parses a number of digits only.
template <class Number>
std::optional<Number> read_number(std::string_view text) noexcept {
  Number number{};
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
  const auto prefix = slash == std::string_view::npos ? std::optional{bits} : read_number<std::uint8_t>(text.substr(slash + 1));
  if (slash == 0 || text.empty() || !prefix || *prefix > bits)
    return std::nullopt;
  return network_text{text.substr(0, slash), *prefix, v6};
}

std::optional<listen_text> split_listen(std::string_view text) noexcept {
  const auto colon = text.rfind(':');
  if (colon == std::string_view::npos)
    return std::nullopt;
  const auto port = read_number<std::uint16_t>(text.substr(colon + 1));
  auto host = text.substr(0, colon);
  const bool v6 = host.starts_with('[') && host.ends_with(']');
  if (v6)
    host = host.substr(1, host.size() - 2);
  if (!port || host.empty() || (!v6 && host.find_first_of("[]: \t/") != std::string_view::npos))
    return std::nullopt;
  return listen_text{host, *port, v6};
}

bool is_loopback_host(std::string_view host) noexcept {
  constexpr std::string_view v6_loopback = "[::1]";
  if (host.starts_with(v6_loopback)) {
    host.remove_prefix(v6_loopback.size());
    return host.empty() || host.front() == ':';
  }
  host = host.substr(0, host.find(':'));
  const bool numeric = std::all_of(host.begin(), host.end(), [](char c) { return c == '.' || (c >= '0' && c <= '9'); });
  return equal_without_case(host, "localhost") || (numeric && host.starts_with("127."));
}

} // namespace ringmaster::core
