// One `[[elastic_job]]` (elastic design §7).

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <map>

#include "config/declared/declared_table.hpp"
#include "config/declared/elastic_keys.hpp"
#include "config/declared/elastic_props.hpp"
#include "config/text/units.hpp"
#include "core/alarm/alarm.hpp"
#include "core/text/mail_text.hpp"
#include "core/elastic/elastic_fields.hpp"
#include "core/elastic/error_target.hpp"
#include "core/elastic/job_types.hpp"
#include "core/elastic/part_names.hpp"
#include "core/elastic/plan.hpp"
#include "core/elastic/props.hpp"
#include "core/text/text.hpp"
#include "core/zone/zone.hpp"

namespace ringmaster::config {

namespace {

using core::option_kind;
using core::option_value;
using core::elastic::elastic_field;

constexpr std::array elastic_types{core::elastic::simple_type, core::elastic::dataflow_type, core::elastic::script_type,
                                   core::elastic::http_type};

constexpr text_limit any_text{0, std::numeric_limits<std::size_t>::max()},
  elastic_group_limit{1, std::numeric_limits<std::size_t>::max()}, elastic_name_limit{1, core::elastic::elastic_name_chars},
  name_space_limit{0, core::elastic::name_space_chars}, elastic_handler_limit{1, core::elastic::elastic_handler_chars};

/// Reader of one table. Each key may have ElasticJob's name instead of its own.
class elastic_reader {
public:
  elastic_reader(const toml::table& table, problems& found) : in_{table, found}, earlier_problems_{found.count()} { find_keys(); }

  core::declared_elastic_job run() {
    core::declared_elastic_job job;
    job.where = in_.place();
    job.group = in_.text("group", elastic_group_limit);
    auto& what = job.what;
    what.name = in_.text(key("name"), elastic_name_limit);
    if (what.name.find('/') != std::string::npos)
      in_.refuse(key("name"), "must not contain /");
    what.name_space = in_.text("namespace", name_space_limit);
    read_type(what);
    read_handler(what);
    what.total = static_cast<std::int32_t>(in_.number(key("total"), 1, core::elastic::items_max, 1));
    if (!has("total"))
      in_.refuse("total", "missing; it is required");
    job.enabled = read_enabled();
    read_accepted_keys();
    for (const auto& field : core::elastic::elastic_fields)
      if (!is_of_schedule(field) && has(field.name) && !is_later_elastic_key(field.name))
        if (auto value = read_option(field); !std::holds_alternative<std::monostate>(value))
          field.set(what.options, value);
    for (const auto& address : core::mail_addresses(what.options.alarm_email, nullptr))
      if (!core::is_mail_address(address))
        in_.refuse("alarm_email", "invalid e-mail address \"" + address + "\" (elastic_job " + what.name + ")");
    read_timing(what.options);
    read_properties(what);
    if (in_.found().count() == earlier_problems_)
      check_whole(what);
    return job;
  }

private:
  static bool is_of_schedule(const elastic_field& field) {
    return field.name == "schedule_type" || field.name == "schedule" || field.name == "interval_ms" ||
           field.name == "item_params";
  }

  /// Finds the spelling of each key, and refuses unknown ones and a key that is given twice.
  void find_keys() {
    std::vector<std::string_view> known, later;
    for (const auto& each : elastic_keys())
      for (const auto& spelling : each.spellings) {
        (is_later_elastic_key(each.name) ? later : known).push_back(spelling);
        if (!in_.node(spelling))
          continue;
        if (const auto [at, is_first] = given_.emplace(each.name, spelling); !is_first)
          in_.refuse(spelling, "is the same as " + std::string{at->second});
      }
    in_.check_names(known, later);
  }

  [[nodiscard]] bool has(std::string_view name) const { return given_.contains(name); }
  /// Returns the spelling in the table; the name itself if the table does not have the key.
  [[nodiscard]] std::string_view key(std::string_view name) const {
    const auto at = given_.find(name);
    return at == given_.end() ? name : at->second;
  }

  void read_type(core::elastic::elastic_definition& what) {
    const auto type = normal_name(in_.text(key("type"), any_text, what.kind));
    if (std::find(elastic_types.begin(), elastic_types.end(), type) != elastic_types.end())
      what.kind = type;
    else
      in_.refuse(key("type"), "\"" + type + "\" is unknown; expected simple, dataflow, script or http");
  }

