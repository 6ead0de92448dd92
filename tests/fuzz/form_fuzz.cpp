// Forms: parsed values are UTF-8 without NUL, and every parsed form becomes a draft, a search or a refusal. The first byte
// selects how the rest is sent.

#include <string>

#include "core/text/text.hpp"
#include "protocol/wire/xxl/form.hpp"
#include "protocol/wire/xxl/job_form.hpp"
#include "tests/fuzz/fuzz.hpp"

using namespace ringmaster;
namespace wire = protocol::wire;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0)
    return 0;
  const auto rest = fuzz::text_of(data + 1, size - 1);
  const bool as_query = data[0] % 3 == 0;
  const auto* type = data[0] % 3 == 1 ? "application/x-www-form-urlencoded" : "multipart/form-data; boundary=xx";
  const auto sent = as_query ? wire::form::parse("/p?" + std::string{rest}, "", "") : wire::form::parse("/p", type, rest);
  if (!sent) {
    fuzz::require(!sent.error().context.empty(), "a refusal has a reason");
    return 0;
  }
  const auto name = sent->text_or_empty("jobDesc");
  fuzz::require(core::valid_utf8(name) == name, "a text is valid UTF-8 without NUL");
  (void)wire::job_draft_of(*sent);
  (void)wire::job_search_of(*sent);
  (void)wire::group_draft_of(*sent);
  (void)wire::user_search_of(*sent);
  (void)sent->int64_list("ids");
  return 0;
}
