// Plans of elastic jobs and their stored text.

#include "core/elastic/plan.hpp"

#include <random>

#include "tests/unit/elastic_hosts.hpp"

using namespace ringmaster;
using core::elastic::gap_reason;
using core::elastic::host_number;
using core::elastic::item_plan;

namespace {

constexpr host_number third{3}, seventh{7};

std::string refusal_of_plan(std::int32_t total, const std::vector<core::elastic::item_share>& shares) {
  const auto made = item_plan::make(total, shares);
  REQUIRE_FALSE(made);
  CHECK(made.error().code == core::errc::invalid_argument);
  return made.error().context;
}

/// Returns a plan with random owners of all kinds.
item_plan random_elastic_plan(std::mt19937& random) {
  const auto total = static_cast<std::int32_t>(random() % 60 + 1);
  std::vector<core::elastic::item_share> shares;
  for (std::int32_t item = 0; item < total; ++item) {
    core::elastic::item_owner owner{host_number{static_cast<std::int32_t>(random() % 4)}};
    if (!owner.is_assigned())
      owner.reason = gap_reason{static_cast<std::uint8_t>(random() % 8 + 1)};
    if (owner.reason == gap_reason::owner_absent || (owner.is_assigned() && random() % 4 == 0))
      owner.home = host_number{static_cast<std::int32_t>(random() % 3 + 10)};
    shares.push_back({owner, {{item, item}}});
  }
  return item_plan::make(total, shares).value();
}

} // namespace

TEST_CASE("a plan has each item once, with a host or a reason", "[elastic]") {
  const auto plan = item_plan::make(11, {{{seventh}, {{5, 8}}},
                                         {{core::elastic::no_host, gap_reason::no_host}, {{10, 10}}},
                                         {{third}, {{9, 9}, {0, 2}}},
                                         {{third}, {{3, 4}}},
                                         {{host_number{9}}, {}}});
  REQUIRE(plan);
  CHECK(plan->encode() == "3:0-4,9;7:5-8;-:10 no_host");
  CHECK(plan->total() == 11);
  CHECK(plan->owner_of(9).host == third);
  CHECK(plan->owner_of(10).reason == gap_reason::no_host);
  CHECK_FALSE(plan->owner_of(10).is_assigned());
  CHECK(plan->owner_of(-1).reason == gap_reason::left_out);
  CHECK(plan->owner_of(11).reason == gap_reason::left_out);
  CHECK(plan->count_of(third) == 6);
  CHECK(plan->unassigned_count() == 1);
  CHECK(plan->ranges().size() == 4);
  CHECK(item_plan::decode(11, plan->encode()) == plan);
}

TEST_CASE("a plan that doubles or omits an item is refused", "[elastic]") {
  CHECK(refusal_of_plan(3, {{{third}, {{0, 1}}}, {{seventh}, {{1, 2}}}}) == "invalid plan: item 1 is assigned twice");
  CHECK(refusal_of_plan(3, {{{third}, {{0, 2}, {0, 2}}}}) == "invalid plan: item 0 is assigned twice");
  CHECK(refusal_of_plan(3, {{{third}, {{0, 0}, {2, 2}}}}) == "invalid plan: item 1 has neither a host nor a reason");
  CHECK(refusal_of_plan(3, {{{third}, {{0, 1}}}}) == "invalid plan: item 2 has neither a host nor a reason");
  CHECK(refusal_of_plan(3, {}) == "invalid plan: item 0 has neither a host nor a reason");
  CHECK(refusal_of_plan(3, {{{third}, {{0, 3}}}}) == "invalid plan: invalid items 0-3; the job has 3 items, from 0");
  CHECK(refusal_of_plan(3, {{{third}, {{-1, 2}}}}) == "invalid plan: invalid items -1-2; the job has 3 items, from 0");
  CHECK(refusal_of_plan(3, {{{third}, {{2, 1}}}}) == "invalid plan: invalid items 2-1; the job has 3 items, from 0");
}

TEST_CASE("a plan with an invalid owner is refused", "[elastic]") {
  const std::vector<core::elastic::item_owner> owners{
      {},
      {host_number{-1}},
      {third, gap_reason::no_host},
      {third, gap_reason::none, third},
      {third, gap_reason::none, host_number{-2}},
      {core::elastic::no_host, gap_reason::owner_absent},
      {core::elastic::no_host, gap_reason::no_host, third},
      {core::elastic::no_host, gap_reason{99}},
  };
  for (const auto& owner : owners)
    CHECK(refusal_of_plan(1, {{owner, {{0, 0}}}}).starts_with("invalid plan: invalid owner of a share"));
}

TEST_CASE("a plan has 1 to 100000 items and at most 1024 hosts", "[elastic]") {
  for (const std::int32_t total : {0, -1, 100'001, 1'000'000})
    CHECK(refusal_of_plan(total, {{{third}, {{0, 0}}}}) ==
          "invalid number of items " + std::to_string(total) + ": a job has 1 to 100000 items");
  CHECK(item_plan::make(100'000, {{{third}, {{0, 99'999}}}})->encode() == "3:0-99999");
  std::vector<core::elastic::item_share> shares;
  for (std::int32_t i = 0; i < 1024; ++i)
    shares.push_back({{host_number{i + 1}}, {{i, i}}});
  CHECK(item_plan::make(1024, shares));
  shares.push_back({{host_number{1025}}, {{1024, 1024}}});
  CHECK(item_plan::make(1025, shares).error().code == core::errc::too_large);
}

