#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "core/run/trigger_request.hpp"
#include "executor/elastic/item_bodies.hpp"
#include "executor/job_log.hpp"
#include "executor/sdk/elastic/elastic_handlers.hpp"

namespace ringmaster::executor {

/// The listeners of this process: one object for each job and name, made by the factory at the first call. Any thread.
class listener_objects {
public:
  /// `known`: its factories are copied.
  explicit listener_objects(const elastic::elastic_handlers& known)
    : factories_{known.listeners()}, once_factories_{known.once_listeners()} {}

  /// Calls the listeners in their order, and blocks meanwhile. Returns code 200, or 500 with the texts of those that failed; each
  /// failure is also passed to `note`, and does not keep the others from being called.
  [[nodiscard]] core::run_outcome call(const elastic::listener_work& work, job_log& log,
                                       const std::function<void(const std::string&)>& note);

private:
  /// Job and name.
  using object_key = std::pair<core::elastic::elastic_job_id, std::string>;
  template <class Listener>
  using object_map = std::map<object_key, std::shared_ptr<Listener>>;
  template <class Listener>
  using factory_map = std::map<std::string, std::function<std::shared_ptr<Listener>()>, std::less<>>;

  template <class Listener>
  std::shared_ptr<Listener> object_of(object_map<Listener>& objects, const factory_map<Listener>& factories,
                                      const object_key& key);

  const factory_map<elastic::each_node_listener> factories_;
  const factory_map<elastic::once_listener> once_factories_;
  std::mutex guard_;
  object_map<elastic::each_node_listener> objects_;
  object_map<elastic::once_listener> once_objects_;
};

} // namespace ringmaster::executor
