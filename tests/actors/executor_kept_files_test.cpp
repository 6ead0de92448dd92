#include "actors/executor/callbacks/kept_files.hpp"

#include <sstream>

#include <spdlog/sinks/ostream_sink.h>

#include "actors/executor/callbacks/admin_reach.hpp"
#include "actors/executor/callbacks/report_queue.hpp"
#include "tests/support/catch.hpp"

using namespace ringmaster;
using namespace std::chrono_literals;
using file_names = std::vector<std::string>;

namespace {

constexpr actors::kept_files::steady kept_since{1h};

struct with_files {
  using report_list = std::vector<core::run_report>;

  /// Adds a file with `count` reports.
  void keep(std::string name, std::size_t count) { files.add(std::move(name), count); }
  void list(file_names names, actors::kept_files::steady t = kept_since) {
    REQUIRE(files.begin_list(t));
    files.end_list(std::move(names), t);
  }
  static report_list reports(std::size_t count) {
    report_list out(count);
    for (std::size_t i = 0; i < count; ++i)
      out[i].run = core::log_id{static_cast<std::int64_t>(i) + 1};
    return out;
  }
  static core::error trouble(core::errc code, std::string context) { return {code, std::move(context)}; }
  [[nodiscard]] bool was_logged(const std::string& text) const { return said.str().find(text) != std::string::npos; }

  std::ostringstream said;
  actors::kept_files files{
    std::make_shared<spdlog::logger>("kept", std::make_shared<spdlog::sinks::ostream_sink_mt>(said))};
};

} // namespace

TEST_CASE_METHOD(with_files, "a request takes files up to its size, the oldest first", "[actors]") {
  keep("a", 30);
  keep("b", 30);
  keep("c", 20);
  CHECK(files.begin_read(kept_since) == file_names{"a", "c"});
  CHECK(files.is_reading());
  auto content = files.end_read({reports(30), reports(20)}, kept_since);
  CHECK_FALSE(files.is_reading());
  CHECK(content.reports.size() == 50);
  CHECK(content.from.size() == 2);
  CHECK(files.reports() == 80);
  files.gone(content.from[0].file);
  CHECK(files.reports() == 50);
  CHECK(files.begin_read(kept_since) == file_names{"b"});
}

TEST_CASE_METHOD(with_files, "files that did not fit wait in their order", "[actors]") {
  list({"a", "b", "c"});
  CHECK(files.begin_read(kept_since) == file_names{"a", "b", "c"});
  auto content = files.end_read({reports(40), reports(20)}, kept_since);
  REQUIRE(content.from.size() == 1);
  CHECK(content.from[0].file.name == "a");
  CHECK(content.from[0].runs.size() == 40);
  CHECK(files.begin_read(kept_since) == file_names{"b", "c"});
}

TEST_CASE_METHOD(with_files, "an empty file is to be removed, and a broken one is counted as gone", "[actors]") {
  list({"a"});
  keep("b", 3);
  CHECK(files.begin_read(kept_since).size() == 2);
  auto content = files.end_read({reports(0), tl::unexpected{trouble(core::errc::invalid_argument, "b: not a result file")}},
                                kept_since);
  REQUIRE(content.empty.size() == 1);
  CHECK(content.empty[0].name == "a");
  CHECK(content.reports.empty());
  CHECK(files.reports() == 0);
  CHECK(files.may_use_disk(kept_since));
  CHECK_FALSE(files.has_any());
  CHECK(was_logged("cannot read kept results"));
}

TEST_CASE_METHOD(with_files, "a refused file waits longer each time and is not sent with others", "[actors]") {
  files.add_refused({"bad", 1}, kept_since);
  keep("good", 1);
  auto t = kept_since + 5s;
  for (auto pause : {10s, 20s, 30s, 30s}) {
    REQUIRE(files.begin_read(t) == file_names{"bad"});
    auto content = files.end_read({reports(1)}, t);
    files.put_back(std::move(content.from.at(0).file), true, t);
    REQUIRE(files.begin_read(t + pause - 1ms) == file_names{"good"});
    content = files.end_read({reports(1)}, t);
    files.put_back(std::move(content.from.at(0).file), false, t);
    t += pause;
  }
}

TEST_CASE_METHOD(with_files, "a listing adds the files that are not known", "[actors]") {
  CHECK(files.has_any());
  keep("a", 1);
  list({"a", "b"});
  CHECK_FALSE(files.begin_list(kept_since)); // all names are known
  CHECK(files.begin_read(kept_since) == file_names{"a", "b"});
}

TEST_CASE_METHOD(with_files, "an error of the disk pauses its use and is logged once", "[actors]") {
  files.disk_failed("cannot list kept results", trouble(core::errc::unavailable, "disk full"), kept_since);
  CHECK_FALSE(files.may_use_disk(kept_since + 4s));
  CHECK_FALSE(files.begin_list(kept_since + 4s));
  CHECK(files.may_use_disk(kept_since + 5s));
  said.str({});
  files.write_failed(trouble(core::errc::unavailable, "disk full"), kept_since);
  CHECK_FALSE(was_logged("disk full"));
  files.disk_worked();
  files.write_failed(trouble(core::errc::invalid_argument, "disk full"), kept_since);
  CHECK(was_logged("disk full"));
  CHECK_FALSE(files.may_use_disk(kept_since));
}

TEST_CASE("one request is in flight until an admin accepts results", "[actors]") {
  actors::admin_reach reach;
  CHECK(reach.may_send(0, kept_since));
  CHECK_FALSE(reach.may_send(1, kept_since));
  CHECK_FALSE(reach.note_answer(true));
  CHECK(reach.may_send(1, kept_since));
  CHECK_FALSE(reach.may_send(actors::admin_reach::flights_max, kept_since));
  CHECK_FALSE(reach.note_answer(false));
  CHECK_FALSE(reach.may_send(1, kept_since));
}

TEST_CASE("pauses between attempts grow while no admin accepts results", "[actors]") {
  actors::admin_reach reach;
  CHECK(reach.give_up(true, kept_since));
  CHECK(reach.is_away());
  CHECK_FALSE(reach.give_up(true, kept_since + 1s)); // failed together with the first
  CHECK_FALSE(reach.may_send(0, kept_since + 4s));
  auto t = kept_since + 5s;
  for (auto pause : {10s, 20s, 30s, 30s}) {
    CHECK(reach.may_send(0, t));
    CHECK_FALSE(reach.give_up(true, t));
    CHECK_FALSE(reach.may_send(0, t + pause - 1ms));
    t += pause;
  }
  CHECK(reach.note_answer(true));
  CHECK_FALSE(reach.is_away());
  CHECK(reach.give_up(true, t));
  CHECK(reach.may_send(0, t + 5s));
}

TEST_CASE("a new way to an admin is tried at once, or when the attempt in flight is abandoned", "[actors]") {
  actors::admin_reach reach;
  CHECK(reach.give_up(true, kept_since));
  reach.offer(false, kept_since + 1s);
  CHECK(reach.may_send(0, kept_since + 1s));
  reach.offer(true, kept_since + 1s);
  CHECK_FALSE(reach.give_up(true, kept_since + 2s));
  CHECK(reach.may_send(0, kept_since + 2s));
  CHECK_FALSE(reach.give_up(true, kept_since + 2s));
  CHECK_FALSE(reach.may_send(0, kept_since + 2s));
}
