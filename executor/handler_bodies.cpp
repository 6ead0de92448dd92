#include "executor/handler_bodies.hpp"

#include <utility>

namespace ringmaster::executor {

namespace {

std::shared_ptr<const actors::run_body> body_of(std::shared_ptr<const handlers::entry> known, log_opener open) {
  auto out = std::make_shared<actors::run_body>();
  out->init = known->hooks.init;
  out->destroy = known->hooks.destroy;
  out->run = [known = std::move(known), open = std::move(open)](const core::trigger_request& request, std::stop_token stop,
                                                                const std::function<std::string()>& stop_reason) {
    const auto log = open(request);
    job_context context{request, *log, std::move(stop), stop_reason};
    known->run(context);
    return context.outcome();
  };
  return out;
}

std::map<std::string, std::shared_ptr<const actors::run_body>, std::less<>> bodies_of(const handlers& known,
                                                                                      const log_opener& open) {
  std::map<std::string, std::shared_ptr<const actors::run_body>, std::less<>> out;
  for (const auto& [name, one] : known.all())
    out.emplace(name, body_of(one, open));
  return out;
}

} // namespace

handler_bodies::handler_bodies(const handlers& known, const log_opener& open, std::unique_ptr<actors::body_source> others)
  : bodies_{bodies_of(known, open)}, others_{std::move(others)} {}

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
