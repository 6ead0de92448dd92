#include "executor/elastic/event_box.hpp"

#include <algorithm>

namespace ringmaster::executor::elastic {

using protocol::elastic_event_kind;
using event_limits = protocol::elastic_link_limits;

void event_box::add(protocol::elastic_event event, link_number link) {
  const auto run = event.run;
  bool waits = false;
  if (const auto of_run = of_run_.find(run); of_run != of_run_.end())
    for (const auto key : std::vector(of_run->second.begin(), of_run->second.end()))
      waits = give_way(key, event) || waits;
  const auto key = ++last_event_;
  of_run_[run].insert(key);
  events_.emplace(key, entry{.event = std::move(event), .link = link, .is_ready = !waits, .is_held = waits});
  if (!waits)
    ready_.insert(key);
}

bool event_box::give_way(std::uint64_t before, protocol::elastic_event& next) {
  const auto found = events_.find(before);
  auto& older = found->second;
  if (older.event.kind == elastic_event_kind::accepted && !older.was_sent) {
    erase(found);
    return false;
  }
  const bool ends = next.kind == elastic_event_kind::finished;
  if (older.event.kind != elastic_event_kind::cursor || (next.kind != elastic_event_kind::cursor && !ends))
    return false;
  if (!ends && older.is_under_way())
    return true;
  if (ends && older.event.cursor_number > next.cursor_number) {
    next.cursor = std::move(older.event.cursor);
    next.cursor_number = older.event.cursor_number;
  }
  erase(found);
  return false;
}

void event_box::erase(std::map<std::uint64_t, entry>::iterator event) {
  const auto key = event->first;
  const auto of_run = of_run_.find(event->second.event.run);
  ready_.erase(key);
  events_.erase(event);
  if (of_run->second.erase(key); of_run->second.empty())
    of_run_.erase(of_run);
}

// The node of the slot may be behind any link, so a repetition takes the links in turn.
link_number event_box::way_of(const entry& event, const std::set<link_number>& up) {
  if (event.link != 0 && up.contains(event.link))
    return event.link;
  if (event.tried == 0 || up.empty())
    return 0;
  const auto next = up.upper_bound(event.tried);
  return next == up.end() ? *up.begin() : *next;
}

std::optional<protocol::elastic_events> event_box::next_batch(link_number link, const std::set<link_number>& up, boot_time now) {
  auto& record = links_[link];
  if (record.open.size() >= batches_max)
    return std::nullopt;
  protocol::elastic_events out;
  batch_record batch;
  std::size_t bytes = 0;
  bool is_repeated = false;
  for (auto key = ready_.begin(); key != ready_.end() && out.events.size() < event_limits::items_max;) {
    auto& each = events_.at(*key);
    const auto way = way_of(each, up);
    const bool is_of_other = way != 0 && way != link;
    const auto more = protocol::bytes_of(each.event);
    // A job whose events are refused, perhaps for long, must not hold up the receipts of other jobs.
    const bool is_apart = !out.events.empty() && each.event.job != out.events.front().job && (each.was_refused || is_repeated);
    if (is_of_other || is_apart || each.not_before > now) {
      ++key;
      continue;
    }
    if (!out.events.empty() && bytes + more > event_limits::bytes_max)
      break;
    bytes += more;
    is_repeated = is_repeated || each.was_refused;
    each.is_ready = false;
    each.was_sent = true;
    each.tried = link;
    out.events.push_back(each.event);
    batch.events.push_back(*key);
    key = ready_.erase(key);
  }
  if (out.events.empty())
    return std::nullopt;
  out.batch = ++record.last_batch;
  batch.late_at = now + receipt_limit;
  record.open.emplace(out.batch, std::move(batch));
  return out;
}

std::vector<event_box::stored_event> event_box::take_receipt(link_number link, std::uint64_t batch, bool stored, boot_time now) {
  std::vector<stored_event> out;
  const auto of_link = links_.find(link);
  if (of_link == links_.end())
    return out;
  const auto found = of_link->second.open.find(batch);
  if (found == of_link->second.open.end())
    return out;
  const auto record = std::move(found->second);
  of_link->second.open.erase(found);
  for (const auto key : record.events) {
    const auto each = events_.find(key);
    if (each == events_.end())
      continue;
    if (!stored) {
      each->second.was_refused = true;
      make_ready(key, now + pause);
      continue;
    }
    const auto& event = each->second.event;
    const auto run = event.run;
    const bool is_cursor = event.kind == elastic_event_kind::cursor;
    const bool is_last = event.kind == elastic_event_kind::finished || event.kind == elastic_event_kind::fenced;
    out.push_back({run, event.kind, event.cursor_number});
    erase(each);
    if (is_cursor)
      release_cursor(run, boot_time{0});
    else if (is_last)
      drop(run);
  }
  return out;
}

void event_box::make_ready(std::uint64_t event, boot_time not_before) {
  const auto found = events_.find(event);
  if (found == events_.end() || found->second.is_ready)
    return;
  auto& entry = found->second;
  // A newer value makes it needless.
  if (entry.event.kind == elastic_event_kind::cursor && !entry.is_held && release_cursor(entry.event.run, not_before))
    return erase(found);
  entry.is_ready = true;
  entry.is_held = false;
  entry.not_before = not_before;
  entry.link = 0;
  ready_.insert(event);
}

bool event_box::release_cursor(core::elastic::item_run_id run, boot_time not_before) {
  const auto of_run = of_run_.find(run);
  if (of_run == of_run_.end())
    return false;
  const auto held =
    std::find_if(of_run->second.begin(), of_run->second.end(), [this](auto key) { return events_.at(key).is_held; });
  if (held == of_run->second.end())
    return false;
  make_ready(*held, not_before);
  return true;
}

void event_box::end_link(link_number link) {
  const auto found = links_.find(link);
  if (found == links_.end())
    return;
  const auto record = std::move(found->second);
  links_.erase(found);
  for (const auto& [number, batch] : record.open)
    for (const auto event : batch.events)
      make_ready(event, boot_time{0});
}

void event_box::drop(core::elastic::item_run_id run) {
  const auto found = of_run_.find(run);
  if (found == of_run_.end())
    return;
  for (const auto key : found->second) {
    ready_.erase(key);
    events_.erase(key);
  }
  of_run_.erase(found);
}

void event_box::pass_time(boot_time now) {
  for (auto& [link, record] : links_)
    for (auto& [number, batch] : record.open)
      if (!batch.is_late && batch.late_at <= now) {
        batch.is_late = true;
        for (const auto event : batch.events)
          make_ready(event, boot_time{0});
      }
}

} // namespace ringmaster::executor::elastic
