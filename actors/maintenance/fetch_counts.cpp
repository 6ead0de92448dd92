#include "actors/maintenance/fetch_counts.hpp"

namespace ringmaster::actors {

void fetch_counts::begin(const std::string& address, bool doubtful) {
  ++total_;
  ++of_one_[address];
  doubtful_ += doubtful ? 1 : 0;
}

void fetch_counts::end(const std::string& address, bool doubtful) {
  --total_;
  doubtful_ -= doubtful ? 1 : 0;
  if (const auto found = of_one_.find(address); --found->second == 0)
    of_one_.erase(found);
}

bool fetch_counts::is_full(const std::string& address) const {
  const auto found = of_one_.find(address);
  return is_full() || (found != of_one_.end() && found->second >= max_.of_one);
}

void fetch_counts::clear() {
  total_ = doubtful_ = 0;
  of_one_.clear();
}

} // namespace ringmaster::actors
