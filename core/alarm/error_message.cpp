#include "core/alarm/error_message.hpp"

#include <algorithm>

#include "core/text/text.hpp"
#include "core/zone/zone.hpp"

namespace ringmaster::core::elastic {

namespace {

/// Bytes of the reason in a title.
constexpr std::size_t title_reason_bytes = 200;

/// Returns the text without control characters; line feeds stay if `keeps_lines`.
std::string without_controls(std::string_view text, bool keeps_lines) {
  auto out = valid_utf8(text);
  std::replace_if(
    out.begin(), out.end(),
    [keeps_lines](char c) { return (static_cast<unsigned char>(c) < ' ' && !(keeps_lines && c == '\n')) || c == 0x7F; }, ' ');
  return out;
}

std::string lines_of_html(std::string_view text) {
  std::string out;
  for (const char c : escape_html(text))
    c == '\n' ? out.append("<br>\n") : out.append(1, c);
  return out;
}

} // namespace

alarm_message error_message_of(const failed_item& last, std::uint64_t count, const std::string& subject) {
  const auto name = without_controls(last.name, false);
  const auto why = without_controls(cut_bytes(trimmed(last.text), failure_bytes_max), true);
  const auto item = std::to_string(number(last.item));
  const auto run = std::to_string(number(last.run));
  const auto times = std::to_string(count);
  const auto at = instant_text(last.at);
  alarm_message out;
  out.title = "[FAILED] " + name + ", item " + item;
  if (!why.empty())
    out.title.append(": ").append(cut_bytes(std::string_view{why}.substr(0, why.find('\n')), title_reason_bytes));
  out.text = "job: " + name + "\nitem: " + item;
  if (number(last.run) != 0)
    out.text += "\nrun: " + run;
  if (!last.host.empty())
    out.text += "\nhost: " + without_controls(last.host, false);
  out.text += "\nfailed at: " + at;
  if (count > 1)
    out.text += "\nfailures since the last message: " + times + "; this is the last of them";
  if (!why.empty())
    out.text += "\nwhy: " + why;
  out.fields = {{"text", out.text}, {"kind", "failure"}, {"job", name},    {"job_id", std::to_string(number(last.job))},
                {"item", item},     {"log_id", run},     {"content", why}, {"address", last.host},
                {"fire_time", at},  {"count", times}};
  if (!subject.empty())
    out.title = without_controls(subject, false);
  out.fields["title"] = out.title;
  out.html = "<p>" + lines_of_html(out.text) + "</p>";
  return out;
}

} // namespace ringmaster::core::elastic
