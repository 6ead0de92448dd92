#include "bench/server_process.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace ringmaster::bench {

namespace {

sockaddr_in loopback(std::uint16_t port) {
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_port = htons(port);
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return at;
}

/// Sends one request on a new connection.
bool answers_ready(std::uint16_t port) {
  const auto socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const timeval limit{1, 0};
  ::setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  const auto to = loopback(port);
  constexpr std::string_view request = "GET /readyz HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n";
  constexpr std::string_view wanted = "HTTP/1.1 200";
  std::array<char, wanted.size()> line{};
  const bool ready = ::connect(socket, reinterpret_cast<const sockaddr*>(&to), sizeof to) == 0 &&
                     ::send(socket, request.data(), request.size(), MSG_NOSIGNAL) > 0 &&
                     ::recv(socket, line.data(), line.size(), MSG_WAITALL) > 0 &&
                     std::string_view{line.data(), line.size()} == wanted;
  ::close(socket);
  return ready;
}

[[noreturn]] void become(pid_t parent, std::vector<char*>& arguments, const char* log) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  const auto file = ::open(log, O_WRONLY | O_CREAT | O_APPEND, 0600);
  if (::getppid() != parent || file < 0 || ::dup2(file, STDOUT_FILENO) < 0 || ::dup2(file, STDERR_FILENO) < 0)
    ::_exit(126);
  // A separate process group: Ctrl-C at the terminal must not stop it in the middle of a measurement.
  ::setpgid(0, 0);
  ::execv(arguments[0], arguments.data());
  ::_exit(127);
}

} // namespace

double cpu_seconds(pid_t process) {
  std::ifstream in{"/proc/" + std::to_string(process) + "/stat"};
  std::string text;
  std::getline(in, text);
  const auto after_name = text.rfind(')');
  if (process <= 0 || after_name == std::string::npos)
    return 0;
  std::istringstream fields{text.substr(after_name + 1)};
  std::string skipped;
  for (int i = 0; i < 11; ++i)
    fields >> skipped;
  double user = 0, system = 0;
  fields >> user >> system;
  return (user + system) / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

double stolen_seconds() {
  std::ifstream in{"/proc/stat"};
  std::string name;
  // Fields: cpu, user, nice, system, idle, iowait, irq, softirq, steal.
  std::array<double, 8> ticks{};
  in >> name;
  for (auto& value : ticks)
    in >> value;
  return ticks.back() / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

resident_mb resident_memory(pid_t process) {
  resident_mb found;
  std::ifstream in{"/proc/" + std::to_string(process) + "/status"};
  for (std::string line; process > 0 && std::getline(in, line);) {
    if (line.starts_with("VmHWM:"))
      found.peak = std::atof(line.c_str() + 6) * 1024 / 1e6;
    else if (line.starts_with("VmRSS:"))
      found.now = std::atof(line.c_str() + 6) * 1024 / 1e6;
  }
  return found;
}

std::uint16_t free_port() {
  const auto socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  auto at = loopback(0);
  socklen_t size = sizeof at;
  const bool bound = ::bind(socket, reinterpret_cast<sockaddr*>(&at), size) == 0 &&
                     ::getsockname(socket, reinterpret_cast<sockaddr*>(&at), &size) == 0;
  ::close(socket);
  if (!bound)
    throw std::runtime_error(std::string{"no free port: "} + std::strerror(errno));
  return ntohs(at.sin_port);
}

server_process::server_process(std::vector<std::string> words, std::filesystem::path log)
  : log_{std::move(log)}, started_{std::chrono::steady_clock::now()} {
  std::vector<char*> arguments;
  for (auto& word : words)
    arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const auto parent = ::getpid();
  process_ = ::fork();
  if (process_ == 0)
    become(parent, arguments, log_.c_str());
  if (process_ < 0)
    throw std::runtime_error(std::string{"fork: "} + std::strerror(errno));
}

server_process::~server_process() { kill_now(); }

void server_process::kill_now() {
  if (!runs())
    return;
  ::kill(process_, SIGKILL);
  ended_within(std::chrono::seconds{10});
}

std::chrono::duration<double, std::milli> server_process::wait_until_ready(std::uint16_t port, std::chrono::seconds limit) {
  while (!answers_ready(port)) {
    if (ended_within(std::chrono::milliseconds{1}))
      throw std::runtime_error("the server ended with wait status " + std::to_string(*status_) + ":\n" + end_of_log());
    if (std::chrono::steady_clock::now() - started_ > limit)
      throw std::runtime_error("the server is not ready after " + std::to_string(limit.count()) + " s:\n" + end_of_log());
  }
  return std::chrono::steady_clock::now() - started_;
}

std::optional<int> server_process::stop(std::chrono::seconds limit) {
  if (runs())
    ::kill(process_, SIGTERM);
  if (!ended_within(limit)) {
    ::kill(process_, SIGKILL);
    ended_within(std::chrono::seconds{10});
    return std::nullopt;
  }
  return WIFEXITED(*status_) ? std::optional{WEXITSTATUS(*status_)} : std::nullopt;
}

bool server_process::runs() { return !ended_within(std::chrono::milliseconds{0}); }

bool server_process::ended_within(std::chrono::milliseconds limit) {
  if (status_)
    return true;
  const auto handle = static_cast<int>(::syscall(SYS_pidfd_open, process_, 0));
  pollfd ended{handle, POLLIN, 0};
  const auto ready = ::poll(&ended, 1, static_cast<int>(limit.count()));
  ::close(handle);
  int status = 0;
  if (ready == 1 && ::waitpid(process_, &status, 0) == process_)
    status_ = status;
  return status_.has_value();
}

std::string server_process::end_of_log() const {
  std::ifstream in{log_};
  std::ostringstream text;
  text << in.rdbuf();
  const auto all = text.str();
  return all.size() > 2000 ? all.substr(all.size() - 2000) : all;
}

} // namespace ringmaster::bench
