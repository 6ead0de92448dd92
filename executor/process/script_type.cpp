#include "executor/sdk/elastic/script_type.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <utility>

#include <unistd.h>

#include "core/elastic/command_line.hpp"
#include "core/elastic/props.hpp"
#include "executor/process/environment.hpp"
#include "executor/process/program_run.hpp"

namespace ringmaster::executor::elastic {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view script_variables = "EJ_";
/// Longest argument of a program on Linux, with its NUL.
constexpr std::size_t argument_bytes_max = std::size_t{128} << 10U;

/// Returns the path without symbolic links; unset: it does not exist.
std::optional<fs::path> real_path(const fs::path& path) {
  std::error_code failure;
  auto real = fs::canonical(path, failure);
  return failure ? std::nullopt : std::optional{std::move(real)};
}

bool lies_below(const fs::path& path, const fs::path& folder) {
  return std::mismatch(folder.begin(), folder.end(), path.begin(), path.end()).first == folder.end();
}

bool is_program(const fs::path& path) {
  std::error_code failure;
  return fs::is_regular_file(path, failure) && ::access(path.c_str(), X_OK) == 0;
}

/// Programs of scripts: files below some folders.
class script_programs {
public:
  explicit script_programs(std::vector<std::string> folders) : folders_{std::move(folders)} {}

  /// Finds the program. Errors: `forbidden` outside the folders, `not_found`.
  [[nodiscard]] core::result<std::string> find(const std::string& name) const {
    bool is_outside = false;
    for (const auto& folder : folders_) {
      // An absolute name replaces the folder.
      const auto path = real_path(fs::path{folder} / name);
      const auto below = real_path(folder);
      if (!path || !below)
        continue;
      if (lies_below(*path, *below) && is_program(*path))
        return path->string();
      is_outside = is_outside || !lies_below(*path, *below);
    }
    if (is_outside)
      return core::fail(core::errc::forbidden, "\"" + name + "\" does not lie below a folder of elastic_scripts");
    return core::fail(core::errc::not_found, "\"" + name + "\" is not an executable file below a folder of elastic_scripts");
  }

private:
  std::vector<std::string> folders_;
};

std::vector<std::string> environment_of(const item_context& context, std::vector<std::string> environment) {
  const auto add = [&environment](std::string_view name, std::string_view value) {
    environment.push_back(std::string{script_variables}.append(name).append("=").append(value));
  };
  add("JOB", context.job());
  add("JOB_NAME", context.job());
  add("TASK_ID", context.task_id());
  add("ITEM", std::to_string(context.item()));
  add("TOTAL", std::to_string(context.total()));
  add("PARAM", context.job_param());
  if (const auto param = context.item_param())
    add("ITEM_PARAM", *param);
  add("FENCE", std::to_string(context.fence()));
  add("ATTEMPT", std::to_string(context.attempt()));
  add("SOURCE", to_string(context.source()));
  // A cursor may hold any bytes.
  if (const auto cursor = context.cursor(); cursor && cursor->find('\0') == std::string_view::npos)
    add("CURSOR", *cursor);
  return environment;
}

/// Throws the reason of a failure, which fails the run.
[[noreturn]] void fail_script(const std::string& why) { throw std::runtime_error{why}; }

void run_script(item_context& context, const script_programs& programs, const program_limits& limits,
                const std::vector<std::string>& environment) {
  const auto words = core::elastic::split_command_line(core::elastic::prop_text(context.props(), "script.command.line"));
  if (!words)
    fail_script("script.command.line: " + words.error().context);
  auto program = programs.find(words->front());
  if (!program)
    fail_script("script.command.line: " + program.error().context);
  child_command command{std::move(*program), {words->begin() + 1, words->end()}, environment_of(context, environment)};
  command.arguments.push_back(context.json());
  if (command.arguments.back().size() >= argument_bytes_max)
    fail_script("the parameters are too long for an argument of a program: " + std::to_string(command.arguments.back().size())
                + " bytes as JSON");
  const auto lease = context.lease();
  child_control control;
  control.lease = {lease.from.get(), lease.length};
  control.must_kill = [&context] { return !context.still_mine(); };
  control.kill = context.kill_token();
  control.on_start = [&context](std::int64_t supervisor) { context.report_program(supervisor); };
  const auto reason = [&context] { return std::string{context.still_mine() ? "cancelled" : "its lease has ended"}; };
  const auto end = run_program(program_kind::command, command, limits, context.stop_token(), reason, context.log(), control);
  if (end.code != core::run_outcome{}.code)
    fail_script(end.message.value_or("the program has failed"));
}

} // namespace

core::result<elastic_body> make_script_type(script_type_options options) {
  if (options.folders.empty())
    return core::fail(core::errc::invalid_argument, "the type script needs a folder");
  for (const auto& folder : options.folders)
    if (!fs::path{folder}.is_absolute() || folder.find('\0') != std::string::npos)
      return core::fail(core::errc::invalid_argument, "\"" + folder + "\" is not an absolute path");
  auto environment = inherited_environment();
  std::erase_if(environment, [](const std::string& variable) { return variable.starts_with(script_variables); });
  return elastic_body{
    [programs = script_programs{std::move(options.folders)}, limits = options.limits,
     environment = std::move(environment)](item_context& context) { run_script(context, programs, limits, environment); }};
}

} // namespace ringmaster::executor::elastic
