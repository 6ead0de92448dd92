#include "executor/elastic/event_box.hpp"

namespace ringmaster::executor::elastic {

using protocol::elastic_event_kind;
using event_limits = protocol::elastic_link_limits;

void event_box::add(protocol::elastic_event event, link_number link) {
  auto& of_run = of_run_[event.run];
  for (auto each = of_run.begin(); each != of_run.end();) {
    const auto& before = events_.at(*each);
    if (before.event.kind == elastic_event_kind::accepted && !before.was_sent) {
      ready_.erase(*each);
      events_.erase(*each);
      each = of_run.erase(each);
    } else {
      ++each;
    }
  }
  const auto key = ++last_event_;
  of_run.insert(key);
  events_.emplace(key, entry{std::move(event), link});
  ready_.insert(key);
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
    const bool is_of_other = each.link != 0 && each.link != link && up.contains(each.link);
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
    const auto run = each->second.event.run;
    out.push_back({run, each->second.event.kind});
    ready_.erase(key);
    events_.erase(each);
    if (auto& of_run = of_run_[run]; of_run.erase(key), of_run.empty())
      of_run_.erase(run);
  }
  return out;
}

void event_box::make_ready(std::uint64_t event, boot_time not_before) {
  const auto found = events_.find(event);
  if (found == events_.end() || found->second.is_ready)
    return;
  found->second.is_ready = true;
  found->second.not_before = not_before;
  found->second.link = 0;
  ready_.insert(event);
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
