#include "core/network_text.hpp"

#include <charconv>

namespace ringmaster::core {

namespace {

/// Digits and nothing else.
template <class Number>
std::optional<Number> read_number(std::string_view text) noexcept {
  Number number{};
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failure != std::errc{} || end != text.data() + text.size())
    return std::nullopt;
  return number;
}

} // namespace

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

} // namespace ringmaster::core
