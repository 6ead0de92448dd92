#include "executor/files/taken_run_slot.hpp"

#include <algorithm>
#include <string_view>

#include "core/text/text.hpp"

namespace ringmaster::executor {

using slot = taken_run_slot;

namespace {

constexpr std::string_view cut_note = "... [the rest was lost when the executor was ended]";

constexpr std::uint64_t mixed(std::uint64_t x) noexcept {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31);
}

std::uint64_t outcome_of(const slot& of, std::int32_t code) noexcept {
  const auto number = static_cast<std::uint32_t>(code);
  return (mixed(of.mark + number) & 0xffffffff00000000U) | number;
}

} // namespace

std::uint64_t mark_of(const slot& of) noexcept {
  return mixed(static_cast<std::uint64_t>(of.run) + mixed(static_cast<std::uint64_t>(of.log_time_ms))) | 1U;
}

core::run_identity identity_of(const slot& of) noexcept {
  return {core::log_id{of.run}, core::job_id{of.job}, core::from_ms(of.log_time_ms)};
}

bool has_result(const slot& of) noexcept {
  return of.outcome != 0 && of.outcome == outcome_of(of, static_cast<std::int32_t>(of.outcome & 0xffffffffU))
         && of.text_bytes <= of.text.size();
}

bool is_broken(const slot& of) noexcept {
  return of.mark != 0 && (of.mark != mark_of(of) || (of.outcome != 0 && !has_result(of)));
}

void put_result(slot& to, std::int32_t code, const std::optional<std::string>& message) {
  to.form = message ? slot::text_form::whole : slot::text_form::none;
  const auto kept = message ? core::cut_bytes(*message, to.text.size()) : std::string_view{};
  if (message && kept.size() < message->size())
    to.form = slot::text_form::cut;
  to.text_bytes = static_cast<std::uint8_t>(kept.size());
  std::copy(kept.begin(), kept.end(), to.text.begin());
  put_last(to.outcome, outcome_of(to, code));
}

core::run_report report_of(const slot& from) {
  core::run_report out{core::log_id{from.run}, core::from_ms(from.log_time_ms), 0, {}, core::job_id{from.job}};
  if (!has_result(from))
    return out;
  out.code = static_cast<std::int32_t>(from.outcome & 0xffffffffU);
  if (from.form != slot::text_form::none)
    out.message = core::valid_utf8({from.text.data(), from.text_bytes});
  if (from.form == slot::text_form::cut)
    out.message->append(cut_note);
  return out;
}

} // namespace ringmaster::executor
