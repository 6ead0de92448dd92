#include "apps/terminal/progress.hpp"

#include <algorithm>
#include <cstdio>
#include <string>

#include <unistd.h>

namespace ringmaster::apps {

using namespace std::chrono_literals;

namespace {

constexpr auto moment = 700ms;
constexpr std::size_t width = 30;

} // namespace

progress::progress(const char* what, std::size_t total) : what_{what}, total_{total}, watched_{::isatty(STDERR_FILENO) == 1} {}

progress::~progress() {
  if (drawn_)
    std::fputs("\r\033[K", stderr);
}

void progress::reached(std::size_t done) {
  if (!watched_ || total_ == 0 || std::chrono::steady_clock::now() - begin_ < moment)
    return;
  const auto full = std::min(done, total_) * width / total_;
  std::fprintf(stderr, "\r%s [%s%s] %zu/%zu", what_, std::string(full, '=').c_str(), std::string(width - full, ' ').c_str(), done,
               total_);
  drawn_ = true;
}

} // namespace ringmaster::apps
