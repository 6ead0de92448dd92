#include "core/elastic/server_list.hpp"

#include "tests/support/catch.hpp"

namespace ringmaster::test::server_list_test {

namespace {

namespace elastic = core::elastic;

elastic::host_row listed_host(std::int32_t number, const std::string& ip, const std::string& app, elastic::host_state state,
                              elastic::host_mode mode = elastic::host_mode::enabled) {
  elastic::host_row out;
  out.process.host = elastic::host_number{number};
  out.facts.id = "h" + std::to_string(number);
  out.facts.ip = ip;
  out.facts.app_name = app;
  out.state = state;
  out.mode = mode;
  return out;
}

elastic::elastic_job_id job(std::int32_t number) { return elastic::elastic_job_id{number}; }

} // namespace

TEST_CASE("hosts are counted by IP address and state", "[elastic]") {
  using enum elastic::host_state;
  const std::vector<elastic::host_row> hosts{listed_host(1, "10.0.0.2", "pay", up), listed_host(2, "10.0.0.1", "pay", silent),
                                             listed_host(3, "10.0.0.2", "pay", dead, elastic::host_mode::disabled),
                                             listed_host(4, "10.0.0.2", "mail", left)};
  const auto servers = elastic::servers_of(hosts, {{elastic::host_number{1}, 3}, {elastic::host_number{2}, 1}},
                                           {{job(1), "pay"}, {job(2), "pay"}, {job(3), "mail"}, {job(4), "other"}}, {});
  REQUIRE(servers.size() == 2);
  CHECK(servers[0].ip == "10.0.0.1");
  CHECK(servers[0].silent == 1);
  CHECK(servers[0].running == 1);
  CHECK(servers[0].jobs == 2);
  CHECK(servers[1].hosts == std::vector<std::string>{"h1", "h3", "h4"});
  CHECK(servers[1].up == 1);
  CHECK(servers[1].down == 2);
  CHECK(servers[1].disabled == 1);
  CHECK(servers[1].running == 3);
  CHECK(servers[1].jobs == 3);
  CHECK(servers[1].disabled_jobs == 0);
  CHECK(elastic::servers_of({}, {}, {{job(1), "pay"}}, {}).empty());
}

TEST_CASE("a job is disabled on a server if no host of it gets its runs", "[elastic]") {
  using enum elastic::host_state;
  std::vector<elastic::host_row> hosts{listed_host(1, "10.0.0.2", "pay", up), listed_host(2, "10.0.0.2", "pay", up)};
  const std::vector<elastic::server_job> jobs{{job(1), "pay"}, {job(2), "pay"}, {job(3), "mail"}};
  const auto disabled_jobs = [&](const std::vector<elastic::server_row>& rows) {
    return elastic::servers_of(hosts, {}, jobs, rows).at(0).disabled_jobs;
  };
  CHECK(disabled_jobs({{"", job(1), "h1"}}) == 0);
  CHECK(disabled_jobs({{"", job(1), "h1"}, {"", job(1), "h2"}}) == 1);
  CHECK(disabled_jobs({{"", job(2), "10.0.0.2"}}) == 1);
  CHECK(disabled_jobs({{"", job(3), "10.0.0.2"}, {"", job(9), "10.0.0.2"}}) == 0);
  hosts[0].mode = elastic::host_mode::draining;
  CHECK(disabled_jobs({{"", job(1), "h2"}}) == 1);
  hosts[1].mode = elastic::host_mode::disabled;
  CHECK(disabled_jobs({}) == 2);
}

} // namespace ringmaster::test::server_list_test
