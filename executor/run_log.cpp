#include "executor/run_log.hpp"

#include <string>

namespace ringmaster::executor {

namespace {

/// `main` of `main(int, char**)::<lambda(job_context&)>`, `ns::build` of `void ns::build(job_context&)`.
std::string_view short_name(std::string_view function) {
  function = function.substr(0, function.find('('));
  const auto type_end = function.find_last_of(' ');
  return type_end == std::string_view::npos ? function : function.substr(type_end + 1);
}

} // namespace

run_log::run_log(const log_files& files, const core::trigger_request& request, log_writer::opens when)
  : writer_{files.writer(request.run, request.log_time, when)}, thread_{"job-" + std::to_string(core::number(request.job))} {}

void run_log::line(std::string_view text, const std::source_location& where) {
  writer_->line({where.file_name(), short_name(where.function_name()), where.line(), thread_}, text);
}

} // namespace ringmaster::executor
