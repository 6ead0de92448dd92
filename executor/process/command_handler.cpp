#include "executor/command_handler.hpp"

#include <utility>

#include "executor/process/command.hpp"
#include "executor/process/environment.hpp"

namespace ringmaster::executor {

core::result<handler> make_command_handler(command_handler_options given) {
  return command::make({std::move(given.program), std::move(given.arguments), std::move(given.folder), given.append_param,
                        given.limits},
                       inherited_environment())
    .map([](command&& made) {
      return handler{[made = std::move(made)](job_context& context) {
        auto outcome = made.run(context.request(), context.stop_token(), [&context] { return context.stop_reason(); },
                                context.log());
        context.set_result(outcome.code, std::move(outcome.message));
      }};
    });
}

} // namespace ringmaster::executor
