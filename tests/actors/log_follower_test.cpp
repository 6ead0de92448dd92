#include "actors/console/log_follower.hpp"

#include "protocol/error.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/virtual_time.hpp"

using namespace ringmaster;
using namespace std::chrono_literals;

namespace {

/// Double of run_admin's logs: the same number of lines for every run.
struct written_log {
  std::int32_t lines = 0;
  bool ended = false;
  /// Answer while there is no line.
  std::string sentence = {};
  std::optional<core::error> refusal = {};
  bool silent = false;
  /// Requests as `run:line by user`.
  std::vector<std::string> asked = {};
  std::vector<caf::typed_response_promise<core::run_log>> unanswered = {};

  [[nodiscard]] core::run_log part(core::log_id run, std::int32_t from) const {
    core::run_log part;
    part.run.id = run;
    part.from_line = from;
    part.to_line = lines;
    for (auto line = from; line <= lines; ++line)
      part.content += "line " + std::to_string(line) + "\n";
    if (lines == 0)
      part.content = sentence;
    part.end = ended && from > lines;
    return part;
  }
};

struct run_log_double {
  static inline const char* name = "test.run_admin";
  run_log_double(protocol::run_admin::pointer self, std::shared_ptr<written_log> of) : self_{self}, log{std::move(of)} {}
  protocol::run_admin::behavior_type make_behavior() {
    return {
      [](const protocol::run_page_query&) { return protocol::run_page{}; },
      [this](const protocol::run_query& query) {
        for (auto& each : std::exchange(log->unanswered, {}))
          each.deliver(log->part(query.run, 3));
        return protocol::run_found{};
      },
      [](const protocol::related_query&) { return protocol::related_found{}; },
      [this](const protocol::run_log_query& query) { return read(query); },
      [](const protocol::run_file_query&) { return protocol::run_file{}; },
      [](const protocol::run_search_query&) { return protocol::log_matches{}; },
      [](const protocol::kill_run&) { return protocol::run_killed{}; },
      [](const protocol::clear_runs&) { return protocol::runs_cleared{}; },
      [](const protocol::report_query&) { return protocol::day_reports{}; },
    };
  }
  caf::result<core::run_log> read(const protocol::run_log_query& query) {
    log->asked.push_back(std::to_string(core::number(query.run)) + ":" + std::to_string(query.from_line) + " by " +
                         query.by.name);
    if (log->silent) {
      log->unanswered.push_back(self_->make_response_promise<core::run_log>());
      return log->unanswered.back();
    }
    if (log->refusal)
      return protocol::to_caf(*log->refusal);
    return log->part(query.run, query.from_line);
  }
  protocol::run_admin::pointer self_;
  std::shared_ptr<written_log> log;
};

constexpr core::log_id some_run{7};

struct followers : test::virtual_time {
  using answer = std::shared_ptr<std::optional<caf::expected<core::run_log>>>;

  answer follow(std::int32_t from, std::chrono::milliseconds wait = 10s, std::int32_t known_to = 0,
                const std::string& who = "ann", core::log_id run = some_run) {
    protocol::follow_log asked;
    asked.query = {run, from, {core::user_id{static_cast<std::int32_t>(who.size())}, who}};
    asked.wait = wait;
    asked.is_known = [known_to](const core::run_log& part) { return part.to_line == known_to; };
    asked.is_awaited = [here = here] { return *here; };
    auto made = later<core::run_log>(actor, std::move(asked));
    this->run();
    return made;
  }
  std::vector<std::string> asked() { return std::exchange(log->asked, {}); }
  static std::string content(const answer& of) {
    REQUIRE(*of);
    REQUIRE(**of);
    return (**of)->content;
  }

  std::shared_ptr<written_log> log = std::make_shared<written_log>();
  std::shared_ptr<bool> here = std::make_shared<bool>(true);
  protocol::run_admin runs = spawn<run_log_double, protocol::run_admin>(log);
  protocol::log_follower actor = spawn<actors::log_follower_state, protocol::log_follower>(runs, 5000ms);
};

using lines = std::vector<std::string>;

} // namespace

TEST_CASE_METHOD(followers, "missing lines are returned at once, without another request", "[actors][logs]") {
  log->lines = 2;
  CHECK(content(follow(1)) == "line 1\nline 2\n");
  CHECK(content(follow(1, 10s, 1)) == "line 1\nline 2\n"); // the reader knows an earlier part
  log->ended = true;
  const auto last = follow(3);
  CHECK(content(last).empty());
  CHECK((**last)->end);
  asked();
  advance(1min);
  CHECK(asked().empty());
}

TEST_CASE_METHOD(followers, "a sentence in place of a log does not count as lines", "[actors][logs]") {
  log->sentence = "readLog fail, logFile not exists";
  const auto answer = follow(1);
  CHECK_FALSE(*answer);
  log->lines = 1;
  advance(1500ms);
  CHECK(content(answer) == "line 1\n");
  log->lines = 0;
  const auto late = follow(1, 2s);
  advance(2s);
  CHECK(content(late) == log->sentence);
}

