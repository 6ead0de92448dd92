#include "gateway/handlers/v1/paced_edits.hpp"

#include <algorithm>
#include <utility>

#include "gateway/exchange/api_request.hpp"
#include "protocol/wire/json/json_object.hpp"

namespace ringmaster::gateway::handlers::v1 {

namespace {

std::string outcome_of(core::job_id job, unsigned status, std::string_view field, std::string_view json) {
  return protocol::wire::json_object_of([&](protocol::wire::json_object& item) {
    item.number("id", core::number(job));
    item.number("status", status);
    item.raw(field, json);
  });
}

core::error not_begun_in_time() {
  return {core::errc::unavailable, "not begun within the time limit of the request: repeat the request for this job",
          core::refusal::none, "time"};
}

} // namespace

paced_edits::paced_edits(const exchange& ex, std::vector<core::job_id> jobs, ask_function ask)
  : ex_{ex}, ask_{std::move(ask)}, begun_{now()} {
  items_.reserve(jobs.size());
  for (const auto job : jobs)
    items_.push_back({job});
}

std::chrono::milliseconds paced_edits::left() const {
  return std::chrono::ceil<std::chrono::milliseconds>(begun_ + ex_.services().ask_limit - now());
}

// An edit may wait a second for runs, so the last ones keep a part of the time limit.
void paced_edits::begin_next() {
  if (now() >= begun_ + ex_.services().ask_limit / 10 * 8)
    return refuse_rest();
  if (open_ < open_max) {
    const auto at = next_++;
    ++open_;
    items_[at].begun = now();
    ask_(ex_, shared_from_this(), at);
  }
  if (next_ < items_.size())
    rest();
}

void paced_edits::rest() {
  ex_.services().self->run_delayed(pause(), [of = shared_from_this()] { of->ex_.guarded([&] { of->begin_next(); }); });
}

std::chrono::milliseconds paced_edits::pause() const {
  if (!shortest_)
    return first_pause;
  return std::clamp<std::chrono::milliseconds>(std::chrono::ceil<std::chrono::milliseconds>(pause_factor * *shortest_),
                                               pause_min, pause_max);
}

void paced_edits::close(std::size_t at, std::string_view done) {
  auto& of = items_[at];
  const auto took = now() - of.begun;
  shortest_ = std::min(shortest_.value_or(took), took);
  of.outcome = outcome_of(of.job, 200, "done", done);
  --open_;
  end_if_complete();
}

void paced_edits::close(std::size_t at, const core::error& error) {
  note_problem(items_[at], error);
  --open_;
  end_if_complete();
}

void paced_edits::refuse_rest() {
  while (next_ < items_.size())
    note_problem(items_[next_++], not_begun_in_time());
  end_if_complete();
}

void paced_edits::note_problem(item& of, const core::error& error) const {
  of.outcome = outcome_of(of.job, http_status(error.code), "problem", ex_.problem_of(error));
}

void paced_edits::end_if_complete() {
  if (open_ > 0 || next_ < items_.size())
    return;
  const auto append = [](std::string& to, const item& each) { to += each.outcome; };
  tell_json(ex_, R"({"items":)" + protocol::wire::json_array(items_, append) + '}');
}

} // namespace ringmaster::gateway::handlers::v1
