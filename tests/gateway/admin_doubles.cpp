#include "tests/gateway/admin_doubles.hpp"

#include <utility>

#include "protocol/overview_messages.hpp"
#include "protocol/wire/v1/api_deploys.hpp"

namespace ringmaster::test {

namespace {

using core::check_admin;
using core::check_right;

/// Source of a short body.
struct part_of_text final : protocol::http_body_source {
  explicit part_of_text(std::string part) : text{std::move(part)}, size{text.size()} {}
  [[nodiscard]] std::optional<std::uint64_t> bytes() const noexcept override { return size; }
  [[nodiscard]] state next(std::string& piece) override {
    piece = std::exchange(text, {});
    return state::ready;
  }
  std::string text;
  std::uint64_t size;
};

/// Logs as files: an empty one, a long one, and others.
std::string text_of_log(core::log_id run) {
  if (run == core::log_id{71})
    return {};
  if (run != core::log_id{72})
    return "one <i>\n<br>three\n";
  std::string lines;
  for (int i = 0; i < 5'000; ++i)
    lines += "line " + std::to_string(i) + " of a long log\n";
  return lines;
}

core::time_point at(std::int64_t s) { return core::from_ms(s * 1000); }

/// Around 2026-01-02 03:04:05 UTC.
constexpr std::int64_t a_second = 1'767'323'045;

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

core::log_row a_run() {
  core::log_row run;
  run.id = core::log_id{70};
  run.group = core::group_id{1};
  run.job = core::job_id{7};
  run.executor_address = "http://10.0.0.3:9999/";
  run.executor_handler = "nightly";
  run.executor_param = "p=1";
  run.executor_sharding_param = "0/2";
  run.fail_retry_count = 2;
  run.trigger_time = at(a_second);
  run.trigger_code = 200;
  run.trigger_msg = "sent<br>";
  run.handle_time = at(a_second + 9);
  run.handle_code = 200;
  run.handle_msg = "done";
  run.alarm_status = 1;
  return run;
}

core::run_names names_of_runs() { return {{{core::job_id{7}, "settle"}}, {{core::group_id{1}, "First"}}}; }

core::group_record a_group() {
  core::group_record record;
  record.group = {core::group_id{1}, "app-1", "First", core::address_type::automatic, {"http://a:1/", "http://b:1/"}};
  record.updated = at(a_second);
  return record;
}

core::user_card a_user() { return {core::user_id{4}, "edda", false, {{core::group_id{1}, group_right::editor}}}; }

template <class Row>
core::page<Row> page_of(Row row) {
  core::page<Row> page;
  page.rows.push_back(std::move(row));
  page.total = 41;
  return page;
}

/// Checks access to a list: every user may read it, with the caller's part; the list of one group needs access to that group.
core::result<void> check_list(const core::principal& by, std::optional<core::group_id> group) {
  return group ? check_right(by, group_right::viewer, *group) : core::result<void>{};
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

/// Returns the list of permissions; `only: ` marks one that replaces finer permissions, which XXL's form keeps.
std::string text_of_rights(const std::optional<std::vector<std::pair<core::group_id, group_right>>>& rights, bool keeps_finer) {
  if (!rights)
    return "-";
  std::string text;
  for (const auto& [group, right] : *rights)
    text.append(text.empty() ? "" : ",").append(std::to_string(core::number(group))).append("=").append(core::stored_name(right));
  return keeps_finer ? text : "only: " + text;
}

std::string text_of_seen(const std::string& seen) { return seen.empty() ? std::string{} : " seen " + seen; }

core::principal who_has(const std::string& session) {
  const auto with = [](std::int32_t id, std::string name, group_right right) {
    core::principal who{core::user_id{id}, std::move(name)};
    if (right != group_right::none)
      who.rights = {{core::group_id{1}, right}};
    return who;
  };
  if (session == "viewer")
    return with(2, "vera", group_right::viewer);
  if (session == "operator")
    return with(3, "otto", group_right::operate);
  if (session == "editor")
    return with(4, "edda", group_right::editor);
  if (session == "stranger")
    return with(5, "stan", group_right::none);
  if (session == "admin" || session == "mona")
    return core::principal{core::user_id{session == "admin" ? 1 : 6}, session, true};
  return {};
}

} // namespace

caf::result<core::job_edit> job_admin_double::edit(std::string line, core::job_id job, group_right wanted,
                                                   const core::principal& by) {
  return script->answer(line, by, check_right(by, wanted, group_of(job)), core::job_edit{job, std::nullopt});
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
      return script->answer(line_of("alarm_rules_query"), m.by, core::check_admin(m.by), std::move(rules));
    },
    [this](const protocol::declared_query& m) {
      const core::declared_source ci{"ci", 17, {"a.toml"}, 1, 2, 3, core::from_ms(1767225600000), "ann"};
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
      return script->answer(line_of("job_page_query", text_of(s.group), text_of(running), s.name_part, s.handler_part,
                                    s.author_part, text_of(s.window)),
                            m.by, check_list(m.by, s.group), protocol::job_page{page_of(a_job())});
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

protocol::run_admin::behavior_type run_admin_double::make_behavior() {
  using enum group_right;
  return {
    [this](const protocol::run_page_query& m) {
      const auto& s = m.search;
      const auto group = s.group ? s.group : s.job ? std::optional{group_of(*s.job)} : std::nullopt;
      return script->answer(line_of("run_page_query", text_of(s.group), text_of(s.job), static_cast<int>(s.status),
                                    text_of(s.from), text_of(s.to), text_of(s.window)),
                            m.by, check_list(m.by, group), protocol::run_page{page_of(a_run()), names_of_runs()});
    },
    [this](const protocol::run_query& m) {
      return script->answer(line_of("run_query", m.run), m.by, check_right(m.by, viewer, group_of(m.run)),
                            protocol::run_found{a_run(), names_of_runs()});
    },
    [this](const protocol::related_query& m) {
      core::related_runs related;
      related.run = a_run();
      related.parent = a_run();
      related.by = "ann";
      return script->answer(line_of("related_query", m.run), m.by, check_right(m.by, viewer, group_of(m.run)),
                            protocol::related_found{std::move(related), names_of_runs()});
    },
    [this](const protocol::run_log_query& m) {
      const auto* asked = m.merged ? "merged_log_query" : "run_log_query";
      auto line = line_of(asked, m.run, m.from_line);
      if (m.limits.lines != core::piece_lines_max || m.limits.bytes != core::piece_bytes_max || m.limits.tail)
        line += " " + std::to_string(m.limits.lines) + "/" + std::to_string(m.limits.bytes) + "/" +
                std::to_string(m.limits.tail.value_or(0));
      return script->answer(line, m.by, check_right(m.by, viewer, group_of(m.run)),
                            core::run_log{a_run(), m.from_line, 3, m.from_line > 3 ? "" : "one <i>\n<br>three\n", false,
                                              m.run == core::log_id{71}});
    },
    [this](const protocol::run_search_query& m) {
      const auto& s = m.search;
      return script->answer(line_of("run_search_query", m.run, s.wanted, s.match_case, s.from_line, s.limit), m.by,
                            check_right(m.by, viewer, group_of(m.run)),
                            protocol::log_matches{
                              {{2, 5, 3, "<br>three"}}, 2, s.from_line == 1 ? std::optional{3} : std::nullopt});
    },
    [this](const protocol::run_file_query& m) {
      const auto text = std::make_shared<const std::string>(text_of_log(m.run));
      protocol::run_file file{m.run, text->size(), true, {}, m.merged ? "4711" : "", {}};
      file.open = [text](std::uint64_t offset, std::uint64_t bytes) {
        return std::make_shared<part_of_text>(text->substr(offset, bytes));
      };
      return script->answer(line_of(m.merged ? "merged_file_query" : "run_file_query", m.run), m.by,
                            check_right(m.by, viewer, group_of(m.run)), std::move(file));
    },
    [this](const protocol::kill_run& m) {
      return script->answer(line_of("kill_run", m.run), m.by, check_right(m.by, operate, group_of(m.run)),
                            protocol::run_killed{"job thread killed"});
    },
    [this](const protocol::clear_runs& m) {
      const auto& s = m.search;
      const auto group = s.group ? s.group : s.job ? std::optional{group_of(*s.job)} : std::nullopt;
      const auto bound = s.until ? "until" : s.keep_newest ? "keep " + std::to_string(*s.keep_newest) : std::string{"all"};
      return script->answer(line_of("clear_runs", text_of(s.group), text_of(s.job), bound), m.by,
                            group ? check_right(m.by, editor, *group) : check_admin(m.by), protocol::runs_cleared{5});
    },
    [this](const protocol::report_query& m) {
      return script->answer(line_of("report_query", core::to_ms(m.from), core::to_ms(m.to)),
                            protocol::day_reports{{{at(a_second - 11045), {9, 1, 6}}, {at(a_second + 75355), {4, 0, 4}}}});
    },
  };
}

protocol::log_follower::behavior_type log_follower_double::make_behavior() {
  return {
    [this](const protocol::follow_log& asked) { return follow(asked); },
    [](protocol::stop_request) {},
    [](protocol::tick_atom) {},
  };
}

caf::result<core::run_log> log_follower_double::follow(const protocol::follow_log& asked) {
  const auto& run = asked.query.run;
  const auto& by = asked.query.by;
  const auto from = asked.query.from_line;
  core::run_log part{a_run(), from, 3, "", false};
  const auto line = line_of("follow_log", run, from, asked.wait.count(), asked.is_known(part));
  if (auto refused = script->note(line + " by " + by.name + "@" + by.remote))
    return protocol::to_caf(*refused);
  if (auto right = check_right(by, group_right::viewer, group_of(run)); !right)
    return protocol::to_caf(right.error());
  auto promise = self_->make_response_promise<core::run_log>();
  self_->run_delayed(asked.wait, [promise, part]() mutable { promise.deliver(std::move(part)); });
  return promise;
}

protocol::group_admin::behavior_type group_admin_double::make_behavior() {
  return {
    [this](const protocol::save_group& m) {
      const auto& d = m.draft;
      const auto line = line_of("save_group", text_of(m.id), d.app_name, d.title, d.type, d.address_list);
      return script->answer(line + text_of_seen(m.seen), m.by, check_admin(m.by), protocol::saved_group{core::group_id{9}});
    },
    [this](const protocol::remove_group& m) {
      return script->answer_done(line_of("remove_group", m.id) + text_of_seen(m.seen), m.by, check_admin(m.by));
    },
    [this](const protocol::group_query& m) {
      return script->answer(line_of("group_query", m.id), m.by, check_right(m.by, group_right::viewer, m.id),
                            protocol::group_page{page_of(a_group())});
    },
    [this](const protocol::group_page_query& m) {
      const auto& s = m.search;
      return script->answer(line_of("group_page_query", s.app_name_part, s.title_part, text_of(s.window)), m.by,
                            check_admin(m.by), protocol::group_page{page_of(a_group())});
    },
    [this](const protocol::visible_groups_query& m) {
      const auto order = m.find.order ? std::to_string(static_cast<int>(*m.find.order)) : "-";
      auto line = m.with_figures ? line_of("visible_groups_query", m.find.part, order, m.find.descending, text_of(m.window))
                                 : line_of("visible_groups_query");
      return script->answer(line, m.by, {}, protocol::group_page{page_of(a_group()), {{core::group_id{1}, 7, true}}});
    },
  };
}

namespace {

core::result<void> check_own(const core::principal& by, core::user_id user) {
  if (by.admin || by.user == user)
    return {};
  return tl::unexpected{core::not_permitted(by, "have another one's keys")};
}

} // namespace

caf::result<protocol::identified> user_admin_double::identify_key(const protocol::identify_key& m) {
  auto name = m.key.substr(core::api_key_prefix.size());
  name = name.substr(0, name.find('-'));
  script->note_key(m.key + "@" + m.remote);
  if (name == "throttled")
    return protocol::to_caf({core::errc::too_large, "try again in 7 s", core::refusal::none, "7"});
  if (name == "broken")
    return protocol::to_caf({core::errc::unavailable, "the store is away"});
  auto who = who_has(name);
  if (who.name.empty())
    return protocol::to_caf({core::errc::not_found, "no such key"});
  return protocol::identified{std::move(who), false};
}

protocol::user_admin::behavior_type user_admin_double::make_behavior() {
  return {
    [this](const protocol::sign_in& m) {
      return script->answer(line_of("sign_in", m.name, m.password, m.remember, m.remote),
                            protocol::signed_in{"s-new", who_has("admin"), false, std::chrono::hours{24 * 7}, at(a_second)});
    },
    [this](const protocol::one_time_sign_in& m) {
      return script->answer(line_of("one_time_sign_in", m.token, m.remote),
                            protocol::signed_in{"s-new", who_has("admin"), false, std::chrono::hours{24 * 7}, at(a_second)});
    },
    [this](const protocol::sign_out& m) -> caf::result<void> {
      if (auto refused = script->note(line_of("sign_out", m.session)))
        return protocol::to_caf(*refused);
      return {};
    },
    [](const protocol::identify& m) -> caf::result<protocol::identified> {
      if (m.session == "broken")
        return protocol::to_caf({core::errc::unavailable, "the store is away"});
      auto who = who_has(m.session);
      if (who.name.empty())
        return protocol::to_caf({core::errc::not_found, "no such session"});
      return protocol::identified{std::move(who), m.session == "mona", at(a_second)};
    },
    [this](const protocol::user_query& m) {
      const auto& s = m.search;
      const auto role = s.admin ? std::optional{*s.admin ? 1 : 0} : std::nullopt;
      return script->answer(line_of("user_query", s.name_part, text_of(role), text_of(s.window)), m.by, check_admin(m.by),
                            protocol::user_page{page_of(a_user()), {{core::user_id{4}, at(a_second), 2, 3, true}}});
    },
    [this](const protocol::user_by_id& m) {
      return script->answer(line_of("user_by_id", m.id), m.by, check_admin(m.by), protocol::user_found{a_user()});
    },
    [this](const protocol::save_user& m) {
      const auto rights = text_of_rights(m.rights, m.keeps_finer);
      return script->answer(line_of("save_user", text_of(m.id), m.name, m.password, m.admin, rights) + text_of_seen(m.seen),
                            m.by, check_admin(m.by), protocol::saved_user{core::user_id{8}});
    },
    [this](const protocol::remove_user& m) {
      return script->answer_done(line_of("remove_user", m.id) + text_of_seen(m.seen), m.by, check_admin(m.by));
    },
    [this](const protocol::change_password& m) {
      return script->answer_done(line_of("change_password", m.old_password, m.password), m.by, {});
    },
    [this](const protocol::audit_query& m) {
      const auto& s = m.search;
      core::audit_row row{12, at(a_second), core::user_id{1}, "admin"};
      row.changes = "a: 1 -> 2\nb: \"\" -> \"x\"";
      auto line = line_of("audit_query", s.user_name.value_or("-"), text_of(s.before), std::to_string(s.limit));
      if (s.action || s.from || s.to || !s.text_part.empty())
        line += " of " + line_of(s.action ? core::stored_name(*s.action) : "-", text_of(s.from), text_of(s.to), s.text_part);
      return script->answer(line, m.by, check_admin(m.by), protocol::audit_list{{std::move(row)}});
    },
    [this](const protocol::changes_query& m) {
      const auto* job = std::get_if<core::job_id>(&m.object);
      const auto group = job ? group_of(*job) : std::get<core::group_id>(m.object);
      core::audit_row row{12, at(a_second), core::user_id{1}, "admin"};
      row.at += core::milliseconds{1250}; // in the second of the job's last edit
      row.changes = "a: 1 -> 2\nb: \"\" -> \"x\"\npassword: changed";
      return script->answer(line_of("changes_query", job ? "job" : "group", core::group_id{group}, text_of(m.window.before),
                                    std::to_string(m.window.limit)),
                            m.by, check_right(m.by, group_right::viewer, group), protocol::audit_list{{std::move(row)}});
    },
    [this](const protocol::identify_key& m) { return identify_key(m); },
    [this](const protocol::add_key& m) {
      return script->answer(line_of("add_key", m.name, text_of(m.user), text_of(m.expires)), m.by,
                            check_own(m.by, m.user.value_or(m.by.user)),
                            protocol::added_key{core::api_key_id{5}, "rmk_told-once"});
    },
    [this](const protocol::remove_key& m) {
      return script->answer_done(line_of("remove_key", m.id), m.by,
                                 check_own(m.by, core::number(m.id) < 1000 ? m.by.user : core::user_id{}));
    },
    [this](const protocol::key_query& m) {
      const auto& s = m.search;
      core::api_key key{core::api_key_id{5}, "ci", core::user_id{1}, "admin", at(a_second), std::nullopt, at(a_second)};
      return script->answer(line_of("key_query", text_of(s.user), s.after, std::to_string(s.limit)), m.by,
                            check_own(m.by, s.user.value_or(m.by.user)), protocol::key_list{{std::move(key)}});
    },
    [this](const protocol::session_query& m) {
      const core::open_session one{core::session_id{9}, core::user_id{1}, "admin", at(a_second), at(a_second), {}, "10.0.0.8"};
      return script->answer(line_of("session_query", text_of(m.search.user), text_of(m.search.window), m.current), m.by,
                            check_own(m.by, m.search.user.value_or(m.by.user)),
                            protocol::session_page{page_of(one), core::session_id{9}});
    },
    [this](const protocol::end_session& m) {
      return script->answer_done(line_of("end_session", m.session), m.by,
                                 check_own(m.by, core::number(m.session) < 1000 ? m.by.user : core::user_id{}));
    },
    [this](const protocol::user_settings_query& m) {
      core::user_settings settings;
      settings.theme = "dark";
      settings.refresh_s = 10;
      return script->answer(line_of("user_settings_query"), m.by, core::result<void>{},
                            protocol::user_settings_found{std::move(settings)});
    },
    [this](const protocol::save_user_settings& m) {
      const auto& s = m.settings;
      return script->answer_done(line_of("save_user_settings", s.language.value_or("-"), s.zone.value_or("-"),
                                         s.theme.value_or("-"), s.start_page.value_or("-"), s.refresh_s.value_or(0),
                                         s.keys.value_or(false)),
                                 m.by, core::result<void>{});
    },
  };
}

} // namespace ringmaster::test
