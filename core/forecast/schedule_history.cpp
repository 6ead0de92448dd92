#include "core/forecast/schedule_history.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

#include "core/editing/audit_line.hpp"
#include "core/job/job_options.hpp"

namespace ringmaster::core {

namespace {

/// The row of a job has whole seconds.
constexpr seconds row_slack{2};

constexpr std::array<std::string_view, 15> plain_fields{"name",    "author",   "alarm_email", "schedule",  "misfire",
                                                        "route",   "block",    "handler",     "params",    "glue_type",
                                                        "timeout", "retry",    "group",       "children",  "enabled"};

bool is_field(std::string_view name) {
  if (std::find(plain_fields.begin(), plain_fields.end(), name) != plain_fields.end())
    return true;
  const auto& options = job_option_fields();
  return std::any_of(options.begin(), options.end(), [name](const auto& each) { return each.name == name; });
}

/// Calls `take` with each field of the job that the edit changed.
template <class Take>
void each_field(const audit_row& edit, Take take) {
  for (auto& field : fields_of(edit.field_values, edit.changes)) {
    // A line without values may begin with the name of a field.
    if (!field.before)
      field.name.resize(std::min(field.name.find(": "), field.name.size()));
    if (is_field(field.name))
      take(std::as_const(field));
  }
}

using rule_text = std::pair<schedule_type, std::string>;

/// Reads `0 0 3 * * ?` or `FIX_RATE 30`; nothing without a value, and for a shortened one.
std::optional<rule_text> read_schedule(const std::optional<std::string>& value) {
  constexpr std::string_view rate = "FIX_RATE", shortened = "...";
  const std::string_view text = value ? *value : std::string_view{};
  if (text.empty() || text.ends_with(shortened))
    return std::nullopt;
  if (text == stored_name(schedule_type::none))
    return rule_text{schedule_type::none, {}};
  if (text.starts_with(rate))
    return rule_text{schedule_type::fixed_rate, text.substr(std::min(rate.size() + 1, text.size()))};
  return rule_text{schedule_type::cron, text};
}

/// Knowledge about the schedule before an edit.
enum class taken_back : std::uint8_t {
  known,
  /// The edit does not tell it.
  unknown,
  /// The edit does not lead to the schedule after it: a later edit is missing.
  contradiction
};

/// Takes a change of a value back. `was`, `is`: the values before and after it; empty: not readable.
template <class Value>
taken_back take_back_value(const std::optional<Value>& was, const std::optional<Value>& is, Value& held) {
  if (is && *is != held)
    return taken_back::contradiction;
  if (!was || !is)
    return taken_back::unknown;
  held = *was;
  return taken_back::known;
}

/// Reads a number, or that there was none; nothing without a value and for another text.
template <class Number>
std::optional<std::optional<Number>> read_number(const std::optional<std::string>& value) {
  if (!value)
    return std::nullopt;
  std::optional<Number> held;
  if (!value->empty()) {
    Number number{};
    const auto [end, problem] = std::from_chars(value->data(), value->data() + value->size(), number);
    if (problem != std::errc{} || end != value->data() + value->size())
      return std::nullopt;
    held = number;
  }
  return std::make_optional(held);
}

template <class Number>
taken_back take_back_number(const field_change& field, std::optional<Number>& held) {
  return take_back_value(read_number<Number>(field.before), read_number<Number>(field.after), held);
}

taken_back take_back(const field_change& field, schedule_era& era) {
  if (field.name == "schedule") {
    rule_text held{era.type, era.type == schedule_type::none ? std::string{} : era.conf};
    const auto done = take_back_value(read_schedule(field.before), read_schedule(field.after), held);
    std::tie(era.type, era.conf) = std::move(held);
    return done;
  }
  if (field.name == "time_zone")
    return take_back_value(field.before, field.after, era.timing.time_zone);
  if (field.name == "interval_ms")
    return take_back_number(field, era.timing.interval_ms);
  if (field.name == "jitter_ms")
    return take_back_number(field, era.timing.jitter_ms);
  return field.name == "start_at" || field.name == "end_at" ? taken_back::unknown : taken_back::known;
}

taken_back take_back(const audit_row& edit, schedule_era& era) {
  auto done = taken_back::known;
  each_field(edit, [&](const field_change& field) { done = std::max(done, take_back(field, era)); });
  return done;
}

/// Returns whether the edit stopped the job (true) or started it (false); nothing for other edits.
std::optional<bool> stops(const audit_row& edit) {
  if (edit.action == audit_action::start || edit.action == audit_action::stop)
    return edit.action == audit_action::stop;
  std::optional<bool> out;
  if (edit.action == audit_action::add)
    out = true;
  each_field(edit, [&](const field_change& field) {
    if (field.name == "enabled" && field.after)
      out = *field.after == "false";
  });
  return out;
}

/// Returns the time before which an edit may be missing in the log.
time_point first_complete(const schedule_facts& facts) {
  const auto updated = facts.job.updated.value_or(facts.complete_from);
  // Without an edit since then, the row is as it was.
  if (facts.edits.empty())
    return std::min(updated, facts.complete_from);
  return updated > facts.edits.front().at + row_slack ? updated : facts.complete_from;
}

class history {
public:
  history(const schedule_facts& facts, time_point from, time_point until)
    : facts_{facts}, from_{std::max(from, first_complete(facts))} {
    const auto& job = facts.job;
    if (job.added)
      from_ = std::max(from_, *job.added);
    era_.until = until;
    era_.type = find_schedule_type(job.schedule_type).value_or(schedule_type::unknown);
    era_.conf = job.schedule_conf;
    era_.timing = job.timing;
    read_stops();
  }

