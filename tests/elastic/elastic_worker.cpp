// An executor with handlers of elastic jobs, for tests and benches with whole processes. Usage: elastic_worker KEY=VALUE…, until
// SIGTERM. Each body appends lines to the file `notes`, each with one write:
//   WALL_US BOOT_US EVENT JOB ITEM RUN FENCE ATTEMPT SOURCE PID
// `begin`, `mine` and `end` are written only by a run with a valid lease, and BOOT_US is then a moment within that lease. `lost`:
// the lease is over. `stopped`: the body was asked to stop. The process itself notes `up`, `leaving` and `left`.
// Arguments of a body are in the parameter of its item, or in that of the job: `ms` duration, `again_ms` duration of attempts
// after the first, `tick_ms` interval of `mine`. Handlers:
//   work    runs for its duration, and ends early when it is asked to stop
//   deaf    the same, but it ignores the stop
//   nap     a coroutine that sleeps for its duration, without `mine`
//   quick   a coroutine that only notes `begin`
//   fail    notes `begin` and throws
//   stream  a dataflow of numbered steps, one each `tick_ms`: notes `step=N` with a valid lease, saves N as its cursor, notes
//           `stored=N`, and begins after the cursor of the run before
// Listeners: `trace` notes `before` and `after`, as item -3 with run 0; the once-listener `audit` notes `before_all` as item -1
// and `after_all` as item -2, and takes `hook_ms` of the job's parameter for each call.

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <ctime>

#include <fcntl.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include "executor/executor.hpp"
#include "executor/job_context.hpp"
#include "executor/sdk/elastic/elastic_handlers.hpp"

using namespace ringmaster;
using executor::elastic::batch_context;
using executor::elastic::item_context;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

namespace {

/// One moment on the civil clock and on that of leases.
struct note_moment {
  std::int64_t wall_us = micros(CLOCK_REALTIME);
  std::int64_t boot_us = micros(CLOCK_BOOTTIME);

  static std::int64_t micros(clockid_t clock) {
    timespec now{};
    ::clock_gettime(clock, &now);
    return std::int64_t{now.tv_sec} * 1'000'000 + now.tv_nsec / 1000;
  }
};

/// File of notes. Any thread.
class note_file {
public:
  explicit note_file(const std::string& path)
    : file_{::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644)}, process_{std::to_string(::getpid())} {
    if (file_ < 0)
      throw std::runtime_error{path + " cannot be opened"};
  }
  ~note_file() { ::close(file_); }
  note_file(const note_file&) = delete;
  note_file& operator=(const note_file&) = delete;

  void process(std::string_view event) const { append(note_moment{}, event, "- -1 0 0 0 -"); }
  void call(std::string_view event, const batch_context& batch, int item) const {
    const auto run = item == -3 ? std::string{"0"} : std::string{run_of(batch.task_id())};
    append(note_moment{}, event,
           batch.job() + ' ' + std::to_string(item) + ' ' + run + ' ' + std::to_string(batch.fence()) + " 0 -");
  }
  void body(std::string_view event, const item_context& context) const { append(note_moment{}, event, facts_of(context)); }

  /// Notes the event if the lease is valid, else `lost`. Returns whether it is. A lease that is valid later was valid at the
  /// moment of the note.
  bool body_if_mine(std::string_view event, const item_context& context) const {
    const note_moment now;
    const bool mine = context.still_mine();
    append(now, mine ? event : "lost", facts_of(context));
    return mine;
  }

private:
  static std::string_view run_of(std::string_view task) { return task.substr(task.rfind("@-@") + 3); }
  static std::string facts_of(const item_context& context) {
    const auto run = run_of(context.task_id());
    return context.job() + ' ' + std::to_string(context.item()) + ' ' + std::string{run} + ' ' + std::to_string(context.fence())
           + ' ' + std::to_string(context.attempt()) + ' ' + std::string{to_string(context.source())};
  }

