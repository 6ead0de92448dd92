#pragma once

// Alternates between two kinds of work that compete for the same room, so that neither starves.

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace ringmaster::core {

/// Two kinds that want the same room get it alternately, also from one pass to the next: so neither starves where a pass has room
/// for one alone, whatever the passes offer. What became of a pass says nothing of each place that it was about (one executor may
/// be full while others have room for all), so now and then a pass offers all of one kind before the other one, each in its turn:
/// no place is one kind's for good.
class fair_alternator {
public:
  enum class kind : std::uint8_t { one, other };
  /// Of the passes that offer both kinds, one in so many has one of them first as a whole.
  static constexpr std::size_t whole_every = 8;

  /// The two in turn, each in its own order, and then the rest of the longer one. `kind_of` is asked once for each.
  template <class T, class KindOf>
  [[nodiscard]] std::vector<T> in_turn(std::vector<T>&& all, KindOf&& kind_of) {
    std::vector<T> ones, others;
    for (auto& each : all)
      (kind_of(std::as_const(each)) == kind::one ? ones : others).push_back(std::move(each));
    const bool contested = !ones.empty() && !others.empty();
    const bool whole = contested && ++contests_ % whole_every == 0;
    const auto leader = whole ? (contests_ / whole_every % 2 == 0 ? kind::one : kind::other) : first_;
    auto& first = leader == kind::one ? ones : others;
    auto& second = leader == kind::one ? others : ones;
    all.clear();
    for (std::size_t i = 0, j = 0; i < first.size() || j < second.size();) {
      if (i < first.size())
        all.push_back(std::move(first[i++]));
      if (j < second.size() && (!whole || i == first.size()))
        all.push_back(std::move(second[j++]));
    }
    return std::move(all);
  }

  /// What became of an offer: `short_of` is the kind of the first that found no room; whether any of its own kind and any of the
  /// other one found some. If neither did, nobody had a turn.
  void answered(kind short_of, bool own_found, bool other_found) noexcept {
    if (other_found)
      first_ = short_of;
    else if (own_found) // the other kind was not there: it is its turn when it comes
      first_ = short_of == kind::one ? kind::other : kind::one;
  }

private:
  kind first_ = kind::one;
  std::size_t contests_ = 0;
};

} // namespace ringmaster::core
