#include "core/forecast/schedule_history.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

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

/// One line of a change: `name: before -> after`. Values as written, with their quotes.
struct changed_line {
  std::string_view name, before, after;
};

/// Returns nothing for a line that is not a changed field, and for values that cannot be told apart.
std::optional<changed_line> read_line(std::string_view line) {
  constexpr std::string_view colon = ": ", arrow = " -> ";
  const auto name_end = line.find(colon);
  if (name_end == line.npos || !is_field(line.substr(0, name_end)))
    return std::nullopt;
  changed_line out{line.substr(0, name_end), {}, {}};
  const auto values = line.substr(name_end + colon.size());
  const auto middle = values.find(arrow);
  if (middle == values.npos || values.find(arrow, middle + 1) != values.npos)
    return out;
  out.before = values.substr(0, middle);
  out.after = values.substr(middle + arrow.size());
  return out;
}

template <class Take>
void each_line(std::string_view text, Take take) {
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    if (const auto line = read_line(text.substr(0, end)))
      take(*line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

using rule_text = std::pair<schedule_type, std::string>;

/// Reads `"0 0 3 * * ?"` or `"FIX_RATE 30"`; nothing for a shortened text.
std::optional<rule_text> read_schedule(std::string_view quoted) {
  constexpr std::string_view rate = "FIX_RATE", shortened = "...";
  if (quoted.size() < 2 || quoted.front() != '"' || quoted.back() != '"')
    return std::nullopt;
  const auto text = quoted.substr(1, quoted.size() - 2);
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

/// Reads a number, or `none`; nothing for another text.
template <class Number>
std::optional<std::optional<Number>> read_number(std::string_view text) {
  std::optional<Number> held;
  if (text != "none") {
    Number number{};
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (problem != std::errc{} || end != text.data() + text.size())
      return std::nullopt;
    held = number;
  }
  return std::make_optional(held);
}

template <class Number>
taken_back take_back_number(const changed_line& line, std::optional<Number>& held) {
  return take_back_value(read_number<Number>(line.before), read_number<Number>(line.after), held);
}

std::optional<std::string> read_zone(std::string_view text) {
  if (text.empty())
    return std::nullopt;
  return std::string{text == "none" ? std::string_view{} : text};
}

taken_back take_back(const changed_line& line, schedule_era& era) {
  if (line.name == "schedule") {
    rule_text held{era.type, era.type == schedule_type::none ? std::string{} : era.conf};
    const auto done = take_back_value(read_schedule(line.before), read_schedule(line.after), held);
    std::tie(era.type, era.conf) = std::move(held);
    return done;
  }
  if (line.name == "time_zone")
    return take_back_value(read_zone(line.before), read_zone(line.after), era.timing.time_zone);
  if (line.name == "interval_ms")
    return take_back_number(line, era.timing.interval_ms);
  if (line.name == "jitter_ms")
    return take_back_number(line, era.timing.jitter_ms);
  return line.name == "start_at" || line.name == "end_at" ? taken_back::unknown : taken_back::known;
}

taken_back take_back(const audit_row& edit, schedule_era& era) {
  auto done = taken_back::known;
  each_line(edit.changes, [&](const changed_line& line) { done = std::max(done, take_back(line, era)); });
  return done;
}

/// Returns whether the edit stopped the job (true) or started it (false); nothing for other edits.
std::optional<bool> stops(const audit_row& edit) {
  if (edit.action == audit_action::start || edit.action == audit_action::stop)
    return edit.action == audit_action::stop;
  std::optional<bool> out;
  if (edit.action == audit_action::add)
    out = true;
  each_line(edit.changes, [&](const changed_line& line) {
    if (line.name == "enabled" && !line.after.empty())
      out = line.after == "false";
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

  /// Returns whether the job was stopped after the edit `i`; false if that is not known.
  [[nodiscard]] bool is_stopped_after(std::size_t i) const {
    for (std::size_t earlier = i; earlier < facts_.edits.size(); ++earlier)
      if (const auto stopped = stops(facts_.edits[earlier]))
        return *stopped;
    const auto end = facts_.edits.begin() + static_cast<std::ptrdiff_t>(std::min(i, facts_.edits.size()));
    return !facts_.job.running && std::none_of(facts_.edits.begin(), end, [](const auto& each) { return stops(each); });
  }

  const schedule_facts& facts_;
  time_point from_;
  schedule_era era_;
  std::vector<schedule_era> out_;
};

} // namespace

std::vector<schedule_era> eras_of(const schedule_facts& facts, time_point from, time_point until) {
  return history{facts, from, until}.run();
}

std::vector<std::string> fields_of(const audit_row& edit) {
  std::vector<std::string> out;
  each_line(edit.changes, [&](const changed_line& line) {
    if (std::find(out.begin(), out.end(), line.name) == out.end())
      out.emplace_back(line.name);
  });
  return out;
}

} // namespace ringmaster::core
