#include "executor/http_handler.hpp"

#include <algorithm>
#include <utility>

#include "executor/http_places.hpp"
#include "protocol/curl/curl_transfer.hpp"

namespace ringmaster::executor {

namespace {

using std::chrono::milliseconds;

struct call {
  std::string url;
  std::string method;
  std::optional<std::string> data;
  std::string content_type;
  milliseconds timeout{};
};

core::result<call> read_call(job_context& context, const http_handler_options& options) {
  call out;
  out.url = find_argument(context.param(), "url").value_or("");
  if (out.url.empty())
    return core::fail(core::errc::invalid_argument, "the parameter lacks url=…");
  out.data = find_argument(context.param(), "data");
  out.method = find_argument(context.param(), "method").value_or(out.data ? "POST" : "GET");
  const auto is_letter = [](char c) { return c >= 'A' && c <= 'Z'; };
  if (out.method.empty() || out.method.size() > 16 || !std::all_of(out.method.begin(), out.method.end(), is_letter))
    return core::fail(core::errc::invalid_argument, "the method must consist of capital letters");
  out.content_type = find_argument(context.param(), "content_type").value_or("application/x-www-form-urlencoded");
  if (std::any_of(out.content_type.begin(), out.content_type.end(), [](unsigned char c) { return c < ' '; }))
    return core::fail(core::errc::invalid_argument, "invalid content type");
  const auto timeout = context.argument<std::int64_t>("timeout_ms", options.timeout.count());
  if (!timeout)
    return tl::unexpected{timeout.error()};
  if (*timeout < 1 || *timeout > options.timeout.count())
    return core::fail(core::errc::invalid_argument, "timeout_ms must be from 1 to " + std::to_string(options.timeout.count()));
  out.timeout = milliseconds{*timeout};
  return out;
}

int look_for_stop(void* context, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
  return static_cast<job_context*>(context)->stop_requested() ? 1 : 0;
}

void prepare(protocol::curl_transfer& transfer, const call& what, const http_handler_options& options, job_context& context) {
  transfer.begin(what.url, {.timeout = what.timeout, .answer = protocol::bounded_answer{options.answer_bytes_max}});
  transfer.set(CURLOPT_PATH_AS_IS, 1L);
  transfer.set(CURLOPT_NOPROGRESS, 0L);
  transfer.set(CURLOPT_XFERINFOFUNCTION, &look_for_stop);
  transfer.set(CURLOPT_XFERINFODATA, static_cast<void*>(&context));
  if (!options.ca_file.empty())
    transfer.trust_only(options.ca_file);
  if (what.data) {
    transfer.post(*what.data);
    transfer.add_line("Content-Type: " + what.content_type);
    transfer.set_lines(CURLOPT_HTTPHEADER);
  }
  if (what.method == "HEAD")
    transfer.set(CURLOPT_NOBODY, 1L);
  else
    transfer.set(CURLOPT_CUSTOMREQUEST, what.method.c_str());
}

/// Place shown in the log lines.
constexpr std::string_view place = "http";

void run_call(job_context& context, const http_handler_options& options, const http_places& allowed) {
  const auto what = read_call(context, options);
  if (!what)
    return context.fail(what.error().context);
  if (auto fits = allowed.check(what->url); !fits)
    return context.fail(fits.error().context);
  protocol::curl_transfer transfer;
  if (!transfer)
    return context.fail("cannot create a libcurl handle");
  prepare(transfer, *what, options, context);
  context.line(place) << what->method << ' ' << what->url;
  const auto done = transfer.perform();
  if (const auto& answer = transfer.answer(); !answer.kept().empty())
    context.log(answer.kept() + (answer.is_cut() ? "\n(cut here)" : ""), place);
  if (done == CURLE_ABORTED_BY_CALLBACK)
    return context.fail("stopped: " + context.stop_reason());
  if (done != CURLE_OK)
    return context.fail(curl_easy_strerror(done));
  const auto status = transfer.status();
  constexpr long success_from = 200, success_to = 299;
  if (status < success_from || status > success_to)
    return context.fail("HTTP " + std::to_string(status));
  context.succeed("HTTP " + std::to_string(status));
}

} // namespace

core::result<handler> make_http_handler(http_handler_options options) {
  if (options.timeout < milliseconds{1} || options.timeout > std::chrono::days{1})
    return core::fail(core::errc::invalid_argument, "the timeout of calls must be from 1 ms to 1 day");
  auto allowed = http_places::make(options.allowed);
  if (!allowed)
    return tl::unexpected{std::move(allowed.error())};
  return handler{
    [options = std::move(options), allowed = std::move(*allowed)](job_context& context) { run_call(context, options, allowed); }};
}

} // namespace ringmaster::executor
