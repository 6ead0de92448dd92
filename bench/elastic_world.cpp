#include "bench/elastic_world.hpp"

#include <algorithm>
#include <csignal>
#include <ctime>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "bench/load_files.hpp"

namespace ringmaster::bench {

namespace {

namespace fs = std::filesystem;

constexpr std::int64_t look_every_ms = 1, note_limit_us = 30'000'000;

void write_elastic_jobs(const fs::path& file, const std::vector<elastic_declaration>& jobs) {
  std::ofstream out{file};
  out << "[[group]]\napp_name = \"bench\"\ntitle = \"bench\"\n";
  for (const auto& job : jobs)
    out << "\n[[elastic_job]]\ngroup = \"bench\"\nname = \"" << job.name << "\"\nhandler = \"" << job.handler
        << "\"\ntotal = " << job.items << "\nparam = \"" << job.param << "\"\nschedule = { cron = \"" << job.cron << "\" }\n"
        << job.more;
  if (!out.flush())
    throw std::runtime_error("cannot write " + file.string());
}

body_note parse_note(const std::string& line) {
  std::istringstream in{line};
  body_note out;
  in >> out.wall_us >> out.boot_us >> out.event >> out.job >> out.item >> out.run >> out.fence >> out.attempt >> out.source;
  if (!in)
    throw std::runtime_error("not a note: " + line);
  return out;
}

} // namespace

std::int64_t boot_us() {
  timespec now{};
  ::clock_gettime(CLOCK_BOOTTIME, &now);
  return std::int64_t{now.tv_sec} * 1'000'000 + now.tv_nsec / 1000;
}

body_note await_note(const std::function<std::optional<body_note>()>& look, const char* what) {
  const auto give_up = boot_us() + note_limit_us;
  for (;;) {
    if (auto found = look())
      return std::move(*found);
    if (boot_us() > give_up)
      throw std::runtime_error(std::string{"not within 30 s: "} + what);
    wait_until(now_ms() + look_every_ms);
  }
}

// -- worker ----------------------------------------------------------------------------------------------------------------

elastic_worker::elastic_worker(const elastic_load& load, fs::path folder, std::vector<std::string> words)
  : folder_{std::move(folder)}, file_{folder_ / "notes"}, words_{std::move(words)} {
  fs::create_directory(folder_);
  words_.insert(words_.begin(), load.worker.string());
  words_.insert(words_.end(), {"app_name=bench", "token=" + std::string{access_token}, "data_dir=" + folder_.string(),
                               "notes=" + file_.string(), "capacity=" + std::to_string(load.capacity), "drain_ms=20000"});
  start();
}

void elastic_worker::start() {
  process_.reset();
  process_.emplace(words_, folder_ / "worker.log");
}

std::int64_t elastic_worker::break_off(int signal) {
  const auto at = boot_us();
  if (::kill(process_->process(), signal) != 0)
    throw std::runtime_error("a worker has ended by itself:\n" + process_->end_of_log());
  return at;
}

void elastic_worker::go_on() { ::kill(process_->process(), SIGCONT); }

void elastic_worker::stop() {
  if (process_->stop(stop_limit) != 0)
    throw std::runtime_error("a worker failed:\n" + process_->end_of_log());
}

const std::vector<body_note>& elastic_worker::notes() {
  std::ifstream in{file_, std::ios::binary};
  in.seekg(read_);
  const std::string text{std::istreambuf_iterator<char>{in}, {}};
  std::size_t at = 0;
  for (auto end = text.find('\n'); end != std::string::npos; at = end + 1, end = text.find('\n', at))
    notes_.push_back(parse_note(text.substr(at, end - at)));
  read_ += static_cast<std::streamoff>(at);
  return notes_;
}

// -- world -----------------------------------------------------------------------------------------------------------------

elastic_world::elastic_world(const elastic_load& load, std::vector<elastic_declaration> jobs)
  : load_{load},
    folder_{load.data_dir, load.keep},
    worker_folder_{load.worker_dir, load.keep},
    port_{free_port()} {
  jobs.push_back({"beat", "quick", 2 * load.workers});
  const auto job_file = folder_.path() / "jobs.toml", config_file = folder_.path() / "ringmaster.toml";
  write_elastic_jobs(job_file, jobs);
  write_config(config_file, {"sqlite:" + database().string(), port_, access_token, job_file.string()});
  auto settings = link_.settings();
  settings.insert(settings.end(), load.settings.begin(), load.settings.end());
  server_.emplace(serve_words(load.ringmaster, config_file, settings), folder_.path() / "server.log");
  ready_ms_ = server_->wait_until_ready(port_, ready_limit).count();
  while (workers_.size() < load.workers)
    add_worker();
  for (const auto& each : workers_)
    wait_for_beat(*each, 0);
}

elastic_worker& elastic_world::add_worker() {
  const auto folder = worker_folder_.path() / std::to_string(workers_.size());
  return *workers_.emplace_back(std::make_unique<elastic_worker>(load_, folder, link_.executor_words()));
}

void elastic_world::wait_for_beat(elastic_worker& of, std::int64_t since_us) {
  (void)await_note(
    [&]() -> std::optional<body_note> {
      const auto& notes = of.notes();
      for (auto each = notes.rbegin(); each != notes.rend() && each->boot_us > since_us; ++each)
        if (each->job == "beat")
          return *each;
      return std::nullopt;
    },
    "a worker that gets items");
}

std::optional<int> elastic_world::stop() {
  for (const auto& each : workers_)
    if (each->process().runs())
      each->stop();
  return server_->stop(stop_limit);
}

} // namespace ringmaster::bench
