// Strategies of elastic jobs: the vectors of EJ §22.3 to §22.6.

#include "core/elastic/strategy.hpp"

#include <sstream>

#include "tests/unit/elastic_hosts.hpp"

using namespace ringmaster;

namespace {

struct strategy_row {
  const char* name;
  const char* job;
  std::int32_t total;
  /// Hosts in the order `desc-string`.
  const char* hosts;
  /// Items by host, e.g. `C=[0,1] B=[2]`; empty without hosts.
  const char* expected;
};

void check_strategy_rows(const char* strategy, const std::vector<strategy_row>& rows) {
  for (const auto& row : rows) {
    INFO(row.name);
    const auto hosts = test::elastic_hosts(row.hosts);
    REQUIRE(test::letters_of(hosts, core::elastic::host_order::desc_string) == row.hosts);
    core::elastic::plan_request request;
    request.job = row.job;
    request.total = row.total;
    request.strategy = strategy;
    const auto plan = test::planned(hosts, request);
    // The letters of the expected text are in an order of its own.
    std::string letters;
    for (std::istringstream words{row.expected}; words;)
      if (std::string word; words >> word)
        letters += word.front();
    REQUIRE(letters.size() == hosts.size());
    CHECK(test::plan_text_of(plan, letters) == row.expected);
    CHECK(plan.unassigned_count() == (letters.empty() ? row.total : 0));
  }
}

} // namespace

TEST_CASE("AVG_ALLOCATION", "[elastic]") {
  check_strategy_rows("AVG_ALLOCATION", {
      {"AV-1", "j", 9, "CBA", "C=[0,1,2] B=[3,4,5] A=[6,7,8]"},
      {"AV-2", "j", 8, "CBA", "C=[0,1,6] B=[2,3,7] A=[4,5]"},
      {"AV-3", "j", 10, "CBA", "C=[0,1,2,9] B=[3,4,5] A=[6,7,8]"},
      {"AV-4", "j", 2, "CBA", "C=[0] B=[1] A=[]"},
      {"AV-5", "j", 1, "CBA", "C=[0] B=[] A=[]"},
      {"AV-6", "j", 10, "A", "A=[0,1,2,3,4,5,6,7,8,9]"},
      {"AV-7", "j", 10, "BA", "B=[0,1,2,3,4] A=[5,6,7,8,9]"},
      {"AV-8", "j", 4, "CBAE", "C=[0] B=[1] A=[2] E=[3]"},
      {"AV-9", "j", 7, "AEG", "A=[0,1,6] E=[2,3] G=[4,5]"},
      {"AV-10", "j", 5, "BFA", "B=[0,3] F=[1,4] A=[2]"},
      {"AV-11", "j", 13, "DCBAE", "D=[0,1,10] C=[2,3,11] B=[4,5,12] A=[6,7] E=[8,9]"},
      {"AV-12", "j", 3, "", ""},
  });
}

TEST_CASE("ODEVITY", "[elastic]") {
  check_strategy_rows("ODEVITY", {
      {"OD-1", "TestJob1", 2, "CBA", "A=[0] B=[1] C=[]"},
      {"OD-2", "TestJob2", 2, "CBA", "C=[0] B=[1] A=[]"},
      {"OD-3", "MySimpleJob", 2, "CBA", "C=[0] B=[1] A=[]"},
      {"OD-4", "jobA", 2, "CBA", "A=[0] B=[1] C=[]"},
      {"OD-5", "测试任务", 2, "CBA", "A=[0] B=[1] C=[]"},
      {"OD-6", "polygenelubricants", 2, "CBA", "A=[0] B=[1] C=[]"},
      {"OD-7", "TestJob1", 7, "BA", "A=[0,1,2,6] B=[3,4,5]"},
      {"OD-8", "TestJob2", 7, "BA", "B=[0,1,2,6] A=[3,4,5]"},
      {"OD-9", "report", 8, "DCBA", "A=[0,1] B=[2,3] C=[4,5] D=[6,7]"},
      {"OD-10", "settle-daily", 8, "DCBA", "D=[0,1] C=[2,3] B=[4,5] A=[6,7]"},
      {"OD-11", "j1", 3, "", ""},
  });
}

