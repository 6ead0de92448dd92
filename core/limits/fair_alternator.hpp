#pragma once

// Alternates between two kinds of work that compete for the same room, so that neither starves.

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace ringmaster::core {

/// Alternation of two kinds of work that want the same room, also from one pass to the next, so that neither starves when a pass
/// has room for only one. The outcome of a pass says nothing about each single place (one executor may be full while others have
/// room). So some passes offer all of one kind before the other, alternating: no place goes to one kind permanently.
class fair_alternator {
public:
  enum class kind : std::uint8_t { one, other };
  /// One of this many passes that offer both kinds puts one whole kind first.
  static constexpr std::size_t whole_every = 8;

  /// Returns the items of the two kinds alternately, each kind in its own order, followed by the rest of the longer one.
  /// `kind_of` is called once for each item.
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

  /// Takes the outcome of an offer. `short_of` is the kind of the first item without room. `own_found` and `other_found` say
  /// whether items of that kind and of the other one found room. If both are false, the turn does not change.
  void answered(kind short_of, bool own_found, bool other_found) noexcept {
    if (other_found)
      first_ = short_of;
    else if (own_found) // the other kind was absent: it comes first next time
      first_ = short_of == kind::one ? kind::other : kind::one;
  }

private:
  kind first_ = kind::one;
  std::size_t contests_ = 0;
};

} // namespace ringmaster::core
