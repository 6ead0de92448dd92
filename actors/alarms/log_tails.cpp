#include "actors/alarms/log_tails.hpp"

#include <utility>

#include "core/run/execution_state.hpp"
#include "core/text/text.hpp"

namespace ringmaster::actors {

struct log_tails::question {
  core::log_row run;
  std::function<void(std::string)> then;
};

log_tails::log_tails(protocol::alarm_actor::pointer self, protocol::trigger_pool pool, std::size_t lines)
  : self_{self}, pool_{std::move(pool)}, lines_{lines} {}

void log_tails::read(const core::log_row& run, std::function<void(std::string)> then) {
  const bool may_have_written = run.trigger_code == core::success_code && !run.executor_address.empty();
  if (!pool_ || lines_ == 0 || !may_have_written || under_way_ >= under_way_max)
    return then({});
  ++under_way_;
  auto asked = std::make_shared<question>(question{run, std::move(then)});
  protocol::request(self_, pool_, limit, protocol::link_query{asked->run.executor_address})
    .then([this, asked](const protocol::link_handle& found) { ask(asked, found.link); },
          [this, asked](const caf::error&) { end(asked, {}); });
}

void log_tails::ask(const question_ptr& asked, const protocol::executor_link& link) {
  const auto& run = asked->run;
  protocol::request(self_, link, limit, protocol::log_request{run.id, run.trigger_time, 1, run.group})
    .then(
      [this, asked](const protocol::log_reply& reply) {
        // An executor without the log answers with a sentence and the line number 0.
        const bool has_lines = reply.answered && reply.to_line > 0;
        end(asked, has_lines ? core::valid_utf8(core::last_lines(reply.content, lines_, bytes_max)) : std::string{});
      },
      [this, asked](const caf::error&) { end(asked, {}); });
}

void log_tails::end(const question_ptr& asked, std::string lines) {
  --under_way_;
  asked->then(std::move(lines));
}

} // namespace ringmaster::actors
