#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "actors/executors/executor_link.hpp"
#include "actors/logger.hpp"
#include "protocol/caf.hpp"
#include "protocol/messages.hpp"
#include "protocol/wall_clock.hpp"

namespace ringmaster::actors {

/// Links of the trigger pool, one for each address in use. They are its children: they know the pool's view of the registry and
/// end with it. Native links of connected executors belong to native_links and take precedence over the pool's own links.
class link_set {
public:
  using steady = std::chrono::steady_clock::time_point;

  link_set(protocol::trigger_pool::pointer owner, link_tools tools, core::milliseconds misfire_after, protocol::wall_clock clock,
           logger log);
  link_set(const link_set&) = delete;
  link_set& operator=(const link_set&) = delete;
  ~link_set();

  /// Returns the native link of the address, or else the pool's own. `except`: a native link that cannot serve.
  [[nodiscard]] const protocol::executor_link& of(const std::string& address, steady now,
                                                  const protocol::executor_link& except = {});
  void change_native(protocol::native_link_update&& update);
  /// Returns true for an executor without HTTP that has no native link.
  [[nodiscard]] bool is_absent(const std::string& address) const;
  /// Returns true if a single process answers at the address: it registered itself while this node lives, or leads to a native
  /// link. An address that users entered may lead to several processes.
  [[nodiscard]] bool is_one_process(const std::string& address) const;
  void change_registry(const protocol::registry_change& change);
  /// Drops links that were not used for `age`. Calls under way keep their link alive until they are answered.
  void drop_unused(steady now, std::chrono::nanoseconds age);

private:
  [[nodiscard]] const protocol::executor_link& own(const std::string& address, steady now);
  [[nodiscard]] protocol::executor_link make(const std::string& address);
  /// Handles the end of a link. If it failed, the owner ends too, and with it the process.
  void ended(const std::string& address, const caf::error& reason);

  struct known_link {
    protocol::executor_link link;
    steady used{};
  };

  protocol::trigger_pool::pointer owner_;
  link_tools tools_;
  core::milliseconds misfire_after_;
  protocol::wall_clock clock_;
  logger log_;
  std::shared_ptr<const protocol::registry_view> registry_ = std::make_shared<protocol::registry_view>();
  std::unordered_map<std::string, known_link> links_;
  std::unordered_map<std::string, protocol::executor_link> natives_;
  /// Number of addresses that are kept at least.
  static constexpr std::size_t registered_max = 200'000;
  std::unordered_set<std::string> once_registered_;
  protocol::watcher watcher_;
};

} // namespace ringmaster::actors
