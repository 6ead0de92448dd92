#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <vector>

#include "actors/link/tls_ports.hpp"
#include "apps/commands/commands.hpp"
#include "apps/commands/demo_jobs.hpp"
#include "apps/doctor/doctor.hpp"
#include "apps/process/signals.hpp"
#include "apps/server/console_files.hpp"
#include "apps/server/node_bootstrap.hpp"
#include "apps/server/node.hpp"
#include "apps/terminal/report.hpp"
#include "config/declared/declared_file.hpp"
#include "config/validate.hpp"
#include "core/run/execution_state.hpp"
#include "core/text/network_text.hpp"
#include "executor/executor.hpp"
#include "gateway/auth/secrets.hpp"
#include "protocol/meta_objects.hpp"
#include "protocol/wall_clock.hpp"

namespace ringmaster::apps {

using namespace std::chrono_literals;

namespace {

namespace fs = std::filesystem;

constexpr std::size_t runs_to_see = 3;
constexpr auto demo_patience = 60s;
constexpr auto link_lifetime = 10min;

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

/// A server that is ready to start, and the token of its sign-in link; empty: no console was built.
struct prepared_demo {
  node_bootstrap base;
  std::string link_token;
};

/// Adds a link that signs the first administrator in once. Returns its token. Errors: those of the random number generator.
core::result<std::string> add_link(node_bootstrap& base) {
  if (console_files().empty() || !base.admin)
    return std::string{};
  auto token = gateway::random_token();
  if (token)
    base.one_time = actors::one_time_link{gateway::sha256_hex(*token), base.admin->name, link_lifetime};
  return token;
}

/// Returns true if users of the demonstration may enter scripts and its executors run them: only programs of this machine reach
/// the server, and they must sign in.
bool allows_scripts(const demo_options& options) noexcept { return core::is_loopback_host(options.listen); }

core::result<prepared_demo> prepare(const demo_options& options, const scratch_folder& folder) {
  if (folder.path().empty())
    return core::fail(core::errc::unavailable, "cannot create a temporary folder");
  config::settings settings;
  settings.data_dir = folder.path();
  settings.server.listen = options.listen;
  settings.log.level = "warn";
  settings.security.glue = allows_scripts(options);
  config::origins from;
  from.set("server.listen", "--listen");
  if (auto valid = config::validate(settings, from); !valid)
    return tl::unexpected<core::error>{valid.error()};
  auto base = assemble(std::move(settings)).and_then([](assembled&& what) { return bootstrap_node(std::move(what)); });
  if (!base && base.error().context.find(options.listen) != std::string::npos)
    return core::fail(base.error().code, "--listen: " + base.error().context);
  if (!base)
    return tl::unexpected<core::error>{base.error()};
  base->checks = check_server;
  auto token = add_link(*base);
  if (!token)
    return tl::unexpected<core::error>{token.error()};
  return prepared_demo{std::move(*base), std::move(*token)};
}

/// The executors of the demonstration: two, so that a broadcast has shards. The destructor stops them.
using demo_executors = std::vector<std::unique_ptr<executor::executor>>;

core::result<demo_executors> start_executors(const std::string& admin, const std::string& token, const std::string& folder,
                                             bool scripts) {
  demo_executors out;
  for (const auto* name : {"executor-1", "executor-2"}) {
    auto known = demo_handlers();
    if (!known)
      return tl::unexpected{known.error()};
    executor::executor_options options;
    options.admins = {admin};
    options.app_name = demo_app_name;
    options.port = 0;
    options.access_token = token;
    options.data_dir = (fs::path{folder} / name).string();
    options.scripts = scripts;
    // Ctrl-C does not wait for a slow run.
    options.drain_timeout = 2s;
    auto started = executor::executor::start(std::move(options), std::move(*known));
    if (!started)
      return tl::unexpected{started.error()};
    out.push_back(std::move(*started));
  }
  return out;
}

core::result<core::deploy_report> apply_demo_jobs(storage::store& store) {
  return config::parse_declared(std::string{demo_declaration()}, "demo", "demo")
    .and_then([&store](core::declared_set&& declared) {
      return store.deploys().apply(declared, false, false, protocol::system_time());
    });
}

/// The token is in the link's fragment, which no browser sends to a server or names as a referrer.
void print_place(const std::string& address, const std::string& link_token, const std::string& folder,
                 const std::string& secrets, bool scripts) {
  std::printf("Ringmaster serves on http://%s; data folder: %s\n", address.c_str(), folder.c_str());
  if (link_token.empty()) {
    std::printf("the web console was not built into this binary\n");
  } else {
    std::printf("the console: http://%s/console/\n", address.c_str());
    std::printf("to sign in once within %d minutes: http://%s/console/sign-in#one_time=%s\n",
                static_cast<int>(link_lifetime.count()), address.c_str(), link_token.c_str());
  }
  std::printf("the password of admin and the access token for executors are in %s\n", secrets.c_str());
  std::printf(scripts ? "scripts (GLUE jobs) may be entered; they run as your system user\n"
                      : "scripts (GLUE jobs) are off, because other machines reach this server\n");
  std::fflush(stdout);
}

core::result<int> run(const demo_options& options, const scratch_folder& folder) {
  auto ready = prepare(options, folder);
  if (!ready)
    return tl::unexpected<core::error>{ready.error()};
  auto store = ready->base.database->open();
  if (!store)
    return tl::unexpected<core::error>{store.error()};
  // Before the node reads the groups: it refuses executors without a group.
  auto applied = apply_demo_jobs(**store);
  if (!applied)
    return tl::unexpected<core::error>{applied.error()};
  const auto token = ready->base.token;
  auto running = node::start(std::move(ready->base));
  if (!running)
    return tl::unexpected<core::error>{running.error()};
  const auto scripts = allows_scripts(options);
  print_place((*running)->address(), ready->link_token, folder.path(), token.file, scripts);
  auto runners = start_executors("http://" + (*running)->address(), token.token, folder.path(), scripts);
  if (!runners)
    return tl::unexpected<core::error>{runners.error()};
  std::fputs(describe(*applied, false).c_str(), stdout);
  std::fflush(stdout);
  auto outcome = watch(**store, options.check);
  for (const auto& runner : *runners)
    runner->stop();
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
