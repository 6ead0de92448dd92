// One job: from ElasticJob's options to a definition.

#include <optional>

#include "config/declared/elastic_keys.hpp"
#include "config/elasticjob/imported_job.hpp"
#include "core/cron/cron.hpp"
#include "core/elastic/elastic_fields.hpp"
#include "core/elastic/item_params.hpp"
#include "core/elastic/job_types.hpp"
#include "core/elastic/plan.hpp"
#include "core/elastic/prop_fields.hpp"
#include "core/elastic/props.hpp"
#include "core/elastic/strategy.hpp"
#include "core/text/ascii_case.hpp"
#include "core/text/text.hpp"
#include "core/zone/zone.hpp"

namespace ringmaster::config {

namespace {

std::string shown(std::string_view text) { return '"' + core::valid_utf8(core::cut_bytes(text, 100)) + '"'; }

std::optional<bool> flag_in(std::string_view text) {
  const auto word = core::trimmed(text);
  for (const std::string_view yes : {"true", "yes", "on", "1"})
    if (core::equal_without_case(word, yes))
      return true;
  for (const std::string_view no : {"false", "no", "off", "0"})
    if (core::equal_without_case(word, no))
      return false;
  return std::nullopt;
}

/// Converter of one job.
class job_conversion {
public:
  job_conversion(const source_job& from, const source_names& names, core::time_point now, import_findings& all)
    : from_(from), names_(names), now_(now), found_(from.file, all) {}

  imported_job run() {
    out_.where = found_.place(from_.line);
    read_identity();
    read_kind();
    if (const auto total = read_number("shardingTotalCount"))
      out_.what.total = *total;
    else if (!from_.find("shardingTotalCount"))
      refuse("shardingTotalCount", "missing; it is required");
    read_schedule();
    read_texts();
    read_names_of_parts();
    read_flags();
    read_max_time_diff();
    read_props();
    check_all();
    return std::move(out_);
  }

private:
  void refuse(std::string_view option, std::string_view why) {
    is_refused_ = true;
    const auto* given = from_.find(option);
    found_.refuse(given ? given->line : from_.line, "job '" + core::valid_utf8(from_.name) + "': " + std::string{option} + ": " +
                                                      std::string{why});
  }
  void note(std::string text) { out_.notes.push_back(std::move(text)); }

  /// Returns the text of an option; unset if the job does not set it, or wrongly.
  std::optional<std::string> text_in(std::string_view option) {
    const auto* given = from_.find(option);
    return given ? filled_in(option, given->text) : std::nullopt;
  }
  /// Returns the text with the values of its placeholders; unset, with an error, if the files do not have one.
  std::optional<std::string> filled_in(std::string_view option, const std::string& text) {
    if (from_.kind == source_kind::stored || !has_placeholder(text))
      return text;
    auto out = filled(text, names_);
    if (out)
      return std::move(*out);
    refuse(option, shown(text) + " has " + out.error().context + "; write its value");
    return std::nullopt;
  }
  /// Returns a text that is not blank, without blanks around it.
  std::optional<std::string> word_in(std::string_view option) {
    auto text = text_in(option);
    if (text)
      *text = std::string{core::trimmed(*text)};
    return text && !text->empty() ? text : std::nullopt;
  }
  std::optional<std::int32_t> read_number(std::string_view option) {
    const auto text = text_in(option);
    if (!text)
      return std::nullopt;
    const auto word = core::trimmed(*text);
    const auto number = core::parse_int32(word);
    if (number && std::to_string(*number) == word)
      return number;
    refuse(option, shown(*text) + " is not a whole number");
    return std::nullopt;
  }
  std::optional<bool> read_flag(std::string_view option) {
    const auto text = text_in(option);
    if (!text)
      return std::nullopt;
    const auto flag = flag_in(*text);
    if (!flag)
      refuse(option, shown(*text) + " is not true or false");
    return flag;
  }

  void read_identity() {
    auto& what = out_.what;
    if (const auto name = filled_in("name", from_.name)) {
      what.name = *name;
      if (core::is_blank(*name) || name->find('/') != std::string::npos)
        refuse("name", "must not be empty or contain /");
    }
    auto name_space = from_.name_space;
    if (const auto at = names_.name_spaces.find(from_.registry); at != names_.name_spaces.end())
      name_space = at->second;
    else if (!from_.registry.empty())
      note("The namespace is unknown: no file has the registry centre " + from_.registry + ".");
    what.name_space = filled_in("namespace", name_space).value_or("");
  }

  /// Finds the name of the handler: the class, or what stands for it.
  void read_handler() {
    auto& handler = out_.what.handler;
    if (from_.kind == source_kind::stored) {
      handler = from_.name;
      note("The stored configuration does not name the class: the handler has the name of the job.");
    } else if (from_.kind == source_kind::boot) {
      handler = word_in("elasticJobClass").value_or("");
    } else if (const auto at = names_.classes.find(from_.bean); at != names_.classes.end()) {
      handler = filled_in("job-ref", at->second).value_or("");
    } else {
      handler = filled_in("job-ref", from_.bean).value_or("");
      note("No file has the bean " + from_.bean + ": the handler has its name.");
    }
  }

