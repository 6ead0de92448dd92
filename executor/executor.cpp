#include "executor/executor.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <mutex>
#include <random>
#include <optional>
#include <string_view>
#include <utility>

#include <caf/all.hpp>
#include <fcntl.h>
#include <spdlog/sinks/null_sink.h>
#include <spdlog/spdlog.h>
#include <sys/file.h>

#include "actors/executor/admin_link.hpp"
#include "actors/executor/beat_actor.hpp"
#include "actors/executor/callback_actor.hpp"
#include "actors/executor/executor_counts.hpp"
#include "actors/executor/executor_host.hpp"
#include "actors/executor/link_dialer.hpp"
#include "actors/link/system_config.hpp"
#include "actors/link/tls_ports.hpp"
#include "config/settings.hpp"
#include "executor/address.hpp"
#include "executor/dated_logs.hpp"
#include "executor/environment.hpp"
#include "executor/file.hpp"
#include "executor/handler_bodies.hpp"
#include "executor/http_door.hpp"
#include "executor/log_cleaner.hpp"
#include "executor/log_files.hpp"
#include "executor/report_files.hpp"
#include "executor/run_log.hpp"
#include "executor/scripts.hpp"
#include "executor/task_threads.hpp"
#include "executor/taken_run_file.hpp"
#include "executor/thread_pool.hpp"
#include "executor/usable_options.hpp"
#include "gateway/transport.hpp"
#include "protocol/caf.hpp"
#include "protocol/meta_objects.hpp"

namespace ringmaster::executor {

namespace {

using namespace std::chrono_literals;

/// Of bodies and of what blocks beside them: each that waits costs its stack.
constexpr std::size_t threads_max = 10'000;
/// XXL's executors take no larger request.
constexpr std::size_t body_bytes_max = 5 * 1024 * 1024;
/// Behind the drain's own limits.
constexpr auto stop_margin = 30s;
constexpr auto withdrawal_limit = 15s;
/// Bodies that came to their end have their last words to write.
constexpr auto last_words = 1s;

protocol::logger silent_log() {
  return std::make_shared<spdlog::logger>("executor", std::make_shared<spdlog::sinks::null_sink_mt>());
}

std::optional<protocol::wire::admin_family> family_of(std::string_view dialect) {
  using protocol::wire::admin_family;
  if (dialect == "auto")
    return std::nullopt;
  return dialect == "3.5" ? admin_family::app_named : admin_family::array;
}

/// The transport speaks of an admin's settings.
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

/// Scripts as what handler_bodies falls back on.
class script_source final : public actors::body_source {
public:
  script_source(script_options options, log_opener logs) : scripts_{std::move(options), std::move(logs)} {}

  core::result<std::shared_ptr<const actors::run_body>> find(const core::trigger_request& request,
                                                             const std::shared_ptr<const actors::run_body>& held) override {
    return scripts_.find(request, held);
  }

private:
  scripts scripts_;
};

} // namespace

struct executor::parts {
  parts(executor_options given, handlers known);

  core::result<void> open();
  core::result<void> take_folder();
  [[nodiscard]] bool serves() const noexcept { return !options.listen.empty(); }
  core::result<void> find_address();
  core::result<void> open_runs();
  core::result<std::uint16_t> bind();
  core::result<void> open_ports();
  core::result<void> serve();
  void spawn();
  void spawn_links();
  template <class Handle>
  void watch(const char* what, const Handle& handle);
  void stop();
  /// False: bodies do not heed their stop. Then what they may still use has to stay.
  [[nodiscard]] bool end();

  [[nodiscard]] config::server_settings server_at(std::uint16_t port) const;
  [[nodiscard]] std::unique_ptr<gateway::transport> make_transport_at(std::uint16_t port) const;
  [[nodiscard]] config::executor_settings limits_of_jobs() const;
  [[nodiscard]] log_options logs_of_runs() const;