TEST_CASE("the text of a plan names absent and borrowing owners with the home", "[elastic]") {
  const auto plan = item_plan::make(4, {{{third}, {{0, 0}}},
                                        {{third, gap_reason::none, seventh}, {{1, 1}}},
                                        {{core::elastic::no_host, gap_reason::owner_absent, seventh}, {{2, 2}}},
                                        {{core::elastic::no_host, gap_reason::disabled}, {{3, 3}}}});
  REQUIRE(plan);
  CHECK(plan->encode() == "3:0;3:1 borrowed@7;-:3 disabled;-:2 owner_absent@7");
  CHECK(item_plan::decode(4, plan->encode()) == plan);
}

TEST_CASE("texts that no plan has are refused", "[elastic]") {
  const std::vector<std::pair<const char*, const char*>> rows{
      {"", "byte 1: expected a host number or -"},
      {"x:0-2", "byte 1: expected a host number or -"},
      {"0:0-2", "byte 2: expected a host number or -"},
      {"+3:0-2", "byte 1: expected a host number or -"},
      {"-3:0-2", "byte 2: expected : and ranges of items"},
      {"99999999999:0-2", "byte 1: expected a host number or -"},
      {"3", "byte 2: expected : and ranges of items"},
      {"3:", "byte 3: expected : and ranges of items"},
      {"3:0-", "byte 5: expected : and ranges of items"},
      {"3:0,", "byte 5: expected : and ranges of items"},
      {"3:-1", "byte 3: expected : and ranges of items"},
      {"3:0-2;", "byte 7: expected a host number or -"},
      {"3:0-2 ", "byte 7: expected a reason, or borrowed and the home of the items"},
      {"3:0-2 no_host", "byte 7: expected a reason, or borrowed and the home of the items"},
      {"3:0-2 borrowed", "byte 15: expected a reason, or borrowed and the home of the items"},
      {"3:0-2 borrowed@", "byte 16: expected a reason, or borrowed and the home of the items"},
      {"3:0-2 borrowed@0", "byte 17: expected a reason, or borrowed and the home of the items"},
      {"-:0-2", "byte 6: expected a reason, or borrowed and the home of the items"},
      {"-:0-2 ", "byte 7: expected a reason, or borrowed and the home of the items"},
      {"-:0-2 none", "byte 7: expected a reason, or borrowed and the home of the items"},
      {"-:0-2 borrowed@3", "byte 7: expected a reason, or borrowed and the home of the items"},
      {"3:0-2\n", "byte 6: expected ; or the end of the text"},
      {"03:0-2", "byte 1: shares and ranges must be in order, joined and without leading zeros"},
      {"3:0-02", "byte 5: shares and ranges must be in order, joined and without leading zeros"},
      {"3:0-1,2", "byte 5: shares and ranges must be in order, joined and without leading zeros"},
      {"3:2,0-1", "byte 3: shares and ranges must be in order, joined and without leading zeros"},
      {"7:0;3:1-2", "byte 1: shares and ranges must be in order, joined and without leading zeros"},
      {"3:0;3:1-2", "byte 4: shares and ranges must be in order, joined and without leading zeros"},
      {"3:0-2;3:0-2", nullptr},
      {"3:0-1", nullptr},
      {"3:0-3", nullptr},
      {"3:0-2147483647", nullptr},
      {"-:0-2 no_host@3", nullptr},
      {"-:0-2 owner_absent", nullptr},
      {"3:0-2 borrowed@3", nullptr},
  };
  for (const auto& [text, expected] : rows) {
    INFO(text);
    const auto decoded = item_plan::decode(3, text);
    REQUIRE_FALSE(decoded);
    CHECK(decoded.error().code == core::errc::invalid_argument);
    if (expected != nullptr)
      CHECK(decoded.error().context == std::string{"invalid text of a plan, "} + expected);
    else
      CHECK(decoded.error().context.starts_with("invalid plan: "));
  }
  CHECK_FALSE(item_plan::decode(3, std::string_view{"3:0-2\0", 6}));
  CHECK_FALSE(item_plan::decode(3, std::string(std::size_t{5} << 20U, '3')));
  CHECK_FALSE(item_plan::decode(0, "3:0"));
  CHECK_FALSE(item_plan::decode(1'000'000, "3:0-999999"));
}

TEST_CASE("plans survive writing and reading, and changed texts are refused or read exactly", "[elastic]") {
  const auto seed = std::random_device{}();
  CAPTURE(seed);
  std::mt19937 random{seed};
  const std::string characters = "0123456789:;,-@ _abdenorstw";
  for (int round = 0; round < 2000; ++round) {
    const auto plan = random_elastic_plan(random);
    auto text = plan.encode();
    CAPTURE(text);
    const auto decoded = item_plan::decode(plan.total(), text);
    REQUIRE(decoded);
    REQUIRE(*decoded == plan);
    for (auto changes = random() % 3 + 1; changes > 0; --changes)
      text[random() % text.size()] = characters[random() % characters.size()];
    const auto read = item_plan::decode(plan.total(), text);
    CHECK((!read || read->encode() == text));
  }
}
