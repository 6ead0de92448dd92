#pragma once

// elastic_admin with one job of two items and one host. Jobs below 1000 are in group 1, others in group 2.

#include "core/columns.hpp"
#include "core/elastic/elastic_fields.hpp"
#include "protocol/elastic_admin_messages.hpp"
#include "tests/gateway/admin_doubles.hpp"

namespace ringmaster::test {

struct elastic_admin_double {
  static inline const char* name = "test.elastic_admin";
  elastic_admin_double(protocol::elastic_admin::pointer, std::shared_ptr<admin_script> of) : script{std::move(of)} {}

  protocol::elastic_admin::behavior_type make_behavior() {
    namespace elastic = core::elastic;
    return {
      [this](const protocol::elastic_page_query& m) {
        const auto& s = m.search;
        const auto status = s.status ? std::to_string(static_cast<int>(*s.status)) : "-";
        return script->answer(line_of("elastic_page_query", text_of(s.group), status, s.name_part, text_of(s.window)), m.by,
                              right_in(m.by, s.group), protocol::elastic_page{{{a_brief()}, 3}});
      },
      [this](const protocol::elastic_query& m) {
        elastic::elastic_card card;
        card.job.id = m.job;
        card.job.what.name = "sums";
        card.job.what.total = 2;
        card.job.what.options.timeout = core::milliseconds{5000};
        card.job.status = elastic::job_status::on;
        card.job.source = "deploy";
        card.job.version = 3;
        card.job.what.props = R"({"a.token":"x"})";
        card.running = 1;
        return script->answer(line_of("elastic_query", m.job), m.by, check_viewer(m.by, m.job), protocol::elastic_found{card});
      },
      [this](const protocol::elastic_items_query& m) {
        return script->answer(line_of("elastic_items_query", m.job, m.from, m.limit), m.by, check_viewer(m.by, m.job),
                              protocol::elastic_items_found{some_items()});
      },
      [this](const protocol::elastic_history_query& m) {
        const auto& s = m.search;
        const auto state = s.state ? std::to_string(*s.state) : "-";
        return script->answer(line_of("elastic_history_query", s.job, text_of(s.item), state, core::to_ms(s.from),
                                      s.until < core::from_ms(core::latest_ms) ? core::to_ms(s.until) : -1, s.before, s.limit),
                              m.by, check_viewer(m.by, s.job), protocol::elastic_history_page{some_runs()});
      },
      [this](const protocol::elastic_hosts_query& m) {
        elastic::host_row host;
        host.process = {elastic::host_number{3}, elastic::host_incarnation{7}};
        host.facts.id = "h1";
        host.facts.app_name = "app-1";
        host.facts.capacity = 4;
        return script->answer(line_of("elastic_hosts_query", text_of(m.group)), m.by, right_in(m.by, m.group),
                              protocol::elastic_host_list{{host}, {{elastic::host_number{3}, 2}}});
      },
      [this](const protocol::elastic_servers_query& m) {
        elastic::elastic_server server;
        server.ip = "10.0.0.1";
        server.hosts = {"h1", "h2"};
        server.up = server.down = 1;
        server.jobs = 3;
        return script->answer(line_of("elastic_servers_query", text_of(m.group)), m.by, right_in(m.by, m.group),
                              protocol::elastic_server_list{{server}});
      },
      [this](const protocol::elastic_dump_query& m) {
        elastic::elastic_dump dump;
        dump.state.job.id = m.job;
        dump.state.disabled_servers = {"10.0.0.9"};
        dump.masked = m.masked;
        auto may = check_viewer(m.by, m.job);
        if (may && !m.masked)
          may = core::check_admin(m.by);
        return script->answer(line_of("elastic_dump_query", m.job, m.masked), m.by, may, protocol::elastic_dump_found{dump});
      },
      [this](const protocol::elastic_plan_query& m) {
        std::vector<elastic::elastic_preview_share> shares{{"h1", elastic::gap_reason::none, {{0, 1}}}};
        return script->answer(line_of("elastic_plan_query", m.job, m.without), m.by, check_viewer(m.by, m.job),
                              protocol::elastic_plan_preview{shares});
      },
      [this](const protocol::elastic_draft_query& m) {
        std::vector<elastic::elastic_preview_share> shares{{"h1", elastic::gap_reason::none, {{0, m.what.total - 1}}}};
        return script->answer(line_of("elastic_draft_query", text_of(m.job), m.what.name), m.by, right_in(m.by, m.what.group),
                              protocol::elastic_plan_preview{shares});
      },
      [this](const protocol::elastic_declaration_query& m) {
        return script->answer(line_of("elastic_declaration_query", m.job), m.by, check_viewer(m.by, m.job),
                              protocol::exported_file{"[[elastic_job]]\nname = \"sums\"\n"});
      },
      [this](const protocol::add_elastic& m) {
        return script->answer(line_of("add_elastic", words_of(m.draft), m.enabled), m.by,
                              core::check_right(m.by, group_right::editor, m.draft.what.group),
                              protocol::elastic_edited{{elastic::elastic_job_id{8}, 1, 9, core::from_ms(1000)}});
      },
      [this](const protocol::update_elastic& m) {
        return script->answer(line_of("update_elastic", m.job, seen_of(m.seen), words_of(m.draft)), m.by,
                              check_editor(m.by, m.job), protocol::elastic_edited{{m.job, 4, 9, core::from_ms(1000)}});
      },
      [this](const protocol::remove_elastic& m) {
        return script->answer(line_of("remove_elastic", m.job, seen_of(m.seen)), m.by, check_editor(m.by, m.job),
                              protocol::elastic_edited{{m.job, 3, 9, std::nullopt}});
      },
      [this](const protocol::set_elastic_status& m) {
        return script->answer(line_of("set_elastic_status", m.job, static_cast<int>(m.status)), m.by, check_operator(m.by, m.job),
                              protocol::elastic_edited{{m.job, 1, 9, core::from_ms(1000)}});
      },
      [this](const protocol::set_elastic_item& m) {
        return script->answer(line_of("set_elastic_item", m.job, m.item, m.disabled), m.by, check_operator(m.by, m.job),
                              protocol::elastic_edited{{m.job, 1, 0, std::nullopt}});
      },
      [this](const protocol::set_elastic_server& m) {
        return script->answer(line_of("set_elastic_server", m.job, m.server, m.disabled), m.by, check_operator(m.by, m.job),
                              protocol::elastic_edited{{m.job, 1, 9, std::nullopt}});
      },
      [this](const protocol::restart_elastic& m) {
        return script->answer(line_of("restart_elastic", m.job), m.by, check_operator(m.by, m.job),
                              protocol::elastic_edited{{m.job, 1, 9, core::from_ms(1000)}});
      },
      // Runs belong to the job with their number.
      [this](const protocol::cancel_elastic_run& m) {
        const elastic::elastic_job_id job{static_cast<std::int32_t>(core::number(m.run))};
        auto may = check_operator(m.by, job);
        if (may && core::number(m.run) == 99)
          may = core::fail(core::errc::conflict, "run 99 of item 0 has ended");
        return script->answer(line_of("cancel_elastic_run", m.run), m.by, may,
                              protocol::elastic_edited{{job, 1, 9, std::nullopt}});
      },
      [this](const protocol::set_elastic_host& m) {
        return script->answer(line_of("set_elastic_host", m.server, static_cast<int>(m.mode)), m.by, core::check_admin(m.by),
                              protocol::elastic_host_edited{{{m.server}, true}});
      },
      [this](const protocol::trigger_elastic& m) {
        const auto policy = m.policy ? std::to_string(static_cast<int>(*m.policy)) : "-";
        return script->answer(
          line_of("trigger_elastic", m.job, text_of(m.item), policy, m.param.value_or("-"), m.token != 0), m.by,
          check_operator(m.by, m.job), protocol::elastic_triggered{elastic::request_id{77}, m.job});
      },
    };
  }

