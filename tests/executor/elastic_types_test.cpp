// The types script and http of elastic jobs, with real programs and a real server.

#include <algorithm>
#include <array>
#include <atomic>
#include <filesystem>
#include <functional>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "executor/elastic/boot_clock.hpp"
#include "executor/elastic/fence_board.hpp"
#include "executor/sdk/elastic/http_type.hpp"
#include "executor/sdk/elastic/script_type.hpp"
#include "tests/executor/process_marks.hpp"
#include "tests/executor/recorded_log.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temp_folder.hpp"

using namespace std::chrono_literals;

namespace ringmaster::test::elastic_types_test {

using executor::elastic::elastic_body;
using executor::elastic::elastic_handlers;
using executor::elastic::item_context;

namespace {

/// One item run with a lease.
struct typed_run {
  typed_run() {
    facts.job = "settlement";
    facts.task_id = "settlement@-@1@-@READY@-@10.0.0.3@-@41@-@12";
    facts.item = 1;
    facts.total = 3;
    facts.job_param = "day";
    facts.item_param = "süd";
    facts.fence = 7;
    board.extend(executor::elastic::boot_now());
    control = board.open(core::elastic::item_run_id{12}, lease);
    control->on_program([this](std::int64_t process) { supervisor = process; });
  }

  /// Returns the failure; empty: the run succeeded.
  std::string failure_of(const elastic_body& body) {
    const auto writer = log.opener()({});
    item_context context{facts, *control, *writer};
    try {
      body.as_function()(context);
    } catch (const std::exception& thrown) {
      return thrown.what();
    }
    return {};
  }

