#include "apps/doctor/doctor.hpp"

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <netdb.h>
#include <sys/socket.h>
#include <sys/statvfs.h>
#include <sys/time.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "apps/server/data_folder.hpp"
#include "apps/terminal/table_text.hpp"
#include "core/text/sqlite_url.hpp"
#include "core/text/url_text.hpp"

namespace ringmaster::apps {

namespace {

constexpr std::uint64_t mib = 1024 * 1024;
/// Below `low_bytes` the disk fills within hours; below `empty_bytes` the next write may fail.
constexpr std::uint64_t low_bytes = 1024 * mib, empty_bytes = 64 * mib;
constexpr double low_share = 0.05;
constexpr std::size_t reply_bytes_max = 64 * 1024;
constexpr std::chrono::seconds reply_max{3};

std::string size_text(std::uint64_t bytes) {
  return bytes < 1024 * mib ? std::to_string(bytes / mib) + " MiB" : std::to_string(bytes / (1024 * mib)) + " GiB";
}

void check_disk(const std::string& what, const std::string& folder, finding_list& findings) {
  struct statvfs disk {};
  if (statvfs(folder.c_str(), &disk) != 0 || disk.f_blocks == 0)
    return; // another check reports a missing folder
  const auto free = static_cast<std::uint64_t>(disk.f_bavail) * disk.f_frsize;
  const auto all = static_cast<std::uint64_t>(disk.f_blocks) * disk.f_frsize;
  const auto text = size_text(free) + " of " + size_text(all) + " free on the disk of " + what + ' ' + folder;
  if (free < empty_bytes)
    findings.push_back({verdict::failure, "disk", "full: " + text + "; runs and results cannot be stored", "free some space"});
  else if (free < low_bytes && static_cast<double>(free) < low_share * static_cast<double>(all))
    findings.push_back({verdict::warning, "disk", "nearly full: " + text, "free some space"});
  else
    findings.push_back({verdict::fine, "disk", text});
}

struct place {
  std::string host;
  std::string port;
};

/// Returns an address at which this machine reaches a server that listens on `listen`.
std::optional<place> place_of(const std::string& listen) {
  const auto parts = core::split_host_port(listen);
  if (!parts.port || parts.port == "0")
    return std::nullopt;
  place out{std::string{parts.host}, std::string{*parts.port}};
  if (out.host == "0.0.0.0" || out.host.empty())
    out.host = "127.0.0.1";
  if (out.host == "::")
    out.host = "::1";
  return out;
}

class connection {
public:
  explicit connection(int socket) : socket_{socket} {}
  ~connection() {
    if (socket_ >= 0)
      ::close(socket_);
  }
  connection(const connection&) = delete;
  connection& operator=(const connection&) = delete;

  [[nodiscard]] bool open() const { return socket_ >= 0; }

  [[nodiscard]] bool send(const std::string& text) const {
    return ::send(socket_, text.data(), text.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(text.size());
  }

  /// Reads until the peer closes the connection or the time is over.
  [[nodiscard]] std::string read(const still_wanted& go_on) const {
    std::string out;
    std::array<char, 4096> part{};
    const auto end = std::chrono::steady_clock::now() + reply_max;
    while (out.size() < reply_bytes_max) {
      const auto got = ::recv(socket_, part.data(), part.size(), 0);
      if (got > 0)
        out.append(part.data(), static_cast<std::size_t>(got));
      else if (got == 0 || (errno != EAGAIN && errno != EINTR) || std::chrono::steady_clock::now() >= end || !go_on())
        break;
    }
    return out;
  }

private:
  int socket_;
};

connection connect_to(const place& where) {
  addrinfo wanted{};
  wanted.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (getaddrinfo(where.host.c_str(), where.port.c_str(), &wanted, &found) != 0)
    return connection{-1};
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> addresses{found, &freeaddrinfo};
  const int one = ::socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const timeval limit{3, 0};
  const timeval slice{0, 200'000}; // between two looks at whether the answer is still wanted
  if (one >= 0) {
    setsockopt(one, SOL_SOCKET, SO_RCVTIMEO, &slice, sizeof slice);
    setsockopt(one, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    if (::connect(one, found->ai_addr, found->ai_addrlen) == 0)
      return connection{one};
    ::close(one);
  }
  return connection{-1};
}

/// Returns the body of the response to `GET /readyz`.
std::optional<nlohmann::json> ask_readiness(const place& where, const still_wanted& go_on) {
  const auto line = connect_to(where);
  if (!line.open() || !line.send("GET /readyz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"))
    return std::nullopt;
  const auto reply = line.read(go_on);
  const auto body = reply.find("\r\n\r\n");
  if (body == std::string::npos)
    return std::nullopt;
  auto document = nlohmann::json::parse(reply.substr(body + 4), nullptr, false);
  return document.is_object() && document.contains("ready") ? std::optional{std::move(document)} : std::nullopt;
}

} // namespace

void check_disks(const config::settings& settings, finding_list& findings) {
  check_disk("the data folder", settings.data_dir, findings);
  const auto file = core::sqlite_path(settings.database.url);
  if (!file || *file == core::sqlite_memory)
    return;
  const auto folder = std::filesystem::path{*file}.parent_path();
  if (!folder.empty() && folder != std::filesystem::path{settings.data_dir})
    check_disk("the database in", folder.string(), findings);
}

void check_running_server(const config::settings& settings, const still_wanted& go_on, finding_list& findings) {
  if (!data_dir_in_use(settings)) {
    findings.push_back({verdict::fine, "server", "no server runs with this data folder"});
    return;
  }
  const auto where = place_of(settings.server.listen);
  if (!where || !settings.server.tls_certificate.empty())
    return; // the address is unknown, or it needs TLS: use /readyz of that address
  const auto said = ask_readiness(*where, go_on);
  if (!said) {
    findings.push_back(
      {verdict::failure, "server", "a server runs with this data folder but does not respond at " + settings.server.listen,
       "look into its log"});
    return;
  }
  if ((*said)["ready"] == true) {
    findings.push_back({verdict::fine, "server", "ready at " + settings.server.listen});
    return;
  }
  std::vector<std::string> reasons;
  if (said->contains("reasons") && (*said)["reasons"].is_array())
    for (const auto& reason : (*said)["reasons"])
      if (reason.is_string())
        reasons.push_back(one_line(reason.get<std::string>()));
  if (reasons.empty())
    reasons.emplace_back("no reason given");
  for (const auto& reason : reasons)
    findings.push_back({verdict::failure, "server", "not ready: " + reason});
}

} // namespace ringmaster::apps
