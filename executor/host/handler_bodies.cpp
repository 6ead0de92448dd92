#include "executor/host/handler_bodies.hpp"

#include <exception>
#include <optional>
#include <utility>

#include "executor/host/detached.hpp"

namespace ringmaster::executor {

namespace {

using entry_ptr = std::shared_ptr<const handlers::entry>;
using done_function = std::function<void(core::run_outcome&&, std::exception_ptr)>;

/// Runs a coroutine handler once. The frame holds the objects that the handler uses; `done` keeps the request alive.
detached run_coroutine(entry_ptr known, std::shared_ptr<const handler_tools> tools, const core::trigger_request& request,
                       std::stop_token stop, std::function<std::string()> stop_reason, done_function done) {
  auto& threads = *tools->threads;
  threads.run_began();
  co_await threads.here();
  std::unique_ptr<job_log> log;
  std::optional<job_context> context;
  std::exception_ptr thrown;
  try {
    log = tools->open_waiting_log(request);
    context.emplace(request, *log, std::move(stop), stop_reason, &threads);
    co_await known->run.as_coroutine()(*context);
  } catch (...) {
    thrown = std::current_exception();
  }
  // The current thread is unknown, and the end of a run writes files.
  co_await threads.here();
  auto outcome = context ? context->outcome() : core::run_outcome{};
  context.reset();
  log.reset();
  done(std::move(outcome), thrown);
  threads.run_ended();
}

void make_coroutine_run(actors::run_body& out, entry_ptr known, std::shared_ptr<const handler_tools> tools) {
  out.few_threads = tools->threads;
  out.start = [known = std::move(known), tools = std::move(tools)](const core::trigger_request& request, std::stop_token stop,
                                                                  std::function<std::string()> stop_reason, done_function done) {
    run_coroutine(known, tools, request, std::move(stop), std::move(stop_reason), std::move(done));
  };
}

void make_function_run(actors::run_body& out, entry_ptr known, std::shared_ptr<const handler_tools> tools) {
  out.run = [known = std::move(known), tools = std::move(tools)](const core::trigger_request& request, std::stop_token stop,
                                                                const std::function<std::string()>& stop_reason) {
    const auto log = tools->open_log(request);
    job_context context{request, *log, std::move(stop), stop_reason};
    known->run.as_function()(context);
    return context.outcome();
  };
}

std::shared_ptr<const actors::run_body> body_of(const entry_ptr& known, const std::shared_ptr<const handler_tools>& tools) {
  auto out = std::make_shared<actors::run_body>();
  out->init = known->hooks.init;
  out->destroy = known->hooks.destroy;
  (known->run.is_coroutine() ? make_coroutine_run : make_function_run)(*out, known, tools);
  return out;
}

std::map<std::string, std::shared_ptr<const actors::run_body>, std::less<>> bodies_of(const handlers& known,
                                                                                      const handler_tools& given) {
  const auto tools = std::make_shared<const handler_tools>(given);
  std::map<std::string, std::shared_ptr<const actors::run_body>, std::less<>> out;
  for (const auto& [name, one] : known.all())
    out.emplace(name, body_of(one, tools));
  return out;
}

} // namespace

handler_bodies::handler_bodies(const handlers& known, const handler_tools& tools, std::unique_ptr<actors::body_source> others)
  : bodies_{bodies_of(known, tools)}, others_{std::move(others)} {}

core::result<std::shared_ptr<const actors::run_body>>
handler_bodies::find(const core::trigger_request& request, const std::shared_ptr<const actors::run_body>& held) {
  using core::errc;
  if (request.glue_type != "BEAN") {
    if (others_ && request.glue_type)
      return others_->find(request, held);
    return core::fail(errc::not_found, "glueType[" + request.glue_type.value_or("null") + "] is not valid.");
  }
  if (!request.handler)
    return core::fail(errc::invalid_argument, "request error: executorHandler is missing");
  const auto found = bodies_.find(*request.handler);
  if (found == bodies_.end())
    return core::fail(errc::not_found, "job handler [" + *request.handler + "] not found.");
  return found->second;
}

} // namespace ringmaster::executor
