#include "executor/elastic/process_facts.hpp"

#include <filesystem>

#include <fcntl.h>
#include <unistd.h>

#include "core/elastic/process_stat.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temp_folder.hpp"

using namespace ringmaster;
using executor::file;
namespace elastic = executor::elastic;

namespace {

file lock_in(const std::string& folder) {
  return file{::open((folder + "/executor.lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)};
}

} // namespace

TEST_CASE("process facts: name this process on this machine", "[executor]") {
  const auto facts = elastic::read_process_facts();
  REQUIRE(facts);
  CHECK(facts->boot.size() == 36);
  CHECK(facts->pid == ::getpid());
  CHECK(facts->start_ticks > 0);
  CHECK(elastic::draw_process_key().size() == 32);
  CHECK(elastic::draw_process_key() != elastic::draw_process_key());
}

TEST_CASE("process facts: the start is found after any name of a program", "[executor]") {
  using core::elastic::start_ticks_in;
  const std::string fields_4_to_21 = "4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 ";
  CHECK(start_ticks_in("7 (sh) S " + fields_4_to_21 + "12345 23 24") == 12345);
  CHECK(start_ticks_in("7 (a ) b) S 9) S " + fields_4_to_21 + "12345 23") == 12345);
  CHECK(start_ticks_in("7 (sh) S " + fields_4_to_21) == std::nullopt);
  CHECK(start_ticks_in("7 (sh) S 4 5") == std::nullopt);
  CHECK(start_ticks_in("") == std::nullopt);
}

TEST_CASE("process facts: a folder keeps its id, and a copy of it gets another one", "[executor]") {
  test::temp_folder folder;
  const auto first = elastic::folder_id(folder.path(), lock_in(folder.path()));
  REQUIRE(first);
  CHECK(first->size() == 32);
  CHECK(elastic::folder_id(folder.path(), lock_in(folder.path())) == *first);

  test::temp_folder copy;
  std::filesystem::copy_file(folder.path() + "/elastic-folder", copy.path() + "/elastic-folder");
  const auto other = elastic::folder_id(copy.path(), lock_in(copy.path()));
  REQUIRE(other);
  CHECK(*other != *first);

  folder.write("elastic-folder", "no id\n");
  const auto redrawn = elastic::folder_id(folder.path(), lock_in(folder.path()));
  REQUIRE(redrawn);
  CHECK(*redrawn != *first);
}
