// Planner of elastic jobs: order of hosts, eligibility, registry of strategies, changes of hosts (EJ §7, §22.9).

#include "core/elastic/planner.hpp"

#include <random>
#include <stdexcept>

#include "tests/unit/elastic_hosts.hpp"

using namespace ringmaster;
using core::elastic::gap_reason;
using core::elastic::host;
using core::elastic::host_list;
using core::elastic::host_number;
using core::elastic::host_order;

namespace {

using elastic_shares = core::result<std::vector<core::elastic::item_share>>;

core::elastic::plan_request plan_request_of(std::int32_t total, std::string_view strategy = {}) {
  core::elastic::plan_request request;
  request.job = "pay";
  request.total = total;
  request.strategy = strategy;
  return request;
}

std::string refusal_of_hosts(std::vector<host> hosts) {
  const auto made = host_list::make(std::move(hosts));
  REQUIRE_FALSE(made);
  return made.error().context;
}

/// Returns the error of a plan for hosts C, B, A with an added strategy "OWN".
core::error own_strategy_error(const elastic_shares& shares) {
  core::elastic::strategy_registry strategies;
  REQUIRE(strategies.add("OWN", [&](const core::elastic::strategy_input&) { return shares; }));
  const auto made = core::elastic::make_plan(strategies, test::elastic_hosts("CBA"), plan_request_of(2, "OWN"));
  REQUIRE_FALSE(made);
  return made.error();
}

} // namespace

TEST_CASE("hosts are ordered as texts descending, or by address and start ascending", "[elastic]") {
  const auto hosts = test::elastic_hosts("ABCDEFG");
  CHECK(test::letters_of(hosts, host_order::desc_string) == "DCBFAEG");
  auto late = test::elastic_host('F'), early = test::elastic_host('A'), named = test::elastic_host('C');
  late.started = core::from_ms(2000);
  early.started = core::from_ms(1000);
  named.ip = "10.0.0.3.example";
  const auto natural =
      host_list::make({late, early, named, test::elastic_host('G'), test::elastic_host('E'), test::elastic_host('D')}).value();
  CHECK(test::letters_of(natural, host_order::asc_natural) == "AFDEGC");
  CHECK(natural.position_of(host_order::asc_natural, late.number) == 1U);
  CHECK(natural.position_of(host_order::asc_natural, host_number{99}) == std::nullopt);
  CHECK(natural.find(late.number)->pid == 99);
  CHECK(natural.find(host_number{2}) == nullptr);

  // Hosts that an order cannot distinguish are ordered by number.
  auto twin = test::elastic_host('B');
  twin.ip = "10.0.0.1";
  twin.pid = 101;
  CHECK(test::letters_of(host_list::make({twin, test::elastic_host('A')}).value(), host_order::desc_string) == "AB");
  for (const auto order : {host_order::desc_string, host_order::asc_natural})
    CHECK(core::elastic::parse_host_order(to_string(order)) == order);
  CHECK(core::elastic::parse_host_order("DESC-STRING") == std::nullopt);
  CHECK(core::elastic::instance_name(test::elastic_host('A')) == "10.0.0.1@-@101");
}

TEST_CASE("lists with invalid or equal hosts are refused", "[elastic]") {
  auto same_number = test::elastic_host('B'), same_id = test::elastic_host('B'), invalid = test::elastic_host('B');
  same_number.number = host_number{1};
  same_id.id = "host-A";
  CHECK(refusal_of_hosts({test::elastic_host('A'), same_number}) == "two hosts have the number 1");
  CHECK(refusal_of_hosts({test::elastic_host('A'), same_id}) == "two hosts have the id \"host-A\"");
  invalid.number = host_number{0};
  CHECK(refusal_of_hosts({invalid}) == "invalid host number 0: numbers start at 1");
  invalid = test::elastic_host('B');
  invalid.id.clear();
  CHECK(refusal_of_hosts({invalid}) == "host 2 has an empty id");
  CHECK(host_list::make(test::many_elastic_hosts(1024)));
  CHECK(refusal_of_hosts(test::many_elastic_hosts(1025)) == "1025 hosts; at most 1024");
}

