// Files of ElasticJob in YAML, properties and XML: jobs are converted or refused with a place.

#include <algorithm>
#include <string>

#include "config/elasticjob/elasticjob_import.hpp"
#include "core/text/text.hpp"
#include "tests/fuzz/fuzz.hpp"

using namespace ringmaster;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const config::declared_document document{"input", std::string{fuzz::text_of(data, size)}};
  const auto done = config::import_elasticjob({&document, 1}, "group", ringmaster::core::time_point{});
  if (!done) {
    const auto& why = done.error().context;
    fuzz::require(why.starts_with("input:") || why == "no file has a job of ElasticJob", "a refusal names the place");
    return 0;
  }
  fuzz::require(done->declared + done->left_out > 0, "an accepted file has jobs");
  fuzz::require(core::valid_utf8(done->text) == done->text && done->text.ends_with('\n'), "the output is a text of whole lines");
  std::size_t tables = 0;
  for (auto at = done->text.find("\n[[elastic_job]]\n"); at != std::string::npos;
       at = done->text.find("\n[[elastic_job]]\n", at + 1))
    ++tables;
  fuzz::require(tables == done->declared, "each declared job has a table");
  return 0;
}
