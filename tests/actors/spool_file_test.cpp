#include "actors/console/spool_file.hpp"

#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "tests/support/catch.hpp"
#include "tests/support/file_size_limit.hpp"
#include "tests/support/memory_database.hpp"
#include "tests/support/temp_folder.hpp"

using namespace ringmaster;
using actors::spool_file;

namespace {

struct spool_folder {
  test::temp_folder folder;
  std::string path = folder.path() + "/7-1.log";
  std::unique_ptr<spool_file> file = test::expect(spool_file::create(path));

  void add(std::string_view text) { REQUIRE(file->append(text)); }
  /// Returns `from-to:content`, with `+` when more lines follow and `!` when the last one was cut.
  std::string piece(std::int32_t from_line, const core::piece_limits& limits = {}, bool whole_lines = false) {
    const auto found = test::expect(file->piece(from_line, limits, whole_lines));
    return std::to_string(found.from_line) + '-' + std::to_string(found.to_line) + ':' + found.content + (found.more ? "+" : "") +
           (found.cut ? "!" : "");
  }
};

} // namespace

TEST_CASE_METHOD(spool_folder, "spool file: only its owner can read it, and it ends with its object", "[actors][spool]") {
  namespace fs = std::filesystem;
  CHECK(fs::status(path).permissions() == (fs::perms::owner_read | fs::perms::owner_write));
  CHECK_FALSE(spool_file::create(path));
  CHECK(fs::exists(path));
  file.reset();
  CHECK_FALSE(fs::exists(path));
}

TEST_CASE_METHOD(spool_folder, "spool file: pieces are those of the text", "[actors][spool]") {
  CHECK(piece(1) == "1-0:");
  CHECK(piece(1, {.tail = 3}) == "1-0:");
  add("one\ntw");
  CHECK(piece(1) == "1-2:one\ntw");
  CHECK(piece(1, {}, true) == "1-1:one\n");
  CHECK(piece(2, {}, true) == "2-1:");
  add("o\nthree\n");
  CHECK(file->lines() == 3);
  CHECK(piece(2, {.lines = 1}) == "2-2:two\n+");
  CHECK(piece(1, {.bytes = 5}) == "1-1:one\n+");
  CHECK(piece(3, {.bytes = 2}) == "3-3:th!");
  CHECK(piece(9) == "9-3:");
  CHECK(piece(1, {.tail = 2}) == "2-3:two\nthree\n");
  CHECK(piece(1, {.bytes = 9, .tail = 3}) == "3-3:three\n");
  CHECK(piece(1, {.bytes = 3, .tail = 3}) == "3-3:thr!");
}

TEST_CASE_METHOD(spool_folder, "spool file: every line of a long text is found, also after a return", "[actors][spool]") {
  const auto seed = std::random_device{}();
  CAPTURE(seed);
  std::mt19937 random{seed};
  const auto up_to = [&](std::size_t most) { return std::uniform_int_distribution<std::size_t>{0, most}(random); };
  std::string text;
  std::vector<std::size_t> starts;
  std::vector<spool_file::position> ends;
  while (text.size() < 2'000'000) {
    std::string part;
    for (auto lines = up_to(3000); lines > 0; --lines) {
      starts.push_back(text.size() + part.size());
      part += std::string(up_to(100) == 0 ? up_to(20'000) : up_to(30), 'x') + '\n';
    }
    add(part);
    text += part;
    ends.push_back(file->end());
  }
  const auto check = [&](std::size_t line) {
    const auto wanted = line < starts.size() ? starts[line] : text.size();
    CHECK(test::expect(file->offset_of(static_cast<std::int32_t>(line + 1))) == wanted);
  };
  for (int i = 0; i < 200; ++i)
    check(up_to(starts.size()));
  const auto& back = ends[ends.size() / 2];
  REQUIRE(file->return_to(back));
  text.resize(back.bytes);
  starts.resize(static_cast<std::size_t>(back.whole_lines));
  for (int i = 0; i < 200; ++i)
    check(up_to(starts.size()));
  add("next\n");
  CHECK(piece(back.whole_lines + 1) ==
        std::to_string(back.whole_lines + 1) + '-' + std::to_string(back.whole_lines + 1) + ":next\n");
}

TEST_CASE_METHOD(spool_folder, "spool file: the index of a text of empty lines is bounded", "[actors][spool]") {
  const std::string empty_lines(4'000'000, '\n');
  for (int i = 0; i < 10; ++i)
    add(empty_lines);
  CHECK(file->lines() == 40'000'000);
  CHECK(file->index_bytes() <= 1024 * 1024);
  for (const std::int32_t line : {1, 1001, 12'345'678, 39'999'999, 40'000'001})
    CHECK(test::expect(file->offset_of(line)) == static_cast<std::uint64_t>(line - 1));
}

TEST_CASE_METHOD(spool_folder, "spool file: a full disk changes nothing of the text before", "[actors][spool]") {
  add("one\n");
  {
    const test::file_size_limit full{100};
    const auto failed = file->append(std::string(200, 'x'));
    REQUIRE_FALSE(failed);
    CHECK(failed.error().code == core::errc::unavailable);
    CHECK(failed.error().context.find(path) == 0);
  }
  CHECK(piece(1) == "1-1:one\n");
  add("two\n");
  CHECK(piece(1) == "1-2:one\ntwo\n");
}
