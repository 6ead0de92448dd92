#pragma once

#include <cstddef>
#include <map>
#include <string>

namespace ringmaster::actors {

/// Numbers of fetches under way: in total, of each executor, and from executors that did not answer lately. Invariant: the total
/// is the sum over all executors, and each `begin` has one `end` with the same arguments. Part of the state of log_keeper.
class fetch_counts {
public:
  struct limits {
    std::size_t total = 0;
    std::size_t of_one = 0;
    std::size_t doubtful = 0;
  };

  explicit fetch_counts(limits max) : max_{max} {}

  void begin(const std::string& address, bool doubtful);
  void end(const std::string& address, bool doubtful);

  [[nodiscard]] bool is_full() const noexcept { return total_ >= max_.total; }
  /// Returns true if one more fetch from this executor would exceed its limit or that of all.
  [[nodiscard]] bool is_full(const std::string& address) const;
  [[nodiscard]] bool is_full_of_doubtful() const noexcept { return doubtful_ >= max_.doubtful; }

  void clear();

private:
  limits max_;
  std::size_t total_ = 0;
  std::size_t doubtful_ = 0;
  /// By address; none of them is zero.
  std::map<std::string, std::size_t> of_one_;
};

} // namespace ringmaster::actors
