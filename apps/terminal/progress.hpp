#pragma once

#include <chrono>
#include <cstddef>

namespace ringmaster::apps {

/// A bar on standard error while many things are done one after the other: for people who look on (a terminal), and only once it
/// takes longer than a moment. It is gone when the object is.
class progress {
public:
  /// `what`: `starting jobs`. It must live as long.
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
