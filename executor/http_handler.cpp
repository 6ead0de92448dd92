#include "executor/http_handler.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include <curl/curl.h>

namespace ringmaster::executor {

namespace {

using std::chrono::milliseconds;

/// A URL parsed by libcurl itself, so that the checked address is the called one.
class parsed_url {
public:
  explicit parsed_url(const std::string& text) : url_{curl_url(), &curl_url_cleanup} {
    good_ = url_ && curl_url_set(url_.get(), CURLUPART_URL, text.c_str(), CURLU_PATH_AS_IS) == CURLUE_OK;
  }

  [[nodiscard]] bool good() const noexcept { return good_; }
  [[nodiscard]] std::string part(CURLUPart which, unsigned flags = 0) const {
    char* text = nullptr;
    if (curl_url_get(url_.get(), which, &text, flags) != CURLUE_OK)
      return {};
    const std::unique_ptr<char, decltype(&curl_free)> owner{text, &curl_free};
    return text;
  }
  /// Returns `https://host:443`, also when the URL omits the port.
  [[nodiscard]] std::string origin() const {
    auto host = part(CURLUPART_HOST);
    std::transform(host.begin(), host.end(), host.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c; });
    return part(CURLUPART_SCHEME) + "://" + host + ':' + part(CURLUPART_PORT, CURLU_DEFAULT_PORT);
  }
  [[nodiscard]] bool names_somebody() const { return !part(CURLUPART_USER).empty() || !part(CURLUPART_PASSWORD).empty(); }

private:
  std::unique_ptr<CURLU, decltype(&curl_url_cleanup)> url_;
  bool good_ = false;
};

struct allowed_place {
  std::string origin;
  /// Ends with a slash.
  std::string path;
};

bool is_http(const parsed_url& url) {
  const auto scheme = url.part(CURLUPART_SCHEME);
  return scheme == "http" || scheme == "https";
}

core::result<allowed_place> place_of(const std::string& text) {
  const parsed_url url{text};
  const auto path = url.good() ? url.part(CURLUPART_PATH) : std::string{};
  if (!url.good() || !is_http(url) || url.names_somebody() || !path.ends_with('/') || !url.part(CURLUPART_QUERY).empty())
    return core::fail(core::errc::invalid_argument,
                      "\"" + text + "\" is not an http or https address with a path that ends with a slash");
  return allowed_place{url.origin(), path};
}

/// Returns whether the path stays below `above`. Rejects `..` in any encoding.
bool stays_below(const std::string& path, const std::string& above) {
  auto lower = path;
  std::transform(lower.begin(), lower.end(), lower.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c; });
  return path.starts_with(above) && lower.find("..") == std::string::npos && lower.find("%2e") == std::string::npos
         && lower.find("%2f") == std::string::npos && lower.find("%5c") == std::string::npos
         && lower.find('\\') == std::string::npos;
}

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

core::result<void> check_place(const std::string& text, const std::vector<allowed_place>& allowed) {
  const parsed_url url{text};
  const bool fits = url.good() && is_http(url) && !url.names_somebody()
                    && std::any_of(allowed.begin(), allowed.end(), [&](const auto& place) {
                         return place.origin == url.origin() && stays_below(url.part(CURLUPART_PATH), place.path);
                       });
  return fits ? core::result<void>{}
              : core::fail(core::errc::forbidden, "\"" + text + "\" is not among the addresses that this executor may call");
}

/// State of the libcurl callback.
struct listening {
  job_context& context;
  std::size_t room;
  std::string answer = {};
  bool cut = false;
};

std::size_t take(char* data, std::size_t size, std::size_t count, void* to) {
  auto& heard = *static_cast<listening*>(to);
  const auto kept = std::min(size * count, heard.room);
  heard.answer.append(data, kept);
  heard.room -= kept;
  heard.cut = heard.cut || kept < size * count;
  return size * count;
}

int look_for_stop(void* of, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
  return static_cast<listening*>(of)->context.stop_requested() ? 1 : 0;
}

