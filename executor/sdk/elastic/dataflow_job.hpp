#pragma once

#include <utility>
#include <vector>

#include "executor/sdk/elastic/item_context.hpp"

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

/// Runs one item. A stream that is drained yields: another host goes on with the item.
template <class T>
void run_dataflow(dataflow_job<T>& job, item_context& context) {
  for (;;) {
    auto data = job.fetch(context);
    if (data.empty())
      return;
    job.process(context, std::move(data));
    if (!context.streaming() || context.stop_requested() || !context.still_mine())
      return;
    if (context.drain_requested())
      return context.yield();
  }
}

} // namespace ringmaster::executor::elastic
