#include "storage/sqlite/driver/session.hpp"

#include <string>

namespace ringmaster::storage::sqlite {

namespace {

constexpr char find_incarnation[] = "SELECT 1 FROM rm_node WHERE id = ?1 AND incarnation = ?2 AND state = 'up'";

} // namespace

core::result<void> session::check_current(const core::node_incarnation& owner) const {
  auto finding = db->prepare(find_incarnation);
  if (finding.with(owner.node, owner.incarnation).step())
    return {};
  return tl::unexpected{incarnation_has_ended(owner)};
}

core::error incarnation_has_ended(const core::node_incarnation& incarnation) {
  return {core::errc::fenced,
          "incarnation " + std::to_string(incarnation.incarnation) + " of node " + incarnation.node + " has ended"};
}

} // namespace ringmaster::storage::sqlite
