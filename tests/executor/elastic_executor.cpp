// An executor for tests with elastic jobs as processes. Usage: elastic_executor KEY=VALUE…, with keys of [executor] and [link],
// token, and notes: a file to which each body appends lines `WHAT JOB ITEM FENCE ATTEMPT PID MS`, where MS is the wall clock.
// Prints the registered address and runs until SIGTERM. Handlers take arguments from the parameter of the job, e.g. `ms=200`:
//   note     writes `begin` and `end`
//   work     the same, and `mine` every 20 ms for `ms` milliseconds while its lease lasts; `stopped` if it has to stop
//   deaf     as work, but ignores its stop; `lost` once its lease is over
//   nap      a coroutine that sleeps for `ms` milliseconds
//   fail     throws

#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdio>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include "executor/executor.hpp"
#include "executor/sdk/elastic/elastic_handlers.hpp"

using namespace ringmaster;
using namespace std::chrono_literals;
using executor::elastic::item_context;

namespace {

/// The file of all bodies of all processes. Each line is one write.
class note_file {
public:
  explicit note_file(const std::string& path) : file_{::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644)} {
    if (file_ < 0)
      throw std::runtime_error{path + " cannot be opened"};
  }
  void write(std::string_view what, const item_context& context) const {
    using std::chrono::milliseconds;
    const auto now = std::chrono::floor<milliseconds>(std::chrono::system_clock::now().time_since_epoch());
    std::string line{what};
    line += ' ' + context.job() + ' ' + std::to_string(context.item()) + ' ' + std::to_string(context.fence()) + ' '
            + std::to_string(context.attempt()) + ' ' + std::to_string(::getpid()) + ' ' + std::to_string(now.count()) + '\n';
    if (::write(file_, line.data(), line.size()) != static_cast<ssize_t>(line.size()))
      throw std::runtime_error{"a note cannot be written"};
  }

private:
  const int file_;
};

std::chrono::milliseconds time_of(const item_context& context) {
  const auto text = executor::find_argument(context.job_param(), "ms");
  return std::chrono::milliseconds{text ? executor::parse_int64(*text).value_or(0) : 0};
}

void pause_deaf(std::chrono::milliseconds time) {
  std::mutex guard;
  std::condition_variable never;
  std::unique_lock lock{guard};
  (void)never.wait_for(lock, time, [] { return false; });
}

void work(const note_file& notes, const item_context& context) {
  notes.write("begin", context);
  for (const auto until = std::chrono::steady_clock::now() + time_of(context); std::chrono::steady_clock::now() < until;) {
    if (context.still_mine())
      notes.write("mine", context);
    if (!context.wait_for(20ms))
      return notes.write("stopped", context);
  }
  notes.write("end", context);
}

void work_deaf(const note_file& notes, const item_context& context) {
  notes.write("begin", context);
  for (const auto until = std::chrono::steady_clock::now() + time_of(context); std::chrono::steady_clock::now() < until;) {
    notes.write(context.still_mine() ? "mine" : "lost", context);
    pause_deaf(20ms);
  }
  notes.write("end", context);
}

void add_items(executor::elastic::elastic_handlers& to, const std::shared_ptr<const note_file>& notes) {
  const auto add = [&](const char* name, executor::elastic::elastic_body body) {
    if (auto done = to.add(name, std::move(body)); !done)
      throw std::runtime_error{done.error().context};
  };
  add("note", [notes](item_context& context) {
    notes->write("begin", context);
    notes->write("end", context);
  });
  add("work", [notes](item_context& context) { work(*notes, context); });
  add("deaf", [notes](item_context& context) { work_deaf(*notes, context); });
  add("fail", [notes](item_context& context) {
    notes->write("begin", context);
    throw std::runtime_error{"no stock"};
  });
  add("nap", [notes](item_context& context) -> executor::task<> {
    notes->write("begin", context);
    const bool slept = co_await context.sleep_for(time_of(context));
    notes->write(slept ? "end" : "stopped", context);
  });
}

bool set(executor::executor_options& to, std::string_view key, const std::string& value) {
  if (key == "node")
    to.nodes.push_back(value);
  else if (key == "admin")
    to.admins.push_back(value);
  else if (key == "label")
    to.labels.push_back(value);
  else if (key == "app_name")
    to.app_name = value;
  else if (key == "token")
    to.access_token = value;
  else if (key == "data_dir")
    to.data_dir = value;
  else if (key == "listen")
    to.listen = value;
  else if (key == "link_certificate")
    to.link_certificate = value;
  else if (key == "link_key")
    to.link_key = value;
  else if (key == "link_ca")
    to.link_ca = value;
  else if (key == "capacity")
    to.elastic_capacity = std::stoul(value);
  else if (key == "drain_ms")
    to.elastic_drain = std::chrono::milliseconds{std::stol(value)};
  else
    return false;
  return true;
}

int run(int argc, char** argv) {
  executor::executor_options options;
  options.log = spdlog::stderr_logger_mt("executor");
  options.listen = "";
  std::string notes = "notes";
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const auto cut = word.find('=');
    const auto key = word.substr(0, cut);
    if (cut != std::string::npos && key == "notes") {
      notes = word.substr(cut + 1);
    } else if (cut == std::string::npos || !set(options, key, word.substr(cut + 1))) {
      std::fprintf(stderr, "unknown: %s\n", word.c_str());
      return 2;
    }
  }
  sigset_t ending;
  sigemptyset(&ending);
  sigaddset(&ending, SIGTERM);
  sigaddset(&ending, SIGINT);
  pthread_sigmask(SIG_BLOCK, &ending, nullptr);
  executor::elastic::elastic_handlers items;
  add_items(items, std::make_shared<const note_file>(notes));
  auto running = executor::executor::start(std::move(options), {}, std::move(items));
  if (!running) {
    std::fprintf(stderr, "%s\n", running.error().context.c_str());
    return 1;
  }
  std::printf("%s\n", (*running)->address().c_str());
  std::fflush(stdout);
  int signal = 0;
  sigwait(&ending, &signal);
  (*running)->stop();
  return 0;
}

} // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& thrown) {
    std::fprintf(stderr, "%s\n", thrown.what());
    return 1;
  }
}
