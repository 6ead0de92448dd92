// Cookies: a value is a part of the header.

#include "protocol/wire/xxl/form.hpp"
#include "tests/fuzz/fuzz.hpp"

using namespace ringmaster;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto header = fuzz::text_of(data, size);
  if (const auto value = protocol::wire::find_cookie(header, "xxl_job_login_token"))
    fuzz::require(header.find(*value) != std::string_view::npos, "a value is part of the header");
  return 0;
}
