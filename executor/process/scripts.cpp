#include "executor/process/scripts.hpp"

#include <array>
#include <atomic>
#include <mutex>
#include <optional>
#include <string_view>
#include <utility>

#include "executor/process/environment.hpp"
#include "executor/process/glue_folder.hpp"
#include "executor/process/program_run.hpp"

namespace ringmaster::executor {

struct scripts::common {
  std::shared_ptr<glue_folder> folder;
  program_limits limits;
  std::vector<std::string> environment;
  log_opener logs;
  /// Numbers the scripts in the order of their requests.
  mutable std::atomic<std::uint64_t> made{0};

  common(script_options&& options, log_opener open)
      : folder{std::make_shared<glue_folder>(options.log_path)},
        limits{options.limits},
        environment{std::move(options.environment)},
        logs{std::move(open)} {}
};

namespace {

/// A kind of script (XXL wire §5.6).
struct glue_type {
  /// Name in `/run`, e.g. `GLUE_SHELL`.
  std::string_view name;
  /// Display name, e.g. `GLUE(Shell)`.
  std::string_view display;
  /// Suffix of the script's file.
  std::string_view suffix;
  /// The first available one runs the script; empty ones are ignored.
  std::array<std::string_view, 2> interpreters;
};

constexpr glue_type glue_types[] = {
  {"GLUE_SHELL", "GLUE(Shell)", ".sh", {"bash", ""}},
  {"GLUE_PYTHON", "GLUE(Python3)", ".py", {"python3", "python"}},
  {"GLUE_PYTHON2", "GLUE(Python2)", ".py", {"python2", "python"}},
  {"GLUE_PHP", "GLUE(PHP)", ".php", {"php", ""}},
  {"GLUE_NODEJS", "GLUE(Nodejs)", ".js", {"node", ""}},
  {"GLUE_POWERSHELL", "GLUE(PowerShell)", ".ps1", {"pwsh", "powershell"}},
};

/// Returns null for types that are not scripts, such as BEAN and GLUE_GROOVY. Names are matched exactly.
const glue_type* find_glue_type(std::string_view name) noexcept {
  for (const auto& each : glue_types)
    if (each.name == name)
      return &each;
  return nullptr;
}

/// One version of a job's source. Two runs of it may overlap, when one ignored its stop.
class script {
public:
  script(script_key key, const glue_type& type, std::optional<std::string> source, std::shared_ptr<const scripts::common> common)
      : key_{std::move(key)}, type_{type}, source_{std::move(source)}, common_{std::move(common)},
        order_{++common_->made} {}

  [[nodiscard]] const script_key& key() const noexcept { return key_; }

  core::run_outcome run(const core::trigger_request& request, const std::stop_token& stop,
                        const std::function<std::string()>& stop_reason) {
    const auto log = common_->logs(request);
    if (!source_)
      return cannot_start(program_kind::script, "the job has no source", *log);
    if (const auto made = make_file(); !made)
      return cannot_start(program_kind::script, made.error().context, *log);
    const auto path = common_->folder->path_of(key_, type_.suffix);
    log->line("----------- script file:" + path + " -----------", place_of(program_kind::script));
    const auto param = request.param.value_or("");
    if (param.find('\0') != std::string::npos)
      return cannot_start(program_kind::script, "the parameter contains a NUL character, which cannot be passed to a program",
                          *log);
    auto program = find_interpreter();
    if (!program)
      return cannot_start(program_kind::script, interpreter_names() + " was not found in PATH", *log);
    const child_command command{std::move(*program),
                                {path, param, std::to_string(request.shard_index), std::to_string(request.shard_total)},
                                common_->environment};
    return run_program(program_kind::script, command, common_->limits, stop, stop_reason, *log);
  }

private:
  /// Writes the script file. The first run always writes it, over a file of an earlier process; later runs only if it was
  /// removed.
  core::result<void> make_file() {
    const std::lock_guard lock{guard_};
    const auto made = written_ ? common_->folder->keep(key_, type_.suffix, *source_, order_)
                               : common_->folder->replace(key_, type_.suffix, *source_, order_);
    written_ = written_ || made.has_value();
    return made;
  }

  [[nodiscard]] std::optional<std::string> find_interpreter() const {
    for (const auto name : type_.interpreters)
      if (auto path = find_program(name, common_->environment))
        return path;
    return std::nullopt;
  }

  [[nodiscard]] std::string interpreter_names() const {
    std::string out{type_.interpreters[0]};
    if (!type_.interpreters[1].empty())
      out.append(" (or ").append(type_.interpreters[1]).append(")");
    return out;
  }

  const script_key key_;
  const glue_type& type_;
  const std::optional<std::string> source_;
  const std::shared_ptr<const scripts::common> common_;
  const std::uint64_t order_;
  std::mutex guard_;
  bool written_ = false;
};

/// The `run` of a body, as a class, so that a body can be compared with a script.
struct script_run {
  std::shared_ptr<script> which;

  core::run_outcome operator()(const core::trigger_request& request, std::stop_token stop,
                               const std::function<std::string()>& stop_reason) const {
    return which->run(request, stop, stop_reason);
  }
};

bool is_of(const std::shared_ptr<const actors::run_body>& held, const script_key& key) {
  const auto* run = held ? held->run.target<script_run>() : nullptr;
  return run && run->which->key() == key;
}

} // namespace

scripts::scripts(script_options options, log_opener logs)
    : on_{options.on}, common_{std::make_shared<const common>(std::move(options), std::move(logs))} {}

scripts::~scripts() = default;

core::result<std::shared_ptr<const actors::run_body>> scripts::find(const core::trigger_request& request,
                                                                    const std::shared_ptr<const actors::run_body>& held) const {
  const auto* type = request.glue_type ? find_glue_type(*request.glue_type) : nullptr;
  if (!type)
    return core::fail(core::errc::invalid_argument, "glueType[" + request.glue_type.value_or("null") + "] is not valid.");
  if (!on_)
    return core::fail(core::errc::unsupported,
                      "fail, current glue type [" + std::string{type->display} + "] not supported.");
  script_key key{request.job, *request.glue_type, request.glue_updated_ms};
  if (is_of(held, key))
    return held;
  auto body = std::make_shared<actors::run_body>();
  body->run = script_run{std::make_shared<script>(std::move(key), *type, request.glue_source, common_)};
  return body;
}

} // namespace ringmaster::executor
