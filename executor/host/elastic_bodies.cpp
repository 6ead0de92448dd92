#include "executor/host/elastic_bodies.hpp"

#include <exception>
#include <optional>
#include <string>
#include <utility>

#include "core/elastic/run_cause.hpp"
#include "executor/files/run_log.hpp"
#include "executor/host/detached.hpp"
#include "executor/host/listener_objects.hpp"

namespace ringmaster::executor {

using elastic::elastic_body;
using elastic::item_context;
using elastic::item_work;
using item_done = std::function<void(core::run_outcome&&)>;

struct elastic_bodies::shared {
  elastic::elastic_handlers known;
  std::shared_ptr<actors::body_threads> threads;
  std::shared_ptr<task_threads> tasks;
  std::shared_ptr<log_files> logs;
  log_options options;
  std::shared_ptr<listener_objects> listeners = std::make_shared<listener_objects>(known);
};

/// One item run.
struct elastic_bodies::call {
  std::shared_ptr<const shared> parts;
  std::shared_ptr<const elastic_body> body;
  item_work work;
  item_done done;
};

/// A named namespace, because a frame of a coroutine has its types as members.
namespace item_runs {

/// Ends a run that waited for its thread, and may not begin any more; returns true then.
template <class Call>
bool ended_before(const Call& call) {
  const auto& right = *call.work.control;
  if (right.still_mine() && !right.stop_token().stop_requested())
    return false;
  call.done({500, "ended before it began"});
  return true;
}

inline std::string first_line_of(const elastic::item_facts& facts) {
  return "begins: " + facts.task_id + ", item " + std::to_string(facts.item) + " of " + std::to_string(facts.total)
         + ", attempt " + std::to_string(facts.attempt) + ", " + std::string{to_string(facts.source)};
}

/// One body while it runs, with its log.
template <class Call>
class item_in_progress {
public:
  item_in_progress(const Call& call, log_writer::opens when, task_threads* threads = nullptr)
    : call_{call}, log_{*call.parts->logs, call.work.log, when} {
    note(first_line_of(call.work.facts));
    context_.emplace(call.work.facts, *call.work.control, log_, threads);
  }
  [[nodiscard]] item_context& context() noexcept { return *context_; }

  /// Returns the result of the body, and writes the last line of its log. `thrown`: null if it has returned.
  core::run_outcome end(const std::exception_ptr& thrown) {
    context_.reset();
    core::run_outcome out;
    try {
      if (thrown)
        std::rethrow_exception(thrown);
    } catch (const std::exception& failure) {
      out = {500, failure.what()};
    } catch (...) {
      out = {500, "the handler threw an exception that is not a std::exception"};
    }
    note(out.message ? "failed: " + *out.message : std::string{"ended"});
    return out;
  }

private:
  void note(const std::string& text) { log_.note(head_of(call_.parts->options, call_.work.log) + text + '\n'); }

  const Call& call_;
  run_log log_;
  std::optional<item_context> context_;
};

/// Runs a coroutine body once. The frame holds what the body uses; the log holds no file open while it waits.
template <class Call>
detached run_item_coroutine(std::shared_ptr<Call> call) {
  auto& threads = *call->parts->tasks;
  threads.run_began();
  co_await threads.here();
  if (ended_before(*call)) {
    threads.run_ended();
    co_return;
  }
  item_in_progress<Call> item{*call, log_writer::opens::for_each_write, &threads};
  std::exception_ptr thrown;
  try {
    co_await call->body->as_coroutine()(item.context());
  } catch (...) {
    thrown = std::current_exception();
  }
  // The current thread is unknown, and the end of a run writes files.
  co_await threads.here();
  call->done(item.end(thrown));
  threads.run_ended();
}

template <class Call>
void run_item_function(const Call& call) {
  if (ended_before(call))
    return;
  item_in_progress<Call> item{call, log_writer::opens::throughout};
  std::exception_ptr thrown;
  try {
    call.body->as_function()(item.context());
  } catch (...) {
    thrown = std::current_exception();
  }
  call.done(item.end(thrown));
}

} // namespace item_runs

elastic_bodies::elastic_bodies(elastic::elastic_handlers known, std::shared_ptr<actors::body_threads> threads,
                               std::shared_ptr<task_threads> tasks, std::shared_ptr<log_files> logs, log_options options)
  : shared_{std::make_shared<const shared>(
      shared{std::move(known), std::move(threads), std::move(tasks), std::move(logs), std::move(options)})} {}

bool elastic_bodies::start(item_work work, item_done done) {
  const auto& known = shared_->known.all();
  const auto found = known.find(work.handler);
  if (found == known.end()) {
    done({500, "the executor has no handler \"" + work.handler + '"'});
    return true;
  }
  auto made = std::make_shared<call>(call{shared_, found->second, std::move(work), std::move(done)});
  if (found->second->is_coroutine())
    return shared_->tasks->start([made] { item_runs::run_item_coroutine(made); });
  return shared_->threads->start([made] { item_runs::run_item_function(*made); });
}

bool elastic_bodies::call_listeners(elastic::listener_work work, item_done done) {
  auto given = std::make_shared<std::pair<elastic::listener_work, item_done>>(std::move(work), std::move(done));
  return shared_->threads->start([parts = shared_, given] {
    auto& [asked, end] = *given;
    core::run_outcome outcome;
    {
      // Each-node listeners write to the log of an item run.
      const bool is_own = !elastic::is_of_each_node(asked.call);
      run_log log{*parts->logs, asked.log, is_own ? log_writer::opens::throughout : log_writer::opens::when_written};
      const auto note = [&](const std::string& text) { log.note(head_of(parts->options, asked.log) + text + '\n'); };
      if (is_own)
        note("begins: " + asked.facts.task_id +
             (asked.call == elastic::listener_call::before_all ? ", before all items" : ", after all items"));
      outcome = parts->listeners->call(asked, log, [&](const std::string& text) { note("failed: " + text); });
      if (is_own)
        note("ended");
    }
    end(std::move(outcome));
  });
}

} // namespace ringmaster::executor
