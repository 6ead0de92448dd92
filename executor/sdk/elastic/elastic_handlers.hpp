#pragma once

// The handlers of elastic jobs that a process can run, by name.

#include <concepts>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include "core/result.hpp"
#include "executor/handler_code.hpp"
#include "executor/sdk/elastic/dataflow_job.hpp"
#include "executor/sdk/elastic/item_context.hpp"
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

/// Handlers by name. Filled before the executor starts, then read-only.
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
  /// Registers a function or a coroutine. Errors: as for a job class.
  core::result<void> add(std::string name, elastic_body body);

  [[nodiscard]] bool empty() const noexcept { return by_name_.empty(); }
  [[nodiscard]] const std::map<std::string, std::shared_ptr<const elastic_body>, std::less<>>& all() const noexcept {
    return by_name_;
  }

private:
  core::result<void> add_job(std::string name, job_factory factory);

  std::map<std::string, std::shared_ptr<const elastic_body>, std::less<>> by_name_;
};

} // namespace ringmaster::executor::elastic
