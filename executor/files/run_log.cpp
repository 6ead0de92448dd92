#include "executor/files/run_log.hpp"

#include <algorithm>
#include <string>

namespace ringmaster::executor {

namespace {

/// Shortens `main(int, char**)::<lambda(job_context&)>` to `main`, and `void ns::{anonymous}::build(job_context&)` to
/// `ns::build`.
std::string short_name(std::string_view function) {
  std::string out{function};
  for (const std::string_view unnamed : {"{anonymous}::", "(anonymous namespace)::"})
    for (auto at = out.find(unnamed); at != std::string::npos; at = out.find(unnamed))
      out.erase(at, unnamed.size());
  out.resize(std::min(out.size(), out.find('(')));
  return out.substr(out.find_last_of(' ') + 1);
}

} // namespace

run_log::run_log(const log_files& files, const core::trigger_request& request, log_writer::opens when)
  : run_log{files, core::identity_of(request), when} {}

run_log::run_log(const log_files& files, const core::run_identity& which, log_writer::opens when)
  : writer_{files.writer(which, when)}, thread_{"job-" + std::to_string(core::number(which.job))} {}

void run_log::line(std::string_view text, const code_place& where) {
  const auto function = short_name(where.function);
  writer_->line({where.file, function, where.line, thread_}, text);
}

} // namespace ringmaster::executor
