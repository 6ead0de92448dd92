#include "bench/load_place.hpp"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <thread>

namespace ringmaster::bench {

namespace {

using std::chrono::milliseconds;

volatile std::sig_atomic_t interrupted = 0;

} // namespace

std::int64_t now_ms() {
  return std::chrono::duration_cast<milliseconds>(std::chrono::system_clock::now().time_since_epoch()).count();
}

void wait_until(std::int64_t at_ms) {
  for (auto left = at_ms - now_ms();; left = at_ms - now_ms()) {
    if (interrupted != 0)
      throw std::runtime_error("interrupted");
    if (left <= 0)
      return;
    std::this_thread::sleep_for(milliseconds{std::min<std::int64_t>(left, 200)});
  }
}

int run_bench(const char* name, const std::function<int()>& run) {
  for (const int signal : {SIGINT, SIGTERM})
    std::signal(signal, [](int) { interrupted = 1; });
  try {
    return run();
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "%s: %s\n", name, problem.what());
    return 1;
  }
}

temporary_folder::temporary_folder(const std::filesystem::path& parent, bool keep) : keep_{keep} {
  auto name = (parent / "ringmaster-bench-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr)
    throw std::runtime_error("cannot create a folder in " + parent.string());
  path_ = name;
}

temporary_folder::~temporary_folder() {
  std::error_code ignored;
  if (keep_)
    std::fprintf(stderr, "kept: %s\n", path_.c_str());
  else
    std::filesystem::remove_all(path_, ignored);
}

std::string name_of(store_kind store) { return store == store_kind::sqlite ? "sqlite" : "mariadb"; }

std::vector<std::string> serve_words(const std::filesystem::path& ringmaster, const std::filesystem::path& config,
                                     const std::vector<std::string>& settings) {
  std::vector<std::string> words{ringmaster.string(), "serve", "--config", config.string()};
  for (const auto& setting : settings)
    words.insert(words.end(), {"--set", setting});
  return words;
}

} // namespace ringmaster::bench
