#include "tests/simulation/elastic/provoked_history.hpp"

#include <array>

namespace ringmaster::simulation::elastic {

namespace {

using enum trouble;

/// Distance of seeds between two attempts to draw a history with enough nodes and hosts.
constexpr std::uint64_t next_attempt = 1'000'000;

void add_moves(dice& random, job_history& in, span from) {
  for (std::size_t job = 0; job < in.jobs.size(); ++job)
    in.edits.push_back({.what = change::total,
                        .at = from + random.between(200, 3'000),
                        .job = job,
                        .number = static_cast<std::int32_t>(1 + random.below(total_max))});
}

} // namespace

void provoke_late_grants(dice& random, job_history& in) {
  fault late{.what = half_open_to_host, .at = random.between(1'500, 6'000), .lasts = random.between(3'500, 7'000)};
  late.host = random.index(in.hosts);
  late.node = random.index(in.nodes);
  auto end = late;
  end.what = random.of(std::array{leave_node, kill_node, stop_node});
  end.at += random.between(100, 1'500);
  end.host = all;
  in.faults.push_back(late);
  in.faults.push_back(end);
  add_moves(random, in, end.at);
}

void provoke_grants_to_ended_process(dice& random, job_history& in) {
  for (int i = 0; i < 3; ++i) {
    fault late{.what = half_open_to_host, .at = random.between(1'500, 9'000), .lasts = random.between(300, 3'000)};
    late.host = random.index(in.hosts);
    auto end = late;
    end.what = kill_host;
    end.at += random.between(50, 1'000);
    end.lasts = random.between(50, 600);
    in.faults.push_back(late);
    in.faults.push_back(end);
  }
}

void provoke_second_process(dice& random, job_history& in) {
  // With short bodies only, few runs would end while the node is stopped.
  in.bodies.longer = 30;
  for (int i = 0; i < 3; ++i) {
    fault stop{.what = stop_node, .at = random.between(1'500, 9'000), .lasts = random.between(1'000, 2'500)};
    stop.node = random.index(in.nodes);
    auto end = stop;
    end.what = random.of(std::array{kill_node, second_process, second_process});
    end.at += stop.lasts + random.between(-200, 600);
    end.lasts = random.between(100, 3'000);
    end.host = random.index(in.hosts);
    in.faults.push_back(stop);
    in.faults.push_back(end);
  }
}

void provoke_late_verdicts(dice& random, job_history& in) {
  for (int i = 0; i < 2; ++i) {
    fault part{.what = random.of(std::array{cut, half_open_to_node}), .at = random.between(1'500, 9'000),
               .lasts = random.between(600, 2'500)};
    part.host = random.index(in.hosts);
    part.by = random.between(100, 800).count();
    in.faults.push_back(part);
    fault late{.what = delay_before, .at = part.at + random.between(400, 900), .lasts = random.between(300, 2'000)};
    late.node = random.index(in.nodes);
    late.by = calls_of_hosts;
    in.faults.push_back(late);
  }
}

void provoke_late_transactions(dice& random, job_history& in) {
  for (int i = 0; i < 4; ++i) {
    fault late{.what = random.of(std::array{stop_before, delay_before}), .at = random.between(1'500, 9'000),
               .lasts = random.between(1'600, 6'000)};
    late.node = random.index(in.nodes);
    late.by = writes_of_jobs;
    in.faults.push_back(late);
  }
  add_moves(random, in, random.between(1'500, 9'000));
}

job_history provoked_history(std::uint64_t seed, provocation provoke) {
  auto out = random_job_history(seed);
  for (auto next = seed; out.nodes < 2 || out.hosts < 2;)
    out = random_job_history(next += next_attempt);
  dice random{seed};
  out.faults.clear();
  out.edits.clear();
  provoke(random, out);
  return out;
}

} // namespace ringmaster::simulation::elastic
