// Measures requests per second and CPU time per request, separately for server and client, each in its own process.
//
// http_bench [--seconds S] [--in-flight N] [--origins N] [--body BYTES] [--threads]
//
// --threads: the handler answers from another thread, as actors do.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gateway/transport/transport.hpp"

using namespace ringmaster;

namespace {

struct options {
  double seconds = 3;
  std::size_t in_flight = 256;
  std::size_t origins = 16;
  std::size_t body = 400;
  bool threads = false;
};

options parse(int argc, char** argv) {
  options made;
  for (int i = 1; i < argc; ++i) {
    std::string_view name = argv[i];
    if (name == "--threads") {
      made.threads = true;
      continue;
    }
    const char* value = i + 1 < argc ? argv[++i] : "";
    if (name == "--seconds")
      made.seconds = std::atof(value);
    else if (name == "--in-flight")
      made.in_flight = std::strtoul(value, nullptr, 10);
    else if (name == "--origins")
      made.origins = std::strtoul(value, nullptr, 10);
    else if (name == "--body")
      made.body = std::strtoul(value, nullptr, 10);
    else
      std::exit((std::fprintf(stderr, "unknown option %s\n", argv[i]), 2));
  }
  return made;
}

double cpu_seconds() {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  auto seconds = [](const timeval& time) { return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6; };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

/// Report of the server process at its end.
struct served {
  double cpu = 0;
  std::uint64_t requests = 0;
};

/// Thread that sends the answers.
class answering_thread {
public:
  answering_thread() : thread_([this] { run(); }) {}
  ~answering_thread() {
    {
      std::lock_guard guard{mutex_};
      over_ = true;
    }
    changed_.notify_one();
    thread_.join();
  }
  void add(protocol::http_reply_ptr reply) {
    std::lock_guard guard{mutex_};
    waiting_.push_back(std::move(reply));
    if (waiting_.size() == 1)
      changed_.notify_one();
  }

private:
  void run() {
    std::vector<protocol::http_reply_ptr> taken;
    std::unique_lock lock{mutex_};
    while (!over_) {
      changed_.wait(lock, [this] { return over_ || !waiting_.empty(); });
      taken.swap(waiting_);
      lock.unlock();
      for (auto& reply : taken)
        reply->send({200, "application/json", R"({"code":200,"msg":null,"content":null,"data":null})", {}});
      taken.clear();
      lock.lock();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<protocol::http_reply_ptr> waiting_;
  bool over_ = false;
  std::thread thread_;
};

/// Serves until `commands` closes; writes the port, later its usage.
void serve(const options& chosen, int commands, int answers) {
  config::server_settings server;
  server.listen = "0.0.0.0:0";
  auto transport = gateway::make_transport(server, {}, {});
  std::unique_ptr<answering_thread> other;
  if (chosen.threads)
    other = std::make_unique<answering_thread>();
  auto bound = transport->listen([&](protocol::http_request&&, protocol::http_reply_ptr reply) {
    if (other)
      return other->add(std::move(reply));
    reply->send({200, "application/json", R"({"code":200,"msg":null,"content":null,"data":null})", {}});
  });
  auto port = static_cast<unsigned>(std::stoul(bound->substr(bound->rfind(':') + 1)));
  (void)!::write(answers, &port, sizeof port);
  char go = 0;
  (void)!::read(commands, &go, 1); // End of the warm-up.
  served before{cpu_seconds(), transport->counters().requests};
  (void)!::read(commands, &go, 1); // End of the measurement.
  served used{cpu_seconds() - before.cpu, transport->counters().requests - before.requests};
  (void)!::write(answers, &used, sizeof used);
  transport->stop();
}

/// Returns settings with one thread: the bench measures the cost of a call on one thread.
config::trigger_settings one_thread() {
  config::trigger_settings settings;
  settings.io_threads = 1;
  return settings;
}

/// Keeps `in_flight` calls in progress: ended ones are posted again, in batches.
class caller {
public:
  caller(const options& chosen, unsigned port)
    : chosen_(chosen), transport_(gateway::make_transport({}, one_thread(), {})), client_(transport_->client()) {
    for (std::size_t i = 0; i < chosen.origins; ++i)
      origins_.push_back("http://127.0.0." + std::to_string(i + 1) + ":" + std::to_string(port));
    body_.assign(chosen.body, 'b');
  }

  void start() {
    const auto batch = std::max<std::size_t>(1, std::min<std::size_t>(64, chosen_.in_flight / 4));
    for (std::size_t sent = 0; sent < chosen_.in_flight; sent += batch)
      post(std::min(batch, chosen_.in_flight - sent));
  }
  void stop() {
    running_ = false;
    transport_->stop();
  }
  [[nodiscard]] std::uint64_t answered() const { return answered_.load(std::memory_order_relaxed); }
  [[nodiscard]] std::uint64_t failed() const { return failed_.load(std::memory_order_relaxed); }

private:
  void post(std::size_t n) {
    std::vector<protocol::http_call> calls(n);
    for (auto& call : calls) {
      call.origin = origins_[next_++ % origins_.size()];
      call.target = "/run";
      call.headers = {{"XXL-JOB-ACCESS-TOKEN", "default_token_of_the_bench"}};
      call.body = body_;
      call.request_timeout = std::chrono::seconds{10};
    }
    auto left = std::make_shared<std::size_t>(n);
    client_->post(std::move(calls), [this, n, left](std::size_t, protocol::http_result&& result) {
      auto& counter = result.state == protocol::delivery::answered && result.status == 200 ? answered_ : failed_;
      counter.store(counter.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
      if (--*left == 0 && running_)
        post(n);
    });
  }

  options chosen_;
  std::atomic<bool> running_{true};
  std::atomic<std::uint64_t> answered_{0};
  std::atomic<std::uint64_t> failed_{0};
  std::size_t next_ = 0;
  std::vector<std::string> origins_;
  std::string body_;
  std::unique_ptr<gateway::transport> transport_;
  std::shared_ptr<protocol::http_client> client_;
};

void measure(const options& chosen, int commands, int answers) {
  using clock = std::chrono::steady_clock;
  unsigned port = 0;
  (void)!::read(answers, &port, sizeof port);
  caller calls{chosen, port};
  calls.start();
  std::this_thread::sleep_for(std::chrono::milliseconds{300});
  (void)!::write(commands, "w", 1);
  const auto begin = clock::now();
  const auto cpu = cpu_seconds();
  const auto before = calls.answered();
  std::this_thread::sleep_for(std::chrono::duration<double>(chosen.seconds));
  const auto done = static_cast<double>(calls.answered() - before);
  const auto used = cpu_seconds() - cpu;
  const auto failed = calls.failed();
  const auto wall = std::chrono::duration<double>(clock::now() - begin).count();
  (void)!::write(commands, "o", 1);
  served server;
  (void)!::read(answers, &server, sizeof server);
  calls.stop();
  std::printf(R"({"bench":"http","in_flight":%zu,"origins":%zu,"body_bytes":%zu,"answers_from":"%s","requests_per_second":%.0f,)"
              R"("server_cpu_us":%.2f,"client_cpu_us":%.2f,"failed":%llu})"
              "\n",
              chosen.in_flight, chosen.origins, chosen.body, chosen.threads ? "thread" : "inline", done / wall,
              server.cpu * 1e6 / static_cast<double>(std::max<std::uint64_t>(server.requests, 1)),
              used * 1e6 / std::max(done, 1.0), static_cast<unsigned long long>(failed));
}

} // namespace

int main(int argc, char** argv) {
  auto chosen = parse(argc, argv);
  int commands[2], answers[2];
  if (::pipe(commands) != 0 || ::pipe(answers) != 0)
    return 1;
  auto server = ::fork();
  if (server == 0) {
    serve(chosen, commands[0], answers[1]);
    return 0;
  }
  measure(chosen, commands[1], answers[0]);
  int status = 0;
  ::waitpid(server, &status, 0);
  return status;
}
