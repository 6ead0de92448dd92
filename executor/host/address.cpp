#include "executor/host/address.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <fstream>
#include <memory>
#include <random>

#include <arpa/inet.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <unistd.h>

#include "executor/files/file.hpp"
#include "protocol/link_border.hpp"

namespace ringmaster::executor {

namespace {

constexpr std::uint16_t first_port = 9999;
constexpr std::size_t instance_max = 128;

bool is_ipv6(std::string_view host) { return host.find(':') != std::string_view::npos; }

bool is_any(std::string_view host) { return host.empty() || host == "0.0.0.0" || host == "::" || host == "[::]"; }

bool is_of_machine_alone(std::string_view address) {
  return address.starts_with("127.") || address.starts_with("169.254.") || address == "::1" || address.starts_with("fe80:");
}

std::string bracketed(const std::string& host) { return is_ipv6(host) && !host.starts_with('[') ? '[' + host + ']' : host; }

bool is_ip(const sockaddr& address) { return address.sa_family == AF_INET || address.sa_family == AF_INET6; }

std::string text_of(const sockaddr* address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  const void* bytes = address->sa_family == AF_INET
                        ? static_cast<const void*>(&reinterpret_cast<const sockaddr_in*>(address)->sin_addr)
                        : static_cast<const void*>(&reinterpret_cast<const sockaddr_in6*>(address)->sin6_addr);
  return ::inet_ntop(address->sa_family, bytes, text.data(), text.size()) ? std::string{text.data()} : std::string{};
}

/// Returns an empty string if the file is missing or its first line is unusable.
std::string first_line(const std::string& path) {
  std::string line;
  std::ifstream from{path};
  std::getline(from, line);
  const bool usable = std::all_of(line.begin(), line.end(), [](char c) { return c > ' ' && c < '\x7f' && c != ','; });
  return usable && line.size() <= instance_max ? line : std::string{};
}

/// Returns an instance name: the host name, and random characters to distinguish executors on one machine.
std::string new_instance() {
  std::array<char, 65> host{};
  if (::gethostname(host.data(), host.size() - 1) != 0)
    host[0] = '\0';
  std::string out{host.data()};
  std::erase_if(out, [](char c) { return !std::isalnum(static_cast<unsigned char>(c)) && c != '-' && c != '.' && c != '_'; });
  std::random_device source;
  std::array<char, 16> digits{};
  const std::uint64_t number = (std::uint64_t{source()} << 32U) | source();
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number, 16).ptr;
  return (out.empty() ? "executor" : out) + '-' + std::string{digits.data(), end};
}

} // namespace

std::vector<std::string> machine_addresses() {
  ifaddrs* all = nullptr;
  if (::getifaddrs(&all) != 0)
    return {};
  const std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)> owner{all, &::freeifaddrs};
  std::vector<std::string> out;
  for (const auto* one = all; one; one = one->ifa_next)
    if (one->ifa_addr && (one->ifa_flags & IFF_UP) && is_ip(*one->ifa_addr))
      out.push_back(text_of(one->ifa_addr));
  return out;
}

std::string reachable_address(const std::vector<std::string>& addresses) {
  for (const bool ipv6 : {false, true}) {
    const auto found = std::find_if(addresses.begin(), addresses.end(), [ipv6](const auto& one) {
      return !one.empty() && is_ipv6(one) == ipv6 && !is_any(one) && !is_of_machine_alone(one);
    });
    if (found != addresses.end())
      return *found;
  }
  return {};
}

bool is_loopback(std::string_view host) {
  return host.starts_with("127.") || host == "localhost" || host == "::1" || host == "[::1]";
}

std::string listen_text(const std::string& host, std::size_t port) { return bracketed(host) + ':' + std::to_string(port); }

core::result<std::string> address_to_register(const own_address& said, std::uint16_t port, bool tls,
                                              const std::vector<std::string>& of_machine) {
  if (!said.address.empty())
    return said.address;
  auto host = !said.ip.empty() ? said.ip : is_any(said.listen) ? reachable_address(of_machine) : said.listen;
  if (host.empty())
    return core::fail(core::errc::invalid_argument,
                      "this machine has no address that others can reach: set executor.ip or executor.address");
  return (tls ? "https://" : "http://") + bracketed(host) + ':' + std::to_string(port) + '/';
}

core::result<std::string> native_address(const std::string& app_name, const own_address& said, const std::string& folder) {
  if (!said.address.empty())
    return said.address;
  const auto path = folder + "/instance";
  const auto address_of = [&app_name](const std::string& instance) {
    return std::string{protocol::native_scheme} + app_name + '/' + instance;
  };
  if (auto kept = first_line(path); !kept.empty())
    return address_of(kept);
  const auto made = new_instance();
  const file target{::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0640)};
  if (!target)
    return tl::unexpected{file_error(path, "written", errno)};
  if (const auto done = write_all(target, made + '\n'); done.reason != 0)
    return tl::unexpected{file_error(path, "written", done.reason)};
  return address_of(made);
}

std::vector<std::uint16_t> ports_to_try(std::size_t set) {
  if (set != 0)
    return {static_cast<std::uint16_t>(set)};
  std::vector<std::uint16_t> out;
  for (std::uint32_t port = first_port; port <= 65535; ++port)
    out.push_back(static_cast<std::uint16_t>(port));
  for (std::uint32_t port = first_port - 1; port >= 1024; --port)
    out.push_back(static_cast<std::uint16_t>(port));
  return out;
}

} // namespace ringmaster::executor
