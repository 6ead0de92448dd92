#include "bench/run_book.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <stdexcept>
#include <tuple>

namespace ringmaster::bench {

namespace {

template <class Record>
void write_all(std::ofstream& out, const std::vector<Record>& records) {
  const std::uint64_t count = records.size();
  out.write(reinterpret_cast<const char*>(&count), sizeof count);
  out.write(reinterpret_cast<const char*>(records.data()), static_cast<std::streamsize>(count * sizeof(Record)));
}

template <class Record>
void read_all(std::ifstream& in, std::vector<Record>& records) {
  std::uint64_t count = 0;
  in.read(reinterpret_cast<char*>(&count), sizeof count);
  if (!in)
    return;
  records.resize(count);
  in.read(reinterpret_cast<char*>(records.data()), static_cast<std::streamsize>(count * sizeof(Record)));
}

/// Returns the smallest value that at least `share` of all values do not exceed.
double percentile(const std::vector<double>& ascending, double share) {
  if (ascending.empty())
    return 0;
  const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(ascending.size())));
  return ascending[std::clamp<std::size_t>(rank, 1, ascending.size()) - 1];
}

bool same_pair(const received_run& a, const received_run& b) { return a.job == b.job && a.instant_ms == b.instant_ms; }

/// Counts the ids that belong to more than one pair.
std::size_t shared_ids(std::vector<received_run> runs) {
  std::sort(runs.begin(), runs.end(), [](const auto& a, const auto& b) {
    return std::tie(a.log_id, a.job, a.instant_ms) < std::tie(b.log_id, b.job, b.instant_ms);
  });
  std::size_t found = 0;
  for (std::size_t i = 1; i < runs.size(); ++i)
    if (runs[i].log_id == runs[i - 1].log_id && !same_pair(runs[i], runs[i - 1]))
      ++found;
  return found;
}

std::vector<std::int64_t> ids_of(const std::vector<received_run>& runs) {
  std::vector<std::int64_t> ids;
  ids.reserve(runs.size());
  for (const auto& run : runs)
    ids.push_back(run.log_id);
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  return ids;
}

} // namespace

spread_ms spread_of(std::vector<double>& values) {
  std::sort(values.begin(), values.end());
  return {percentile(values, 0.5), percentile(values, 0.99), percentile(values, 0.999), values.empty() ? 0 : values.back()};
}

void run_book::save(const std::filesystem::path& file) const {
  std::ofstream out{file, std::ios::binary};
  write_all(out, received);
  write_all(out, acknowledged);
  if (!out.flush())
    throw std::runtime_error("cannot write " + file.string());
}

run_book run_book::load(const std::filesystem::path& file) {
  run_book book;
  std::ifstream in{file, std::ios::binary};
  read_all(in, book.received);
  read_all(in, book.acknowledged);
  if (!in)
    throw std::runtime_error("cannot read " + file.string() + ": the executors failed");
  return book;
}

window_account account_of(const run_book& book, const load_window& window) {
  window_account account;
  std::vector<received_run> runs;
  std::copy_if(book.received.begin(), book.received.end(), std::back_inserter(runs),
               [&](const auto& run) { return window.holds(run.instant_ms); });
  // A repeated id is also searched outside the window: an old id must not occur again in it.
  account.same_id = shared_ids(book.received);
  account.log_ids = ids_of(runs);
  std::sort(runs.begin(), runs.end(), [](const auto& a, const auto& b) {
    return std::tie(a.job, a.instant_ms, a.arrived_us) < std::tie(b.job, b.instant_ms, b.arrived_us);
  });
  std::vector<double> late, read_late;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (i > 0 && same_pair(runs[i], runs[i - 1])) {
      ++account.repeated;
      continue;
    }
    late.push_back(static_cast<double>(runs[i].arrived_us - runs[i].instant_ms * 1000) / 1000);
    read_late.push_back(static_cast<double>(runs[i].read_us - runs[i].instant_ms * 1000) / 1000);
  }
  account.late = spread_of(late);
  account.read_late = spread_of(read_late);
  account.sent = late.size();
  account.early = static_cast<std::size_t>(std::lower_bound(late.begin(), late.end(), 0.0) - late.begin());
  account.acknowledged_meanwhile = static_cast<std::size_t>(
      std::count_if(book.acknowledged.begin(), book.acknowledged.end(),
                    [&](const auto& run) { return window.holds(run.acknowledged_us / 1000); }));
  return account;
}

} // namespace ringmaster::bench