  void read_handler(core::elastic::elastic_definition& what) {
    what.handler = core::elastic::handler_of_type(what.kind);
    if (what.handler.empty())
      what.handler = in_.text(key("handler"), elastic_handler_limit);
    else if (has("handler"))
      return in_.refuse(key("handler"), "excludes type " + what.kind);
    if (what.kind == core::elastic::simple_type || what.kind == core::elastic::dataflow_type)
      if (core::elastic::is_type_handler(what.handler))
        in_.refuse(key("handler"), "\"" + what.handler + "\" is the handler of a type; write the type");
  }

  void read_properties(core::elastic::elastic_definition& what) {
    auto given = read_props(in_, what.kind);
    what.props = std::move(given.text);
    check_error_props(what);
    if (given.streaming && has("streaming"))
      in_.refuse("props", "streaming.process: is the same as streaming");
    else if (given.streaming)
      what.options.streaming = *given.streaming;
  }

  /// Refuses an error handler without the properties that it needs. Hosts may have others than the built-in ones.
  void check_error_props(const core::elastic::elastic_definition& what) {
    const auto props = core::elastic::parse_props(what.props);
    const auto& handler = what.options.error_handler;
    if (const auto sound = props ? core::elastic::check_error_handler(handler, *props) : core::result<void>{}; !sound)
      in_.refuse(has("props") ? "props" : key("error_handler"), sound.error().context);
  }

  bool read_enabled() {
    const bool enabled = in_.flag("enabled", true);
    const bool disabled = in_.flag("disabled", false);
    if (has("enabled") && has("disabled"))
      in_.refuse("disabled", "excludes enabled");
    return enabled && !disabled;
  }

  /// Reads ElasticJob's keys that change nothing here.
  void read_accepted_keys() {
    if (!in_.flag(key("monitor_execution"), true))
      in_.refuse(key("monitor_execution"), "cannot be switched off: the runs of items are always recorded");
    (void) in_.flag("overwrite", true);
    (void) in_.number(key("reconcile"), std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::max(), 0);
  }

  option_value read_option(const elastic_field& field) {
    const auto name = key(field.name);
    switch (field.kind) {
    case option_kind::flag: return std::int64_t{in_.flag(name, core::number_of(field.default_value()) != 0)};
    case option_kind::choice: return read_choice(field, name);
    case option_kind::number:
      if (is_elastic_duration(field))
        return read_duration(field, name);
      return read_number(field, name);
    case option_kind::instant: {
      const auto t = read_instant(in_, name);
      return t ? option_value{core::to_ms(*t)} : option_value{};
    }
    case option_kind::text:
    case option_kind::names: break;
    }
    auto text = in_.text(name, {0, static_cast<std::size_t>(field.max)});
    // Built-in names in any case, as ElasticJob writes them.
    if (field.name == "pool")
      text = core::elastic::spelled_as(core::elastic::pool_names, text);
    else if (field.name == "error_handler")
      text = core::elastic::spelled_as(core::elastic::error_handler_names, text);
    if (field.is_long && text.size() > static_cast<std::size_t>(field.max))
      in_.refuse(name, "more than " + std::to_string(field.max) + " bytes");
    return text;
  }

  option_value read_number(const elastic_field& field, std::string_view name) {
    // 0 switches off an option that has no effect at 0.
    const auto min = field.min == 1 ? 0 : field.min;
    const auto number = in_.number(name, min, field.max, std::max(min, core::number_of(field.default_value())));
    return number < field.min ? option_value{} : option_value{number};
  }

  option_value read_choice(const elastic_field& field, std::string_view name) {
    const auto given = in_.text(name, any_text);
    if (!in_.node(name)->is_string())
      return {};
    std::string expected;
    for (const auto each : field.names) {
      if (normal_name(std::string{each}) == normal_name(given))
        return std::string{each};
      expected.append(expected.empty() ? "" : ", ").append(each);
    }
    in_.refuse(name, "\"" + given + "\" is unknown; expected one of " + expected + suggestion(given, field.names));
    return {};
  }

