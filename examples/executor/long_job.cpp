// A long job that reports its progress and ends soon after a stop request: it was killed in the console, exceeded its time limit,
// or this process ends. Parameter: steps=100 step_ms=200

#include <chrono>

#include "serve_until_told.hpp"

namespace {

void count_slowly(ringmaster::executor::job_context& context) {
  const auto steps = context.argument<std::int64_t>("steps", 100);
  const auto step_ms = context.argument<std::int64_t>("step_ms", 200);
  if (!steps || !step_ms || *steps < 1)
    return context.fail("steps and step_ms must be whole numbers");
  for (std::int64_t done = 0; done < *steps; ++done) {
    if (!context.wait_for(std::chrono::milliseconds{*step_ms}))
      return context.log("stopping after " + std::to_string(done) + " steps: " + context.stop_reason());
    context.progress(static_cast<double>(done + 1) / static_cast<double>(*steps), "steps");
  }
  context.succeed(std::to_string(*steps) + " steps");
}

} // namespace

int main(int argc, char** argv) {
  ringmaster::executor::handlers known;
  add(known, "count-slowly", count_slowly);
  return serve_until_told(argc, argv, std::move(known));
}