  void read_kind() {
    const auto type = word_in("elasticJobType");
    const bool has_class = from_.kind == source_kind::boot ? from_.find("elasticJobClass") != nullptr : !from_.bean.empty();
    if (from_.kind != source_kind::stored && has_class == (from_.find("elasticJobType") != nullptr)) {
      refuse(from_.kind == source_kind::boot ? "elasticJobClass" : "job-ref",
             has_class ? "excludes a type; a job has a class or a type" : "missing; a job has a class or a type");
      has_handler_ = false;
    } else if (const auto stored_type = from_.kind == source_kind::stored ? type_of_props() : std::string_view{};
               !stored_type.empty()) {
      return set_type(stored_type);
    } else if (!type) {
      return read_handler();
    }
    if (!type)
      return;
    for (const auto& [name, handler] : core::elastic::type_handlers)
      if (core::equal_without_case(*type, name))
        return set_type(name);
    out_.unsupported = "jobs of type " + core::valid_utf8(core::cut_bytes(*type, 100)) + " are not supported by this release";
  }

  void set_type(std::string_view type) {
    out_.what.kind = type;
    out_.what.handler = core::elastic::handler_of_type(type);
    if (type == core::elastic::script_type)
      note("The program must lie below a folder of executor.elastic_scripts.");
    else
      note("The address must be among those of executor.http_allowed.");
  }

  /// Returns the type whose properties a stored configuration has, which names neither class nor type; empty: none.
  [[nodiscard]] std::string_view type_of_props() const {
    for (const auto& field : core::elastic::prop_fields)
      if (field.is_required && from_.props.contains(std::string{field.name}))
        return field.job_type;
    return {};
  }

  void read_schedule() {
    auto& options = out_.what.options;
    const auto cron = word_in("cron");
    if (!cron)
      return; // fires on request; ElasticJob ignores a zone then
    options.schedule = core::schedule_type::cron;
    options.schedule_conf = *cron;
    if (const auto parsed = core::cron_expression::parse(*cron); !parsed)
      refuse("cron", "invalid cron expression " + shown(*cron) + ": " + parsed.error().context);
    const auto zone = word_in("timeZone");
    if (!zone)
      return;
    options.timing.time_zone = zone_name_of(*zone);
    if (options.timing.time_zone.empty())
      refuse("timeZone", shown(*zone) + " has no name among the time zones of IANA; write one such as Asia/Kolkata");
    else if (options.timing.time_zone != *zone)
      note("time_zone is " + *zone + " in ElasticJob; the names Etc/GMT have the opposite sign.");
  }

  void read_texts() {
    auto& options = out_.what.options;
    options.item_params = text_in("shardingItemParameters").value_or("");
    leave_out_ignored_item_params();
    options.param = text_in("jobParameter").value_or("");
    options.description = text_in("description").value_or("");
  }

  /// Reads names of strategies, pools, handlers of errors and listeners.
  void read_names_of_parts() {
    auto& options = out_.what.options;
    if (auto strategy = word_in("jobShardingStrategyType")) {
      if (core::elastic::strategy_registry{}.find(*strategy))
        options.strategy = *strategy;
      else
        leave_out("strategy", *strategy, "The strategy is unknown here.");
    }
    const bool names_pool = from_.find("jobExecutorThreadPoolSizeProviderType") != nullptr;
    if (names_pool && from_.find("jobExecutorServiceHandlerType"))
      refuse("jobExecutorServiceHandlerType", "is the former name of jobExecutorThreadPoolSizeProviderType, which is given, too");
    read_part("pool", names_pool ? "jobExecutorThreadPoolSizeProviderType" : "jobExecutorServiceHandlerType", "CPU",
              &core::elastic::elastic_options::pool);
    read_part("error_handler", "jobErrorHandlerType", "LOG", &core::elastic::elastic_options::error_handler);
    read_part("listeners", "jobListenerTypes", "", &core::elastic::elastic_options::listeners);
    if (!options.listeners.empty())
      note(
        "Only executors with listeners of these names get items; those that run once for all items belong into"
        " once_listeners.");
    if (const auto label = word_in("label"))
      leave_out("label", *label, "ElasticJob ignores the label; here only hosts with it run the items.");
  }

  /// Leaves the parameters out that ElasticJob ignores: of items that the job does not have, and all but the last one of an item.
  void leave_out_ignored_item_params() {
    auto& text = out_.what.options.item_params;
    const auto total = out_.what.total;
    auto read = core::elastic::parse_item_params(text);
    if (is_refused_ || !read || core::elastic::check_item_params(text, total))
      return;
    std::erase_if(*read, [total](const auto& each) { return each.first < 0 || each.first >= total; });
    text = core::elastic::item_params_text(*read);
    note("shardingItemParameters: parameters that ElasticJob ignores are left out, of items that the job does not have or that "
         "have a later one.");
  }