TEST_CASE("ROUND_ROBIN", "[elastic]") {
  check_strategy_rows("ROUND_ROBIN", {
      {"RR-1", "TestJob1", 5, "CBA", "B=[0,3] A=[1,4] C=[2]"},
      {"RR-2", "TestJob2", 5, "CBA", "C=[0,3] B=[1,4] A=[2]"},
      {"RR-3", "MySimpleJob", 5, "CBA", "A=[0,3] C=[1,4] B=[2]"},
      {"RR-4", "jobA", 5, "CBA", "A=[0,3] C=[1,4] B=[2]"},
      {"RR-5", "测试任务", 5, "CBA", "B=[0,3] A=[1,4] C=[2]"},
      {"RR-6", "polygenelubricants", 5, "CBA", "A=[0,3] C=[1,4] B=[2]"},
      {"RR-7", "polygenelubricants", 5, "DCBA", "D=[0,4] C=[1] B=[2] A=[3]"},
      {"RR-8", "TestJob1", 6, "DCBA", "B=[0,4] A=[1,5] D=[2] C=[3]"},
      {"RR-9", "MySimpleJob", 6, "DCBA", "A=[0,4] D=[1,5] C=[2] B=[3]"},
      {"RR-10", "settle-daily", 1, "DCBA", "A=[0] D=[] C=[] B=[]"},
      {"RR-11", "report", 1, "DCBA", "D=[0] C=[] B=[] A=[]"},
      {"RR-12", "clean_tmp", 1, "DCBA", "A=[0] D=[] C=[] B=[]"},
      {"RR-13", "syncUser", 1, "DCBA", "B=[0] A=[] D=[] C=[]"},
      {"RR-14", "TestJob1", 10, "DCBAE", "B=[0,1] A=[2,3] E=[4,5] D=[6,7] C=[8,9]"},
      {"RR-15", "j1", 3, "", ""},
  });
}

TEST_CASE("the built-in strategies have no shares without hosts", "[elastic]") {
  using namespace core::elastic;
  const strategy_registry strategies;
  for (const auto& name : strategies.names()) {
    INFO(name);
    for (const std::int32_t total : {1, 3}) {
      strategy_input input;
      input.total = total;
      CHECK((*strategies.find(name))(input)->empty());
    }
  }
}

TEST_CASE("SINGLE_SHARDING_BALANCE begins at an offset by name and time", "[elastic]") {
  const std::vector<std::tuple<const char*, const char*, std::int64_t, char>> rows{
      {"SB-1", "MySimpleJob", 1'700'000'000'000, 'B'},
      {"SB-2", "TestJob1", 1'700'000'000'000, 'A'},
      {"SB-3", "MySimpleJob", 1'700'000'001'000, 'A'},
  };
  const auto hosts = test::elastic_hosts("CBA");
  for (const auto& [name, job, now, letter] : rows) {
    INFO(name);
    core::elastic::plan_request request;
    request.job = job;
    request.total = 1;
    request.strategy = "SINGLE_SHARDING_BALANCE";
    request.now = core::from_ms(now);
    CHECK(test::planned(hosts, request).owner_of(0).host == test::elastic_host(letter).number);
  }
}

TEST_CASE("SINGLE_SHARDING_BALANCE rotates over the hosts, one step for each run", "[elastic]") {
  core::elastic::plan_request request;
  request.job = "MySimpleJob";
  request.total = 1;
  request.strategy = "SINGLE_SHARDING_BALANCE";
  const auto run_on = [&](const core::elastic::host_list& hosts) {
    const auto host = test::planned(hosts, request).owner_of(0).host;
    request.last_runner = host;
    return static_cast<char>('A' + core::number(host) - 1);
  };
  request.last_runner = test::elastic_host('A').number;
  const auto hosts = test::elastic_hosts("CBA");
  std::string runs = "A";
  while (runs.size() < 10)
    runs += run_on(hosts);
  CHECK(runs == "ACBACBACBA"); // SB-4

  // A dead last runner keeps its place in the order; two processes of one address are two hosts.
  auto dead = test::elastic_host('B');
  dead.state = core::elastic::host_state::dead;
  request.last_runner = dead.number;
  const auto without_b = core::elastic::host_list::make({dead, test::elastic_host('C'), test::elastic_host('A')}).value();
  CHECK(run_on(without_b) == 'A');
  CHECK(run_on(without_b) == 'C');
  CHECK(run_on(without_b) == 'A');
  const auto one_address = test::elastic_hosts("FA");
  CHECK(run_on(one_address) == 'F');
  CHECK(run_on(one_address) == 'A');
}

TEST_CASE("SINGLE_SHARDING_BALANCE with several items is ROUND_ROBIN", "[elastic]") {
  core::elastic::plan_request request;
  request.job = "TestJob1";
  request.total = 5;
  request.strategy = "SINGLE_SHARDING_BALANCE";
  request.last_runner = test::elastic_host('C').number;
  CHECK(test::plan_text_of(test::planned(test::elastic_hosts("CBA"), request), "BAC") == "B=[0,3] A=[1,4] C=[2]");
}
