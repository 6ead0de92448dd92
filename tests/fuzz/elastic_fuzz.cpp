// Texts of elastic jobs: item parameters that parse survive writing and reading, and a plan has only one text.

#include "core/elastic/item_params.hpp"
#include "core/elastic/plan.hpp"
#include "tests/fuzz/fuzz.hpp"

using namespace ringmaster;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto text = fuzz::text_of(data, size);
  if (const auto params = core::elastic::parse_item_params(text)) {
    const auto read = core::elastic::parse_item_params(core::elastic::item_params_text(*params));
    fuzz::require(read && *read == *params, "item parameters survive writing and reading");
  }
  for (const std::int32_t total : {1, 11})
    if (const auto plan = core::elastic::item_plan::decode(total, text))
      fuzz::require(plan->encode() == text, "a plan has one text");
  return 0;
}
