// This executor as a host of elastic jobs: its identity, its logs, its actor and its leases.

#include <algorithm>
#include <exception>
#include <functional>
#include <map>
#include <thread>
#include <utility>

#include <spdlog/spdlog.h>

#include "executor/elastic/boot_clock.hpp"
#include "executor/elastic/elastic_host.hpp"
#include "executor/elastic/process_facts.hpp"
#include "executor/host/address.hpp"
#include "executor/host/elastic_bodies.hpp"
#include "executor/host/executor_parts.hpp"
#include "executor/host/host_notifier.hpp"

namespace ringmaster::executor {

namespace {

/// Width of the column.
constexpr std::size_t host_ip_chars = 50;

std::string host_ip(const executor_options& options) {
  auto ip = options.ip.empty() ? reachable_address(machine_addresses()) : options.ip;
  return ip.empty() || ip.size() > host_ip_chars ? "127.0.0.1" : ip;
}

std::size_t processors() { return std::max(1U, std::thread::hardware_concurrency()); }

std::size_t host_capacity(const executor_options& options) {
  return options.elastic_capacity > 0 ? options.elastic_capacity : 2 * processors();
}

/// Returns the limits of the pools that the program has added. Errors: `invalid_argument`.
core::result<std::map<std::string, std::size_t, std::less<>>> limits_of(const elastic::elastic_handlers& items) {
  std::map<std::string, std::size_t, std::less<>> out;
  for (const auto& [name, make] : items.pools()) {
    std::size_t limit = 0;
    try {
      const auto made = make();
      limit = made ? made->limit(processors()) : 0;
    } catch (const std::exception& thrown) {
      return core::fail(core::errc::invalid_argument, "pool \"" + name + "\": " + thrown.what());
    } catch (...) {
      return core::fail(core::errc::invalid_argument, "pool \"" + name + "\" threw an exception that is not a std::exception");
    }
    if (limit == 0)
      return core::fail(core::errc::invalid_argument, "pool \"" + name + "\" has no limit of at least 1");
    out.emplace(name, limit);
  }
  return out;
}

std::string joined(const std::vector<std::string>& labels) {
  std::string out;
  for (const auto& label : labels)
    out += (out.empty() ? "" : ",") + label;
  return out;
}

} // namespace

log_options executor::parts::logs_of_items() const {
  auto out = logs_of_runs();
  // Item runs have numbers of their own.
  out.folder += "/elastic";
  return out;
}

core::result<void> executor::parts::open_elastic() {
  if (!runs_items())
    return {};
  const auto process = elastic::read_process_facts();
  if (!process)
    return tl::unexpected{process.error()};
  auto folder = elastic::folder_id(options.log_path, lock);
  if (!folder)
    return tl::unexpected{std::move(folder.error())};
  introduction.folder = std::move(*folder);
  introduction.boot = process->boot;
  introduction.pid = process->pid;
  introduction.pid_namespace = process->pid_namespace;
  introduction.start_ticks = process->start_ticks;
  introduction.ip = host_ip(options);
  introduction.labels = joined(options.labels);
  introduction.capacity = static_cast<std::int32_t>(host_capacity(options));
  for (const auto& [handler, body] : items.all())
    introduction.handlers.push_back(handler);
  for (const auto& [listener, factory] : items.listeners())
    introduction.listeners.push_back(listener);
  for (const auto& [listener, factory] : items.once_listeners())
    introduction.once_listeners.push_back(listener);
  item_cleaner = clean(logs_of_items());
  return {};
}

core::result<void> executor::parts::spawn_elastic() {
  if (!runs_items())
    return {};
  const elastic::boot_clock boot = elastic::boot_now;
  leases = std::make_shared<elastic::fence_board>(boot);
  auto bodies = std::make_shared<elastic_bodies>(items, threads, tasks, std::make_shared<log_files>(logs_of_items()),
                                                 logs_of_items());
  auto limits = limits_of(items);
  if (!limits)
    return tl::unexpected{std::move(limits.error())};
  elastic::job_host_tools tools{leases, std::move(bodies), threads, system_now, introduction.ip, introduction.pid};
  tools.pools = std::make_shared<const std::map<std::string, std::size_t, std::less<>>>(std::move(*limits));
  auto handlers_of_errors = notifying_handlers(options.elastic_error_targets, log);
  handlers_of_errors.insert(items.error_handlers().begin(), items.error_handlers().end());
  tools.error_handlers = std::make_shared<const elastic::error_handler_factories>(std::move(handlers_of_errors));
  tools.processors = processors();
  elastic_host = system->spawn<protocol::with_state<elastic::elastic_host_state, protocol::elastic_host>>(
    elastic::elastic_host_parts{introduction, elastic::draw_process_key, boot, std::move(tools), log});
  const auto on_end = [host = elastic_host](std::vector<core::elastic::item_run_id> runs) {
    protocol::anon_send(host, protocol::lease_end{std::move(runs)});
  };
  auto started = elastic::fence_timer::start(leases, threads, on_end);
  if (!started)
    return tl::unexpected{std::move(started.error())};
  lease_timer = std::move(*started);
  return {};
}

} // namespace ringmaster::executor
