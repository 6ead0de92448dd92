#include "bench/api_client.hpp"

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <optional>
#include <stdexcept>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bench/http_text.hpp"

namespace ringmaster::bench {

namespace {

[[noreturn]] void fail(const std::string& what) { throw std::runtime_error("the API " + what); }

std::string secret_of(const std::filesystem::path& data_dir, std::string_view key) {
  std::ifstream in{data_dir / "initial-secrets"};
  const auto begin = std::string{key} + " = ";
  for (std::string line; std::getline(in, line);)
    if (line.starts_with(begin))
      return line.substr(begin.size());
  fail("sign-in is not possible: no " + std::string{key} + " in " + data_dir.string());
}

/// Returns `name=value` of each cookie that the head sets.
std::string cookies_of(std::string_view head) {
  constexpr std::string_view name = "Set-Cookie: ";
  std::string cookies;
  for (auto at = head.find(name); at != std::string_view::npos; at = head.find(name, at)) {
    at += name.size();
    cookies += (cookies.empty() ? "" : "; ") + std::string{head.substr(at, head.find_first_of(";\r", at) - at)};
  }
  return cookies;
}

} // namespace

api_client::api_client(std::uint16_t port) : port_{port} {}

api_client::~api_client() {
  if (socket_ >= 0)
    ::close(socket_);
}

void api_client::sign_in(const std::filesystem::path& data_dir) {
  const auto reply = post("/login", "userName=admin&password=" + secret_of(data_dir, "admin_password"));
  cookie_ = cookies_of(reply.headers);
  if (reply.status != 200 || cookie_.empty())
    fail("refused the sign-in: " + reply.body);
}

void api_client::connect() {
  socket_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int on = 1;
  const timeval limit{10, 0};
  ::setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(port_);
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(socket_, reinterpret_cast<sockaddr*>(&to), sizeof to) != 0)
    fail(std::string{"cannot be reached: "} + std::strerror(errno));
}

api_reply api_client::call(std::string_view method, const std::string& target, std::string_view form, const std::string& more) {
  if (socket_ < 0)
    connect();
  std::string out{method};
  out += ' ' + target + " HTTP/1.1\r\nHost: 127.0.0.1\r\n" + headers_ + more;
  if (!cookie_.empty())
    out += "Cookie: " + cookie_ + "\r\n";
  if (method == "POST")
    out += "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: " + std::to_string(form.size()) + "\r\n";
  out += "\r\n";
  out += form;
  const auto began = std::chrono::steady_clock::now();
  if (::send(socket_, out.data(), out.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(out.size()))
    fail("does not accept a request");
  std::optional<http_message> reply;
  for (in_.clear(); !(reply = first_message(in_));) {
    std::array<char, 65536> chunk;
    const auto got = ::recv(socket_, chunk.data(), chunk.size(), 0);
    if (got <= 0)
      fail("does not answer " + target);
    in_.append(chunk.data(), static_cast<std::size_t>(got));
  }
  api_reply answer;
  answer.took = std::chrono::steady_clock::now() - began;
  constexpr std::string_view version = "HTTP/1.1 ";
  std::from_chars(in_.data() + version.size(), in_.data() + in_.size(), answer.status);
  answer.headers = in_.substr(0, in_.find("\r\n\r\n") + 2);
  answer.body = reply->body;
  return answer;
}

} // namespace ringmaster::bench