  /// Returns `*` for any version.
  static std::string seen_of(std::optional<std::int64_t> seen) { return seen ? std::to_string(*seen) : "*"; }

  /// Returns `group name type handler total`, the options that are set, and the properties.
  static std::string words_of(const core::elastic::elastic_draft& draft) {
    const auto& what = draft.what;
    auto out = std::to_string(core::number(what.group)) + ' ' + what.name_space + '/' + what.name + ' ' + what.kind + ' '
               + what.handler + ' ' + std::to_string(what.total);
    for (const auto& field : core::elastic::elastic_fields) {
      const auto value = field.get(what.options);
      if (value == field.default_value())
        continue;
      out.append(1, ' ').append(field.name).append(1, '=');
      out += field.is_text() ? std::string{core::text_of(value)} : std::to_string(core::number_of(value));
    }
    if (draft.props)
      for (const auto& [name, value] : *draft.props)
        out.append(1, ' ').append(name).append(1, ':').append(value.value_or("?"));
    return out;
  }

  static core::elastic::elastic_brief a_brief() {
    core::elastic::elastic_brief out;
    out.id = core::elastic::elastic_job_id{7};
    out.name = "sums";
    out.group = core::group_id{1};
    out.kind = "simple";
    out.handler = "sum";
    out.total = 2;
    out.schedule = core::schedule_type::cron;
    out.schedule_conf = "0 0 1 * * ?";
    out.status = core::elastic::job_status::on;
    out.next = core::from_ms(5000);
    out.items = core::elastic::elastic_item_counts{1, 0, 0, 1};
    return out;
  }

