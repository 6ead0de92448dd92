// Logs of runs: from their executors, as one text, and kept.

#include <limits>

#include "actors/console/log_spool.hpp"
#include "tests/actors/run_admin_fixture.hpp"
#include "tests/support/temp_folder.hpp"

using namespace ringmaster;
using namespace std::chrono_literals;
using test::executor_address;
using test::run_administration;

TEST_CASE_METHOD(run_administration, "a log is read at the address in the row, from the requested line", "[actors][runs]") {
  const auto run = add_run(200);
  executor->log = {true, 9, "lines", {}, 5, false};
  auto log = ask<core::run_log>(actor, protocol::run_log_query{run, 5, user(core::group_right::viewer)});
  REQUIRE(log);
  CHECK(log->run.id == run);
  CHECK(log->from_line == 5);
  CHECK(log->to_line == 9);
  CHECK(log->content == "lines");
  CHECK_FALSE(log->end);
  CHECK(executor->calls == std::vector<std::string>{"log " + std::to_string(core::number(run))});
}

TEST_CASE_METHOD(run_administration, "a log ends when its run has a result and there are no more lines", "[actors][runs]") {
  const auto running = add_run(200);
  const auto done = add_run(200, 200);
  const auto end = [&](core::log_id run, std::int32_t from_line, protocol::log_reply reply) {
    executor->log = std::move(reply);
    auto log = ask<core::run_log>(actor, protocol::run_log_query{run, from_line, core::local_operator()});
    REQUIRE(log);
    return log->end;
  };
  // Executors from 3.3 on return 0 after the end, older ones the number of lines.
  CHECK(end(done, 5, {true, 0, "", {}, 5, false}));
  CHECK(end(done, 5, {true, 4, "", {}, 5, false}));
  CHECK_FALSE(end(done, 4, {true, 4, "x", {}, 4, false}));
  CHECK_FALSE(end(running, 5, {true, 4, "", {}, 5, false}));
  // Whatever the executor answers: one run waits in its queue, the other was read while it writes (`pyxxl`).
  CHECK_FALSE(end(running, 1, {true, 0, "readLog fail, logFile not exists", {}, 1, true}));
  CHECK_FALSE(end(running, 1, {true, 1, "x", {}, 1, true}));
  CHECK(end(done, 1, {true, 1, "x", {}, 1, true}));
  // A line before the first one is the first one.
  CHECK_FALSE(end(done, -7, {true, 1, "x", {}, 1, false}));
}

TEST_CASE_METHOD(run_administration, "the logs of a broadcast are one text", "[actors][runs][merged]") {
  const std::string other_address = "http://10.0.0.4:9999/";
  const auto other = pool.executor(other_address);
  executor->log = {true, 2, "a\nb\n", {}, 1, false};
  other->log = {true, 1, "c", {}, 1, false};
  add_broadcast({executor_address, executor_address}, 200);
  const auto ids = add_broadcast({executor_address, other_address}, 200);
  const auto head = [&](std::size_t at, const std::string& address) {
    return "---- shard " + std::to_string(at) + "/2, run " + std::to_string(core::number(ids[at])) + ", " + address + " ----\n";
  };
  const auto log = merged(ids.at(1), user(core::group_right::viewer));
  REQUIRE(log);
  CHECK(log->run.id == ids[1]);
  CHECK(log->content == head(0, executor_address) + "a\nb\n" + head(1, other_address) + "c\n");
  CHECK(log->to_line == 5);
  CHECK(log->end);
  const auto hidden = merged(ids[1], user(core::group_right::none));
  REQUIRE_FALSE(hidden);
  CHECK(protocol::to_core(hidden.error()).code == core::errc::forbidden);
  REQUIRE_FALSE(merged(core::log_id{4711}));
  // A run without shards is a broadcast of one.
  const auto alone = merged(add_run(200));
  REQUIRE(alone);
  CHECK(alone->content.find("shard") == std::string::npos);
  CHECK(alone->content.find("a\nb\n") != std::string::npos);
  CHECK_FALSE(alone->end);
}

