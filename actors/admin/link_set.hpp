#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <unordered_map>

#include "actors/admin/executor_link.hpp"
#include "actors/logger.hpp"
#include "protocol/caf.hpp"
#include "protocol/messages.hpp"

namespace ringmaster::actors {

/// The links of the trigger pool, one for each address that is used. They are its children: they know what it knows of the
/// registry and end with it.
class link_set {
public:
  using steady = std::chrono::steady_clock::time_point;

  link_set(protocol::trigger_pool::pointer owner, link_tools tools, logger log);
  link_set(const link_set&) = delete;
  link_set& operator=(const link_set&) = delete;
  ~link_set();

  [[nodiscard]] const protocol::executor_link& of(const std::string& address, steady now);
  void change_registry(const protocol::registry_change& change);
  /// Lets those go that were not used for `age`. Calls under way keep their link alive until they are answered.
  void drop_unused(steady now, std::chrono::nanoseconds age);

private:
  /// Of a link that is not used any more, or that failed: then the owner ends with it, and so the process.
  void ended(const std::string& address, const caf::error& reason);

  struct known_link {
    protocol::executor_link link;
    steady used{};
  };

  protocol::trigger_pool::pointer owner_;
  link_tools tools_;
  logger log_;
  std::shared_ptr<const protocol::registry_view> registry_ = std::make_shared<protocol::registry_view>();
  std::unordered_map<std::string, known_link> links_;
  protocol::watcher watcher_;
};

} // namespace ringmaster::actors
