#include "protocol/wire/xxl/job_form.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "core/text/text.hpp"

namespace ringmaster::protocol::wire {

namespace {

using core::errc;

/// Reads numbers one after another and keeps the first error.
class number_reader {
public:
  explicit number_reader(const form& sent) : sent_{sent} {}

  [[nodiscard]] std::int32_t or_zero(std::string_view name) { return taken(sent_.int32(name)).value_or(0); }
  [[nodiscard]] std::int32_t needed(std::string_view name) {
    auto number = sent_.needed_int32(name);
    if (!number)
      note(std::move(number.error()));
    return number.value_or(0);
  }
  /// Returns the first present parameter of two names.
  [[nodiscard]] std::int64_t either(std::string_view name, std::string_view other, std::int64_t absent) {
    auto number = taken(sent_.int64(name));
    if (!number)
      number = taken(sent_.int64(other));
    return number.value_or(absent);
  }

  /// Returns `value`, or the first error.
  template <class Value>
  [[nodiscard]] core::result<Value> give(Value value) {
    if (error_)
      return tl::unexpected{std::move(*error_)};
    return value;
  }

private:
  template <class Number>
  std::optional<Number> taken(core::result<std::optional<Number>> number) {
    if (number)
      return *number;
    note(std::move(number.error()));
    return std::nullopt;
  }
  void note(core::error&& error) {
    if (!error_)
      error_ = std::move(error);
  }