  void read_part(std::string_view name, std::string_view option, std::string_view usual,
                 std::string core::elastic::elastic_options::*member) {
    const auto word = word_in(option);
    if (!word || *word == usual)
      return;
    if (is_later_elastic_key(name))
      leave_out(name, *word, std::string{name} + " is not supported by this release.");
    else
      out_.what.options.*member = *word;
  }

  void leave_out(std::string_view name, std::string value, std::string why) {
    out_.left_out.emplace_back(name, std::move(value));
    note(std::move(why));
  }

  void read_flags() {
    auto& options = out_.what.options;
    const bool is_on_by_default = from_.kind == source_kind::xml;
    options.failover = read_flag("failover").value_or(false);
    options.is_static = read_flag("staticSharding").value_or(false);
    out_.enabled = !read_flag("disabled").value_or(false);
    const auto misfire = read_flag("misfire");
    options.misfire = misfire.value_or(is_on_by_default);
    out_.implies_no_misfire = !misfire && !from_.find("misfire") && !is_on_by_default;
    if (!read_flag("monitorExecution").value_or(is_on_by_default) && options.failover)
      note("In ElasticJob failover has no effect without monitorExecution; here it has.");
    (void) read_flag("overwrite");
    (void) read_number("reconcileIntervalMinutes");
    if (from_.find("jobBootstrapBeanName"))
      note("jobBootstrapBeanName is left out: a job without a schedule runs on request.");
  }

  void read_max_time_diff() {
    const auto seconds = read_number("maxTimeDiffSeconds");
    if (seconds && *seconds >= 0)
      out_.what.options.max_time_diff = std::chrono::seconds{*seconds};
  }

  /// Only dataflow jobs have this property; without it the type of the class is unknown.
  void read_streaming(const std::string& value) {
    const auto text = filled_in("streaming.process", value);
    if (!text)
      return;
    const auto flag = flag_in(*text);
    if (!core::elastic::handler_of_type(out_.what.kind).empty())
      return note("streaming.process is left out: only dataflow jobs have it.");
    if (!flag)
      return refuse("streaming.process", shown(*text) + " is not true or false");
    out_.what.kind = "dataflow";
    out_.what.options.streaming = *flag;
  }

  void read_props() {
    std::string names;
    core::elastic::job_props props;
    for (const auto& [key, value] : from_.props) {
      const auto* field = core::elastic::find_prop(key);
      const bool is_supported = field && (field->job_type.empty() || field->job_type == out_.what.kind);
      if (key == "streaming.process")
        read_streaming(value.text);
      else if (!is_supported)
        names += (names.empty() ? "" : ", ") + core::valid_utf8(key);
      else if (auto text = filled_in(key, value.text))
        props.emplace(key, std::move(*text));
    }
    // Only the names: the values may be secrets.
    if (!names.empty())
      note("props are not supported by this release: " + names + ".");
    out_.what.props = core::elastic::props_text(props);
  }

  void check_all() {
    if (!out_.unsupported.empty() || !has_handler_ || is_refused_)
      return;
    if (core::is_blank(out_.what.handler))
      return refuse(from_.kind == source_kind::boot ? "elasticJobClass" : "job-ref", "must not be empty");
    auto copy = out_.what;
    copy.group = core::group_id{1};
    if (const auto sound = core::elastic::check(copy); !sound)
      refuse_as_declared(sound.error().context);
    check_fires();
  }

  /// Adds an error, `option: why`, about an option by its name in declared files: with the name and the line of ElasticJob's.
  void refuse_as_declared(std::string_view why) {
    const auto colon = std::min(why.find(": "), why.size());
    const auto option = why.substr(0, colon);
    std::string_view given = option == "total" ? "shardingTotalCount" : std::string_view{};
    for (const auto& field : core::elastic::elastic_fields)
      if (field.name == option)
        given = field.alias;
    if (from_.find(given))
      refuse(given, why.substr(std::min(colon + 2, why.size())));
    else
      found_.refuse(from_.line, "job '" + core::valid_utf8(from_.name) + "': " + std::string{why});
  }

  void check_fires() {
    const auto& options = out_.what.options;
    if (options.schedule != core::schedule_type::cron || !out_.enabled)
      return;
    const auto zone = core::zone::find(options.timing.time_zone).value_or(core::zone{});
    const auto cron = core::cron_expression::parse(options.schedule_conf);
    if (cron && !cron->next(now_, zone))
      refuse("cron", shown(options.schedule_conf) + " never fires (again); disable the job to keep it");
  }

  const source_job& from_;
  const source_names& names_;
  core::time_point now_;
  file_findings found_;
  imported_job out_;
  /// The file says in one way what the handler is.
  bool has_handler_ = true;
  /// The job has an error.
  bool is_refused_ = false;
};

} // namespace

imported_job to_imported_job(const source_job& from, const source_names& names, core::time_point now, import_findings& all) {
  return job_conversion{from, names, now, all}.run();
}

} // namespace ringmaster::config