  void append(const note_moment& at, std::string_view event, const std::string& facts) const {
    auto line = std::to_string(at.wall_us) + ' ' + std::to_string(at.boot_us) + ' ';
    line.append(event).append(1, ' ').append(facts).append(1, ' ').append(process_).append(1, '\n');
    if (::write(file_, line.data(), line.size()) != static_cast<ssize_t>(line.size()))
      throw std::runtime_error{"a note cannot be written"};
  }

  const int file_;
  const std::string process_;
};
using note_file_ptr = std::shared_ptr<const note_file>;

milliseconds argument_ms(const item_context& context, std::string_view name, std::int64_t otherwise) {
  auto text = executor::find_argument(context.item_param().value_or(""), name);
  if (!text)
    text = executor::find_argument(context.job_param(), name);
  return milliseconds{text ? executor::parse_int64(*text).value() : otherwise};
}

milliseconds duration_of(const item_context& context) {
  const auto first = argument_ms(context, "ms", 0);
  return context.attempt() > 1 ? argument_ms(context, "again_ms", first.count()) : first;
}

/// Waits without a look at the stop of the run.
void wait_deaf(steady_clock::duration time) {
  std::mutex guard;
  std::condition_variable never;
  std::unique_lock lock{guard};
  (void)never.wait_for(lock, time, [] { return false; });
}

void work(const note_file& notes, const item_context& context, bool is_deaf) {
  if (!notes.body_if_mine("begin", context) && !is_deaf)
    return;
  const steady_clock::duration tick = argument_ms(context, "tick_ms", 20);
  const auto until = steady_clock::now() + duration_of(context);
  for (auto left = until - steady_clock::now(); left.count() > 0; left = until - steady_clock::now()) {
    if (is_deaf)
      wait_deaf(std::min(left, tick));
    else if (!context.wait_for(std::min(left, tick)))
      return notes.body("stopped", context);
    (void)notes.body_if_mine("mine", context);
  }
  (void)notes.body_if_mine("end", context);
}

class step_flow final : public executor::elastic::dataflow_job<std::int64_t> {
public:
  explicit step_flow(note_file_ptr notes) : notes_{std::move(notes)} {}

  std::vector<std::int64_t> fetch(item_context& context) override {
    if (!last_) {
      last_ = executor::parse_int64(std::string{context.cursor().value_or("0")}).value();
      (void)notes_->body_if_mine("begin", context);
    }
    if (context.wait_for(argument_ms(context, "tick_ms", 20)))
      return {*last_ + 1};
    notes_->body("stopped", context);
    return {};
  }
  void process(item_context& context, std::vector<std::int64_t> data) override {
    const auto step = std::to_string(data.at(0));
    if (!notes_->body_if_mine("step=" + step, context))
      return;
    if (const auto saved = context.save_cursor(step); !saved)
      throw std::runtime_error{saved.error().context};
    notes_->body("stored=" + step, context);
    last_ = data.at(0);
  }

private:
  const note_file_ptr notes_;
  std::optional<std::int64_t> last_;
};

struct tracing_listener final : executor::elastic::each_node_listener {
  explicit tracing_listener(note_file_ptr notes) : notes_{std::move(notes)} {}
  void before(const batch_context& batch) override { notes_->call("before", batch, -3); }
  void after(const batch_context& batch) override { notes_->call("after", batch, -3); }

private:
  note_file_ptr notes_;
};

struct auditing_listener final : executor::elastic::once_listener {
  explicit auditing_listener(note_file_ptr notes) : notes_{std::move(notes)} {}
  void before_all(const batch_context& batch) override { note("before_all", batch, -1); }
  void after_all(const batch_context& batch) override { note("after_all", batch, -2); }

private:
  void note(std::string_view event, const batch_context& batch, int item) const {
    notes_->call(event, batch, item);
    const auto text = executor::find_argument(batch.job_param(), "hook_ms");
    wait_deaf(milliseconds{text ? executor::parse_int64(*text).value() : 0});
  }

