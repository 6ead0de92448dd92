// Edits of hosts by operators. Nodes learn of them as of other changes of hosts (E3).

#include <algorithm>
#include <set>
#include <utility>

#include "core/text/text.hpp"
#include "storage/elastic/elastic_edits.hpp"
#include "storage/elastic/elastic_role.hpp"
#include "storage/elastic/host_columns.hpp"

namespace ringmaster::storage {

namespace {

namespace elastic = core::elastic;
using elastic::host_mode;
using elastic::host_state;

core::audit_action action_for(host_mode mode) {
  switch (mode) {
  case host_mode::enabled: return core::audit_action::enable;
  case host_mode::disabled: return core::audit_action::disable;
  case host_mode::draining: return core::audit_action::drain;
  case host_mode::removed: break;
  }
  return core::audit_action::remove;
}

/// Returns the host with this id, else all hosts with this IP address, by number.
std::vector<elastic::host_row> hosts_named(admin_session& own, const std::string& server) {
  std::vector<elastic::host_row> out;
  {
    auto row = own.query(RINGMASTER_HOST_COLUMNS "WHERE id = ? $for_update", server);
    if (row.next())
      out.push_back(host_in(row));
  }
  if (out.empty()) {
    auto rows = own.query(RINGMASTER_HOST_COLUMNS "WHERE ip = ? ORDER BY num $for_update", server);
    while (rows.next())
      out.push_back(host_in(rows));
  }
  return out;
}

/// Hosts on which items ran when no host had a later change than `change_no`.
struct busy_hosts {
  std::int64_t change_no = 0;
  std::set<elastic::host_number> hosts = {};
};

/// Reads all items.
busy_hosts hosts_with_items(admin_session& own) {
  busy_hosts out;
  {
    auto row = own.query("SELECT host_change FROM ej_meta WHERE id = 1");
    out.change_no = row.next() ? row.number(0) : 0;
  }
  auto rows = own.query("SELECT DISTINCT host FROM ej_item WHERE state = 1 AND host > 0");
  while (rows.next())
    out.hosts.insert(rows.id<elastic::host_number>(0));
  return out;
}

// A host that is dead gives its runs to others. It may be dead only if it has none.
core::result<void> check_removal(const elastic::host_row& host, const busy_hosts& busy) {
  if (host.state == host_state::up)
    return core::fail(core::errc::conflict, "host " + host.facts.id + " is up: end its process first");
  if (host.state != host_state::silent)
    return {};
  if (busy.hosts.contains(host.process.host))
    return core::fail(core::errc::conflict,
                      "host " + host.facts.id + " is silent, and runs of it are open: remove it when their lease is over");
  if (host.change_no > busy.change_no)
    return core::fail(core::errc::conflict, "host " + host.facts.id + " has just changed: try again");
  return {};
}

/// Hosts that one edit changes.
class host_edit {
public:
  host_edit(admin_session& own, host_mode mode, core::time_point now, const core::principal& by)
    : own_{own}, mode_{mode}, now_{now}, by_{by} {}

  core::result<elastic::host_edit_done> run(const std::string& server) {
    // Keepers wait for the lock that follows.
    const auto busy = mode_ == host_mode::removed ? hosts_with_items(own_) : busy_hosts{};
    hold_host_changes(own_);
    auto hosts = hosts_named(own_, server);
    if (mode_ != host_mode::removed)
      std::erase_if(hosts, [](const elastic::host_row& each) { return each.mode == host_mode::removed; });
    if (hosts.empty())
      return core::fail(core::errc::not_found, "unknown host " + server);
    elastic::host_edit_done out;
    for (const auto& host : hosts) {
      out.hosts.push_back(host.facts.id);
      if (host.mode == mode_)
        continue;
      if (auto may = mode_ == host_mode::removed ? check_removal(host, busy) : core::result<void>{}; !may)
        return tl::unexpected{may.error()};
      change(host);
      out.changed = true;
    }
    return out;
  }

private:
  // A silent host that is removed counts as dead: it fences itself if it comes back, and enters as a new process.
  void change(const elastic::host_row& host) {
    const auto state = mode_ == host_mode::removed && host.state == host_state::silent ? host_state::dead : host.state;
    own_.execute("UPDATE ej_node SET mode = ?, state = ?, change_no = ? WHERE num = ?", mode_, state, next_host_change(own_),
                 host.process.host);
    audit_elastic(own_, by_, action_for(mode_), {}, host.facts.id, {}, now_);
  }

  admin_session& own_;
  host_mode mode_;
  core::time_point now_;
  const core::principal& by_;
};

} // namespace

core::result<elastic::host_edit_done> elastic_role::set_host_mode(const std::string& server, host_mode mode, core::time_point now,
                                                                  const core::principal& by) {
  if (auto may = core::check_admin(by); !may)
    return tl::unexpected{may.error()};
  if (auto sound = check_server(server); !sound)
    return tl::unexpected{sound.error()};
  return own_.edit([&]() -> core::result<elastic::host_edit_done> {
    if (auto allowed = own_.begin_edit(); !allowed)
      return tl::unexpected{allowed.error()};
    return host_edit{own_, mode, now, by}.run(server);
  });
}

} // namespace ringmaster::storage
