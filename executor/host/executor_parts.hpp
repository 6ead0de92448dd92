#pragma once

// The parts of an executor. Included only by executor.cpp and its neighbours.

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "actors/executor/executor_counts.hpp"
#include "actors/link/system_config.hpp"
#include "actors/link/tls_ports.hpp"
#include "config/settings.hpp"
#include "core/zone/zone.hpp"
#include "executor/elastic/fence_board.hpp"
#include "executor/elastic/fence_timer.hpp"
#include "executor/executor.hpp"
#include "executor/files/file.hpp"
#include "executor/files/log_cleaner.hpp"
#include "executor/files/log_files.hpp"
#include "executor/files/taken_run_file.hpp"
#include "executor/host/task_threads.hpp"
#include "executor/host/thread_pool.hpp"
#include "executor/sdk/elastic/elastic_handlers.hpp"
#include "gateway/transport/transport.hpp"
#include "protocol/caf.hpp"
#include "protocol/elastic_interfaces.hpp"
#include "protocol/elastic_messages.hpp"
#include "protocol/executor_interfaces.hpp"
#include "protocol/logger.hpp"

namespace ringmaster::executor {

struct executor::parts {
  /// Threads for bodies and for blocking work; each waiting thread costs its stack.
  static constexpr std::size_t threads_max = 10'000;

  parts(executor_options given, handlers known, elastic::elastic_handlers items);

  core::result<void> open();
  core::result<void> take_folder();
  [[nodiscard]] bool serves() const noexcept { return !options.listen.empty(); }
  core::result<void> find_address();
  core::result<void> open_runs();
  core::result<std::uint16_t> bind();
  core::result<void> open_ports();
  /// Returns whether this process is a host of elastic jobs.
  [[nodiscard]] bool runs_items() const noexcept { return ports && (!items.empty() || !options.labels.empty()); }
  core::result<void> open_elastic();
  core::result<void> spawn_elastic();
  core::result<void> serve();
  core::result<void> spawn();
  void spawn_links();
  template <class Handle>
  void watch(const char* what, const Handle& handle);
  void stop();
  /// Returns false if bodies ignore their stop. Then the objects that they may use must stay alive.
  [[nodiscard]] bool end();

  [[nodiscard]] config::server_settings server_at(std::uint16_t port) const;
  [[nodiscard]] std::unique_ptr<gateway::transport> make_transport_at(std::uint16_t port) const;
  [[nodiscard]] config::executor_settings limits_of_jobs() const;
  [[nodiscard]] log_options logs_of_runs() const;
  [[nodiscard]] log_options logs_of_items() const;
  /// Removes old logs from now on.
  [[nodiscard]] std::unique_ptr<log_cleaner> clean(log_options of) const;
  /// Waits for runs and item runs, up to their limits.
  void drain();

  executor_options options;
  handlers known;
  elastic::elastic_handlers items;
  protocol::logger log;
  core::zone zone;
  file lock;
  std::string address;
  std::shared_ptr<log_files> logs;
  std::shared_ptr<taken_run_file> runs;
  std::shared_ptr<thread_pool> threads = std::make_shared<thread_pool>(threads_max);
  /// Null without coroutine handlers.
  std::shared_ptr<task_threads> tasks;
  std::shared_ptr<actors::executor_counts> counts = std::make_shared<actors::executor_counts>();
  std::unique_ptr<log_cleaner> cleaner;
  /// This process as a host of elastic jobs; null or empty if it is none.
  protocol::elastic_hello introduction;
  std::unique_ptr<log_cleaner> item_cleaner;
  std::shared_ptr<elastic::fence_board> leases;
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
  /// Null: this process is no host of elastic jobs.
  protocol::elastic_host elastic_host;
  std::unique_ptr<elastic::fence_timer> lease_timer;
  std::once_flag stopped;
};

} // namespace ringmaster::executor