TEST_CASE("a host may run items if nothing speaks against it", "[elastic]") {
  const auto reason = [](auto change, core::elastic::job_needs needs = {}) {
    auto changed = test::elastic_host('A');
    change(changed);
    return core::elastic::reason_against(changed, needs);
  };
  const auto same = [](host&) {};
  const std::vector<std::string> address{"10.0.0.1"}, id{"x", "host-A"}, similar{"10.0.0.10", "10.0.0.", "host"};
  using core::milliseconds;
  CHECK(reason(same) == gap_reason::none);
  CHECK(reason([](host& each) { each.state = core::elastic::host_state::silent; }) == gap_reason::no_host);
  CHECK(reason([](host& each) { each.state = core::elastic::host_state::dead; }) == gap_reason::no_host);
  CHECK(reason([](host& each) { each.state = core::elastic::host_state::left; }) == gap_reason::no_host);
  CHECK(reason([](host& each) { each.linked = false; }) == gap_reason::no_host);
  CHECK(reason([](host& each) { each.draining = true; }) == gap_reason::draining);
  CHECK(reason(same, {.handler = "demo"}) == gap_reason::none);
  CHECK(reason(same, {.handler = "other"}) == gap_reason::no_handler);
  CHECK(reason(same, {.listeners = "trace"}) == gap_reason::no_listener);
  CHECK(reason([](host& each) { each.listeners = {"audit", "trace"}; }, {.listeners = "trace, audit,"}) == gap_reason::none);
  CHECK(reason([](host& each) { each.listeners = {"open"}; }, {.once_listeners = "open"}) == gap_reason::no_listener);
  CHECK(reason([](host& each) { each.once_listeners = {"open"}; }, {.once_listeners = "open"}) == gap_reason::none);
  CHECK(reason([](host& each) { each.labels = {"gpu", "zone=1"}; }, {.label = " zone=1,,gpu "}) == gap_reason::none);
  CHECK(reason([](host& each) { each.labels = {"gpu"}; }, {.label = "gpu,zone=1"}) == gap_reason::no_label);
  CHECK(reason([](host& each) { each.labels = {"gpu2"}; }, {.label = "gpu"}) == gap_reason::no_label);
  CHECK(reason(same, {.disabled_servers = address}) == gap_reason::disabled);
  CHECK(reason(same, {.disabled_servers = id}) == gap_reason::disabled);
  CHECK(reason(same, {.disabled_servers = similar}) == gap_reason::none);
  CHECK(reason(same, {.clock_difference_max = milliseconds{1000}}) == gap_reason::clock);
  for (const auto& [difference, expected] : {std::pair{1000, gap_reason::none},
                                             {-1000, gap_reason::none},
                                             {1001, gap_reason::clock},
                                             {-5000, gap_reason::clock}})
    CHECK(reason([&](host& each) { each.clock_difference = milliseconds{difference}; },
                 {.clock_difference_max = milliseconds{1000}}) == expected);
}

TEST_CASE("a plan without hosts says why", "[elastic]") {
  auto request = plan_request_of(3);
  CHECK(test::planned(host_list{}, request).encode() == "-:0-2 no_host");
  const auto hosts = test::elastic_hosts("BA");
  request.needs.handler = "other";
  CHECK(test::planned(hosts, request).encode() == "-:0-2 no_handler");
  // The reason of the host that comes nearest.
  auto other = test::elastic_host('C');
  other.handlers = {"other"};
  request.needs.label = "gpu";
  CHECK(test::planned(host_list::make({test::elastic_host('A'), other}).value(), request).encode() == "-:0-2 no_label");
}

TEST_CASE("strategies are found by name, and own ones can be added", "[elastic]") {
  core::elastic::strategy_registry strategies;
  CHECK(strategies.names() == std::vector<std::string>{"AVG_ALLOCATION", "ODEVITY", "ROUND_ROBIN", "SINGLE_SHARDING_BALANCE",
                                                       "STICKY"});
  CHECK(strategies.find("") == strategies.find("AVG_ALLOCATION"));
  CHECK(strategies.find("sticky") == nullptr);
  const auto last = [](const core::elastic::strategy_input& input) -> elastic_shares {
    const core::elastic::item_owner left_out{core::elastic::no_host, gap_reason::left_out};
    return std::vector<core::elastic::item_share>{{{input.hosts.back()->number}, {{1, input.total - 1}}}, {left_out, {{0, 0}}}};
  };
  REQUIRE(strategies.add("LAST", last));
  CHECK(core::elastic::make_plan(strategies, test::elastic_hosts("CBA"), plan_request_of(3, "LAST"))->encode() ==
        "1:1-2;-:0 left_out");
  CHECK(strategies.add("LAST", last).error().code == core::errc::conflict);
  CHECK(strategies.add("STICKY", last).error().code == core::errc::conflict);
  CHECK(strategies.add(" ", last).error().code == core::errc::invalid_argument);
  CHECK(strategies.add(std::string(65, 'x'), last).error().code == core::errc::invalid_argument);
  CHECK(strategies.add("NONE", nullptr).error().code == core::errc::invalid_argument);
  const auto unknown = core::elastic::make_plan(strategies, test::elastic_hosts("A"), plan_request_of(3, "avg"));
  CHECK(unknown.error() == core::error{core::errc::not_found, "unknown strategy \"avg\" of job pay"});
}