struct handles {
  std::unique_ptr<CURL, decltype(&curl_easy_cleanup)> easy{curl_easy_init(), &curl_easy_cleanup};
  std::unique_ptr<curl_slist, decltype(&curl_slist_free_all)> headers{nullptr, &curl_slist_free_all};
};

void prepare(handles& of, const call& what, const http_handler_options& options, listening& heard) {
  auto* handle = of.easy.get();
  const auto set = [handle](CURLoption option, auto value) { curl_easy_setopt(handle, option, value); };
  set(CURLOPT_URL, what.url.c_str());
  set(CURLOPT_PROTOCOLS_STR, "http,https");
  set(CURLOPT_NOSIGNAL, 1L);
  set(CURLOPT_PROXY, "");
  set(CURLOPT_FOLLOWLOCATION, 0L);
  set(CURLOPT_PATH_AS_IS, 1L);
  set(CURLOPT_TIMEOUT_MS, static_cast<long>(what.timeout.count()));
  set(CURLOPT_WRITEFUNCTION, &take);
  set(CURLOPT_WRITEDATA, static_cast<void*>(&heard));
  set(CURLOPT_NOPROGRESS, 0L);
  set(CURLOPT_XFERINFOFUNCTION, &look_for_stop);
  set(CURLOPT_XFERINFODATA, static_cast<void*>(&heard));
  if (!options.ca_file.empty()) {
    set(CURLOPT_CAINFO, options.ca_file.c_str());
    set(CURLOPT_CAPATH, static_cast<const char*>(nullptr));
  }
  if (what.data) {
    set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(what.data->size()));
    set(CURLOPT_POSTFIELDS, what.data->c_str());
    of.headers.reset(curl_slist_append(nullptr, ("Content-Type: " + what.content_type).c_str()));
    set(CURLOPT_HTTPHEADER, of.headers.get());
  }
  if (what.method == "HEAD")
    set(CURLOPT_NOBODY, 1L);
  else
    set(CURLOPT_CUSTOMREQUEST, what.method.c_str());
}

/// Place shown in the log lines.
constexpr std::string_view place = "http";

void run_call(job_context& context, const http_handler_options& options, const std::vector<allowed_place>& allowed) {
  const auto what = read_call(context, options);
  if (!what)
    return context.fail(what.error().context);
  if (auto fits = check_place(what->url, allowed); !fits)
    return context.fail(fits.error().context);
  handles of;
  if (!of.easy)
    return context.fail("cannot create a libcurl handle");
  listening heard{context, options.answer_bytes_max};
  prepare(of, *what, options, heard);
  context.line(place) << what->method << ' ' << what->url;
  const auto done = curl_easy_perform(of.easy.get());
  if (!heard.answer.empty())
    context.log(heard.answer + (heard.cut ? "\n(cut here)" : ""), place);
  if (done == CURLE_ABORTED_BY_CALLBACK)
    return context.fail("stopped: " + context.stop_reason());
  if (done != CURLE_OK)
    return context.fail(curl_easy_strerror(done));
  long status = 0;
  curl_easy_getinfo(of.easy.get(), CURLINFO_RESPONSE_CODE, &status);
  constexpr long success_from = 200, success_to = 299;
  if (status < success_from || status > success_to)
    return context.fail("HTTP " + std::to_string(status));
  context.succeed("HTTP " + std::to_string(status));
}

} // namespace

core::result<handler> make_http_handler(http_handler_options options) {
  if (options.timeout < milliseconds{1} || options.timeout > std::chrono::days{1})
    return core::fail(core::errc::invalid_argument, "the timeout of calls must be from 1 ms to 1 day");
  std::vector<allowed_place> allowed;
  for (const auto& text : options.allowed) {
    auto place = place_of(text);
    if (!place)
      return tl::unexpected{place.error()};
    allowed.push_back(std::move(*place));
  }
  return handler{[options = std::move(options), allowed = std::move(allowed)](job_context& context) {
    run_call(context, options, allowed);
  }};
}

} // namespace ringmaster::executor