  executor_options options;
  handlers known;
  protocol::logger log;
  core::zone zone;
  file lock;
  std::string address;
  std::shared_ptr<log_files> logs;
  std::shared_ptr<taken_run_file> runs;
  std::shared_ptr<thread_pool> threads = std::make_shared<thread_pool>(threads_max);
  /// Null without coroutines.
  std::shared_ptr<task_threads> tasks;
  std::shared_ptr<actors::executor_counts> counts = std::make_shared<actors::executor_counts>();
  std::unique_ptr<log_cleaner> cleaner;
  std::unique_ptr<gateway::transport> transport;
  /// Null: no native links.
  std::shared_ptr<actors::tls_ports> ports;
  std::unique_ptr<caf::actor_system_config> config;
  std::unique_ptr<caf::actor_system> system;
  protocol::admin_link admins;
  protocol::callback_actor callbacks;
  protocol::executor_host host;
  protocol::executor_door door;
  protocol::link_dialer links;
  protocol::beat_actor beats;
  std::once_flag stopped;
};

executor::parts::parts(executor_options given, handlers handlers_known)
  : options{std::move(given)}, known{std::move(handlers_known)}, log{options.log ? options.log : silent_log()} {
}

log_options executor::parts::logs_of_runs() const {
  log_options out;
  out.folder = options.log_path;
  out.zone = zone;
  out.bytes_max = options.log_bytes_max;
  out.complain = [log = log](const std::string& what) { log->warn("logs of runs: {}", what); };
  return out;
}

/// Two of them in one folder would send each other's results and remove each other's scripts.
core::result<void> executor::parts::take_folder() {
  const auto& folder = options.log_path;
  if (const int reason = make_folders(folder); reason != 0)
    return tl::unexpected{file_error(folder, "made", reason)};
  const auto path = folder + "/executor.lock";
  lock = file{::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)};
  if (!lock)
    return tl::unexpected{file_error(path, "opened", errno)};
  if (::flock(lock.get(), LOCK_EX | LOCK_NB) != 0)
    return core::fail(core::errc::conflict, folder + ": another executor uses this folder; executor.log_path names another one");
  return {};
}