  std::vector<schedule_era> run() {
    std::size_t i = 0;
    for (; i < facts_.edits.size() && facts_.edits[i].at >= from_; ++i) {
      const auto& edit = facts_.edits[i];
      auto before = era_;
      const auto done = take_back(edit, before);
      if (done == taken_back::contradiction)
        return std::move(out_);
      close(edit.at, i);
      if (done == taken_back::unknown || edit.action == audit_action::add)
        return std::move(out_);
      before.until = era_.until;
      era_ = std::move(before);
    }
    close(from_, i);
    return std::move(out_);
  }

private:
  /// Ends the present era, which begins at `begin` with the edit `i`.
  void close(time_point begin, std::size_t i) {
    if (begin < era_.until) {
      era_.from = begin;
      era_.stopped = is_stopped_after(i);
      out_.push_back(era_);
      era_.until = begin;
    }
  }

  /// Reads each edit once: `stopped_after_[i]` is what the edit `i` and those before it tell, the last element nothing.
  void read_stops() {
    const auto count = facts_.edits.size();
    stopped_after_.resize(count + 1);
    last_stop_ = count;
    for (auto i = count; i-- > 0;) {
      const auto own = stops(facts_.edits[i]);
      stopped_after_[i] = own ? own : stopped_after_[i + 1];
      if (own)
        last_stop_ = i;
    }
  }

  /// Returns whether the job was stopped after the edit `i`; false if that is not known.
  [[nodiscard]] bool is_stopped_after(std::size_t i) const {
    return stopped_after_[i].value_or(!facts_.job.running && i <= last_stop_);
  }

  const schedule_facts& facts_;
  time_point from_;
  schedule_era era_;
  std::vector<schedule_era> out_;
  std::vector<std::optional<bool>> stopped_after_;
  /// The newest edit that stopped or started the job; the number of edits without one.
  std::size_t last_stop_ = 0;
};

} // namespace

std::vector<schedule_era> eras_of(const schedule_facts& facts, time_point from, time_point until) {
  return history{facts, from, until}.run();
}

std::vector<std::string> changed_fields(const audit_row& edit) {
  std::vector<std::string> out;
  each_field(edit, [&](const field_change& field) {
    if (std::find(out.begin(), out.end(), field.name) == out.end())
      out.push_back(field.name);
  });
  return out;
}

} // namespace ringmaster::core
