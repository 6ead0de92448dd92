// Doubles of run_admin and log_follower.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "tests/gateway/admin_rows.hpp"

namespace ringmaster::test {

namespace {

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

/// Source of a body that never comes.
struct silent_source final : protocol::http_body_source {
  [[nodiscard]] std::optional<std::uint64_t> bytes() const noexcept override { return 18; }
  [[nodiscard]] state next(std::string&) override { return state::not_yet; }
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

} // namespace

protocol::run_admin::behavior_type run_admin_double::make_behavior() {
  using enum group_right;
  return {
    [this](const protocol::run_page_query& m) {
      const auto& s = m.search;
      const auto group = s.group ? s.group : s.job ? std::optional{group_of(*s.job)} : std::nullopt;
      auto line = line_of("run_page_query", text_of(s.group), text_of(s.job), static_cast<int>(s.status), text_of(s.from),
                          text_of(s.to), text_of(s.window));
      if (!s.kinds.empty() || !s.address.empty() || s.min_duration || !s.words.empty())
        line += " " + std::to_string(s.kinds.size()) + "/" + s.address + "/" +
                std::to_string(s.min_duration.value_or(core::milliseconds{}).count()) + "/" + s.words;
      if (s.only_complete)
        line += " complete";
      return script->answer(line, m.by, check_list(m.by, group),
                            protocol::run_page{core::run_list{page_of(a_run())}, names_of_runs()});
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
      file.open = [text, run = m.run](std::uint64_t offset,
                                      std::uint64_t bytes) -> std::shared_ptr<protocol::http_body_source> {
        if (run == core::log_id{73})
          return std::make_shared<silent_source>();
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
      const protocol::day_reports days{
        {{at(a_second - 11045), {9, 1, 6}, core::milliseconds{2000}, at(a_second)}, {at(a_second + 75355), {4, 0, 4}}}};
      const auto line = line_of("report_query", core::to_ms(m.from), core::to_ms(m.to));
      if (!m.counted)
        return script->answer(line, days);
      const auto& s = *m.counted;
      const auto group = s.group ? s.group : s.job ? std::optional{group_of(*s.job)} : std::nullopt;
      return script->answer(line + " " + text_of(s.group) + "/" + text_of(s.job) + (s.by_hour ? " by hour" : ""), m.by,
                            group ? check_right(m.by, viewer, *group) : core::result<void>{}, days);
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

} // namespace ringmaster::test