  note_file_ptr notes_;
};

executor::elastic::elastic_handlers handlers_with(const note_file_ptr& notes) {
  executor::elastic::elastic_handlers out;
  const auto add = [&](const char* name, executor::elastic::elastic_body body) {
    if (auto done = out.add(name, std::move(body)); !done)
      throw std::runtime_error{done.error().context};
  };
  add("work", [notes](item_context& context) { work(*notes, context, false); });
  add("deaf", [notes](item_context& context) { work(*notes, context, true); });
  add("nap", [notes](item_context& context) -> executor::task<> {
    (void)notes->body_if_mine("begin", context);
    const bool slept = co_await context.sleep_for(duration_of(context));
    if (slept)
      (void)notes->body_if_mine("end", context);
    else
      notes->body("stopped", context);
  });
  add("quick", [notes](item_context& context) -> executor::task<> {
    (void)notes->body_if_mine("begin", context);
    co_return;
  });
  add("fail", [notes](item_context& context) {
    (void)notes->body_if_mine("begin", context);
    throw std::runtime_error{"no stock"};
  });
  if (auto done = out.add_dataflow<std::int64_t>("stream", [notes] { return std::make_shared<step_flow>(notes); }); !done)
    throw std::runtime_error{done.error().context};
  if (!out.add_listener("trace", [notes] { return std::make_shared<tracing_listener>(notes); }) ||
      !out.add_once_listener("audit", [notes] { return std::make_shared<auditing_listener>(notes); }))
    throw std::runtime_error{"the listeners cannot be registered"};
  return out;
}

struct arguments {
  executor::executor_options options;
  std::string notes = "notes";
};

void set(arguments& to, std::string_view key, const std::string& value) {
  auto& options = to.options;
  if (key == "notes")
    to.notes = value;
  else if (key == "node")
    options.nodes.push_back(value);
  else if (key == "app_name")
    options.app_name = value;
  else if (key == "token")
    options.access_token = value;
  else if (key == "certificate")
    options.link_certificate = value;
  else if (key == "key")
    options.link_key = value;
  else if (key == "ca")
    options.link_ca = value;
  else if (key == "data_dir")
    options.data_dir = value;
  else if (key == "label")
    options.labels.push_back(value);
  else if (key == "capacity")
    options.elastic_capacity = std::stoul(value);
  else if (key == "error_target")
    options.elastic_error_targets = {value};
  else if (key == "drain_ms")
    options.elastic_drain = milliseconds{std::stol(value)};
  else
    throw std::runtime_error{"unknown key: " + std::string{key}};
}

arguments read_arguments(int argc, char** argv) {
  arguments out;
  out.options.listen = "";
  out.options.log = spdlog::stderr_logger_mt("executor");
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    const auto cut = std::min(word.size(), word.find('='));
    set(out, word.substr(0, cut), std::string{word.substr(std::min(word.size(), cut + 1))});
  }
  return out;
}

int run(arguments given) {
  sigset_t ending;
  sigemptyset(&ending);
  sigaddset(&ending, SIGTERM);
  sigaddset(&ending, SIGINT);
  pthread_sigmask(SIG_BLOCK, &ending, nullptr);
  const auto notes = std::make_shared<const note_file>(given.notes);
  auto running = executor::executor::start(std::move(given.options), {}, handlers_with(notes));
  if (!running)
    throw std::runtime_error{running.error().context};
  notes->process("up");
  int signal = 0;
  sigwait(&ending, &signal);
  notes->process("leaving");
  (*running)->stop();
  notes->process("left");
  return 0;
}

} // namespace

int main(int argc, char** argv) {
  try {
    return run(read_arguments(argc, argv));
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "elastic_worker: %s\n", problem.what());
    return 1;
  }
}
