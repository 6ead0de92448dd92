#include "actors/elastic/host_table.hpp"

#include <algorithm>
#include <tuple>

#include "core/ids.hpp"

namespace ringmaster::actors {

namespace {

namespace elastic = core::elastic;
using protocol::host_fate;

/// Earlier processes of a host that are remembered.
constexpr std::size_t replaced_max = 8;

/// Returns the labels of a host, without those that are empty.
std::vector<std::string> labels_in(std::string_view text) {
  std::vector<std::string> out;
  while (!text.empty()) {
    const auto comma = std::min(text.find(','), text.size());
    auto label = text.substr(0, comma);
    text.remove_prefix(std::min(comma + 1, text.size()));
    label.remove_prefix(std::min(label.find_first_not_of(' '), label.size()));
    label = label.substr(0, label.find_last_not_of(' ') + 1);
    if (!label.empty())
      out.emplace_back(label);
  }
  return out;
}

/// Returns whether both are one process of the operating system, which may have been several processes of its host.
bool same_program(const elastic::host_facts& one, const elastic::host_facts& other) {
  const auto identity = [](const elastic::host_facts& of) {
    return std::tie(of.boot, of.pid_namespace, of.pid, of.start_ticks);
  };
  return !one.boot.empty() && identity(one) == identity(other);
}

} // namespace

// -- the node --------------------------------------------------------------------------------------------------------------

void host_table::begin_life(const core::node_incarnation& life, steady now) {
  end_life();
  life_ = life;
  attended_.begin(now);
}

void host_table::end_life() {
  life_.reset();
  for (auto& [number, host] : hosts_) {
    host.claiming = false;
    host.verdict.reset();
    host.keeper_over_since.reset();
  }
}

void host_table::note_nodes(std::span<const core::node_row> nodes) {
  std::map<std::string, std::int64_t> up;
  for (const auto& node : nodes)
    if (node.state == core::node_state::up)
      up.emplace(node.id, node.incarnation);
  seats_changed_ = seats_changed_ || (up.size() > 1) != several_nodes();
  nodes_up_ = std::move(up);
  for (auto& [number, host] : hosts_)
    host.keeper_checked = true;
}

// -- rows and links --------------------------------------------------------------------------------------------------------

void host_table::learn(const elastic::host_row& row, steady now, steady last_beat) {
  const bool is_over_now = row.state == elastic::host_state::dead || row.state == elastic::host_state::left;
  const auto known = hosts_.find(row.process.host);
  if (known == hosts_.end() && is_over_now)
    return;
  auto& host = known == hosts_.end() ? hosts_[row.process.host] : known->second;
  const auto before = host.row;
  if (known == hosts_.end()) {
    host.row = row;
    host.last_beat = now;
  } else if (row.change_no < before.change_no) {
    return;
  } else if (row.process != before.process) {
    replace(host, row, now);
  } else {
    host.row = row;
    // Heartbeats that are on their way may ask from before the change.
    if (row.keeper_no != before.keeper_no) {
      host.asks = false;
      host.question.reset();
    }
    if (row.keeper != before.keeper) {
      host.keeper_over_since.reset();
      host.keeper_checked = false;
    }
    // E2 of this node, also when its answer was lost: until now another node may have extended the lease.
    if (life_ && row.keeper == *life_ && row.keeper_no != before.keeper_no)
      host.last_beat = std::max(host.last_beat, now);
    change_state(host, before.state, now, last_beat);
    // It was back meanwhile, which was not read: its lease was extended.
    if (row.state == elastic::host_state::silent && before.state == row.state && row.keeper_no != before.keeper_no)
      tell(host, host_fate::silent, last_beat);
  }
  host.labels = labels_in(row.facts.labels);
  facts_changed_ = facts_changed_ || known == hosts_.end() || row.change_no != before.change_no;
}

void host_table::replace(known_host& host, const elastic::host_row& row, steady now) {
  // P3: the folder is locked by one process at a time. Without it the lease decides, and others may have acknowledged until now.
  const bool is_proof = !row.facts.folder.empty() && row.facts.folder == host.row.facts.folder;
  if (!is_gone(host))
    tell(host, host.has_ended ? host_fate::dead : is_proof ? host_fate::replaced : host_fate::silent, now);
  if (host.link) {
    links_.erase(*host.link);
    replaced_links_.push_back({*host.link, host.row.process, host.row.facts});
  }
  known_host next;
  next.row = row;
  next.last_beat = next.over_at = now;
  next.replaced = std::move(host.replaced);
  next.replaced.push_back(host.row.facts);
  if (next.replaced.size() > replaced_max)
    next.replaced.pop_front();
  host = std::move(next);
}

void host_table::change_state(known_host& host, elastic::host_state before, steady now, steady last_beat) {
  using enum elastic::host_state;
  if (host.row.state == before)
    return;
  switch (host.row.state) {
    case up:
      host.last_beat = now;
      return tell(host, host_fate::back);
    case silent:
      return tell(host, host_fate::silent, last_beat);
    case dead:
      host.over_at = now;
      return tell(host, host_fate::dead);
    case left:
      host.over_at = now;
      return tell(host, host_fate::left);
  }
}

void host_table::admit(std::uint64_t link, const elastic::host_row& row, const protocol::host_introduction& introduction,
                       steady now) {
  const bool was_known = find(row.process) != nullptr;
  learn(row, now, now);
  std::erase_if(replaced_links_, [link](const replaced_link& each) { return each.link == link; });
  auto* const host = find(row.process);
  if (host == nullptr) // a newer process is known already
    return;
  const bool returns = was_known && (!host->link || host->suspect) && host->row.state == elastic::host_state::up;
  if (host->link)
    links_.erase(*host->link);
  if (const auto other = find(link); other != nullptr && other != host)
    other->link.reset();
  links_[link] = row.process.host;
  host->link = link;
  // A process that has just begun has free slots before its first heartbeat says so.
  if (host->heard != row.process.incarnation)
    host->free_slots = row.facts.capacity;
  host->handlers = introduction.hello.handlers;
  host->listeners = introduction.hello.listeners;
  host->once_listeners = introduction.hello.once_listeners;
  host->beat_number = 0;
  host->asks = false;
  host->question.reset();
  host->last_beat = now;
  host->leaves = host->suspect = false;
  facts_changed_ = true;
  change_rights(link, introduction.rights);
  if (returns)
    tell(*host, host_fate::back);
}

void host_table::change_rights(std::uint64_t link, const protocol::host_rights& rights) {
  auto* const host = find(link);
  if (host == nullptr)
    return;
  host->groups = rights.token == core::token_kind::group ? rights.groups : nullptr;
  seats_changed_ = true;
}

void host_table::lose_link(std::uint64_t link, bool goodbye, steady now) {
  auto* const host = find(link);
  if (host == nullptr)
    return;
  facts_changed_ = true;
  if (goodbye) {
    host->leaves = true;
    return;
  }
  links_.erase(link);
  host->link.reset();
  host->beat_number = 0;
  link_lost_at_ = now;
  if (host->row.state == elastic::host_state::up && !std::exchange(host->suspect, true))
    tell(*host, host_fate::suspect);
}

void host_table::note_full(std::uint64_t link) {
  if (auto* const host = find(link))
    host->free_slots = 0;
}

host_table::standing host_table::standing_of(const elastic::host_facts& process) const {
  const auto* const host = find(process.id);
  if (host == nullptr || host->row.facts.process == process.process)
    return standing::may_enter;
  const auto is_any = [&](auto&& same) {
    return std::any_of(host->replaced.begin(), host->replaced.end(), [&](const auto& former) { return same(former, process); });
  };
  const auto same_key = [](const auto& one, const auto& other) { return one.process == other.process; };
  // After a verdict, a process enters again with another key. One that is silent may never come back.
  const bool is_present = same_program(host->row.facts, process);
  const bool runs = host->row.state == elastic::host_state::up && !host->has_ended;
  if (is_any(same_key))
    return runs ? standing::replaced : standing::outdated;
  return runs && !is_present && is_any(same_program) ? standing::replaced : standing::may_enter;
}

const elastic::host_facts* host_table::present_process(const std::string& host_id) const {
  const auto* const host = find(host_id);
  return host == nullptr ? nullptr : &host->row.facts;
}

std::optional<elastic::host_process> host_table::process_of(std::uint64_t link) const {
  const auto found = links_.find(link);
  return found == links_.end() ? std::nullopt : std::optional{hosts_.at(found->second).row.process};
}

std::optional<elastic::host_process> host_table::gone_process_of(std::uint64_t link) const {
  const auto found = links_.find(link);
  if (found == links_.end() || !is_gone(hosts_.at(found->second)))
    return std::nullopt;
  return hosts_.at(found->second).row.process;
}

std::optional<std::uint64_t> host_table::link_to(const elastic::host_process& process) const {
  const auto found = hosts_.find(process.host);
  return found == hosts_.end() || found->second.row.process != process ? std::nullopt : found->second.link;
}

std::int64_t host_table::keeper_no(const elastic::host_process& process) const {
  const auto found = hosts_.find(process.host);
  return found == hosts_.end() || !keeps(found->second) ? 0 : found->second.row.keeper_no;
}

known_host* host_table::find(const elastic::host_process& process) {
  const auto found = hosts_.find(process.host);
  return found == hosts_.end() || found->second.row.process != process ? nullptr : &found->second;
}

known_host* host_table::find(std::uint64_t link) {
  const auto found = links_.find(link);
  return found == links_.end() ? nullptr : &hosts_.at(found->second);
}

const known_host* host_table::find(const std::string& host_id) const {
  const auto found = std::find_if(hosts_.begin(), hosts_.end(),
                                  [&](const auto& entry) { return entry.second.row.facts.id == host_id; });
  return found == hosts_.end() ? nullptr : &found->second;
}

bool host_table::is_gone(const known_host& host) noexcept {
  return host.row.state == elastic::host_state::dead || host.row.state == elastic::host_state::left;
}

// -- the view --------------------------------------------------------------------------------------------------------------

void host_table::tell(const known_host& host, host_fate fate, steady last_beat) {
  notices_.push_back({host.row.process, fate, last_beat});
  facts_changed_ = true;
}

std::shared_ptr<const protocol::known_hosts> host_table::take_view(steady now) {
  const bool shows_load = load_changed_ && now - viewed_at_ >= host_times::load_every;
  if (!facts_changed_ && !seats_changed_ && !slots_changed_ && !shows_load)
    return nullptr;
  auto next = std::make_shared<protocol::known_hosts>();
  next->hosts = facts_changed_ || !view_ ? list() : view_->hosts;
  for (const auto& [number, host] : hosts_)
    if (next->hosts.find(number) != nullptr)
      next->seats.push_back(seat_of(host));
  next->several_nodes = several_nodes();
  next->only_load = view_ && !facts_changed_ && !seats_changed_;
  facts_changed_ = seats_changed_ = slots_changed_ = load_changed_ = false;
  viewed_at_ = now;
  view_ = next;
  return next;
}

elastic::host_list host_table::list() const {
  std::vector<elastic::host> shown;
  for (const bool gone : {false, true})
    for (const auto& [number, host] : hosts_) {
      if (is_gone(host) != gone || shown.size() >= elastic::hosts_max)
        continue;
      const auto& facts = host.row.facts;
      elastic::host made;
      made.number = number;
      made.id = facts.id;
      made.ip = facts.ip;
      made.pid = facts.pid;
      // Only the order of processes on one machine counts.
      made.started = core::time_point{core::milliseconds{facts.start_ticks}};
      made.state = host.row.state;
      made.linked = host.link && !host.suspect && !host.has_ended;
      made.draining = host.leaves;
      made.mode = host.row.mode;
      made.labels = host.labels;
      made.handlers = host.handlers;
      made.listeners = host.listeners;
      made.once_listeners = host.once_listeners;
      made.clock_difference = host.clock_difference;
      shown.push_back(std::move(made));
    }
  auto made = elastic::host_list::make(std::move(shown));
  return made ? std::move(*made) : elastic::host_list{};
}

protocol::host_seat host_table::seat_of(const known_host& host) const {
  return {host.row.process, host.row.facts.capacity, host.free_slots, host.tainted, host.suspect || host.has_ended, host.groups};
}

} // namespace ringmaster::actors
