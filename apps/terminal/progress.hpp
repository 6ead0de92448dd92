#pragma once

#include <chrono>
#include <cstddef>

namespace ringmaster::apps {

/// A progress bar on standard error for a sequence of many steps. Shown only on a terminal and only after a short delay. The
/// destructor erases it.
class progress {
public:
  /// `what`: for example `starting jobs`. It must outlive the object.
  progress(const char* what, std::size_t total);
  progress(const progress&) = delete;
  progress& operator=(const progress&) = delete;
  ~progress();

  void reached(std::size_t done);

private:
  const char* what_;
  std::size_t total_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  bool watched_;
  bool drawn_ = false;
};

} // namespace ringmaster::apps
