#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <set>

#include "actors/link/tls_ports.hpp"
#include "apps/commands/commands.hpp"
#include "apps/doctor/doctor.hpp"
#include "apps/process/signals.hpp"
#include "apps/server/node_bootstrap.hpp"
#include "apps/server/node.hpp"
#include "apps/terminal/report.hpp"
#include "config/declared/declared_file.hpp"
#include "config/validate.hpp"
#include "core/run/execution_state.hpp"
#include "executor/executor.hpp"
#include "protocol/meta_objects.hpp"
#include "protocol/wall_clock.hpp"

namespace ringmaster::apps {

using namespace std::chrono_literals;

namespace {

namespace fs = std::filesystem;

constexpr auto declared_jobs = R"([[group]]
app_name = "demo-executor"
title = "Demo"

[[job]]
group = "demo-executor"
key = "every-second"
name = "Fires every second"
schedule = { rate = "1s" }
handler = "demo"
params = "hello"
)";

constexpr std::size_t runs_to_see = 3;
constexpr auto demo_patience = 60s;

/// A new temporary folder. The destructor removes it.
class scratch_folder {
public:
  scratch_folder() {
    std::string pattern = (fs::temp_directory_path() / "ringmaster-demo-XXXXXX").string();
    if (mkdtemp(pattern.data()))
      path_ = pattern;
  }
  ~scratch_folder() {
    std::error_code ignored;
    if (!path_.empty())
      fs::remove_all(path_, ignored);
  }
  scratch_folder(const scratch_folder&) = delete;
  scratch_folder& operator=(const scratch_folder&) = delete;
  [[nodiscard]] const std::string& path() const noexcept { return path_; }

private:
  std::string path_;
};

/// Prints each run once, as soon as its row has a result. A long run does not delay the printing of others.
class run_printer {
public:
  explicit run_printer(storage::store& store) : store_{store} {}

  /// Prints the runs that ended since the last call. Returns the number of completed runs printed so far.
  core::result<std::size_t> look() {
    auto cursor = done_until_;
    for (bool all_done = true, more = true; more;) {
      auto rows = store_.logs().rows_after(cursor, page);
      if (!rows)
        return tl::unexpected<core::error>{rows.error()};
      more = rows->size() == page;
      for (const auto& row : *rows) {
        cursor = row.id;
        const bool ended = core::is_terminal(core::state_of(row.trigger_code, row.handle_code));
        if (ended && !printed_.contains(row.id))
          print(row);
        all_done = all_done && ended;
        if (!all_done && ended)
          printed_.insert(row.id);
        else if (all_done)
          step_over(row.id);
      }
    }
    std::fflush(stdout);
    return completed_;
  }

private:
  static constexpr std::size_t page = 100;

  void print(const core::log_row& row) {
    std::printf("run %lld  job %d  fired %s  on %s  trigger %d  result %d %s\n", static_cast<long long>(core::number(row.id)),
                core::number(row.job), iso_utc(row.trigger_time).c_str(), row.executor_address.c_str(), row.trigger_code,
                row.handle_code, row.handle_msg.c_str());
    completed_ += row.handle_code == 200;
  }

  void step_over(core::log_id id) {
    done_until_ = id;
    printed_.erase(id);
  }

  storage::store& store_;
  /// Every row up to this id has ended and was printed.
  core::log_id done_until_{0};
  /// Printed rows after `done_until_`.
  std::set<core::log_id> printed_;
  std::size_t completed_ = 0;
};

core::result<int> watch(storage::store& store, bool check) {
  run_printer printer{store};
  auto until = std::chrono::steady_clock::now() + demo_patience;
  for (;;) {
    auto completed = printer.look();
    if (!completed)
      return tl::unexpected<core::error>{completed.error()};
    if (check && *completed >= runs_to_see)
      return exit_done;
    if (check && std::chrono::steady_clock::now() >= until)
      return core::fail(core::errc::timeout, "fewer than three runs completed within 60 seconds");
    if (wait_for_signal(100ms) == signal_event::stop)
      return check ? exit_failed : exit_done;
  }
}

core::result<node_bootstrap> prepare(const demo_options& options, const scratch_folder& folder) {
  if (folder.path().empty())
    return core::fail(core::errc::unavailable, "cannot create a temporary folder");
  config::settings settings;
  settings.data_dir = folder.path();
  settings.server.listen = options.listen;
  settings.log.level = "warn";
  config::origins from;
  from.set("server.listen", "--listen");
  if (auto valid = config::validate(settings, from); !valid)
    return tl::unexpected<core::error>{valid.error()};
  auto base = assemble(std::move(settings)).and_then([](assembled&& what) { return bootstrap_node(std::move(what)); });
  if (!base && base.error().context.find(options.listen) != std::string::npos)
    return core::fail(base.error().code, "--listen: " + base.error().context);
  if (base)
    base->checks = check_server;
  return base;
}

core::result<std::unique_ptr<executor::executor>> start_executor(const std::string& admin, const std::string& token,
                                                                 const std::string& folder) {
  executor::handlers known;
  auto added = known.add("demo", [](executor::job_context& context) {
    context.line() << context.param();
    context.succeed("done");
  });
  if (!added)
    return tl::unexpected{added.error()};
  executor::executor_options options;
  options.admins = {admin};
  options.app_name = "demo-executor";
  options.port = 0;
  options.access_token = token;
  options.data_dir = folder;
  return executor::executor::start(std::move(options), std::move(known));
}

core::result<core::deploy_report> apply_demo_jobs(storage::store& store) {
  return config::parse_declared(declared_jobs, "demo", "demo").and_then([&store](core::declared_set&& declared) {
    return store.deploys().apply(declared, false, false, protocol::system_time());
  });
}

core::result<int> run(const demo_options& options, const scratch_folder& folder) {
  auto base = prepare(options, folder);
  if (!base)
    return tl::unexpected<core::error>{base.error()};
  auto store = base->database->open();
  if (!store)
    return tl::unexpected<core::error>{store.error()};
  // Before the node reads the groups: it refuses executors without a group.
  auto applied = apply_demo_jobs(**store);
  if (!applied)
    return tl::unexpected<core::error>{applied.error()};
  auto token = base->token;
  auto running = node::start(std::move(*base));
  if (!running)
    return tl::unexpected<core::error>{running.error()};
  std::printf("Ringmaster serves on http://%s; data folder: %s\n", (*running)->address().c_str(), folder.path().c_str());
  std::printf("the access token for executors is in %s\n", token.file.c_str());
  std::fflush(stdout);
  auto runner = start_executor("http://" + (*running)->address(), token.token, folder.path());
  if (!runner)
    return tl::unexpected<core::error>{runner.error()};
  std::fputs(describe(*applied, false).c_str(), stdout);
  std::fflush(stdout);
  auto outcome = watch(**store, options.check);
  (*runner)->stop();
  (*running)->stop();
  return outcome;
}

} // namespace

int demo(const demo_options& options) {
  block_signals();
  protocol::init_meta_objects();
  actors::init_link_meta_objects();
  scratch_folder folder;
  auto done = run(options, folder);
  return done ? *done : complain(done.error());
}

} // namespace ringmaster::apps
