#include "core/forecast/schedule_notes.hpp"

#include <algorithm>

#include "core/cron/cron.hpp"
#include "core/cron/cron_step.hpp"

namespace ringmaster::core {

namespace {

constexpr std::chrono::hours noted_year{24 * 366};

void note_rarity(const schedule& rule, time_point from, std::vector<schedule_note>& notes) {
  const auto next = rule.next(from);
  const auto second = next ? rule.next(*next) : std::nullopt;
  if (!second)
    notes.push_back({schedule_note_code::never_again, next});
  if (next && (*next - from > noted_year || (second && *second - *next > noted_year)))
    notes.push_back({schedule_note_code::rarer_than_a_year, next});
}

void note_clock_changes(const noted_schedule& noted, const cron_expression& cron, time_point from,
                        std::vector<schedule_note>& notes) {
  if (noted.options.start_at)
    from = std::max(from, *noted.options.start_at);
  auto until = from + noted_year;
  if (noted.options.end_at)
    until = std::min(until, *noted.options.end_at);
  if (const auto change = cron.next_skipped(from, until, noted.where))
    notes.push_back({schedule_note_code::dst_skipped, change});
  if (const auto twice = cron.next_repeated(from, until, noted.where))
    notes.push_back({schedule_note_code::dst_repeated, twice});
}

} // namespace

std::string_view to_string(schedule_note_code code) noexcept {
  switch (code) {
  case schedule_note_code::dst_skipped: return "dst_skipped";
  case schedule_note_code::dst_repeated: return "dst_repeated";
  case schedule_note_code::never_again: return "never_again";
  case schedule_note_code::rarer_than_a_year: return "rarer_than_a_year";
  case schedule_note_code::unaligned_step: break;
  }
  return "unaligned_step";
}

std::vector<schedule_note> notes_of(const noted_schedule& noted, const schedule& rule, time_point from) {
  std::vector<schedule_note> notes;
  if (noted.type == schedule_type::none)
    return notes;
  note_rarity(rule, from, notes);
  if (noted.type != schedule_type::cron)
    return notes;
  if (const auto cron = cron_expression::parse(noted.conf))
    note_clock_changes(noted, *cron, from, notes);
  if (has_unaligned_step(noted.conf))
    notes.push_back({schedule_note_code::unaligned_step});
  return notes;
}

} // namespace ringmaster::core
