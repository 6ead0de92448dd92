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

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include <ctime>

#include <fcntl.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include "executor/executor.hpp"
#include "executor/job_context.hpp"
#include "executor/sdk/elastic/elastic_handlers.hpp"

using namespace ringmaster;
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
  static std::string facts_of(const item_context& context) {
    const auto task = context.task_id();
    const auto run = task.substr(task.rfind("@-@") + 3);
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
