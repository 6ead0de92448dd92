#include "bench/json_parts.hpp"

#include <cmath>
#include <fstream>
#include <string>

#include <sched.h>

namespace ringmaster::bench {

namespace {

int usable_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  return ::sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 0;
}

} // namespace

double rounded(double value, double digits) { return std::round(value * digits) / digits; }

json machine() {
  std::string model = "unknown";
  std::ifstream in{"/proc/cpuinfo"};
  for (std::string line; std::getline(in, line);)
    if (line.starts_with("model name") && line.find(": ") != std::string::npos) {
      model = line.substr(line.find(": ") + 2);
      break;
    }
  return {{"cores", usable_cores()}, {"cpu", model}};
}

json exit_of(const std::optional<int>& status) { return status ? json(*status) : json("killed"); }

} // namespace ringmaster::bench