  std::chrono::milliseconds lease = 1h;
  recorded_log log;
  executor::elastic::item_facts facts;
  executor::elastic::fence_board board{executor::elastic::boot_now};
  executor::elastic::item_control_ptr control;
  std::atomic<std::int64_t> supervisor{0};
};

bool has_part(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

struct script_run : typed_run {
  std::string add_script(const std::string& name, const std::string& body) {
    auto path = folder.write(name, "#!/bin/bash\n" + body + '\n');
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    return path;
  }
  std::string failure(const std::string& line, executor::program_limits limits = {}) {
    facts.props["script.command.line"] = line;
    auto body = executor::elastic::make_script_type({{folder.path() + "/allowed"}, limits});
    REQUIRE(body);
    return failure_of(*body);
  }
  temp_folder folder;
};

/// A server for one request at a time, which it answers in full or not at all.
class small_server {
public:
  /// `body_end`: last part of each request.
  explicit small_server(std::string answer, std::string body_end = {})
    : answer_{std::move(answer)}, body_end_{std::move(body_end)} {
    listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    REQUIRE(::bind(listener_, reinterpret_cast<const sockaddr*>(&at), sizeof at) == 0);
    REQUIRE(::listen(listener_, 8) == 0);
    socklen_t size = sizeof at;
    REQUIRE(::getsockname(listener_, reinterpret_cast<sockaddr*>(&at), &size) == 0);
    port_ = ntohs(at.sin_port);
    thread_ = std::thread{[this] { serve(); }};
  }
  small_server(const small_server&) = delete;
  small_server& operator=(const small_server&) = delete;
  ~small_server() {
    ending_ = true;
    thread_.join();
    ::close(listener_);
  }

  [[nodiscard]] std::string origin() const { return "http://127.0.0.1:" + std::to_string(port_); }
  /// Sets a function that is called on the server's thread before each answer.
  void on_request(std::function<void()> asked) {
    const std::lock_guard lock{guard_};
    asked_ = std::move(asked);
  }
  /// Returns the last request.
  [[nodiscard]] std::string request() const {
    const std::lock_guard lock{guard_};
    return request_;
  }
  /// The client has closed its connection.
  std::atomic<bool> dropped{false};

private:
  bool waits_for(int socket) const {
    pollfd one{socket, POLLIN, 0};
    while (!ending_)
      if (::poll(&one, 1, 20) > 0)
        return true;
    return false;
  }
  void serve() {
    while (waits_for(listener_)) {
      const int client = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
      std::array<char, 4096> buffer{};
      std::string request;
      while (!has_part(request, "\r\n\r\n") || !has_part(request, body_end_)) {
        const auto got = waits_for(client) ? ::read(client, buffer.data(), buffer.size()) : 0;
        if (got <= 0)
          break;
        request.append(buffer.data(), static_cast<std::size_t>(got));
      }
      if (const auto asked = keep(std::move(request)))
        asked();
      (void)!::write(client, answer_.data(), answer_.size());
      if (answer_.empty() && waits_for(client))
        dropped = ::read(client, buffer.data(), buffer.size()) == 0;
      ::close(client);
    }
  }

  std::function<void()> keep(std::string&& request) {
    const std::lock_guard lock{guard_};
    request_ = std::move(request);
    return asked_;
  }

  const std::string answer_;
  const std::string body_end_;
  mutable std::mutex guard_;
  std::string request_;
  std::function<void()> asked_;
  int listener_ = -1;
  std::uint16_t port_ = 0;
  std::atomic<bool> ending_{false};
  std::thread thread_;
};

struct http_run : typed_run {
  std::string failure(const small_server& server, const std::string& path = "/in/x") {
    facts.props["http.uri"] = server.origin() + path;
    auto body = executor::elastic::make_http_type({.allowed = {server.origin() + "/in/"}});
    REQUIRE(body);
    return failure_of(*body);
  }
};

std::string http_answer(const std::string& status, const std::string& body) {
  return "HTTP/1.1 " + status + "\r\nContent-Length: " + std::to_string(body.size()) + "\r\nConnection: close\r\n\r\n" + body;
}

} // namespace

TEST_CASE("only the types script and http are registered as types", "[executor][elastic]") {
  const elastic_body body{[](item_context&) {}};
  elastic_handlers known;
  CHECK(known.add_type("script", body));
  CHECK(known.add_type("http", body));
  CHECK(known.all().contains("SCRIPT"));
  CHECK(known.add_type("script", body).error().code == core::errc::conflict);
  CHECK(known.add_type("simple", body).error().code == core::errc::invalid_argument);
  CHECK(known.add_type("script", elastic_body{}).error().code == core::errc::invalid_argument);
  CHECK(known.add("HTTP", body).error().context == "\"HTTP\" is the handler of a type of elastic jobs; choose another name");
}

TEST_CASE_METHOD(script_run, "a script gets its words, the context and the variables", "[executor][elastic]") {
  add_script("allowed/show.sh", R"(for each; do printf '[%s]' "$each"; done
echo "$EJ_JOB|$EJ_TASK_ID|$EJ_ITEM|$EJ_TOTAL|$EJ_PARAM|$EJ_ITEM_PARAM|$EJ_FENCE|$EJ_ATTEMPT|${EJ_CURSOR-none}")");
  REQUIRE(failure(R"(show.sh 'a b' $HOME "" ;)").empty());
  CHECK(log.text() ==
        "[a b][$HOME][][;]"
        R"([{"jobName":"settlement","taskId":"settlement@-@1@-@READY@-@10.0.0.3@-@41@-@12","shardingTotalCount":3,)"
        R"("jobParameter":"day","shardingItem":1,"shardingParameter":"süd"}])"
        "settlement|settlement@-@1@-@READY@-@10.0.0.3@-@41@-@12|1|3|day|süd|7|1|none\n");
  CHECK(supervisor > 0);
}

TEST_CASE_METHOD(script_run, "a script fails with its exit code, and has a cursor if there is one", "[executor][elastic]") {
  add_script("allowed/fail.sh", "printf '%s' \"$EJ_CURSOR\"; exit 3");
  facts.cursor = "17";
  facts.item_param.reset();
  CHECK(failure("fail.sh") == "the program ended with exit code 3");
  CHECK(log.text() == "17");
}

TEST_CASE_METHOD(script_run, "a script outside its folders does not run", "[executor][elastic]") {
  const auto outside = add_script("outside.sh", "echo ran");
  add_script("allowed/in/side.sh", "echo ran");
  std::filesystem::create_symlink(outside, folder.path() + "/allowed/link.sh");
  std::filesystem::create_directory_symlink(folder.path(), folder.path() + "/allowed/up");
  const std::string forbidden = "does not lie below a folder of elastic_scripts";
  for (const std::string& line : {outside, std::string{"../outside.sh"}, std::string{"link.sh"}, std::string{"up/outside.sh"},
                                  folder.path() + "/allowed/../outside.sh", std::string{"/bin/true"}}) {
    INFO(line);
    CHECK(has_part(failure(line), forbidden));
  }
  folder.write("allowed/plain.txt", "#!/bin/sh\n");
  for (const std::string line : {"none.sh", "plain.txt", "in"}) {
    INFO(line);
    CHECK(has_part(failure(line), "is not an executable file below a folder of elastic_scripts"));
  }
  CHECK(has_part(failure("'"), "script.command.line: the quote at byte 1"));
  CHECK(log.text().empty());
  // A link that stays inside, and an absolute name, are the same file.
  std::filesystem::create_symlink(folder.path() + "/allowed/in/side.sh", folder.path() + "/allowed/inner.sh");
  CHECK(failure("inner.sh").empty());
  CHECK(failure(folder.path() + "/allowed/in/side.sh").empty());
  CHECK(log.text() == "ran\nran\n");
}

TEST_CASE_METHOD(script_run, "the output of a script is limited, and the script goes on", "[executor][elastic]") {
  add_script("allowed/much.sh", "head -c 5000000 /dev/zero | tr '\\0' x; echo; exit 0");
  executor::program_limits limits;
  limits.output_bytes_max = 1000;
  CHECK(failure("much.sh", limits).empty());
  CHECK(log.text().size() < 2000);
  CHECK(has_part(log.text(), "output beyond 1000 bytes is dropped"));
}

TEST_CASE_METHOD(script_run, "a cancelled script gets TERM, and one without a lease gets KILL", "[executor][elastic]") {
  add_script("allowed/wait.sh", "trap 'echo tidy; exit 5' TERM; echo ready; while :; do sleep 0.01; done");
  bool expects_tidy = true;
  SECTION("cancelled") {
    log.seen = [&](const std::string& text) {
      if (has_part(text, "ready"))
        control->request_stop();
    };
  }
  SECTION("fenced") {
    expects_tidy = false;
    log.seen = [&](const std::string& text) {
      if (has_part(text, "ready")) {
        control->end();
        control->request_stop();
      }
    };
  }
  executor::program_limits limits;
  limits.kill_grace = 1h;
  const auto why = failure("wait.sh", limits);
  CHECK(has_part(log.text(), "tidy") == expects_tidy);
  CHECK(why == (expects_tidy ? "the program ended with exit code 5" : "the program was ended by signal 9"));
}

TEST_CASE_METHOD(script_run, "a script that goes on after TERM is killed by a later order", "[executor][elastic]") {
  add_script("allowed/stay.sh", "trap 'echo tidy' TERM; echo ready; while :; do sleep 0.01; done");
  log.seen = [&](const std::string& text) {
    if (has_part(text, "tidy"))
      control->request_kill();
    else if (has_part(text, "ready"))
      control->request_stop();
  };
  executor::program_limits limits;
  limits.kill_grace = 1h;
  CHECK(failure("stay.sh", limits) == "the program was ended by signal 9");
  CHECK(has_part(log.text(), "tidy"));
}

TEST_CASE_METHOD(script_run, "a script does not run with parameters that no argument can hold", "[executor][elastic]") {
  add_script("allowed/show.sh", "echo ran");
  facts.job_param = std::string(30'000, '=');
  CHECK(has_part(failure("show.sh"), "the parameters are too long for an argument of a program"));
  facts.job_param = std::string(20'000, '=');
  CHECK(failure("show.sh").empty());
  CHECK(log.text() == "ran\n");
}

TEST_CASE("a script needs absolute folders", "[executor][elastic]") {
  CHECK(executor::elastic::make_script_type({}).error().context == "the type script needs a folder");
  CHECK(executor::elastic::make_script_type({{"a/b"}, {}}).error().context == "\"a/b\" is not an absolute path");
  CHECK(executor::elastic::make_http_type({.allowed = {"ftp://h/"}}).error().code == core::errc::invalid_argument);
}

TEST_CASE_METHOD(http_run, "a call has the context as a header of ASCII", "[executor][elastic]") {
  small_server server{http_answer("200 OK", "done")};
  REQUIRE(failure(server).empty());
  CHECK(server.request().starts_with("GET /in/x HTTP/1.1\r\n"));
  CHECK(has_part(server.request(), "\r\nshardingContext: {\"jobName\":\"settlement\",\"taskId\":"));
  CHECK(has_part(server.request(), R"("shardingParameter":"s\u00fcd"})"));
  const auto request = server.request();
  CHECK(std::all_of(request.begin(), request.end(), [](char c) { return (c & 0x80) == 0; }));
  CHECK(log.lines().back() == "HTTP 200");
  CHECK(log.lines().at(1) == "done");
}

TEST_CASE_METHOD(http_run, "a call sends its data with some methods", "[executor][elastic]") {
  small_server server{http_answer("201 Created", ""), "a=b"};
  facts.props["http.method"] = "post";
  facts.props["http.data"] = "a=b";
  REQUIRE(failure(server).empty());
  CHECK(server.request().starts_with("POST /in/x HTTP/1.1\r\n"));
  CHECK(has_part(server.request(), "\r\nContent-Type: application/x-www-form-urlencoded\r\n"));
  CHECK(has_part(server.request(), "\r\nContent-Length: 3\r\n"));
  CHECK(server.request().ends_with("\r\n\r\na=b"));
}

TEST_CASE_METHOD(http_run, "a status from 300 on fails a call unless the job accepts it", "[executor][elastic]") {
  const auto [status, expected] = GENERATE(table<std::string, std::string>(
    {{"404 Not Found", "HTTP 404"}, {"500 Oops", "HTTP 500"}, {"302 Found", "HTTP 302: redirects are not followed"}}));
  small_server server{http_answer(status, "why")};
  CHECK(failure(server) == expected);
  facts.props["http.fail.on.status"] = "false";
  CHECK(failure(server).empty());
}

TEST_CASE_METHOD(http_run, "a call to another address is refused", "[executor][elastic]") {
  small_server server{http_answer("200 OK", "")};
  for (const std::string path : {"/", "/out/x", "/in/../x", "/in/%2e%2e/x"}) {
    INFO(path);
    CHECK(failure(server, path).ends_with("is not among the addresses that this executor may call"));
  }
  CHECK(server.request().empty());
}

TEST_CASE_METHOD(http_run, "a silent server fails a call, and a stop drops it", "[executor][elastic]") {
  small_server server{""};
  SECTION("silence") {
    facts.props["http.read.timeout.milliseconds"] = "100";
    CHECK_FALSE(failure(server).empty());
  }
  SECTION("stop") {
    facts.props["http.read.timeout.milliseconds"] = "60000";
    server.on_request([&] { control->request_stop(); });
    CHECK(failure(server) == "cancelled");
  }
  SECTION("end of the lease") {
    server.on_request([&] {
      control->end();
      control->request_stop();
    });
    CHECK(failure(server) == "stopped: its lease has ended");
  }
  CHECK(becomes([&] { return server.dropped.load(); }));
}

} // namespace ringmaster::test::elastic_types_test
