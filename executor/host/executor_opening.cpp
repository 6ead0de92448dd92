// Opening an executor: its folder, its files, its port.

#include <cerrno>
#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <spdlog/spdlog.h>
#include <sys/file.h>

#include "executor/host/address.hpp"
#include "executor/host/executor_parts.hpp"

namespace ringmaster::executor {

namespace {

/// XXL-JOB's executors accept no larger request.
constexpr std::size_t body_bytes_max = 5 * 1024 * 1024;

/// Replaces the setting names in the transport's errors, which are those of an admin.
core::error with_our_names(core::error of_transport) {
  constexpr std::pair<std::string_view, std::string_view> names[] = {
    {"server.listen", "executor.listen"},
    {"security.executor_ca", "executor.admin_ca"},
    {"security.executor_certificate", "executor.admin_certificate"},
    {"security.executor_key", "executor.admin_key"}};
  for (const auto& [theirs, ours] : names)
    if (const auto at = of_transport.context.find(theirs); at != std::string::npos)
      of_transport.context.replace(at, theirs.size(), ours);
  return of_transport;
}

} // namespace

log_options executor::parts::logs_of_runs() const {
  log_options out;
  out.folder = options.log_path;
  out.zone = zone;
  out.bytes_max = options.log_bytes_max;
  out.complain = [log = log](const std::string& what) { log->warn("logs of runs: {}", what); };
  return out;
}

/// Locks the folder. Two executors in one folder would send each other's results and remove each other's scripts.
core::result<void> executor::parts::take_folder() {
  const auto& folder = options.log_path;
  if (const int reason = make_folders(folder); reason != 0)
    return tl::unexpected{file_error(folder, "made", reason)};
  const auto path = folder + "/executor.lock";
  lock = file{::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)};
  if (!lock)
    return tl::unexpected{file_error(path, "opened", errno)};
  if (::flock(lock.get(), LOCK_EX | LOCK_NB) != 0)
    return core::fail(core::errc::conflict, folder + ": another executor uses this folder; set executor.log_path to another one");
  return {};
}

core::result<void> executor::parts::open_runs() {
  taken_run_options taken;
  taken.path = options.log_path + "/taken-runs";
  taken.complain = [log = log](const std::string& what) { log->error("open runs: {}", what); };
  auto opened = taken_run_file::open(std::move(taken));
  if (!opened)
    return tl::unexpected{std::move(opened.error())};
  runs = std::move(*opened);
  return {};
}

std::unique_ptr<log_cleaner> executor::parts::clean(log_options of) const {
  return std::make_unique<log_cleaner>(
    std::move(of), static_cast<std::int32_t>(options.log_retention_days), [log = log](const core::result<cleaned_logs>& cleaned) {
      if (!cleaned)
        log->warn("removal of old run logs: {}", cleaned.error().context);
      else if (!cleaned->problem.empty())
        log->warn("removal of old run logs: {}", cleaned->problem);
      else
        log->info("removed old run logs: {} days", cleaned->folders);
    });
}

core::result<void> executor::parts::open() {
  std::error_code nowhere;
  const auto folder = std::filesystem::absolute(options.data_dir.empty() ? "." : options.data_dir, nowhere);
  if (nowhere)
    return core::fail(core::errc::unavailable, options.data_dir + ": " + nowhere.message());
  options.log_path = (folder / options.log_path).lexically_normal().string();
  auto of_system = core::zone::system();
  if (!of_system)
    return tl::unexpected{of_system.error()};
  zone = std::move(*of_system);
  if (auto taken = take_folder(); !taken)
    return taken;
  logs = std::make_shared<log_files>(logs_of_runs());
  if (auto opened = open_runs(); !opened)
    return opened;
  cleaner = clean(logs_of_runs());
  if (auto opened = open_ports(); !opened)
    return opened;
  if (auto opened = open_elastic(); !opened)
    return opened;
  if (auto found = find_address(); !found)
    return found;
  if (auto spawned = spawn(); !spawned)
    return spawned;
  if (serves())
    return serve();
  log->info("no port is open: native links use the address {}", address);
  return {};
}

core::result<void> executor::parts::find_address() {
  const own_address said{options.listen, options.ip, options.address};
  core::result<std::string> found;
  if (serves()) {
    const auto port = bind();
    if (!port)
      return tl::unexpected{port.error()};
    found = address_to_register(said, *port, !options.tls_certificate.empty(), machine_addresses());
  } else {
    transport = make_transport_at(0);
    found = native_address(options.app_name, said, options.log_path);
  }
  if (!found)
    return tl::unexpected{found.error()};
  address = std::move(*found);
  return {};
}

core::result<void> executor::parts::open_ports() {
  if (options.nodes.empty())
    return {};
  auto made = actors::tls_ports::make({options.link_certificate, options.link_key, options.link_ca});
  if (!made)
    return tl::unexpected{made.error()};
  ports = std::move(*made);
  return {};
}

config::server_settings executor::parts::server_at(std::uint16_t port) const {
  config::server_settings out;
  out.listen = listen_text(options.listen, port);
  out.body_bytes_max = body_bytes_max;
  out.buffered_bytes_max = options.buffered_bytes_max;
  out.read_timeout = options.read_timeout;
  out.write_timeout = options.write_timeout;
  out.idle_timeout = options.idle_timeout;
  out.reply_timeout = options.reply_timeout;
  out.connections_max = options.connections_max;
  out.tls_certificate = options.tls_certificate;
  out.tls_key = options.tls_key;
  out.tls_client_ca = options.tls_client_ca;
  return out;
}

std::unique_ptr<gateway::transport> executor::parts::make_transport_at(std::uint16_t port) const {
  config::trigger_settings calls;
  calls.io_threads = 1;
  config::security_settings security;
  // This check protects admins from executors. An executor's admins come from the configuration, so all addresses are permitted.
  security.executor_networks = {"0.0.0.0/0", "::/0"};
  security.executor_ca = options.admin_ca;
  security.executor_certificate = options.admin_certificate;
  security.executor_key = options.admin_key;
  return gateway::make_transport(server_at(port), calls, security);
}

core::result<std::uint16_t> executor::parts::bind() {
  core::result<std::uint16_t> out = core::fail(core::errc::unavailable, "no free port");
  for (const auto port : ports_to_try(options.port)) {
    transport = make_transport_at(port);
    const auto bound = transport->bind();
    if (bound)
      return port;
    out = tl::unexpected{with_our_names(bound.error())};
    if (bound.error().code != core::errc::unavailable)
      break;
  }
  return out;
}

} // namespace ringmaster::executor
