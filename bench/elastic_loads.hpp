#pragma once

// Loads of elastic_bench. All throw `std::runtime_error` if the load could not be started, failed or was interrupted.

#include <chrono>
#include <cstddef>

#include "bench/elastic_report.hpp"
#include "bench/elastic_world.hpp"

namespace ringmaster::bench {

/// Measures takeovers: the worker with the item is killed (`SIGKILL`) or stopped (`SIGSTOP`), and another one goes on with it.
[[nodiscard]] elastic_times run_elastic_takeovers(const elastic_load& load, int signal, std::size_t rounds);
/// Measures workers that come: from the start of the process to its first item, and meanwhile the lateness of short items next to
/// one that runs long.
[[nodiscard]] elastic_times run_elastic_reshares(const elastic_load& load, std::size_t rounds);
/// Measures compensations: from the end of an item that has missed a fire to its next begin.
[[nodiscard]] elastic_times run_elastic_compensations(const elastic_load& load, std::size_t rounds);
/// Fires `jobs` jobs with `items` items in each second.
[[nodiscard]] elastic_rate run_elastic_rate(const elastic_load& load, std::size_t jobs, std::size_t items,
                                            std::chrono::seconds warmup, std::chrono::seconds seconds);
/// Lets jobs with ten items wait for a fire in another month. The two workers stay linked.
[[nodiscard]] elastic_idle run_elastic_idle(const elastic_load& load, std::size_t jobs, std::chrono::seconds seconds);

} // namespace ringmaster::bench
