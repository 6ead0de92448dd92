// Measures the time to the effect of a kill: at the handler, at the admin, on a script and its child processes.

#include <fstream>
#include <functional>
#include <stdexcept>
#include <thread>

#include <cerrno>
#include <csignal>

#include "bench/api_client.hpp"
#include "bench/executor_load.hpp"
#include "bench/http_text.hpp"
#include "bench/load_place.hpp"

namespace ringmaster::bench {

namespace {

namespace fs = std::filesystem;

constexpr std::int64_t limit_us = 10'000'000;
constexpr std::chrono::microseconds look_every{100};

void await(const std::function<bool()>& done, const char* what) {
  const auto give_up = monotonic_us() + limit_us;
  while (!done()) {
    if (monotonic_us() > give_up)
      throw std::runtime_error(std::string{"not within 10 s: "} + what);
    std::this_thread::sleep_for(look_every);
  }
  wait_until(0); // ends the bench after SIGINT or SIGTERM
}

api_reply expect(api_reply reply, const char* what) {
  if (reply.status != 200 || number_after(reply.body, "\"code\":") == 500)
    throw std::runtime_error(std::string{what} + " was answered " + std::to_string(reply.status) + ": " + reply.body);
  return reply;
}

double ms_since(std::int64_t began_us, std::int64_t ended_us) { return static_cast<double>(ended_us - began_us) / 1000; }

struct times_of_kills {
  std::vector<double> stopped, answered, stored, script_ended;
};

void kill_a_handler(api_client& admin, run_tally& tally, times_of_kills& took) {
  tally.waiting = 0;
  tally.stopped_us = 0;
  expect(admin.post("/jobinfo/trigger", "id=1&executorParam=&addressList="), "/jobinfo/trigger");
  await([&] { return tally.waiting != 0; }, "a handler that waits");
  const auto run = std::to_string(tally.waiting);
  const auto told = [&](const char* what) {
    return number_after(expect(admin.get("/api/v1/runs/" + run), "/api/v1/runs").body, what);
  };
  await([&] { return told("\"trigger_code\":") == 200; }, "a stored answer of the executor"); // an unsent run cannot be killed
  const auto began = monotonic_us();
  expect(admin.post("/joblog/logKill", "id=" + run), "/joblog/logKill");
  took.answered.push_back(ms_since(began, monotonic_us()));
  await([&] { return tally.stopped_us != 0; }, "a handler that sees its stop");
  took.stopped.push_back(ms_since(began, tally.stopped_us));
  await([&] { return told("\"handle_code\":") != 0; }, "a stored result");
  took.stored.push_back(ms_since(began, monotonic_us()));
}

/// Returns a trigger of a shell that waits for its child; the shell writes both process ids to `told`.
std::string script_trigger(std::int64_t log_id, const fs::path& told) {
  const auto source = "sleep 600 &\\necho $$ $! > " + told.string() + ".part\\nmv " + told.string() + ".part " + told.string() +
                      "\\nwait";
  return R"({"jobId":2,"executorHandler":"","executorParams":"","executorBlockStrategy":"SERIAL_EXECUTION","executorTimeout":0,)"
         R"("logId":)" + std::to_string(log_id) + R"(,"logDateTime":)" + std::to_string(now_ms()) +
         R"(,"glueType":"GLUE_SHELL","glueSource":")" + source +
         R"(","glueUpdatetime":1,"broadcastIndex":0,"broadcastTotal":1})";
}

bool is_gone(pid_t process) {
  if (::kill(process, 0) != 0 && errno == ESRCH)
    return true;
  // A zombie has ended, even if it was not waited for yet.
  std::ifstream in{"/proc/" + std::to_string(process) + "/stat"};
  std::string text;
  std::getline(in, text);
  const auto after_name = text.rfind(") ");
  return after_name == std::string::npos || text[after_name + 2] == 'Z' || text[after_name + 2] == 'X';
}

void kill_a_script(api_client& executor, const fs::path& folder, std::int64_t log_id, times_of_kills& took) {
  const auto told = folder / "script-processes";
  fs::remove(told);
  expect(executor.post("/run", script_trigger(log_id, told)), "/run");
  await([&] { return fs::exists(told); }, "a script that runs");
  pid_t shell = 0, child = 0;
  std::ifstream{told} >> shell >> child;
  if (shell <= 1 || child <= 1)
    throw std::runtime_error("the script wrote no process ids");
  const auto began = monotonic_us();
  expect(executor.post("/kill", R"({"jobId":2})"), "/kill");
  await([&] { return is_gone(shell) && is_gone(child); }, "the end of a script");
  took.script_ended.push_back(ms_since(began, monotonic_us()));
}

} // namespace

executor_kills run_executor_kills(const executor_load& options) {
  const temporary_folder folder{options.data_dir, options.keep};
  load_plan plan{load_shape::yearly, 1};
  plan.handler = "wait";
  executor_and_server all{options, folder.path(), plan};
  api_client admin{all.port}, executor{all.executor->port()};
  admin.sign_in(folder.path());
  executor.show("XXL-JOB-ACCESS-TOKEN", access_token);
  times_of_kills took;
  constexpr std::int64_t log_ids_of_scripts = 1'000'000;
  for (std::size_t i = 0; i < options.times; ++i) {
    kill_a_handler(admin, all.executor->tally(), took);
    kill_a_script(executor, folder.path(), log_ids_of_scripts + static_cast<std::int64_t>(i), took);
  }
  all.server->stop(stop_limit);
  all.executor->process().stop(stop_limit);
  return {options.times, spread_of(took.stopped), spread_of(took.answered), spread_of(took.stored), spread_of(took.script_ended)};
}

} // namespace ringmaster::bench