TEST_CASE_METHOD(followers, "a reader at the end waits for the next line", "[actors][logs]") {
  log->lines = 2;
  const auto answer = follow(3);
  CHECK_FALSE(*answer);
  advance(2500ms);
  CHECK_FALSE(*answer);
  log->lines = 4;
  advance(500ms);
  CHECK(content(answer) == "line 3\nline 4\n");
  CHECK(asked() == lines{"7:3 by ann", "7:3 by ann", "7:3 by ann", "7:3 by ann"});
  advance(1min);
  CHECK(asked().empty());
}

TEST_CASE_METHOD(followers, "a reader gets the known lines at the end of its wait, whatever a poll is doing", "[actors][logs]") {
  log->lines = 2;
  const auto answer = follow(3, 2s);
  log->silent = true;
  advance(1999ms);
  CHECK_FALSE(*answer);
  advance(1ms);
  CHECK(content(answer).empty());
  CHECK_FALSE((**answer)->end);
  CHECK((**answer)->to_line == 2);
  // No reader is left for the poll's answer.
  CHECK(log->unanswered.size() == 1);
  (void) ask<protocol::run_found>(runs, protocol::run_query{some_run, {}});
  advance(10s);
  CHECK(asked().size() == 2);
}

TEST_CASE_METHOD(followers, "a known part is returned again when it grew, from the requested line", "[actors][logs]") {
  log->lines = 2;
  const auto answer = follow(1, 10s, 2);
  CHECK_FALSE(*answer);
  log->lines = 3;
  advance(1s);
  CHECK(content(answer) == "line 1\nline 2\nline 3\n");
  CHECK(asked() == lines{"7:1 by ann", "7:3 by ann", "7:1 by ann"});
}

TEST_CASE_METHOD(followers, "a known part is returned again with its end when the run ended", "[actors][logs]") {
  log->lines = 2;
  const auto answer = follow(1, 10s, 2);
  log->ended = true;
  advance(1s);
  CHECK(content(answer) == "line 1\nline 2\n");
  CHECK((**answer)->end);
}

TEST_CASE_METHOD(followers, "any number of readers of a run cause one request a second", "[actors][logs]") {
  log->lines = 2;
  std::vector<answer> answers;
  for (int i = 0; i < 50; ++i)
    answers.push_back(follow(3));
  const auto other = follow(3, 10s, 0, "bob", core::log_id{8});
  asked();
  advance(1s);
  CHECK(asked() == lines{"7:3 by ann", "8:3 by bob"});
  advance(3s);
  CHECK(asked().size() == 6);
  log->lines = 3;
  advance(1s);
  for (const auto& each : answers)
    CHECK(content(each) == "line 3\n");
  CHECK(content(other) == "line 3\n");
  CHECK(asked().size() == 2);
}

TEST_CASE_METHOD(followers, "a run has at most one request under way", "[actors][logs]") {
  log->lines = 2;
  const auto answer = follow(3, 30s);
  log->silent = true;
  asked();
  advance(4s);
  CHECK(asked().size() == 1);
  // The request is given up after its limit, and the waiting readers get the error.
  advance(3s);
  REQUIRE(*answer);
  CHECK_FALSE(**answer);
}

TEST_CASE_METHOD(followers, "readers beyond the limit are answered at once, and readers that left make room", "[actors][logs]") {
  log->lines = 2;
  std::vector<answer> answers;
  for (std::size_t i = 0; i < actors::log_follower_state::waiting_max; ++i)
    answers.push_back(follow(3, 30s));
  CHECK(content(follow(3)).empty());
  CHECK_FALSE(*answers.front());
  *here = false;
  here = std::make_shared<bool>(true);
  CHECK_FALSE(*follow(3));
  CHECK(*answers.front());
  *here = false;
  advance(1s);
  asked();
  advance(10s);
  CHECK(asked().empty());
}

TEST_CASE_METHOD(followers, "all readers learn that an executor is gone, only the affected user that a permission was lost",
                 "[actors][logs]") {
  log->lines = 2;
  const auto ann = follow(3, 10s, 0, "ann");
  const auto sven = follow(3, 10s, 0, "sven");
  log->refusal = core::error{core::errc::forbidden, "no more"};
  advance(1s);
  REQUIRE(*ann);
  CHECK_FALSE(**ann);
  CHECK_FALSE(*sven);
  log->refusal = core::error{core::errc::unavailable, "gone", core::refusal::none, "http://10.0.0.3:9999/"};
  const auto bob = [&] {
    log->refusal.reset();
    auto waits = follow(3, 10s, 0, "bobby");
    log->refusal = core::error{core::errc::unavailable, "gone", core::refusal::none, "http://10.0.0.3:9999/"};
    return waits;
  }();
  advance(1s);
  REQUIRE(*sven);
  REQUIRE(*bob);
  CHECK(protocol::to_core((**sven).error()).code == core::errc::unavailable);
}

TEST_CASE_METHOD(followers, "a stop answers all readers and holds no new one", "[actors][logs]") {
  log->lines = 2;
  const auto answer = follow(3);
  tell(actor, protocol::stop_request{});
  run();
  CHECK(content(answer).empty());
  CHECK(content(follow(3)).empty());
  asked();
  advance(10s);
  CHECK(asked().empty());
}
