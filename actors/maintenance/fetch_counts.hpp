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

  void begin(const std::string& address, bool doubtful) {
    ++total_;
    ++of_one_[address];
    doubtful_ += doubtful ? 1 : 0;
  }
  void end(const std::string& address, bool doubtful) {
    --total_;
    doubtful_ -= doubtful ? 1 : 0;
    if (const auto found = of_one_.find(address); --found->second == 0)
      of_one_.erase(found);
  }

  [[nodiscard]] bool is_full() const noexcept { return total_ >= max_.total; }
  /// Returns true if one more fetch from this executor would exceed its limit or that of all.
  [[nodiscard]] bool is_full(const std::string& address) const {
    const auto found = of_one_.find(address);
    return is_full() || (found != of_one_.end() && found->second >= max_.of_one);
  }
  [[nodiscard]] bool is_full_of_doubtful() const noexcept { return doubtful_ >= max_.doubtful; }

  void clear() {
    total_ = doubtful_ = 0;
    of_one_.clear();
  }

private:
  limits max_;
  std::size_t total_ = 0;
  std::size_t doubtful_ = 0;
  /// By address; none of them is zero.
  std::map<std::string, std::size_t> of_one_;
};

} // namespace ringmaster::actors
