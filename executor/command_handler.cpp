#include "executor/command_handler.hpp"

#include <memory>
#include <utility>

#include "executor/command_body.hpp"
#include "executor/environment.hpp"

namespace ringmaster::executor {

namespace {

/// A program's log is that of the run it belongs to.
class log_of_context final : public script_log {
public:
  explicit log_of_context(job_log& log) : log_{log} {}
  void line(std::string_view text) override { log_.line(text); }
  void bytes(std::string_view output) override { log_.raw(output); }

private:
  job_log& log_;
};

core::result<std::shared_ptr<const actors::run_body>> body_of(const command_options& options,
                                                              const std::vector<std::string>& environment, job_log& log) {
  return make_command_body(options, environment,
                           [&log](const core::trigger_request&) { return std::make_unique<log_of_context>(log); });
}

} // namespace

core::result<handler> make_command_handler(command_handler_options given) {
  command_options options{std::move(given.program), std::move(given.arguments), std::move(given.folder), given.append_param,
                          given.limits};
  auto environment = inherited_environment();
  if (auto usable = make_command_body(options, environment, {}); !usable)
    return tl::unexpected{usable.error()};
  return handler{[options = std::move(options), environment = std::move(environment)](job_context& context) {
    const auto body = body_of(options, environment, context.log());
    if (!body)
      return context.fail(body.error().context);
    auto outcome = (*body)->run(context.request(), context.stop_token(), [&context] { return context.stop_reason(); });
    context.set_result(outcome.code, std::move(outcome.message));
  }};
}

} // namespace ringmaster::executor
