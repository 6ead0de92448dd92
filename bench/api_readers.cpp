#include "bench/api_readers.hpp"

#include <algorithm>
#include <chrono>
#include <string>

namespace ringmaster::bench {

namespace {

using std::chrono::steady_clock;

constexpr std::size_t threads = 4;

/// Returns the requests of many open consoles, and of programs.
std::string target_of(std::size_t turn, std::size_t jobs) {
  switch (turn % 4) {
  case 0: return "/api/v1/jobs?limit=20";
  case 1: return "/api/v1/runs?limit=20";
  case 2: return "/api/v1/runs?limit=20&job=" + std::to_string(1 + turn % jobs);
  default: return "/api/v1/jobs/" + std::to_string(1 + turn % jobs);
  }
}

} // namespace

api_readers::api_readers(std::uint16_t port, const std::filesystem::path& data_dir, std::size_t per_second, std::size_t jobs) {
  for (std::size_t i = 0; i < threads; ++i)
    clients_.emplace_back(std::make_unique<api_client>(port))->sign_in(data_dir);
  const auto turn_of = [](std::size_t thread, std::size_t turn) { return turn * threads + thread; };
  const std::chrono::duration<double> step{1.0 / static_cast<double>(per_second)};
  requests_.emplace(
    threads,
    [turn_of, step](std::size_t thread, std::size_t turn) {
      return std::chrono::duration_cast<steady_clock::duration>(step * static_cast<double>(turn_of(thread, turn)));
    },
    [this, turn_of, jobs = std::max<std::size_t>(1, jobs)](std::size_t thread, std::size_t turn) {
      return clients_[thread]->get(target_of(turn_of(thread, turn), jobs)).status == 200;
    });
}

} // namespace ringmaster::bench
