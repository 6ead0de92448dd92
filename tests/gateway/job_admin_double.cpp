// Double of job_admin.

#include "protocol/alarm_messages.hpp"
#include "protocol/overview_messages.hpp"
#include "protocol/wire/v1/api_deploys.hpp"
#include "tests/gateway/admin_rows.hpp"

namespace ringmaster::test {

namespace {

core::job_record a_job() {
  core::job_record job;
  job.id = core::job_id{7};
  job.group = core::group_id{1};
  job.name = "nightly \"<b>\"";
  job.added = at(a_second);
  job.updated = at(a_second + 1);
  job.author = "tom";
  job.alarm_email = "tom@example.org";
  job.schedule_type = "CRON";
  job.schedule_conf = "0 0 3 * * ?";
  job.misfire = "DO_NOTHING";
  job.route = "FIRST";
  job.handler = "nightly";
  job.param = "p=1";
  job.block = "SERIAL_EXECUTION";
  job.timeout_s = 30;
  job.retry_count = 2;
  job.glue_type = "BEAN";
  job.glue_remark = "first";
  job.glue_updated = at(a_second + 2);
  job.children = "8,9";
  job.running = true;
  job.last = at(a_second + 3);
  job.next = at(a_second + 4);
  job.revision = 40;
  return job;
}

/// Returns the conditions and the order that only our own API has; empty without any.
std::string finer_part(const core::job_search& search) {
  std::string out;
  const auto add = [&out](std::string_view name, const std::string& value) {
    if (!value.empty())
      out.append(" ").append(name).append(" ").append(value);
  };
  for (const auto group : search.groups)
    add("group", std::to_string(core::number(group)));
  for (const auto id : search.ids)
    add("id", std::to_string(core::number(id)));
  add("q", search.text);
  add("type", search.schedule_type);
  add("glue", search.glue_type);
  add("source", search.source);
  if (search.declared)
    add("declared", *search.declared ? "yes" : "no");
  for (const auto status : search.last_statuses)
    add("last", std::to_string(static_cast<int>(status)));
  if (search.order != core::job_order::newest)
    add(search.descending ? "down" : "up", std::to_string(static_cast<int>(search.order)));
  if (search.after)
    add("after", search.after->text + '/' + std::to_string(search.after->number) + '/' +
                   std::to_string(core::number(search.after->job)));
  return out;
}

std::string text_of_draft(const core::job_draft& draft) {
  std::string text;
  const auto add = [&](std::string_view part) { text.append(text.empty() ? "" : "|").append(part); };
  add(std::to_string(core::number(draft.group)));
  for (const auto* part : {&draft.name, &draft.author, &draft.alarm_email, &draft.schedule_type})
    add(*part);
  add(draft.schedule_conf.value_or("-"));
  for (const auto* part : {&draft.misfire, &draft.route, &draft.block, &draft.handler, &draft.param})
    add(*part);
  add(std::to_string(draft.timeout_s));
  add(std::to_string(draft.retry_count));
  for (const auto* part : {&draft.children, &draft.glue_type, &draft.glue_source, &draft.glue_remark})
    add(*part);
  return text;
}

} // namespace

caf::result<core::job_edit> job_admin_double::edit(std::string line, core::job_id job, group_right wanted,
                                                   const core::principal& by) {
  const auto delay = script->delay_of(line);
  auto answer = script->answer(line, by, check_right(by, wanted, group_of(job)), core::job_edit{job, std::nullopt});
  if (delay.count() == 0)
    return answer;
  auto promise = self_->make_response_promise<core::job_edit>();
  self_->run_delayed(delay, [promise, job]() mutable { promise.deliver(core::job_edit{job, std::nullopt}); });
  return promise;
}

protocol::job_admin::behavior_type job_admin_double::make_behavior() {
  using enum group_right;
  return {
    [](const protocol::apply_declared&) { return core::deploy_report{}; },
    [this](const protocol::apply_files& m) -> caf::result<protocol::files_applied> {
      // The actor that answers also reads the body.
      if (const auto request = protocol::wire::parse_api_apply(m.body); !request)
        return protocol::to_caf(request.error());
      const core::deploy_report report{{{core::change_kind::update, "job pay-worker/settle", {"retry: 0 -> 2"}}}};
      return script->answer(line_of("apply_files", m.body.substr(0, 60)), m.by, core::check_admin(m.by),
                            protocol::files_applied{report, true});
    },
    [this](const protocol::export_query& m) {
      const auto source = m.source ? ", " + *m.source : std::string{};
      return script->answer("export(" + text_of(m.group) + source + ")", m.by, core::check_admin(m.by),
                            protocol::exported_file{"# all\n[[group]]\napp_name = \"pay-worker\"\n"});
    },
    [this](const protocol::alarm_rules_query& m) {
      protocol::alarm_rules rules{{{{}, "deploy"}, {{}, "deploy"}}};
      auto& rule = rules.rows[0].rule;
      rule.key = "night";
      rule.group = "pay-worker";
      rule.channels = {"ops", "mail"};
      rule.mail_to = {"ann@example.org"};
      rule.on = core::alarm_attempts::last_attempt;
      rule.dedup = core::milliseconds{60'000};
      rules.rows[1].rule.key = "all";
      rules.rows[1].rule.kinds = {core::elastic::item_alarm::late};
      return script->answer(line_of("alarm_rules_query"), m.by, core::check_admin(m.by), std::move(rules));
    },
    [this](const protocol::open_alarms_query& m) {
      const core::open_alarm taken{core::intent_id{90}, core::alarm_kind::failure, core::job_id{7}, "nightly \"<b>\"",
                                   core::group_id{1}, "Payments", core::log_id{70}, core::from_ms(1767225600000), "node-b"};
      core::open_alarm waiting{core::intent_id{91}, core::alarm_kind::recovery, core::job_id{8}};
      waiting.run = core::log_id{71};
      waiting.since = core::from_ms(1767225601000);
      core::open_alarm elastic{core::elastic::elastic_alarm_id{90}};
      elastic.elastic = core::elastic_subject{core::elastic::elastic_job_id{7}, core::elastic::alarm_cause::lost,
                                              core::elastic::item_number{3}, core::elastic::item_run_id{24}};
      elastic.since = core::from_ms(1767225602000);
      return script->answer(line_of("open_alarms_query"), m.by, core::check_admin(m.by),
                            protocol::open_alarms{{{taken, waiting, elastic}, true}});
    },
    [this](const protocol::declared_query& m) {
      const core::declared_source ci{"ci", 17, {"a.toml"}, 1, 2, 3, 4, core::from_ms(1767225600000), "ann"};
      const core::declared_source own{"deploy"};
      return script->answer(line_of("declared_query"), m.by, core::check_admin(m.by),
                            protocol::declared_sources{{ci, own}, own.name});
    },
    [this](const protocol::drift_query& m) {
      const core::deploy_report report{{{core::change_kind::update, "job pay-worker/settle", {"retry: 0 -> 2"}}}};
      return script->answer(line_of("drift_query", m.source), m.by, core::check_admin(m.by),
                            protocol::files_applied{report, true});
    },
    [this](const protocol::declaration_query& m) {
      return script->answer(line_of("declaration_query", m.job), m.by, check_right(m.by, viewer, group_of(m.job)),
                            protocol::exported_file{"[[job]]\ngroup = \"pay-worker\"\n"});
    },
    [this](const protocol::start_job& m) { return edit(line_of("start_job", m.job), m.job, operate, m.by); },
    [this](const protocol::stop_job& m) { return edit(line_of("stop_job", m.job), m.job, operate, m.by); },
    [this](const protocol::trigger_job& m) {
      std::string addresses;
      for (const auto& each : m.wanted.addresses)
        addresses += each + ";";
      auto line = line_of("trigger_job", m.wanted.job, m.wanted.param.value_or("-"), addresses);
      if (m.wanted.token != 0)
        line += " token " + std::to_string(m.wanted.token);
      if (m.wanted.kind == core::trigger_kind::api)
        line += " as api";
      return script->answer(line, m.by,
                            check_right(m.by, operate, group_of(m.wanted.job)), core::intent{});
    },
    [this](const protocol::remove_job& m) {
      return edit(line_of("remove_job", m.job) + text_of_seen(m.seen), m.job, editor, m.by);
    },
    [this](const protocol::add_job& m) {
      return script->answer(line_of("add_job", text_of_draft(m.draft)), m.by, check_right(m.by, editor, m.draft.group),
                            protocol::added_job{core::job_id{71}});
    },
    [this](const protocol::update_job& m) {
      return edit(line_of("update_job", m.job, text_of_draft(m.draft)) + text_of_seen(m.seen), m.job, editor, m.by);
    },
    [this](const protocol::save_source& m) {
      const auto line = line_of("save_source", m.job, m.source, m.remark) + (m.seen ? " seen '" + *m.seen + '\'' : "");
      return script->answer(line, m.by, check_right(m.by, editor, group_of(m.job)),
                            core::job_edit{m.job, std::nullopt, 0, "5c1e"});
    },
    [this](const protocol::job_query& m) {
      return script->answer(line_of("job_query", m.job), m.by, check_right(m.by, viewer, group_of(m.job)),
                            protocol::job_found{a_job()});
    },
    [this](const protocol::job_page_query& m) {
      const auto& s = m.search;
      const auto running = s.running ? std::optional{*s.running ? 1 : 0} : std::nullopt;
      protocol::job_page reply{page_of(a_job())};
      if (m.with_facts) {
        reply.facts = {{"First", a_run(), 2, "edda"}};
        reply.more = s.window.offset + 1 < 41;
      }
      const auto line = line_of("job_page_query", text_of(s.group), text_of(running), s.name_part, s.handler_part, s.author_part,
                                text_of(s.window));
      return script->answer(line + finer_part(s), m.by, check_list(m.by, s.group), std::move(reply));
    },
    [this](const protocol::forecast_query& m) {
      core::upcoming_page page;
      page.firings = {{at(a_second), core::job_id{7}, core::group_id{1}}};
      page.next = core::upcoming_place{at(a_second), core::job_id{7}};
      page.truncated = true;
      page.bad = {core::job_id{9}};
      const auto& s = m.search;
      const bool from_now = s.from.present != core::time_point{};
      return script->answer(line_of("forecast_query", text_of(m.group), text_of(m.job), s.limit, from_now), m.by,
                            check_list(m.by, m.job ? std::optional{group_of(*m.job)} : m.group), protocol::forecast_found{page});
    },
    [this](const protocol::counts_query& m) {
      core::counts_report report;
      report.buckets_from = m.search.from;
      report.walked_until = m.search.until - core::milliseconds{1000};
      report.before = {5, {2, 3}, {{at(a_second), 2, 2, {core::job_id{7}, core::job_id{9}}}}, {}, {{core::job_id{7}, 4}}};
      if (m.change)
        report.after = core::counted_firings{6, {2, 4}, {}, {{at(a_second), 1, 1, {core::job_id{}}}}, {{core::job_id{}, 1}}};
      const auto job = m.change && m.change->job != core::job_id{} ? std::optional{m.change->job} : m.job;
      return script->answer(line_of("counts_query", text_of(m.group), text_of(m.job), m.search.bucket.count(), m.search.top,
                                    m.change ? m.change->conf : "-"),
                            m.by, check_list(m.by, job ? std::optional{group_of(*job)} : m.group),
                            protocol::counts_found{report});
    },
    [this](const protocol::intent_query& m) {
      return script->answer(line_of("intent_query", m.intent), m.by, check_right(m.by, viewer, group_of(m.intent)),
                            protocol::intent_found{core::number(m.intent) == 51, {core::log_id{70}, core::log_id{71}}});
    },
    [this](const protocol::object_query& m) {
      core::found_objects found;
      found.jobs = {{core::job_id{7}, core::group_id{1}, "nightly", "handler", "settle"}};
      found.groups = {{core::group_id{1}, "app-1", "First"}};
      found.runs = {a_run()};
      if (m.by.admin)
        found.users = {a_user()};
      found.truncated = true;
      return script->answer(line_of("object_query", m.search.text, m.search.limit), m.by, core::result<void>{},
                            protocol::objects_found{std::move(found), names_of_runs()});
    },
    [this](const protocol::timeline_query& m) {
      core::job_timeline drawn;
      drawn.runs = {a_run()};
      drawn.instants = {{at(a_second), core::log_id{70}, core::instant_outcome::late},
                        {at(a_second + 60), std::nullopt, core::instant_outcome::future}};
      drawn.edits = {{at(a_second), "tom", core::audit_action::update, {"schedule", "params"}}};
      drawn.known_from = at(a_second);
      drawn.truncated = true;
      return script->answer(line_of("timeline_query", m.search.job, core::to_ms(m.search.from), core::to_ms(m.search.until),
                                    m.search.limit),
                            m.by, check_right(m.by, viewer, group_of(m.search.job)),
                            protocol::timeline_found{std::move(drawn), names_of_runs()});
    },
    [this](const protocol::source_query& m) {
      const auto& s = m.search;
      const auto text = s.bodies ? "echo 1" : "";
      const core::source_version version{3, s.job, "GLUE_SHELL", text, "first one", at(a_second), at(a_second), 6};
      return script->answer(line_of("source_query", s.job, text_of(s.version), s.bodies), m.by,
                            check_right(m.by, viewer, group_of(s.job)), protocol::source_list{{"5c1d", {version}}});
    },
  };
}

} // namespace ringmaster::test