core::result<void> executor::parts::open_runs() {
  taken_run_options taken;
  taken.path = options.log_path + "/taken-runs";
  taken.complain = [log = log](const std::string& what) { log->error("runs that are open: {}", what); };
  auto opened = taken_run_file::open(std::move(taken));
  if (!opened)
    return tl::unexpected{std::move(opened.error())};
  runs = std::move(*opened);
  return {};
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
  cleaner = std::make_unique<log_cleaner>(
    logs_of_runs(), static_cast<std::int32_t>(options.log_retention_days),
    [log = log](const core::result<cleaned_logs>& cleaned) {
      if (!cleaned)
        log->warn("old logs of runs: {}", cleaned.error().context);
      else if (!cleaned->problem.empty())
        log->warn("old logs of runs: {}", cleaned->problem);
      else
        log->info("old logs of runs: {} days removed", cleaned->folders);
    });
  if (auto found = find_address(); !found)
    return found;
  if (auto opened = open_ports(); !opened)
    return opened;
  spawn();
  if (serves())
    return serve();
  log->info("no port is open: native links lead to {}", address);
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

core::result<void> executor::parts::serve() {
  const auto bound = transport->listen(hand_over_to(door));
  if (!bound)
    return tl::unexpected{bound.error()};
  // The port is open by now: an admin may call as soon as it knows the address. Nodes with a link register it themselves.
  if (options.admins.empty())
    return {};
  beats = system->spawn<protocol::with_state<actors::beat_actor_state, protocol::beat_actor>>(
    admins, address,
    actors::patience_with({options.admins, options.app_name, "", options.admin_timeout}), log);
  log->info("serving on {}, registered as {}", *bound, address);
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

config::executor_settings executor::parts::limits_of_jobs() const {
  config::executor_settings out;
  out.queue_max = options.queue_max;
  out.idle_limit = options.idle_limit;
  return out;
}

std::unique_ptr<gateway::transport> executor::parts::make_transport_at(std::uint16_t port) const {
  config::trigger_settings calls;
  calls.io_threads = 1;
  config::security_settings security;
  // Of executors an admin must be careful, the other way round its address is from the configuration.
  security.executor_networks = {"0.0.0.0/0", "::/0"};
  security.executor_ca = options.admin_ca;
  security.executor_certificate = options.admin_certificate;
  security.executor_key = options.admin_key;
  return gateway::make_transport(server_at(port), calls, security);
}

core::result<std::uint16_t> executor::parts::bind() {
  core::result<std::uint16_t> out = core::fail(core::errc::unavailable, "no port is free");
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

void executor::parts::spawn() {
  config = std::make_unique<actors::system_config>(ports != nullptr);
  system = std::make_unique<caf::actor_system>(*config);
  const auto dated = std::make_shared<dated_logs>(logs, zone);
  const actors::admin_link_settings reached{options.admins, options.app_name, options.access_token,
                                            options.admin_timeout, family_of(options.dialect)};
  admins = system->spawn<protocol::with_state<actors::admin_link_state, protocol::admin_link>>(transport->client(), reached, log);
  callbacks = system->spawn<protocol::with_state<actors::callback_actor_state, protocol::callback_actor>>(
    actors::callback_tools{admins, actors::patience_with(reached), threads,
                           std::make_shared<report_files>(options.log_path), dated, runs, counts, log});
  const auto open_log = [logs = logs](const core::trigger_request& request) {
    return std::make_unique<run_log>(*logs, request);
  };
  const auto open_waiting_log = [logs = logs](const core::trigger_request& request) {
    return std::make_unique<run_log>(*logs, request, log_writer::opens::for_each_write);
  };
  const auto is_coroutine = [](const auto& each) { return each.second->run.is_coroutine(); };
  if (std::any_of(known.all().begin(), known.all().end(), is_coroutine))
    tasks = std::make_shared<task_threads>(options.coroutine_threads, threads);
  auto bodies = std::make_shared<handler_bodies>(
    known, handler_tools{open_log, open_waiting_log, tasks},
    std::make_unique<script_source>(
      script_options{options.scripts, options.log_path, options.script_limits, inherited_environment()}, open_log));
  host = system->spawn<protocol::with_state<actors::executor_host_state, protocol::executor_host>>(
    actors::host_tools{std::move(bodies), threads, dated, runs, callbacks, counts, limits_of_jobs(), log});
  door = system->spawn<protocol::with_state<http_door_state, protocol::executor_door>>(host, options.access_token,
                                                                                       options.app_name);
  watch("admin_link", admins);
  watch("callback_actor", callbacks);
  watch("executor_host", host);
  watch("http_door", door);
  if (ports)
    spawn_links();
}

void executor::parts::spawn_links() {
  ports->attach(*system);
  links = system->spawn<protocol::with_state<actors::link_dialer_state, protocol::link_dialer>>(actors::dialer_parts{
    options.nodes, {options.app_name, address, options.access_token}, host, ports, {}, std::random_device{}(), log});
  protocol::anon_send(callbacks, protocol::callback_partners{links});
  watch("link_dialer", links);
}

/// Without one of them runs would go nowhere: the end of the process, so that whoever started it starts it again.
template <class Handle>
void executor::parts::watch(const char* what, const Handle& handle) {
  caf::actor_cast<caf::strong_actor_ptr>(handle)->get()->attach_functor([what, log = log](const caf::error& reason) {
    if (reason == caf::exit_reason::user_shutdown || !reason)
      return;
    log->critical("{} ended unexpectedly: {}", what, caf::to_string(reason));
    log->flush();
    constexpr int fail_stop = 70;
    std::_Exit(fail_stop);
  });
}

void executor::parts::stop() {
  if (transport)
    transport->stop_accepting();
  if (system && (beats || links)) {
    caf::scoped_actor self{*system};
    const auto ignore = [](const caf::error&) {};
    if (links)
      protocol::request(&*self, links, withdrawal_limit, protocol::link_farewell{}).receive([] {}, ignore);
    if (beats)
      protocol::request(&*self, beats, withdrawal_limit, protocol::end_registration{}).receive([] {}, ignore);
    const auto limit = options.drain_timeout;
    protocol::request(&*self, host, limit + stop_margin, protocol::drain_request{limit}).receive([] {}, ignore);
    protocol::request(&*self, host, withdrawal_limit, protocol::executor_state_query{})
      .receive(
        [this](const protocol::executor_state& at_end) {
          log->info("stopped: {} runs were taken, {} results are left to the next start", at_end.runs_taken, at_end.unreported);
        },
        ignore);
  }
  if (transport)
    transport->stop();
  cleaner.reset();
}

bool executor::parts::end() {
  threads->close(); // nothing begins any more that could outlive this
  if (tasks)
    tasks->close();
  if (!threads->wait_until_idle(last_words) || (tasks && !tasks->wait_until_idle(last_words)))
    return false;
  if (system) {
    const auto quit = [](auto& handle) {
      if (handle)
        caf::anon_send_exit(handle, caf::exit_reason::user_shutdown);
      handle = nullptr;
    };
    quit(beats);
    quit(door);
    quit(links);
    quit(host);
    quit(callbacks);
    quit(admins);
    system.reset();
  }
  return true;
}

executor::executor(std::unique_ptr<parts> made) : parts_{std::move(made)} {}

core::result<std::unique_ptr<executor>> executor::start(executor_options options, handlers known) {
  if (auto usable = check_options(options); !usable)
    return tl::unexpected{usable.error()};
  try {
    protocol::init_meta_objects();
    actors::init_link_meta_objects();
    std::unique_ptr<executor> made{new executor{std::make_unique<parts>(std::move(options), std::move(known))}};
    if (auto opened = made->parts_->open(); !opened)
      return tl::unexpected{opened.error()};
    return made;
  } catch (const std::exception& thrown) { // no thread, no memory
    return core::fail(core::errc::unavailable, std::string{"the executor cannot start: "} + thrown.what());
  }
}

executor::~executor() {
  stop();
  if (parts_->end())
    return;
  parts_->log->warn("runs that do not heed their stop are left to the end of the process");
  (void)parts_.release(); // they may use it
}

const std::string& executor::address() const noexcept { return parts_->address; }

executor_counts executor::counts() const {
  const auto& now = *parts_->counts;
  return {now.running, now.waiting, now.unreported};
}

core::result<void> executor::reload_tls() {
  auto done = parts_->transport->reload_tls();
  if (auto links = parts_->ports ? parts_->ports->reload() : core::result<void>{}; done && !links)
    return links;
  return done;
}

void executor::stop() {
  // Who comes meanwhile waits for the end, too.
  std::call_once(parts_->stopped, [this] { parts_->stop(); });
}

} // namespace ringmaster::executor