  /// Reads a duration, or whole seconds; milliseconds under a name that says so. ElasticJob's negative numbers mean no limit.
  option_value read_duration(const elastic_field& field, std::string_view name) {
    const auto* node = in_.node(name);
    const bool counts_ms = name.ends_with("Milliseconds") || name.ends_with("-milliseconds");
    std::optional<std::int64_t> ms;
    if (const auto* whole = node->as_integer()) {
      if (whole->get() < 0 && name != field.name && (field.is_optional || counts_ms))
        return field.is_optional ? option_value{} : option_value{field.default_value()};
      if (counts_ms)
        ms = whole->get();
      else if (whole->get() <= field.max / 1000)
        ms = whole->get() * 1000;
    } else if (const auto* text = node->as_string()) {
      if (const auto duration = parse_duration(text->get()))
        ms = duration->count();
    }
    if (ms && *ms >= field.min && *ms <= field.max)
      return *ms;
    in_.refuse(name, "expected " + std::string{duration_form} + ", or whole " + (counts_ms ? "milliseconds" : "seconds") +
                       ", at most " + format_duration(core::milliseconds{field.max}));
    return {};
  }

  void read_timing(core::elastic::elastic_options& options) {
    core::declared_job scheduled;
    scheduled.timing = options.timing;
    if (has("cron") && (has("schedule") || has("interval_ms")))
      in_.refuse("cron", std::string{"excludes "} + (has("schedule") ? "schedule" : "interval_ms"));
    else if (has("cron"))
      read_cron(in_, scheduled);
    else
      read_schedule(in_, scheduled);
    read_interval(in_, scheduled);
    options.schedule = scheduled.schedule;
    options.schedule_conf = scheduled.schedule_conf;
    options.timing = scheduled.timing;
    check_timing(options);
    read_item_params(options);
  }

  /// Checks what all definitions must have. The group is known to the store only.
  void check_whole(core::elastic::elastic_definition what) {
    what.group = core::group_id{1};
    const auto sound = core::elastic::check(what);
    if (sound)
      return;
    const std::string_view why = sound.error().context;
    const auto colon = std::min(why.find(": "), why.size());
    in_.refuse(key(why.substr(0, colon)), why.substr(std::min(colon + 2, why.size())));
  }

  void check_timing(const core::elastic::elastic_options& options) {
    const auto& zone = options.timing.time_zone;
    const auto known = zone.empty() ? core::zone{} : core::zone::find(zone);
    if (!known)
      return in_.refuse(key("time_zone"), known.error().context);
    const auto fits = core::check(options.schedule, options.timing);
    if (fits)
      return;
    // Shows the line of the option that the message begins with.
    const auto& why = fits.error().context;
    const auto colon = std::min(why.find(": "), why.size());
    if (const auto option = std::string_view{why}.substr(0, colon); has(option))
      return in_.refuse(key(option), why.substr(colon + 2));
    in_.refuse(has("cron") ? "cron" : "schedule", why);
  }

  /// Reads ElasticJob's text `0=a,1=b`, or a table `{ 0 = "a", 1 = "b" }`.
  void read_item_params(core::elastic::elastic_options& options) {
    const auto name = key("item_params");
    const auto* node = in_.node(name);
    if (!node)
      return;
    if (const auto* table = node->as_table()) {
      core::elastic::item_params params;
      for (const auto& [item, value] : *table)
        add_item_param(params, item.str(), value);
      options.item_params = core::elastic::item_params_text(params);
    } else {
      options.item_params = in_.text(name, any_text);
    }
  }

  void add_item_param(core::elastic::item_params& params, std::string_view item, const toml::node& value) {
    std::int32_t number = -1;
    const auto [end, wrong] = std::from_chars(item.data(), item.data() + item.size(), number);
    const auto* text = value.as_string();
    if (wrong != std::errc{} || end != item.data() + item.size() || number < 0 || number >= core::elastic::items_max)
      in_.refuse(key("item_params"), "\"" + std::string{item} + "\" is not the number of an item");
    else if (!text || text->get().find('\0') != std::string::npos)
      in_.refuse(key("item_params"), "expected a text for item " + std::string{item});
    else if (!params.emplace(number, text->get()).second)
      in_.refuse(key("item_params"), "item " + std::to_string(number) + " is given twice");
  }

  table_fields in_;
  /// Number of problems of the tables before this one.
  std::size_t earlier_problems_;
  std::map<std::string_view, std::string_view> given_;
};

} // namespace

core::declared_elastic_job read_elastic_job(const toml::table& table, problems& found) {
  return elastic_reader{table, found}.run();
}

} // namespace ringmaster::config
