#include "bench/executors.hpp"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <exception>
#include <new>
#include <numeric>
#include <stdexcept>
#include <utility>

#include <netinet/in.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/executor_loop.hpp"

namespace ringmaster::bench {

namespace {

std::pair<int, std::uint16_t> listen_somewhere() {
  const auto socket = ::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof at;
  if (socket < 0 || ::bind(socket, reinterpret_cast<sockaddr*>(&at), size) != 0 || ::listen(socket, 4096) != 0 ||
      ::getsockname(socket, reinterpret_cast<sockaddr*>(&at), &size) != 0)
    throw std::runtime_error(std::string{"cannot listen on loopback: "} + std::strerror(errno));
  return {socket, ntohs(at.sin_port)};
}

/// Runs the child process until its end.
[[noreturn]] void live(pid_t parent, std::vector<int> listeners, const callback_sender::options& results,
                       std::chrono::microseconds answer_work, load_progress& progress,
                       const std::filesystem::path& book_file) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  // The terminal's Ctrl-C is for the parent, which then ends this process.
  ::signal(SIGINT, SIG_IGN);
  ::signal(SIGTERM, SIG_DFL);
  if (::getppid() != parent)
    ::_exit(1);
  try {
    executor_loop{std::move(listeners), results, answer_work, progress}.run().save(book_file);
  } catch (const std::exception&) {
    ::_exit(1);
  }
  ::_exit(0);
}

} // namespace

std::size_t load_progress::place(std::int64_t instant_ms) const {
  const auto second = instant_ms / 1000 - first_second;
  return second < 0 || second >= static_cast<std::int64_t>(seconds_max) ? seconds_max - 1 : static_cast<std::size_t>(second);
}

std::size_t load_progress::received_in_all() const {
  return std::accumulate(received.begin(), received.end(), std::size_t{0},
                         [](auto sum, const auto& n) { return sum + n.load(); });
}

std::size_t load_progress::acknowledged_in_all() const {
  return std::accumulate(acknowledged.begin(), acknowledged.end(), std::size_t{0},
                         [](auto sum, const auto& n) { return sum + n.load(); });
}

bool load_progress::has_all(const load_window& window, const std::vector<std::uint32_t>& expected) const {
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const auto at = place(window.begin_ms + static_cast<std::int64_t>(i) * 1000);
    if (received[at].load(std::memory_order_relaxed) < expected[i] ||
        acknowledged[at].load(std::memory_order_relaxed) < received[at].load(std::memory_order_relaxed))
      return false;
  }
  return true;
}

executors::executors(std::size_t count, const callback_sender::options& results, std::chrono::microseconds answer_work,
                     std::filesystem::path book_file)
  : book_file_{std::move(book_file)} {
  std::vector<int> listeners;
  for (std::size_t i = 0; i < count; ++i) {
    const auto [socket, port] = listen_somewhere();
    listeners.push_back(socket);
    ports_.push_back(port);
  }
  auto* memory = ::mmap(nullptr, sizeof(load_progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    throw std::runtime_error(std::string{"mmap: "} + std::strerror(errno));
  progress_ = new (memory) load_progress;
  progress_->first_second = ::time(nullptr) - 1;
  const auto parent = ::getpid();
  process_ = ::fork();
  if (process_ == 0)
    live(parent, std::move(listeners), results, answer_work, *progress_, book_file_);
  for (const auto socket : listeners)
    ::close(socket);
  if (process_ < 0)
    throw std::runtime_error(std::string{"fork: "} + std::strerror(errno));
}

executors::~executors() {
  if (process_ > 0) {
    ::kill(process_, SIGKILL);
    ::waitpid(process_, nullptr, 0);
  }
  if (progress_ != nullptr)
    ::munmap(progress_, sizeof(load_progress));
}

std::vector<std::string> executors::addresses() const {
  std::vector<std::string> all;
  for (const auto port : ports_)
    all.push_back("http://127.0.0.1:" + std::to_string(port) + "/");
  return all;
}

run_book executors::finish() {
  progress_->stop = true;
  int status = 0;
  while (::waitpid(process_, &status, 0) < 0 && errno == EINTR) {
  }
  process_ = 0;
  if (status != 0)
    throw std::runtime_error("the executors failed: wait status " + std::to_string(status));
  return run_book::load(book_file_);
}

} // namespace ringmaster::bench
