#include "executor/host/own_host.hpp"

#include "core/text/ascii_case.hpp"
#include "core/text/network_text.hpp"
#include "core/text/url_text.hpp"

namespace ringmaster::executor {

namespace {

bool is_well_formed(const core::host_port& place) noexcept {
  return place.is_plain && !place.host.empty() && (place.port.value_or("").empty() || core::parse_port(*place.port));
}

} // namespace

bool is_own_host(std::string_view header, std::string_view own_address) noexcept {
  const auto host = core::split_host_port(header);
  if (!is_well_formed(host))
    return false;
  if (host.in_brackets || host.host.find_first_not_of("0123456789.") == std::string_view::npos || core::is_loopback_host(header))
    return true;
  const auto own = core::split_host_port(core::split_url(own_address).authority);
  return own.is_plain && core::equal_without_case(host.host, own.host);
}

} // namespace ringmaster::executor
