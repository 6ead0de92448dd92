#include "core/editing/job_draft.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "core/columns.hpp"
#include "core/cron/cron.hpp"
#include "core/schedule/schedule_rules.hpp"
#include "core/text/text.hpp"

namespace ringmaster::core {

namespace {

constexpr std::string_view bean = "BEAN";
constexpr std::array<std::string_view, 8> glue_types{bean,          "GLUE_GROOVY", "GLUE_SHELL",  "GLUE_PYTHON",
                                                     "GLUE_PYTHON2", "GLUE_PHP",    "GLUE_NODEJS", "GLUE_POWERSHELL"};
/// Maximum length of a refused value in an error.
constexpr std::size_t shown_chars = 64;

std::string shown(std::string_view text) { return std::string{cut_characters(valid_utf8(text), shown_chars)}; }

tl::unexpected<error> wrong(refusal why, std::string context, std::string subject = {}) {
  return refuse(errc::invalid_argument, why, std::move(context), std::move(subject));
}

tl::unexpected<error> unknown_name(refusal why, std::string_view field, std::string_view name) {
  return wrong(why, std::string{field} + " has the unknown value \"" + shown(name) + '"');
}

/// Parses a 32-bit number of digits only; zero is allowed.
std::optional<std::int32_t> plain_number(std::string_view item) noexcept {
  const bool digits = std::all_of(item.begin(), item.end(), [](char c) { return c >= '0' && c <= '9'; });
  return digits ? parse_int32(item) : std::nullopt;
}

result<void> check_people(const job_draft& draft) {
  if (is_blank(draft.name))
    return wrong(refusal::job_name_empty, "the job name is empty");
  if (is_blank(draft.author))
    return wrong(refusal::author_empty, "the author is empty");
  return {};
}

result<void> check_rate(const job_draft& draft, draft_use use) {
  if (draft.options && draft.options->timing.interval_ms)
    return {};
  if (!draft.schedule_conf)
    return wrong(use == draft_use::add ? refusal::schedule_text_missing : refusal::schedule_type_illegal,
                 "the fixed rate has no number of seconds");
  if (const auto rate = parse_int32(*draft.schedule_conf); !rate || *rate < 1)
    return wrong(refusal::schedule_type_illegal,
                 "a fixed rate must be a whole number of seconds of at least 1, not \"" + shown(*draft.schedule_conf) + '"');
  return {};
}

result<void> check_schedule(const job_draft& draft, draft_use use) {
  const auto type = find_schedule_type(draft.schedule_type);
  if (!type)
    return unknown_name(refusal::schedule_type_illegal, "the type of the schedule", draft.schedule_type);
  if (*type == schedule_type::cron) {
    if (const auto parsed = cron_expression::parse(draft.schedule_conf.value_or(std::string{})); !parsed)
      return wrong(refusal::cron_illegal, parsed.error().context);
  } else if (*type == schedule_type::fixed_rate) {
    if (auto rate = check_rate(draft, use); !rate)
      return rate;
  }
  return draft.options ? check(*type, draft.options->timing) : result<void>{};
}

result<void> check_kind(const job_draft& draft) {
  if (std::find(glue_types.begin(), glue_types.end(), draft.glue_type) == glue_types.end())
    return unknown_name(refusal::glue_type_illegal, "the kind of the job", draft.glue_type);
  if (draft.glue_type == bean && is_blank(draft.handler))
    return wrong(refusal::handler_empty, "the handler is empty");
  return {};
}

result<void> check_strategies(const job_draft& draft) {
  if (!find_route_strategy(draft.route))
    return unknown_name(refusal::route_illegal, "the route strategy", draft.route);
  if (!find_misfire_policy(draft.misfire))
    return unknown_name(refusal::misfire_illegal, "the misfire policy", draft.misfire);
  const auto block = find_block_strategy(draft.block);
  if (!block)
    return unknown_name(refusal::block_illegal, "the block strategy", draft.block);
  // The second copy would kill the first.
  if (draft.options && draft.options->on_unknown == unknown_policy::resend && *block == block_strategy::cover_early)
    return fail(errc::invalid_argument, "on_unknown: resend cannot be used with the block strategy COVER_EARLY");
  return {};
}

result<void> check_child(std::string_view item, draft_use use, const draft_facts& facts, const principal& by) {
  const auto id = item.empty() ? std::nullopt : plain_number(item);
  if (!id || (use == draft_use::update && job_id{*id} == facts.job))
    return wrong(refusal::child_illegal,
                 id ? "a job cannot be its own child" : "invalid id \"" + shown(item) + "\" in the list of children",
                 shown(item));
  const auto found = std::find_if(facts.children.begin(), facts.children.end(),
                                  [&](const auto& each) { return each.first == job_id{*id}; });
  if (found == facts.children.end())
    return wrong(refusal::child_missing, "the child " + std::to_string(*id) + " does not exist", shown(item));
  if (!by.may(group_right::editor, found->second))
    return refuse(errc::forbidden, refusal::child_not_permitted,
                  "user " + by.name + " must be editor in the group of the child " + std::to_string(*id), shown(item));
  return {};
}

tl::unexpected<error> too_long(std::string_view field, std::size_t max, std::string_view unit) {
  return wrong(refusal::too_long, std::string{field} + " is longer than " + std::to_string(max) + ' ' + std::string{unit},
               std::string{field});
}

result<void> check_children(const job_draft& draft, draft_use use, const draft_facts& facts, const principal& by) {
  if (is_blank(draft.children))
    return {};
  if (!fits(draft.children, child_jobs_chars))
    return too_long("childJobId", child_jobs_chars, "characters");
  // XXL ignores trailing commas if there is text before them.
  std::string_view rest = draft.children;
  while (rest.ends_with(','))
    rest.remove_suffix(1);
  if (rest.empty())
    return wrong(refusal::child_illegal, "the list of children contains only commas", shown(draft.children));
  for (bool more = true; more;) {
    more = rest.find(',') != std::string_view::npos;
    if (auto child = check_child(take_item(rest), use, facts, by); !child)
      return child;
  }
  return {};
}

result<void> check_widths(const job_draft& draft, draft_use use) {
  struct width {
    std::string_view field;
    std::string_view text;
    std::size_t max;
  };
  const std::array<width, 6> widths{{{"jobDesc", draft.name, job_name_chars},
                                     {"author", draft.author, author_chars},
                                     {"alarmEmail", draft.alarm_email, alarm_email_chars},
                                     {"scheduleConf", draft.schedule_conf ? *draft.schedule_conf : std::string_view{},
                                      schedule_conf_chars},
                                     {"executorHandler", draft.handler, handler_chars},
                                     {"glueRemark", use == draft_use::add ? draft.glue_remark : std::string_view{},
                                      source_remark_chars}}};
  for (const auto& [field, text, max] : widths)
    if (!fits(text, max))
      return too_long(field, max, "characters");
  if (draft.param.size() > text_bytes)
    return too_long("executorParam", text_bytes, "bytes");
  if (use == draft_use::add && draft.glue_source.size() > source_bytes)
    return too_long("glueSource", source_bytes, "bytes");
  return {};
}

/// Checks the schedule, and that this machine knows the time zone.
result<void> check_instants(const job_draft& draft, const draft_facts& facts, const zone& where, time_point now) {
  auto rule = schedule_rules{where}.of(*find_schedule_type(draft.schedule_type), draft.schedule_conf.value_or(std::string{}),
                                       draft.options.value_or(job_options{}).timing);
  if (!rule)
    return tl::unexpected{std::move(rule.error())};
  if (facts.must_fire_again && !(*rule)->next(now, facts.job))
    return wrong(refusal::schedule_type_illegal, "the schedule never fires (again), and the job is running");
  return {};
}

result<void> check_target(draft_use use, const draft_facts& facts) {
  if (use == draft_use::add)
    return {};
  if (!facts.group_exists)
    return wrong(refusal::group_illegal, "the group does not exist");
  if (!facts.job_exists)
    return refuse(errc::not_found, refusal::job_missing, "job " + std::to_string(number(facts.job)) + " does not exist");
  return {};
}

} // namespace

bool is_script(std::string_view glue_type) noexcept {
  return glue_type != bean && std::find(glue_types.begin(), glue_types.end(), glue_type) != glue_types.end();
}

std::vector<job_id> numbers_in(std::string_view children) {
  std::vector<job_id> out;
  for (auto rest = cut_characters(children, child_jobs_chars); !rest.empty();)
    if (const auto item = take_item(rest); !item.empty())
      if (const auto id = plain_number(item); id && *id > 0)
        out.push_back(job_id{*id});
  return out;
}

result<void> check(const job_draft& draft, draft_use use, const draft_facts& facts, const principal& by, const zone& where,
                   time_point now) {
  if (use == draft_use::add && !facts.group_exists)
    return wrong(refusal::choose_group, "the group does not exist");
  if (auto people = check_people(draft); !people)
    return people;
  if (auto schedule = check_schedule(draft, use); !schedule)
    return schedule;
  if (auto kind = use == draft_use::add ? check_kind(draft) : result<void>{}; !kind)
    return kind;
  if (auto strategies = check_strategies(draft); !strategies)
    return strategies;
  if (auto children = check_children(draft, use, facts, by); !children)
    return children;
  if (auto target = check_target(use, facts); !target)
    return target;
  if (auto instants = check_instants(draft, facts, where, now); !instants)
    return instants;
  return check_widths(draft, use);
}

} // namespace ringmaster::core
