// Files that declare jobs: a document is read or refused with a place.

#include "config/declared/declared_file.hpp"
#include "config/declared/declared_writer.hpp"
#include "core/editing/declared.hpp"
#include "tests/fuzz/fuzz.hpp"

using namespace ringmaster;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto declared = config::parse_declared(fuzz::text_of(data, size), "jobs.toml", "fuzz");
  if (!declared) {
    fuzz::require(declared.error().context.starts_with("jobs.toml:"), "a refusal names the place");
    return 0;
  }
  for (const auto& job : declared->jobs) {
    const auto hash = core::content_hash(job);
    fuzz::require(hash.size() == 32, "a job has a hash");
    const auto epoch = core::time_point{};
    if (job.timing.start_at.value_or(epoch) < epoch || job.timing.end_at.value_or(epoch) < epoch)
      continue;
    const auto again = config::parse_declared(config::declared_text(job), "written.toml", "fuzz");
    fuzz::require(again && again->jobs.size() == 1 && core::content_hash(again->jobs[0]) == hash, "a written job is read back");
  }
  for (const auto& job : declared->elastic_jobs) {
    const auto epoch = core::time_point{};
    const auto& timing = job.what.options.timing;
    if (timing.start_at.value_or(epoch) < epoch || timing.end_at.value_or(epoch) < epoch)
      continue;
    const auto again = config::parse_declared(config::declared_text(job), "written.toml", "fuzz");
    fuzz::require(again && again->elastic_jobs.size() == 1
                    && core::content_hash(again->elastic_jobs[0]) == core::content_hash(job),
                  "a written elastic job is read back");
  }
  return 0;
}
