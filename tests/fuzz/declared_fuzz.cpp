// Files that declare jobs: a document is read or refused with a place.

#include "config/declared_file.hpp"
#include "core/declared.hpp"
#include "tests/fuzz/fuzz.hpp"

using namespace ringmaster;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto declared = config::parse_declared(fuzz::text_of(data, size), "jobs.toml", "fuzz");
  if (!declared) {
    fuzz::require(declared.error().context.starts_with("jobs.toml:"), "a refusal names the place");
    return 0;
  }
  for (const auto& job : declared->jobs)
    fuzz::require(core::content_hash(job).size() == 32, "a job has a hash");
  return 0;
}