  const form& sent_;
  std::optional<core::error> error_;
};

/// Returns the first text of two names that is not empty.
std::string either_text(const form& sent, std::string_view name, std::string_view other) {
  auto text = sent.text_or_empty(name);
  return text.empty() ? sent.text_or_empty(other) : text;
}

/// Removes commas at the end, as XXL does for a list of children; commas alone are left for the check.
std::string without_last_commas(std::string list) {
  if (const auto last = list.find_last_not_of(','); last != std::string::npos)
    list.resize(last + 1);
  return list;
}

core::page_window read_window(number_reader& numbers) {
  constexpr std::int64_t offset_max = std::numeric_limits<std::int32_t>::max();
  constexpr core::page_window usual;
  const auto offset = numbers.either("start", "offset", 0);
  const auto limit = numbers.either("length", "pagesize", 0);
  core::page_window window;
  window.offset = static_cast<std::size_t>(std::clamp<std::int64_t>(offset, 0, offset_max));
  window.limit = limit < 1 ? usual.limit : static_cast<std::size_t>(std::min<std::int64_t>(limit, core::page_rows_max));
  return window;
}

template <class Id>
std::optional<Id> wanted(std::int32_t number) {
  return number > 0 ? std::optional{Id{number}} : std::nullopt;
}

/// Converts a flag; XXL's -1 stands for all.
std::optional<bool> wanted_flag(std::int32_t number) {
  return number == 0 || number == 1 ? std::optional{number == 1} : std::nullopt;
}

core::run_status status_of(std::int32_t number) noexcept {
  switch (number) {
  case 1: return core::run_status::succeeded;
  case 2: return core::run_status::failed;
  case 3: return core::run_status::running;
  default: return core::run_status::any;
  }
}

core::result<void> read_times(core::run_search& search, std::string_view text, const core::zone& where, dialect which) {
  constexpr std::string_view separator = " - ";
  const auto middle = text.find(separator);
  if (middle == std::string_view::npos)
    return {};
  const auto read = [&](std::string_view part) -> core::result<std::optional<core::time_point>> {
    const auto time = where.parse(core::trimmed(part));
    if (time)
      return *time;
    if (which == dialect::xxl2)
      return std::nullopt;
    return core::fail(errc::invalid_argument, "the parameter filterTime must be two times of the form yyyy-MM-dd HH:mm:ss");
  };
  const auto from = read(text.substr(0, middle));
  const auto to = read(text.substr(middle + separator.size()));
  if (!from || !to)
    return tl::unexpected{from ? to.error() : from.error()};
  search.from = *from;
  search.to = *to;
  return {};
}

/// Returns the same time of day that many months ago, or on the last day of a month that is too short.
core::time_point months_before(core::time_point now, int months, const core::zone& where) {
  using namespace std::chrono;
  const auto local = where.to_local(now);
  const auto day = floor<days>(local);
  auto date = year_month_day{day} - std::chrono::months{months};
  if (!date.ok())
    date = date.year() / date.month() / last;
  const auto then = where.to_instant(where.end_of_gap(local_days{date} + (local - day)));
  return then.value_or(now - days{31} * months);
}

constexpr std::array<std::pair<std::int32_t, int>, 4> types_by_months{{{1, 1}, {2, 3}, {3, 6}, {4, 12}}};
constexpr std::array<std::pair<std::int32_t, std::size_t>, 4> types_by_rows{{{5, 1000}, {6, 10'000}, {7, 30'000}, {8, 100'000}}};
constexpr std::int32_t type_all = 9;

/// Returns false for an unknown type.
bool read_clear_type(core::clear_search& search, std::int32_t type, const core::zone& where, core::time_point now) {
  for (const auto& [each, months] : types_by_months)
    if (type == each)
      search.until = months_before(now, months, where);
  for (const auto& [each, rows] : types_by_rows)
    if (type == each)
      search.keep_newest = rows;
  return search.until || search.keep_newest || type == type_all;
}

} // namespace

core::result<core::page_window> window_of(const form& sent) {
  number_reader numbers{sent};
  const auto window = read_window(numbers);
  return numbers.give(window);
}

core::result<core::job_draft> job_draft_of(const form& sent) {
  number_reader numbers{sent};
  core::job_draft draft;
  draft.group = core::group_id{numbers.or_zero("jobGroup")};
  draft.name = either_text(sent, "jobDesc", "name");
  draft.author = sent.text_or_empty("author");
  draft.alarm_email = sent.text_or_empty("alarmEmail");
  draft.schedule_type = sent.text_or_empty("scheduleType");
  draft.schedule_conf = sent.text("scheduleConf");
  draft.misfire = sent.text_or_empty("misfireStrategy");
  draft.route = sent.text_or_empty("executorRouteStrategy");
  draft.block = sent.text_or_empty("executorBlockStrategy");
  draft.handler = core::trimmed(sent.text_or_empty("executorHandler"));
  draft.param = sent.text_or_empty("executorParam");
  draft.timeout_s = numbers.or_zero("executorTimeout");
  draft.retry_count = numbers.or_zero("executorFailRetryCount");
  draft.children = without_last_commas(sent.text_or_empty("childJobId"));
  draft.glue_type = sent.text_or_empty("glueType");
  draft.glue_source = sent.text_or_empty("glueSource");
  // A shell takes carriage returns for a part of the last word.
  if (draft.glue_type == "GLUE_SHELL")
    std::erase(draft.glue_source, '\r');
  draft.glue_remark = sent.text_or_empty("glueRemark");
  return numbers.give(std::move(draft));
}

core::result<core::job_search> job_search_of(const form& sent) {
  number_reader numbers{sent};
  core::job_search search;
  search.group = wanted<core::group_id>(numbers.needed("jobGroup"));
  search.running = wanted_flag(numbers.needed("triggerStatus"));
  search.name_part = either_text(sent, "jobDesc", "name");
  search.handler_part = sent.text_or_empty("executorHandler");
  search.author_part = sent.text_or_empty("author");
  search.window = read_window(numbers);
  return numbers.give(std::move(search));
}

core::result<core::run_search> run_search_of(const form& sent, const core::zone& where, dialect which) {
  number_reader numbers{sent};
  core::run_search search;
  search.group = wanted<core::group_id>(numbers.needed("jobGroup"));
  search.job = wanted<core::job_id>(numbers.needed("jobId"));
  if (search.job && which == dialect::xxl2)
    search.group.reset();
  search.status = status_of(numbers.needed("logStatus"));
  search.window = read_window(numbers);
  if (auto read = read_times(search, sent.text_or_empty("filterTime"), where, which); !read)
    return tl::unexpected{std::move(read.error())};
  return numbers.give(std::move(search));
}

core::result<core::clear_search> clear_search_of(const form& sent, const core::zone& where, core::time_point now) {
  number_reader numbers{sent};
  core::clear_search search;
  search.group = wanted<core::group_id>(numbers.needed("jobGroup"));
  search.job = wanted<core::job_id>(numbers.needed("jobId"));
  const auto type = numbers.needed("type");
  auto read = numbers.give(search);
  if (!read || read_clear_type(*read, type, where, now))
    return read;
  return core::refuse(errc::invalid_argument, core::refusal::clear_type_illegal, "the parameter type must be from 1 to 9");
}

core::result<core::group_draft> group_draft_of(const form& sent) {
  number_reader numbers{sent};
  core::group_draft draft;
  draft.app_name = sent.text_or_empty("appname");
  draft.title = either_text(sent, "title", "name");
  draft.type = numbers.or_zero("addressType");
  draft.address_list = sent.text_or_empty("addressList");
  draft.access_token = sent.text_or_empty("accessToken");
  return numbers.give(std::move(draft));
}

core::result<core::group_search> group_search_of(const form& sent) {
  number_reader numbers{sent};
  core::group_search search;
  search.app_name_part = sent.text_or_empty("appname");
  search.title_part = either_text(sent, "title", "name");
  search.window = read_window(numbers);
  return numbers.give(std::move(search));
}

core::result<core::user_search> user_search_of(const form& sent) {
  number_reader numbers{sent};
  core::user_search search;
  search.name_part = sent.text_or_empty("username");
  search.admin = wanted_flag(numbers.needed("role"));
  search.window = read_window(numbers);
  return numbers.give(std::move(search));
}

} // namespace ringmaster::protocol::wire
