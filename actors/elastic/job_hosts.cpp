#include "actors/elastic/job_hosts.hpp"

#include <algorithm>
#include <utility>

#include "core/elastic/takeover_rule.hpp"

namespace ringmaster::actors {

namespace {

namespace elastic = core::elastic;

/// Maximum number of processes that are remembered as ended with their programs.
constexpr std::size_t programs_ended_max = 64;

/// FNV-1a over 64 bits.
class host_hash {
public:
  void add(std::uint64_t value) {
    for (int i = 0; i < 8; ++i, value >>= 8U)
      sum_ = (sum_ ^ (value & 0xffU)) * 0x100000001b3U;
  }
  [[nodiscard]] std::uint64_t sum() const noexcept { return sum_; }

private:
  std::uint64_t sum_ = 0xcbf29ce484222325U;
};

} // namespace

bool is_leaving(const protocol::known_hosts& known, elastic::host_number host) {
  const auto* facts = known.hosts.find(host);
  return facts != nullptr && (facts->draining || facts->mode == elastic::host_mode::draining);
}

job_hosts::job_hosts(std::shared_ptr<host_slots> slots)
  : has_own_slots_{slots == nullptr}, slots_{slots ? std::move(slots) : std::make_shared<host_slots>()} {}

void job_hosts::set_job(std::shared_ptr<const elastic::elastic_job_row> job, std::vector<std::string> disabled_servers) {
  job_ = std::move(job);
  disabled_servers_ = std::move(disabled_servers);
  candidates_.reset();
}

void job_hosts::set_view(std::shared_ptr<const protocol::known_hosts> known) {
  known_ = std::move(known);
  candidates_.reset();
  excluded_.clear();
  slots_.clear();
  if (has_own_slots_)
    slots_.set(*known_);
}

elastic::job_needs job_hosts::needs() const {
  const auto& what = job_->what;
  return {what.handler,       what.options.listeners,     what.options.once_listeners,
          what.options.label, what.options.max_time_diff, disabled_servers_};
}

const protocol::host_seat* job_hosts::seat_of(elastic::host_number host) const {
  if (!known_)
    return nullptr;
  const auto found = std::lower_bound(known_->seats.begin(), known_->seats.end(), host,
                                      [](const auto& each, elastic::host_number wanted) { return each.host.host < wanted; });
  return found != known_->seats.end() && found->host.host == host ? &*found : nullptr;
}

bool job_hosts::is_allowed(const protocol::host_seat& seat) const {
  if (seat.suspect || std::find(excluded_.begin(), excluded_.end(), seat.host) != excluded_.end())
    return false;
  return !seat.groups || std::binary_search(seat.groups->begin(), seat.groups->end(), job_->what.group);
}

bool job_hosts::may_run(const elastic::host& host, const protocol::host_seat& seat) const {
  return is_allowed(seat) && elastic::reason_against(host, needs()) == elastic::gap_reason::none;
}

std::string job_hosts::name_of(elastic::host_number host) const {
  const auto* found = known_ ? known_->hosts.find(host) : nullptr;
  return found ? found->id : std::string{};
}

job_hosts::standing job_hosts::standing_of(const elastic::host_process& host) const {
  const auto* seat = seat_of(host.host);
  const auto* facts = known_ ? known_->hosts.find(host.host) : nullptr;
  if (seat == nullptr || facts == nullptr)
    return standing::unknown;
  // A newer process proves nothing by itself: the news about the older one tell whether it has ended.
  if (seat->host.incarnation != host.incarnation)
    return standing::unknown;
  switch (facts->state) {
  case elastic::host_state::up: break;
  case elastic::host_state::silent: return standing::silent;
  case elastic::host_state::dead:
  case elastic::host_state::left: return standing::gone;
  }
  const bool excluded = std::find(excluded_.begin(), excluded_.end(), host) != excluded_.end();
  return facts->linked && !seat->suspect && !excluded ? standing::ready : standing::away;
}

bool job_hosts::is_drained(elastic::host_number host) const {
  const auto* facts = known_ ? known_->hosts.find(host) : nullptr;
  return facts != nullptr && facts->mode == elastic::host_mode::draining;
}

bool job_hosts::is_leaving(elastic::host_number host) const {
  return known_ && actors::is_leaving(*known_, host);
}

bool job_hosts::await(elastic::host_number host) {
  const auto* seat = seat_of(host);
  const auto* facts = known_ ? known_->hosts.find(host) : nullptr;
  if (seat == nullptr || facts == nullptr || !may_run(*facts, *seat) || free_slots_of(*seat) > 0)
    return false;
  if (seat->capacity > 0) // without one it is never free, whatever the count says
    slots_.await(host);
  return true;
}

bool job_hosts::await_any(std::span<const elastic::host_process> except) {
  if (!known_)
    return false;
  bool any = false;
  // Only hosts that are full: a free slot that the job may not take must not wake it again and again.
  for (const auto* seat : candidates())
    if (is_allowed(*seat) && !elastic::is_among(except, seat->host) && seat->capacity > 0 && slots_.free(seat->host.host) <= 0) {
      slots_.await(seat->host.host);
      any = true;
    }
  return any;
}

std::uint64_t job_hosts::fingerprint() const {
  host_hash out;
  if (!known_)
    return out.sum();
  for (const auto& seat : known_->seats)
    if (const auto* host = known_->hosts.find(seat.host.host)) {
      out.add(static_cast<std::uint64_t>(core::number(seat.host.host)));
      out.add(static_cast<std::uint64_t>(core::number(seat.host.incarnation)));
      out.add(is_allowed(seat) ? static_cast<std::uint64_t>(elastic::reason_against(*host, needs())) : 255U);
    }
  return out.sum();
}

core::result<elastic::item_plan> job_hosts::plan(const elastic::strategy_registry& strategies,
                                                 const elastic::item_plan* previous, elastic::host_number last_runner,
                                                 core::time_point now) const {
  const auto& what = job_->what;
  std::vector<elastic::host> allowed;
  bool all = true;
  if (known_)
    for (const auto& seat : known_->seats)
      if (const auto* host = known_->hosts.find(seat.host.host)) {
        allowed.push_back(*host);
        if (!is_allowed(seat))
          all = allowed.back().linked = false;
      }
  auto list = known_ && all ? core::result<elastic::host_list>{known_->hosts} : elastic::host_list::make(std::move(allowed));
  if (!list)
    return tl::unexpected{std::move(list.error())};
  elastic::plan_request request{.job = what.name,
                                .total = what.total,
                                .strategy = what.options.strategy,
                                .order = what.options.order,
                                .needs = needs(),
                                .is_static = what.options.is_static,
                                .fallback = what.options.static_fallback,
                                .previous = previous,
                                .last_runner = last_runner,
                                .now = now};
  return elastic::make_plan(strategies, *list, request);
}

std::int32_t job_hosts::free_slots_of(const protocol::host_seat& seat) const {
  return std::clamp(slots_.free(seat.host.host), 0, std::max(seat.capacity, 0));
}

std::optional<elastic::host_process> job_hosts::take(elastic::host_number host,
                                                     std::span<const elastic::host_process> except) {
  const auto* seat = seat_of(host);
  const auto* facts = known_ ? known_->hosts.find(host) : nullptr;
  if (seat == nullptr || facts == nullptr || elastic::is_among(except, seat->host) || !may_run(*facts, *seat)
      || seat->capacity <= 0 || !slots_.take(host))
    return std::nullopt;
  return seat->host;
}

// A host that ends may have thousands of items to be taken over.
const std::vector<const protocol::host_seat*>& job_hosts::candidates() {
  if (!candidates_) {
    candidates_.emplace();
    for (const auto* each : elastic::find_candidates(known_->hosts, job_->what.options.order, needs()).hosts)
      if (const auto* seat = seat_of(each->number))
        candidates_->push_back(seat);
  }
  return *candidates_;
}

std::optional<elastic::host_process> job_hosts::take_best(std::span<const elastic::host_process> except,
                                                          const runs_job& runs) {
  if (!known_)
    return std::nullopt;
  std::vector<elastic::takeover_host> hosts;
  for (const auto* seat : candidates())
    if (is_allowed(*seat) && !elastic::is_among(except, seat->host)) {
      const auto capacity = std::max(seat->capacity, 0);
      hosts.push_back({seat->host.host, capacity, capacity - free_slots_of(*seat), runs(seat->host.host)});
    }
  const elastic::lost_item lost{};
  const auto taken = elastic::decide_takeovers({&lost, 1}, hosts, {true, 1});
  return taken.front().action == elastic::takeover_action::grant ? take(taken.front().host, except) : std::nullopt;
}

void job_hosts::note_ended_programs(const elastic::host_process& host) {
  programs_ended_.push_back(host);
  if (programs_ended_.size() > programs_ended_max)
    programs_ended_.erase(programs_ended_.begin());
}

bool job_hosts::have_programs_ended(const elastic::host_process& host) const {
  return std::find(programs_ended_.begin(), programs_ended_.end(), host) != programs_ended_.end();
}

std::optional<elastic::host_process> job_hosts::choose_for_hook(const std::optional<elastic::host_process>& preferred,
                                                                std::span<const elastic::host_process> except) {
  if (!known_)
    return std::nullopt;
  // A host that is about to leave ends the fire that it has begun.
  if (preferred && !elastic::is_among(except, *preferred))
    if (const auto* seat = seat_of(preferred->host); seat != nullptr && seat->host == *preferred && is_allowed(*seat))
      if (const auto* facts = known_->hosts.find(preferred->host)) {
        const auto reason = elastic::reason_against(*facts, needs());
        if (reason == elastic::gap_reason::none || reason == elastic::gap_reason::draining)
          return preferred;
      }
  const protocol::host_seat* best = nullptr;
  for (const auto* seat : candidates())
    if (is_allowed(*seat) && !elastic::is_among(except, seat->host)
        && (best == nullptr || free_slots_of(*seat) > free_slots_of(*best)))
      best = seat;
  return best == nullptr ? std::nullopt : std::optional{best->host};
}

} // namespace ringmaster::actors