  static core::elastic::elastic_history some_runs() {
    namespace elastic = core::elastic;
    elastic::elastic_run lost;
    lost.id = elastic::item_run_id{55};
    lost.item = elastic::item_number{1};
    lost.cause = {elastic::run_source::failover, {core::from_ms(1000), elastic::run_source::normal, {}}};
    lost.attempt = 2;
    lost.fence = elastic::fence_number{9};
    lost.host = "h1";
    lost.granted = core::from_ms(2000);
    lost.ended = core::from_ms(3000);
    lost.state = static_cast<std::uint8_t>(elastic::item_run_end::lost);
    lost.message = "gone";
    return {{lost}, elastic::item_run_id{55}};
  }

  static core::elastic::elastic_items some_items() {
    namespace elastic = core::elastic;
    elastic::elastic_items out;
    out.total = 2;
    elastic::elastic_item running;
    running.row.state = elastic::stored_item_state::open;
    running.row.run = elastic::item_run_id{55};
    running.row.granted = core::from_ms(2000);
    running.host = "h1";
    running.planned = elastic::item_owner{elastic::host_number{3}};
    running.planned_host = "h1";
    running.param = "a";
    elastic::elastic_item idle;
    idle.row.item = elastic::item_number{1};
    idle.row.disabled = true;
    idle.planned = elastic::item_owner{elastic::no_host, elastic::gap_reason::no_host};
    out.rows = {running, idle};
    return out;
  }

  static core::result<void> check_viewer(const core::principal& by, core::elastic::elastic_job_id job) {
    return core::check_right(by, group_right::viewer, group_of(job));
  }
  static core::result<void> check_editor(const core::principal& by, core::elastic::elastic_job_id job) {
    return core::check_right(by, group_right::editor, group_of(job));
  }
  static core::result<void> check_operator(const core::principal& by, core::elastic::elastic_job_id job) {
    return core::check_right(by, group_right::operate, group_of(job));
  }
  static core::result<void> right_in(const core::principal& by, std::optional<core::group_id> group) {
    return group ? core::check_right(by, group_right::viewer, *group) : core::check_right_anywhere(by, group_right::viewer);
  }
  std::shared_ptr<admin_script> script;
};

} // namespace ringmaster::test
