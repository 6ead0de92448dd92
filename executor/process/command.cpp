#include "executor/process/command.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "executor/process/environment.hpp"
#include "executor/process/program_run.hpp"

namespace ringmaster::executor {

namespace {

constexpr std::string_view own_variables[] = {"JOB_PARAM=", "JOB_ID=", "JOB_LOG_ID=", "JOB_SHARD_INDEX=", "JOB_SHARD_TOTAL="};

bool is_own(std::string_view variable) {
  return std::any_of(std::begin(own_variables), std::end(own_variables),
                     [variable](std::string_view own) { return variable.starts_with(own); });
}

/// Returns whether the program would parse the parameter as an option.
bool is_option(const command_options& options, std::string_view param) {
  const bool options_ended = !options.arguments.empty() && options.arguments.back() == "--";
  return options.append_param && !options_ended && param.starts_with('-');
}

bool has_nul(std::string_view text) { return text.find('\0') != std::string_view::npos; }

} // namespace

std::string not_found_text(std::string_view program) {
  const bool is_path = program.find('/') != std::string_view::npos;
  return std::string{program} + (is_path ? " is not an executable file" : " was not found in PATH");
}

core::result<command> command::make(command_options options, std::vector<std::string> environment) {
  if (options.program.empty())
    return core::fail(core::errc::invalid_argument, "a command needs a program");
  if (has_nul(options.program) || has_nul(options.folder) ||
      std::any_of(options.arguments.begin(), options.arguments.end(), [](const auto& each) { return has_nul(each); }))
    return core::fail(core::errc::invalid_argument, "a command must not contain a NUL character");
  std::erase_if(environment, [](const std::string& each) { return is_own(each) || has_nul(each); });
  return command{std::move(options), std::move(environment)};
}

core::run_outcome command::run(const core::trigger_request& request, const std::stop_token& stop,
                               const std::function<std::string()>& stop_reason, job_log& log) const {
  const auto param = request.param.value_or("");
  if (has_nul(param))
    return cannot_start(program_kind::command, "the parameter contains a NUL character, which cannot be passed to a program",
                        log);
  if (is_option(options_, param))
    return cannot_start(program_kind::command,
                        "the parameter begins with '-' and would be parsed as an option; if that is intended, read JOB_PARAM"
                        " in the program, otherwise end `arguments` with \"--\"",
                        log);
  auto program = find_program(options_.program, environment_);
  if (!program)
    return cannot_start(program_kind::command, not_found_text(options_.program), log);
  child_command child{std::move(*program), options_.arguments, environment_, options_.folder};
  if (options_.append_param)
    child.arguments.push_back(param);
  const std::string values[] = {param, std::to_string(core::number(request.job)), std::to_string(core::number(request.run)),
                                std::to_string(request.shard_index), std::to_string(request.shard_total)};
  for (std::size_t i = 0; i < std::size(values); ++i)
    child.environment.push_back(std::string{own_variables[i]} + values[i]);
  return run_program(program_kind::command, child, options_.limits, stop, stop_reason, log);
}

} // namespace ringmaster::executor