TEST_CASE_METHOD(run_administration, "the merged log as a file is the text that is read", "[actors][runs][merged]") {
  const std::string other_address = "http://10.0.0.4:9999/";
  const auto other = pool.executor(other_address);
  executor->log = {true, 2, "a\nb\n", {}, 1, false};
  other->log = {true, 1, "c\n", {}, 1, false};
  const auto ids = add_broadcast({executor_address, other_address}, 200);
  const auto file = [&](const core::principal& by = core::local_operator()) {
    return ask<protocol::run_file>(actor, protocol::run_file_query{ids.at(1), by, true});
  };
  const auto text_of = [](const protocol::run_file& from) {
    std::string piece;
    CHECK(from.open(0, from.bytes)->next(piece) == protocol::http_body_source::state::ready);
    return piece;
  };
  const auto whole = file(user(core::group_right::viewer));
  REQUIRE(whole);
  CHECK((whole->end && whole->partial_reason.empty() && whole->run == ids[1]));
  CHECK(text_of(*whole) == merged(ids[1])->content);
  // Another text of the same size has another version.
  other->log = {true, 1, "d\n", {}, 1, false};
  const auto later_text = file();
  REQUIRE(later_text);
  CHECK((later_text->bytes == whole->bytes && later_text->version != whole->version));
  other->log = {.error = "connection refused"};
  const auto part = file();
  REQUIRE(part);
  CHECK((!part->end && !part->partial_reason.empty()));
  CHECK(text_of(*part).ends_with("[executor did not answer: connection refused]\n"));
  CHECK_FALSE(file(user(core::group_right::none)));
}

TEST_CASE_METHOD(run_administration, "an executor that does not answer only costs its own part", "[actors][runs][merged]") {
  const auto silent = pool.executor("http://10.0.0.4:9999/");
  silent->silent = true;
  executor->log = {true, 1, "a\n", {}, 1, false};
  const auto refusing = pool.executor("http://10.0.0.5:9999/");
  refusing->log = {.error = "connection refused"};
  const std::string unknown = "http://10.0.0.9:9999/";
  const auto ids = add_broadcast({"http://10.0.0.4:9999/", executor_address, "http://10.0.0.5:9999/", unknown});
  auto late = later<core::run_log>(actor, protocol::run_log_query{ids.at(0), 1, core::local_operator(), true});
  run();
  CHECK_FALSE(*late);
  advance(8s);
  REQUIRE(*late);
  REQUIRE(**late);
  const auto& content = (**late)->content;
  CHECK(content.find("10.0.0.3:9999/ ----\na\n") != std::string::npos);
  CHECK(content.find("10.0.0.4:9999/ ----\n[executor did not answer in time]\n") != std::string::npos);
  CHECK(content.find("10.0.0.5:9999/ ----\n[executor did not answer: connection refused]\n") != std::string::npos);
  CHECK(content.find("10.0.0.9:9999/ ----\n[cannot reach the executor") != std::string::npos);
  CHECK_FALSE((**late)->end);
}

