#include "protocol/curl/curl_transfer.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <optional>

namespace ringmaster::protocol {

namespace {

/// Longest wait for an event of a transfer.
constexpr std::chrono::milliseconds event_wait_max{1000};

/// One transfer that another thread can wake.
class multi_call {
public:
  explicit multi_call(CURL* handle) : multi_{curl_multi_init()}, handle_{handle} {
    if (multi_)
      curl_multi_add_handle(multi_, handle_);
  }
  multi_call(const multi_call&) = delete;
  multi_call& operator=(const multi_call&) = delete;
  ~multi_call() {
    if (!multi_)
      return;
    curl_multi_remove_handle(multi_, handle_);
    curl_multi_cleanup(multi_);
  }
  explicit operator bool() const noexcept { return multi_ != nullptr; }

  /// Any thread.
  void wake() noexcept { curl_multi_wakeup(multi_); }
  void wait(std::chrono::milliseconds most) {
    curl_multi_poll(multi_, nullptr, 0, static_cast<int>(std::min(most, event_wait_max).count()), nullptr);
  }
  /// Does what can be done now. Returns the result if the transfer has ended.
  std::optional<CURLcode> go_on() {
    int running = 0;
    if (curl_multi_perform(multi_, &running) != CURLM_OK)
      return CURLE_OUT_OF_MEMORY;
    int left = 0;
    const auto* message = curl_multi_info_read(multi_, &left);
    return message && message->msg == CURLMSG_DONE ? std::optional{message->data.result} : std::nullopt;
  }

private:
  CURLM* multi_;
  CURL* handle_;
};

/// Returns the bytes of both directions; above 0 as soon as the connection stands.
std::int64_t bytes_moved(CURL* handle) {
  curl_off_t down = 0, up = 0, connected_us = 0;
  long headers = 0;
  curl_easy_getinfo(handle, CURLINFO_SIZE_DOWNLOAD_T, &down);
  curl_easy_getinfo(handle, CURLINFO_SIZE_UPLOAD_T, &up);
  curl_easy_getinfo(handle, CURLINFO_HEADER_SIZE, &headers);
  curl_easy_getinfo(handle, CURLINFO_PRETRANSFER_TIME_T, &connected_us);
  return std::int64_t{down} + up + headers + (connected_us > 0 ? 1 : 0);
}

} // namespace

void init_curl() {
  static std::once_flag once;
  std::call_once(once, [] { curl_global_init(CURL_GLOBAL_DEFAULT); });
}

curl_transfer::curl_transfer() : problem_(CURL_ERROR_SIZE, '\0'), handle_{(init_curl(), curl_easy_init())} {}

void curl_transfer::begin(const std::string& url, const curl_rules& rules) {
  curl_easy_reset(handle_.get());
  lines_.reset();
  answer_ = rules.answer;
  upload_ = {};
  problem_.front() = '\0';
  set(CURLOPT_URL, url.c_str());
  set(CURLOPT_PROTOCOLS_STR, rules.protocols);
  set(CURLOPT_FOLLOWLOCATION, 0L);
  set(CURLOPT_NOSIGNAL, 1L);
  set(CURLOPT_TIMEOUT_MS, static_cast<long>(rules.timeout.count()));
  set(CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(rules.connect_timeout.count()));
  set(CURLOPT_ERRORBUFFER, problem_.data());
  set(CURLOPT_WRITEFUNCTION, &take_answer);
  set(CURLOPT_WRITEDATA, static_cast<void*>(this));
  if (!rules.proxies)
    set(CURLOPT_PROXY, "");
}

void curl_transfer::trust_only(const std::string& ca_file) {
  set(CURLOPT_CAINFO, ca_file.c_str());
  set(CURLOPT_CAPATH, static_cast<const char*>(nullptr));
}

void curl_transfer::add_line(const std::string& line) {
  if (auto* longer = curl_slist_append(lines_.get(), line.c_str())) {
    (void)lines_.release();
    lines_.reset(longer);
  }
}

void curl_transfer::post(const std::string& body) {
  set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(body.size()));
  set(CURLOPT_POSTFIELDS, body.c_str());
}

void curl_transfer::upload(const std::string& body) {
  upload_ = body;
  set(CURLOPT_UPLOAD, 1L);
  set(CURLOPT_READFUNCTION, &read_upload);
  set(CURLOPT_READDATA, static_cast<void*>(this));
}

CURLcode curl_transfer::perform(const std::stop_token& stop, std::chrono::milliseconds silence_max) {
  multi_call call{handle_.get()};
  if (!call)
    return CURLE_OUT_OF_MEMORY;
  const std::stop_callback on_stop{stop, [&call] { call.wake(); }};
  using clock = std::chrono::steady_clock;
  auto moved_at = clock::now();
  for (std::int64_t moved = -1; !stop.stop_requested();) {
    if (const auto ended = call.go_on())
      return *ended;
    const auto now = clock::now();
    if (const auto bytes = bytes_moved(handle_.get()); bytes != moved) {
      moved = bytes;
      moved_at = now;
    }
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(moved_at + silence_max - now);
    const bool is_connected = moved > 0;
    if (is_connected && left.count() <= 0)
      return CURLE_OPERATION_TIMEDOUT;
    call.wait(is_connected ? left : silence_max);
  }
  return CURLE_ABORTED_BY_CALLBACK;
}

long curl_transfer::status() const {
  long status = 0;
  curl_easy_getinfo(handle_.get(), CURLINFO_RESPONSE_CODE, &status);
  return status;
}

std::string curl_transfer::info(CURLINFO which) const {
  const char* text = nullptr;
  return curl_easy_getinfo(handle_.get(), which, &text) == CURLE_OK && text ? text : "";
}

std::string curl_transfer::header(const char* name) const {
  curl_header* found = nullptr;
  return curl_easy_header(handle_.get(), name, 0, CURLH_HEADER, -1, &found) == CURLHE_OK ? found->value : "";
}

std::string curl_transfer::problem(CURLcode code) const {
  return problem_.front() == '\0' ? curl_easy_strerror(code) : problem_.c_str();
}

std::size_t curl_transfer::take_answer(char* from, std::size_t size, std::size_t count, void* self) {
  return static_cast<curl_transfer*>(self)->answer_.take({from, size * count}) ? size * count : 0;
}

std::size_t curl_transfer::read_upload(char* to, std::size_t size, std::size_t count, void* self) {
  auto& left = static_cast<curl_transfer*>(self)->upload_;
  const auto part = std::min(size * count, left.size());
  std::memcpy(to, left.data(), part);
  left.remove_prefix(part);
  return part;
}

called_url::called_url(const std::string& text, unsigned flags) : url_{::curl_url()} {
  if (url_ && curl_url_set(url_.get(), CURLUPART_URL, text.c_str(), flags) != CURLUE_OK)
    url_.reset();
}

bool called_url::is_http() const {
  const auto scheme = part(CURLUPART_SCHEME);
  return scheme == "http" || scheme == "https";
}

std::string called_url::part(CURLUPart which, unsigned flags) const {
  char* text = nullptr;
  if (!url_ || curl_url_get(url_.get(), which, &text, flags) != CURLUE_OK || !text)
    return {};
  const std::unique_ptr<char, decltype(&curl_free)> owner{text, &curl_free};
  return text;
}

} // namespace ringmaster::protocol
