#include "protocol/curl/curl_transfer.hpp"

#include <algorithm>
#include <cstring>
#include <mutex>

namespace ringmaster::protocol {

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
