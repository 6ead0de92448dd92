// Ready-made handlers: one calls a URL, one runs a program. This program decides what they may do, not the job's parameter.
// Parameters: url=http://127.0.0.1:8000/reports/build?month=11 for `http`; any text for `disk-usage`, the last argument of the
// program.

#include "executor/command_handler.hpp"
#include "executor/http_handler.hpp"
#include "serve_until_told.hpp"

int main(int argc, char** argv) {
  using namespace ringmaster::executor;
  handlers known;
  auto http = make_http_handler({.allowed = {"http://127.0.0.1:8000/reports/"}});
  auto disk_usage = make_command_handler({.program = "/usr/bin/du", .arguments = {"-sh", "--"}, .append_param = true});
  if (!http || !disk_usage)
    return 1;
  add(known, "http", std::move(*http));
  add(known, "disk-usage", std::move(*disk_usage));
  return serve_until_told(argc, argv, std::move(known));
}
