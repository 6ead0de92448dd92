#include "executor/command_body.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "executor/environment.hpp"
#include "executor/program_run.hpp"

namespace ringmaster::executor {

namespace {

constexpr std::string_view own_variables[] = {"JOB_PARAM=", "JOB_ID=", "JOB_LOG_ID=", "JOB_SHARD_INDEX=", "JOB_SHARD_TOTAL="};

bool is_own(std::string_view variable) {
  return std::any_of(std::begin(own_variables), std::end(own_variables),
                     [variable](std::string_view own) { return variable.starts_with(own); });
}

bool has_nul(std::string_view text) { return text.find('\0') != std::string_view::npos; }

struct command_run {
  command_options options;
  std::vector<std::string> environment;
  open_script_log logs;

  core::run_outcome operator()(const core::trigger_request& request, std::stop_token stop,
                               const std::function<std::string()>& stop_reason) const {
    const auto log = logs(request);
    const auto param = request.param.value_or("");
    if (has_nul(param))
      return cannot_start("the parameter holds a NUL character, which no program can be given", *log);
    auto program = find_program(options.program, environment);
    if (!program)
      return cannot_start(options.program + " was not found", *log);
    child_command command{std::move(*program), options.arguments, environment, options.folder};
    if (options.append_param)
      command.arguments.push_back(param);
    const std::string values[] = {param, std::to_string(core::number(request.job)), std::to_string(core::number(request.run)),
                                  std::to_string(request.shard_index), std::to_string(request.shard_total)};
    for (std::size_t i = 0; i < std::size(values); ++i)
      command.environment.push_back(std::string{own_variables[i]} + values[i]);
    return run_program(command, options.limits, stop, stop_reason, *log);
  }
};

} // namespace

core::result<std::shared_ptr<const actors::run_body>> make_command_body(command_options options,
                                                                        std::vector<std::string> environment,
                                                                        open_script_log logs) {
  if (options.program.empty())
    return core::fail(core::errc::invalid_argument, "a command needs a program");
  if (has_nul(options.program) || has_nul(options.folder) ||
      std::any_of(options.arguments.begin(), options.arguments.end(), [](const auto& each) { return has_nul(each); }))
    return core::fail(core::errc::invalid_argument, "a command holds no NUL character");
  std::erase_if(environment, [](const std::string& each) { return is_own(each) || has_nul(each); });
  auto body = std::make_shared<actors::run_body>();
  body->run = command_run{std::move(options), std::move(environment), std::move(logs)};
  return body;
}

} // namespace ringmaster::executor