TEST_CASE_METHOD(run_administration, "a large broadcast is asked in rounds, for a limited time", "[actors][runs][merged]") {
  constexpr auto fan_out = actors::run_admin_state::merge_fan_out;
  executor->log = {true, 1, std::string(100'000, 'x'), {}, 1, false};
  const auto ids = add_broadcast(std::vector<std::string>(3 * fan_out, executor_address));
  const auto log = merged(ids.at(0));
  REQUIRE(log);
  CHECK(executor->calls.size() == 3 * fan_out);
  CHECK(log->content.size() < actors::run_admin_state::merged_bytes_max + 3 * fan_out * 200);
  CHECK(log->content.find("more bytes: read run " + std::to_string(core::number(ids[5]))) != std::string::npos);
  // No executor answers: the second round has less time, the third one none.
  executor->silent = true;
  executor->calls.clear();
  auto late = later<core::run_log>(actor, protocol::run_log_query{ids.at(0), 1, core::local_operator(), true});
  run();
  CHECK(executor->calls.size() == fan_out);
  advance(actors::run_admin_state::merge_patience);
  REQUIRE(*late);
  REQUIRE(**late);
  CHECK(executor->calls.size() == 2 * fan_out);
  CHECK((**late)->content.find("[not requested: other executors did not answer in time]") != std::string::npos);
}

TEST_CASE_METHOD(run_administration, "a log that cannot be read returns the reason", "[actors][runs]") {
  const auto run = add_run(200);
  const auto failed = add_run(500);
  const auto nowhere = add_run(200, 0, "");
  const auto strange = add_run(200, 0, "http://10.0.0.4:9999/");
  CHECK(log_error(core::log_id{4711}).why == core::refusal::run_id_illegal);
  CHECK(log_error(failed).context.ends_with(" has no log: no executor accepted it"));
  CHECK(log_error(nowhere).code == core::errc::invalid_argument);
  CHECK(log_error(strange).code == core::errc::unavailable);
  CHECK(log_error(run, user(core::group_right::none)).code == core::errc::forbidden);
  // The permission is checked first: a user without it does not learn that the trigger failed.
  CHECK(log_error(failed, user(core::group_right::none)).code == core::errc::forbidden);
  CHECK(executor->calls.empty());
  executor->log = {.error = "connection refused"};
  const auto refused = log_error(run);
  CHECK(refused.code == core::errc::unavailable);
  CHECK(refused.context.find("10.0.0.3") != std::string::npos);
  // An error with a subject may be shown to users.
  CHECK(refused.subject.find("10.0.0.3") != std::string::npos);
  CHECK(refused.context.find("connection refused") != std::string::npos);
  // Only a finished run could have a copy.
  CHECK(refused.context.find("keep_logs") == std::string::npos);
  CHECK(log_error(add_run(200, 200)).context.find("set keep_logs = true") != std::string::npos);
  executor->silent = true;
  auto late = later<core::run_log>(actor, protocol::run_log_query{run, 1, core::local_operator()});
  advance(7s);
  REQUIRE(*late);
  REQUIRE_FALSE(**late);
  CHECK(protocol::to_core((*late)->error()).code == core::errc::timeout);
}

TEST_CASE_METHOD(run_administration, "a result that arrived before the answer to its trigger has a log", "[actors][runs]") {
  const auto early = add_run(0, 200);
  const auto waiting = add_run(0);
  executor->log = {true, 3, "x", {}, 1, false};
  CHECK(ask<core::run_log>(actor, protocol::run_log_query{early, 1, core::local_operator()}));
  CHECK(log_error(waiting).context.ends_with(" has no log: no executor accepted it"));
}

// -- kept logs -------------------------------------------------------------------------------------------------------------

TEST_CASE_METHOD(run_administration, "a kept log is read here, without asking its executor", "[actors][runs][keep]") {
  const auto run = add_run(200, 200);
  REQUIRE(test::expect(store.kept_logs().keep(run, "one\ntwo\nthree", false)));
  const auto read = [&](std::int32_t from_line) {
    auto log = ask<core::run_log>(actor, protocol::run_log_query{run, from_line, user(core::group_right::viewer)});
    REQUIRE(log);
    CHECK((log->end && log->kept));
    CHECK(log->from_line == std::max(from_line, 1));
    CHECK(log->to_line == 3);
    return log->content;
  };
  CHECK(read(-7) == "one\ntwo\nthree");
  CHECK(read(2) == "two\nthree");
  CHECK(read(4).empty());
  CHECK(read(std::numeric_limits<std::int32_t>::max()).empty());
  CHECK(log_error(run, user(core::group_right::none)).code == core::errc::forbidden);
  CHECK(executor->calls.empty());
}

TEST_CASE_METHOD(run_administration, "a broadcast's kept logs are read here, the others from their executors",
                 "[actors][runs][merged][keep]") {
  executor->log = {true, 1, "asked\n", {}, 1, false};
  const auto ids = add_broadcast({executor_address, executor_address}, 200);
  REQUIRE(test::expect(store.kept_logs().keep(ids[0], "kept\n", false)));
  const auto partly = merged(ids[1]);
  REQUIRE(partly);
  CHECK_FALSE(partly->kept);
  CHECK(partly->content.find("kept\n") < partly->content.find("asked\n"));
  CHECK(executor->calls == std::vector<std::string>{"log " + std::to_string(core::number(ids[1]))});
  REQUIRE(test::expect(store.kept_logs().keep(ids[1], std::string(actors::run_admin_state::merged_bytes_max, 'x'), false)));
  const auto all = merged(ids[1]);
  REQUIRE(all);
  CHECK(all->kept);
  CHECK(executor->calls.size() == 1);
  CHECK(all->content.size() < actors::run_admin_state::merged_bytes_max);
  CHECK(all->content.find("more bytes: read run " + std::to_string(core::number(ids[1]))) != std::string::npos);
}

TEST_CASE_METHOD(run_administration, "the rest of a cut log is read from the executor, as long as it is there",
                 "[actors][runs][keep]") {
  const auto run = add_run(200, 200);
  REQUIRE(test::expect(store.kept_logs().keep(run, "one\n[the log goes on]\n", true)));
  const auto read = [&] {
    auto log = ask<core::run_log>(actor, protocol::run_log_query{run, 1, core::local_operator()});
    REQUIRE(log);
    return std::pair{log->content, log->kept};
  };
  executor->log = {true, 2, "one\ntwo\n", {}, 1, true};
  CHECK(read() == std::pair{std::string{"one\ntwo\n"}, false});
  const std::pair here{std::string{"one\n[the log goes on]\n"}, true};
  executor->log = {true, 0, "readLog fail, logFile not exists", {}, 1, true};
  CHECK(read() == here);
  auto later_part = ask<core::run_log>(actor, protocol::run_log_query{run, 2, core::local_operator()});
  REQUIRE(later_part);
  CHECK(later_part->content == "[the log goes on]\n");
  const auto one = merged(run);
  REQUIRE(one);
  CHECK((one->kept && !one->end));
  executor->log = {.error = "connection refused"};
  CHECK(read() == here);
  const auto nowhere = add_run(200, 200, "http://10.0.0.99:9999/");
  REQUIRE(test::expect(store.kept_logs().keep(nowhere, "kept\n", true)));
  auto log = ask<core::run_log>(actor, protocol::run_log_query{nowhere, 1, core::local_operator()});
  REQUIRE(log);
  CHECK((log->content == "kept\n" && log->kept));
}

// -- pieces ----------------------------------------------------------------------------------------------------------------

TEST_CASE_METHOD(run_administration, "a kept log is read in pieces, and says how long it is", "[actors][runs][keep][pieces]") {
  const auto run = add_run(200, 200);
  REQUIRE(test::expect(store.kept_logs().keep(run, "one\ntwo\nthree\nfour", false)));
  const auto read = [&](std::int32_t from_line, core::piece_limits limits) {
    auto log = ask<core::run_log>(actor, protocol::run_log_query{run, from_line, core::local_operator(), false, limits});
    REQUIRE(log);
    CHECK(log->bytes == 18);
    CHECK(log->lines == 4);
    CHECK(log->end == !log->more);
    return *log;
  };
  const auto first = read(1, {.lines = 3});
  CHECK((first.content == "one\ntwo\nthree\n" && first.to_line == 3 && first.more));
  const auto last = read(4, {.lines = 3});
  CHECK((last.content == "four" && last.to_line == 4 && last.end));
  const auto end = read(1, {.tail = 2});
  CHECK((end.content == "three\nfour" && end.from_line == 3 && end.to_line == 4 && end.end));
}

TEST_CASE_METHOD(run_administration, "a long answer of an executor becomes a piece that ends after a line",
                 "[actors][runs][pieces]") {
  const auto done = add_run(200, 200);
  executor->log = {true, 13, "ten\neleven\ntwelve\nthirteen\n", {}, 10, true};
  const auto read = [&](std::int32_t from_line, core::piece_limits limits) {
    auto log = ask<core::run_log>(actor, protocol::run_log_query{done, from_line, core::local_operator(), false, limits});
    REQUIRE(log);
    return *log;
  };
  const auto piece = read(10, {.lines = 2});
  CHECK((piece.content == "ten\neleven\n" && piece.to_line == 11 && piece.more && !piece.end));
  CHECK(piece.lines == 13);
  const auto whole = read(10, {});
  CHECK((whole.to_line == 13 && !whole.more && whole.end));
  // The tail needs the whole log.
  executor->log = {true, 3, "one\ntwo\nthree\n", {}, 1, false};
  const auto tail = read(1, {.tail = 1});
  CHECK((tail.content == "three\n" && tail.from_line == 3 && tail.to_line == 3 && !tail.more));
  // A message of the executor is no line.
  executor->log = {true, 0, "readLog fail, logFile not exists", {}, 1, true};
  const auto message = read(1, {.tail = 1});
  CHECK((message.content == "readLog fail, logFile not exists" && message.to_line == 0));
}

TEST_CASE_METHOD(run_administration, "the beginning of a log is searched and read as a file when its executor is away",
                 "[actors][runs][keep][pieces]") {
  const auto run = add_run(200, 200);
  REQUIRE(test::expect(store.kept_logs().keep(run, "one\ntwo\n[the log goes on]\n", true)));
  const auto file = [&] {
    auto found = ask<protocol::run_file>(actor, protocol::run_file_query{run, core::local_operator()});
    REQUIRE(found);
    return *found;
  };
  const auto search = [&] {
    auto found = ask<protocol::log_matches>(actor, protocol::run_search_query{run, core::local_operator(), {.wanted = "two"}});
    REQUIRE(found);
    REQUIRE(found->matches.size() == 1);
    CHECK(found->matches[0].line == 2);
    return found->partial_reason;
  };
  const auto is_cut = [&] {
    CHECK(search().find("only the beginning") == 0);
    const auto found = file();
    CHECK((found.bytes == 26 && !found.end));
    CHECK(found.partial_reason.find("only the beginning") == 0);
  };
  // Without copies on this node.
  is_cut();
  test::temp_folder folder;
  auto spool = spawn<actors::log_spool_state, protocol::log_spool>(
    pool.actor, 7000ms, actors::spool_settings{.folder = folder.path() + "/spool"}, clock(), silent_log());
  const actors::query_workers stores{worker.actor, edits.actor};
  actor = spawn<actors::run_admin_state, protocol::run_admin>(stores, pool.actor, completion, 6000ms, core::language::en, clock(),
                                                              silent_log(), spool);
  executor->log = {.error = "connection refused"};
  is_cut();
  executor->log = {true, 0, "readLog fail, logFile not exists", {}, 1, true};
  is_cut();
  executor->log = {true, 3, "one\ntwo\nthree\n", {}, 1, true};
  advance(4s);
  CHECK(search().empty());
  const auto whole = file();
  CHECK((whole.bytes == 14 && whole.end && whole.partial_reason.empty()));
}

TEST_CASE_METHOD(run_administration, "a kept log is searched, and read as a file", "[actors][runs][keep][pieces]") {
  const auto run = add_run(200, 200);
  REQUIRE(test::expect(store.kept_logs().keep(run, "one\ntwo\nthree\ntwo again", false)));
  const auto search = [&](std::int32_t from_line, std::size_t limit) {
    auto found = ask<protocol::log_matches>(
      actor, protocol::run_search_query{run, core::local_operator(), {.wanted = "TWO", .from_line = from_line, .limit = limit}});
    REQUIRE(found);
    return *found;
  };
  const auto first = search(1, 1);
  REQUIRE(first.matches.size() == 1);
  CHECK((first.matches[0].line == 2 && first.scanned_to == 2 && first.next_line == 3));
  const auto second = search(3, 200);
  REQUIRE(second.matches.size() == 1);
  CHECK((second.matches[0].line == 4 && second.matches[0].text == "two again" && !second.next_line));
  CHECK(search(5, 200).matches.empty());
  const auto file = ask<protocol::run_file>(actor, protocol::run_file_query{run, core::local_operator()});
  REQUIRE(file);
  CHECK((file->bytes == 23 && file->end));
  std::string piece;
  CHECK(file->open(4, 3)->next(piece) == protocol::http_body_source::state::ready);
  CHECK(piece == "two");
  const auto hidden = user(core::group_right::none);
  CHECK_FALSE(ask<protocol::run_file>(actor, protocol::run_file_query{run, hidden}));
  CHECK_FALSE(ask<protocol::log_matches>(actor, protocol::run_search_query{run, hidden, {.wanted = "two"}}));
}
