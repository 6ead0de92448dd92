#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "executor/sdk/elastic/item_context.hpp"
#include "executor/task.hpp"

namespace ringmaster::executor::elastic {

/// A job that fetches data and processes it. A run of a job with `streaming` goes on until nothing is fetched; another run
/// fetches once. Items of one job run at the same time: an object that several runs share must allow it.
template <class T>
struct dataflow_job {
  virtual ~dataflow_job() = default;
  /// Returns the next data of the item; empty: the run ends. May block. An exception fails the run.
  virtual std::vector<T> fetch(item_context& context) = 0;
  /// Processes fetched data. May block. A drain or a stop takes effect after this call. An exception fails the run.
  virtual void process(item_context& context, std::vector<T> data) = 0;
};

/// Functions of a dataflow as coroutines, which need no thread while they wait: the rules of `executor::handler` apply.
template <class T>
using task_fetch = std::function<task<std::vector<T>>(item_context&)>;
template <class T>
using task_process = std::function<task<>(item_context&, std::vector<T>)>;

/// Returns whether a dataflow goes on with another fetch. A stream that is drained yields: another host goes on with the item.
/// `has_data`: of the last fetch, which may have ended early because of the drain.
[[nodiscard]] inline bool dataflow_goes_on(item_context& context, bool has_data) {
  if (!context.streaming() || context.stop_requested() || !context.still_mine())
    return false;
  const bool drained = context.drain_requested();
  if (drained)
    context.yield();
  return has_data && !drained;
}

/// Runs one item.
template <class T>
void run_dataflow(dataflow_job<T>& job, item_context& context) {
  for (bool goes_on = true; goes_on;) {
    auto data = job.fetch(context);
    const bool has_data = !data.empty();
    if (has_data)
      job.process(context, std::move(data));
    goes_on = dataflow_goes_on(context, has_data);
  }
}

/// Runs one item. References must live until the task has ended.
template <class T>
task<> run_dataflow(const task_fetch<T>& fetch, const task_process<T>& process, item_context& context) {
  for (bool goes_on = true; goes_on;) {
    // Tasks have names, because g++ 12 may destroy temporaries of a co_await expression twice.
    auto fetching = fetch(context);
    auto data = co_await std::move(fetching);
    const bool has_data = !data.empty();
    if (has_data) {
      auto processing = process(context, std::move(data));
      co_await std::move(processing);
    }
    goes_on = dataflow_goes_on(context, has_data);
  }
}

} // namespace ringmaster::executor::elastic
