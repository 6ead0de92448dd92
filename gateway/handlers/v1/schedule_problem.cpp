#include "gateway/handlers/v1/schedule_problem.hpp"

#include <string>
#include <utility>

#include "core/cron/cron.hpp"
#include "protocol/wire/v1/api_forecasts.hpp"
#include "protocol/wire/v1/api_refusal_words.hpp"

namespace ringmaster::gateway::handlers::v1 {

namespace {

/// `error`: without the place of the mistake.
void fail_with_mistake(const exchange& ex, core::error error, const core::schedule_mistake& wrong) {
  if (wrong.position)
    error.context = protocol::wire::api_schedule_text(error.context) + " at position " + std::to_string(*wrong.position + 1);
  auto body = ex.problem_of(error);
  body.pop_back();
  body += R"(,"errors":[)" + protocol::wire::api_schedule_mistake(wrong) + "]}";
  ex.respond({http_status(error.code), std::string{problem_type}, std::move(body), {}});
}

} // namespace

void refuse_schedule(const exchange& ex, const core::schedule_mistake& wrong) {
  const bool of_text = wrong.pointer == "/schedule/conf";
  const auto why = of_text ? core::refusal::schedule_type_illegal : core::refusal::none;
  fail_with_mistake(ex, {core::errc::invalid_argument, wrong.detail, why, of_text ? wrong.detail : ""}, wrong);
}

void fail_with_place(const exchange& ex, const core::error& error, std::string_view conf, const char* pointer) {
  if (error.why != core::refusal::cron_illegal)
    return ex.fail(error);
  auto wrong = core::find_mistake(core::schedule_type::cron, conf, {}, {});
  if (wrong)
    wrong->pointer = pointer;
  wrong ? fail_with_mistake(ex, error, *wrong) : ex.fail(error);
}

} // namespace ringmaster::gateway::handlers::v1
