#include "executor/sdk/elastic/http_type.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "core/elastic/json_text.hpp"
#include "core/elastic/props.hpp"
#include "executor/http_places.hpp"
#include "protocol/curl/curl_transfer.hpp"

namespace ringmaster::executor::elastic {

namespace {

using std::chrono::milliseconds;

/// Place shown in the log lines.
constexpr std::string_view http_place = "http";
/// Methods whose request has a body.
constexpr std::array<std::string_view, 3> body_methods{"POST", "PUT", "DELETE"};
constexpr long redirects_from = 300, errors_from = 400;

/// One call by the properties of its job.
struct http_call {
  std::string uri;
  std::string method;
  /// Must outlive the transfer.
  std::string data;
  std::string content_type;
  milliseconds connect_timeout{};
  milliseconds read_timeout{};
  bool fails_on_status = true;

  [[nodiscard]] bool may_have_body() const {
    return std::find(body_methods.begin(), body_methods.end(), method) != body_methods.end();
  }
};

http_call http_call_of(const core::elastic::job_props& props) {
  using namespace core::elastic;
  http_call out;
  out.uri = prop_text(props, "http.uri");
  out.method = prop_text(props, "http.method");
  std::transform(out.method.begin(), out.method.end(), out.method.begin(),
                 [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - ('a' - 'A')) : c; });
  out.data = prop_text(props, "http.data");
  out.content_type = prop_text(props, "http.content.type");
  out.connect_timeout = milliseconds{prop_number(props, "http.connect.timeout.milliseconds")};
  out.read_timeout = milliseconds{prop_number(props, "http.read.timeout.milliseconds")};
  out.fails_on_status = prop_flag(props, "http.fail.on.status");
  return out;
}

void prepare_http_call(protocol::curl_transfer& transfer, const http_call& call, const item_context& context,
                       const http_type_options& options) {
  transfer.begin(call.uri,
                 {.connect_timeout = call.connect_timeout, .answer = protocol::bounded_answer{options.answer_bytes_max}});
  transfer.set(CURLOPT_PATH_AS_IS, 1L);
  if (!options.ca_file.empty())
    transfer.trust_only(options.ca_file);
  transfer.add_line("shardingContext: " + core::elastic::ascii_json(context.json()));
  if (call.may_have_body()) {
    // Also without data, so that the request says how long its body is.
    transfer.post(call.data);
    transfer.add_line("Content-Type: " + call.content_type);
    transfer.add_line("Expect:");
  }
  transfer.set_lines(CURLOPT_HTTPHEADER);
  if (call.method == "HEAD")
    transfer.set(CURLOPT_NOBODY, 1L);
  else
    transfer.set(CURLOPT_CUSTOMREQUEST, call.method.c_str());
}

/// Throws the reason of a failure, which fails the run.
[[noreturn]] void fail_call(const std::string& why) { throw std::runtime_error{why}; }

void judge_status(const http_call& call, long status, item_context& context) {
  const auto text = "HTTP " + std::to_string(status);
  if (status < redirects_from || !call.fails_on_status)
    return context.log(text, http_place);
  if (status < errors_from)
    fail_call(text + ": redirects are not followed");
  fail_call(text);
}

void run_http_call(item_context& context, const http_places& allowed, const http_type_options& options) {
  const auto call = http_call_of(context.props());
  if (const auto fits = allowed.check(call.uri); !fits)
    fail_call("http.uri: " + fits.error().context);
  protocol::curl_transfer transfer;
  if (!transfer)
    fail_call("cannot create a libcurl handle");
  prepare_http_call(transfer, call, context, options);
  context.log(call.method + ' ' + call.uri, http_place);
  const auto done = transfer.perform(context.stop_token(), call.read_timeout);
  if (const auto& answer = transfer.answer(); !answer.kept().empty())
    context.log(answer.kept() + (answer.is_cut() ? "\n(cut here)" : ""), http_place);
  if (done == CURLE_ABORTED_BY_CALLBACK)
    fail_call(context.still_mine() ? "cancelled" : "stopped: its lease has ended");
  if (done != CURLE_OK)
    fail_call(transfer.problem(done));
  judge_status(call, transfer.status(), context);
}

} // namespace

core::result<elastic_body> make_http_type(http_type_options options) {
  auto allowed = http_places::make(options.allowed);
  if (!allowed)
    return tl::unexpected{std::move(allowed.error())};
  return elastic_body{[allowed = std::move(*allowed), options = std::move(options)](item_context& context) {
    run_http_call(context, allowed, options);
  }};
}

} // namespace ringmaster::executor::elastic
