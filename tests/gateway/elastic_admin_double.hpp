#pragma once

// elastic_admin with one job of two items and one host. Jobs below 1000 are in group 1, others in group 2.

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
      [this](const protocol::elastic_plan_query& m) {
        std::vector<elastic::elastic_preview_share> shares{{"h1", elastic::gap_reason::none, {{0, 1}}}};
        return script->answer(line_of("elastic_plan_query", m.job, m.without), m.by, check_viewer(m.by, m.job),
                              protocol::elastic_plan_preview{shares});
      },
      [this](const protocol::set_elastic_status& m) {
        return script->answer(line_of("set_elastic_status", m.job, static_cast<int>(m.status)), m.by, check_operator(m.by, m.job),
                              protocol::elastic_edited{{m.job, 1, 9, core::from_ms(1000)}});
      },
      [this](const protocol::set_elastic_item& m) {
        return script->answer(line_of("set_elastic_item", m.job, m.item, m.disabled), m.by, check_operator(m.by, m.job),
                              protocol::elastic_edited{{m.job, 1, 0, std::nullopt}});
      },
      [this](const protocol::trigger_elastic& m) {
        const auto policy = m.policy ? std::to_string(static_cast<int>(*m.policy)) : "-";
        return script->answer(
          line_of("trigger_elastic", m.job, text_of(m.item), policy, m.param.value_or("-"), m.token != 0), m.by,
          check_operator(m.by, m.job), protocol::elastic_triggered{elastic::request_id{77}, m.job});
      },
    };
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
  static core::result<void> check_operator(const core::principal& by, core::elastic::elastic_job_id job) {
    return core::check_right(by, group_right::operate, group_of(job));
  }
  static core::result<void> right_in(const core::principal& by, std::optional<core::group_id> group) {
    return group ? core::check_right(by, group_right::viewer, *group) : core::check_right_anywhere(by, group_right::viewer);
  }
  std::shared_ptr<admin_script> script;
};

} // namespace ringmaster::test
