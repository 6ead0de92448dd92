// The smallest executor: one handler, which greets the name in the job's parameter.

#include "serve_until_told.hpp"

int main(int argc, char** argv) {
  ringmaster::executor::handlers known;
  add(known, "hello", [](ringmaster::executor::job_context& context) {
    context.line() << "hello, " << (context.param().empty() ? "world" : context.param());
  });
  return serve_until_told(argc, argv, std::move(known));
}