TEST_CASE("wrong results of a strategy are refused", "[elastic]") {
  using shares = std::vector<core::elastic::item_share>;
  const auto a = host_number{1}, b = host_number{2}, stranger = host_number{5};
  const std::string prefix = "strategy OWN of job pay: ";
  CHECK(own_strategy_error(shares{{{a}, {{0, 1}}}, {{b}, {{1, 1}}}}).context ==
        prefix + "invalid plan: item 1 is assigned twice");
  CHECK(own_strategy_error(shares{{{a}, {{0, 0}}}}).context == prefix + "invalid plan: item 1 has neither a host nor a reason");
  CHECK(own_strategy_error(shares{}).context == prefix + "invalid plan: item 0 has neither a host nor a reason");
  CHECK(own_strategy_error(shares{{{stranger}, {{0, 1}}}}).context == prefix + "host 5 is not one of the given hosts");
  CHECK(own_strategy_error(shares{{{a, gap_reason::none, b}, {{0, 1}}}}).context ==
        prefix + "a share has a home, which only static sharding sets");
  CHECK(own_strategy_error(core::fail(core::errc::unavailable, "no weights")) ==
        core::error{core::errc::unavailable, prefix + "no weights"});
  core::elastic::strategy_registry strategies;
  REQUIRE(strategies.add("THROWS", [](const core::elastic::strategy_input&) -> elastic_shares {
    throw std::runtime_error{"no weights"};
  }));
  CHECK(core::elastic::make_plan(strategies, test::elastic_hosts("A"), plan_request_of(1, "THROWS")).error() ==
        core::error{core::errc::internal, "strategy THROWS of job pay: threw an exception: no weights"});
}

TEST_CASE("a job has 1 to 100000 items", "[elastic]") {
  for (const std::int32_t total : {0, -1, 100'001, 1'000'000})
    for (const auto* letters : {"", "CBA"}) {
      const auto made = core::elastic::make_plan({}, test::elastic_hosts(letters), plan_request_of(total));
      REQUIRE_FALSE(made);
      CHECK(made.error().code == core::errc::invalid_argument);
    }
}

TEST_CASE("plans follow joins, leaves, disabled servers and the number of items", "[elastic]") {
  const auto plan_of = [](const char* letters, std::int32_t total) {
    return test::plan_text_of(test::planned(test::elastic_hosts(letters), plan_request_of(total)), letters);
  };
  CHECK(plan_of("A", 2) == "A=[0,1]"); // RS-1
  CHECK(plan_of("BA", 2) == "B=[0] A=[1]");
  CHECK(plan_of("A", 3) == "A=[0,1,2]"); // RS-4
  CHECK(plan_of("A", 1) == "A=[0]");
  CHECK(plan_of("CA", 3) == "C=[0,2] A=[1]"); // FO-1, after the crash
  CHECK(plan_of("A", 4) == "A=[0,1,2,3]");    // FO-2
  // RS-5: both servers are disabled, then A is enabled.
  const std::vector<std::string> both{"10.0.0.1", "10.0.0.2"}, only_b{"10.0.0.2"};
  auto request = plan_request_of(2);
  request.needs.disabled_servers = both;
  CHECK(test::planned(test::elastic_hosts("BA"), request).encode() == "-:0-1 disabled");
  request.needs.disabled_servers = only_b;
  CHECK(test::planned(test::elastic_hosts("BA"), request).encode() == "1:0-1");
}

TEST_CASE("each item has one owner in the plans of all strategies, in balance", "[elastic]") {
  const auto seed = std::random_device{}();
  CAPTURE(seed);
  std::mt19937 random{seed};
  const core::elastic::strategy_registry strategies;
  for (const auto& name : strategies.names()) {
    std::optional<core::elastic::item_plan> previous;
    for (int round = 0; round < 150; ++round) {
      const auto count = static_cast<int>(random() % 40);
      const auto hosts = host_list::make(test::many_elastic_hosts(count)).value();
      auto request = plan_request_of(static_cast<std::int32_t>(random() % 300 + 1), name);
      request.order = random() % 2 == 0 ? host_order::desc_string : host_order::asc_natural;
      request.previous = previous ? &*previous : nullptr;
      request.last_runner = host_number{static_cast<std::int32_t>(random() % 50)};
      request.now = core::from_ms(static_cast<std::int64_t>(random()));
      CAPTURE(name, count, request.total);
      const auto plan = test::planned(hosts, request);
      std::map<std::int32_t, std::int32_t> items;
      for (std::int32_t item = 0; item < request.total; ++item)
        ++items[core::number(plan.owner_of(item).host)];
      REQUIRE(plan.unassigned_count() == (count == 0 ? request.total : 0));
      for (int i = 1; i <= count; ++i) {
        REQUIRE(items[i] == plan.count_of(host_number{i}));
        REQUIRE((items[i] == request.total / count || items[i] == (request.total + count - 1) / count));
      }
      previous = plan;
    }
  }
}
