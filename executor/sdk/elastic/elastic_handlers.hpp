#pragma once

// The handlers of elastic jobs that a process can run, by name.

#include <concepts>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "core/result.hpp"
#include "executor/handler_code.hpp"
#include "executor/sdk/elastic/dataflow_job.hpp"
#include "executor/sdk/elastic/error_handler.hpp"
#include "executor/sdk/elastic/item_context.hpp"
#include "executor/sdk/elastic/listeners.hpp"
#include "executor/sdk/elastic/pool_type.hpp"
#include "executor/sdk/elastic/simple_job.hpp"
#include "executor/task.hpp"

namespace ringmaster::executor::elastic {

/// The code of an elastic job: a function or a coroutine that runs one item. Items run at the same time, also those of one job.
/// An exception fails the run, with the exception's text.
///
/// `void(item_context&)` may block and has a thread. `task<>(item_context&)` is a coroutine and needs no thread while it waits:
/// the rules of `executor::handler` apply.
class elastic_body : public handler_code<item_context> {
public:
  elastic_body() = default;
  template <class Code>
  requires(!std::same_as<std::remove_cvref_t<Code>, elastic_body> && std::is_invocable_v<std::decay_t<Code>&, item_context&>)
    elastic_body(Code&& code) { // NOLINT: implicit, so that any callable converts to a body
    static_assert(std::is_copy_constructible_v<std::decay_t<Code>>,
                  "a body must be copyable: keep non-copyable members in a std::shared_ptr");
    static_assert(returns_nothing<Code>, "a body returns void, or task<> if it is a coroutine: it fails with an exception");
    keep(std::forward<Code>(code));
  }
};

/// Handlers and listeners by name. Filled before the executor starts, then read-only.
class elastic_handlers {
public:
  using job_factory = std::function<std::shared_ptr<simple_job>()>;

  /// Registers a job class. The factory is called once for each item run, on a thread of the run, and may return the same object
  /// again. Errors: `conflict` for a duplicate name, `invalid_argument` for an empty or too long name, and an empty factory.
  template <class Factory>
  requires std::is_invocable_v<std::decay_t<Factory>&> core::result<void> add(std::string name, Factory&& factory) {
    return add_job(std::move(name), job_factory{std::forward<Factory>(factory)});
  }
  /// Registers a dataflow class: `add_dataflow<order>("settle", [] { return std::make_shared<settlement>(); })`. The factory and
  /// errors: as for a job class.
  template <class T>
  core::result<void> add_dataflow(std::string name, std::function<std::shared_ptr<dataflow_job<T>>()> factory) {
    if (!factory)
      return add(std::move(name), elastic_body{});
    return add(std::move(name), elastic_body{[factory = std::move(factory)](item_context& context) {
                 const auto job = factory();
                 if (!job)
                   throw std::runtime_error{"the factory of the handler returned no job"};
                 run_dataflow(*job, context);
               }});
  }
  /// Registers a dataflow of coroutines. Errors: as for a job class.
  template <class T>
  core::result<void> add_dataflow(std::string name, task_fetch<T> fetch, task_process<T> process) {
    if (!fetch || !process)
      return add(std::move(name), elastic_body{});
    return add(std::move(name),
               elastic_body{[fetch = std::move(fetch), process = std::move(process)](item_context& context) -> task<> {
                 return run_dataflow<T>(fetch, process, context);
               }});
  }
  /// Registers a function or a coroutine. Errors: as for a job class, and `invalid_argument` for the name of a type's handler.
  core::result<void> add(std::string name, elastic_body body);

  /// Registers the code of a type whose jobs name no handler: `script` or `http`. Errors: `conflict` for a type that is
  /// registered, `invalid_argument` for another type and an empty body.
  core::result<void> add_type(std::string_view job_type, elastic_body body);

  using pool_factory = std::function<std::shared_ptr<pool_type>()>;
  /// Registers a pool: the value `pool` of jobs. The factory is called once, when the executor starts. Errors: as for a job
  /// class, and `conflict` for the name of a built-in pool. Names have at most 64 characters.
  core::result<void> add_pool(std::string name, pool_factory factory);
  /// Registers an error handler: the value `error_handler` of jobs. The factory is called at the first failed item of each job
  /// with it. Errors: as for a pool.
  core::result<void> add_error_handler(std::string name, error_handler_factory factory);

  using listener_factory = std::function<std::shared_ptr<each_node_listener>()>;
  using once_listener_factory = std::function<std::shared_ptr<once_listener>()>;
  /// Registers a listener, which jobs name in `listeners`. The factory is called once for each job of this process, at its first
  /// call. Errors: `conflict` for a duplicate name, `invalid_argument` for an empty or too long name, one with a comma or with
  /// blanks around it, and an empty factory.
  core::result<void> add_listener(std::string name, listener_factory factory);
  /// Registers a listener that jobs name in `once_listeners`. Factory and errors: as for `add_listener`, whose names are others.
  core::result<void> add_once_listener(std::string name, once_listener_factory factory);

  [[nodiscard]] bool empty() const noexcept { return by_name_.empty(); }
  [[nodiscard]] const std::map<std::string, listener_factory, std::less<>>& listeners() const noexcept { return listeners_; }
  [[nodiscard]] const std::map<std::string, once_listener_factory, std::less<>>& once_listeners() const noexcept {
    return once_listeners_;
  }
  [[nodiscard]] const std::map<std::string, std::shared_ptr<const elastic_body>, std::less<>>& all() const noexcept {
    return by_name_;
  }
  [[nodiscard]] const std::map<std::string, pool_factory, std::less<>>& pools() const noexcept { return pools_; }
  [[nodiscard]] const std::map<std::string, error_handler_factory, std::less<>>& error_handlers() const noexcept {
    return error_handlers_;
  }

private:
  core::result<void> add_job(std::string name, job_factory factory);
  core::result<void> keep(std::string name, elastic_body body);

  std::map<std::string, std::shared_ptr<const elastic_body>, std::less<>> by_name_;
  std::map<std::string, pool_factory, std::less<>> pools_;
  std::map<std::string, error_handler_factory, std::less<>> error_handlers_;
  std::map<std::string, listener_factory, std::less<>> listeners_;
  std::map<std::string, once_listener_factory, std::less<>> once_listeners_;
};

} // namespace ringmaster::executor::elastic
