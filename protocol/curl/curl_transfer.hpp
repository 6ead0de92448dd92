#pragma once

// One transfer through libcurl, with the rules that all our calls through it share. The settings of one caller alone (the method,
// a guard on the socket, mail) are set with `set`. No installed header includes this.

#include <chrono>
#include <cstddef>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

#include <curl/curl.h>

#include "protocol/curl/bounded_answer.hpp"

namespace ringmaster::protocol {

/// Initialises libcurl once in a process, before any thread uses it. Any thread; called by every transfer.
void init_curl();

struct curl_rules {
  /// Time limit of the whole transfer.
  std::chrono::milliseconds timeout{};
  /// Time limit until the connection stands. Zero: libcurl's own.
  std::chrono::milliseconds connect_timeout{0};
  const char* protocols = "http,https";
  /// Uses the proxies that the environment names.
  bool proxies = false;
  bounded_answer answer{};
};

/// A handle, its list of lines, and the answer. Does not follow redirects and raises no signals. One thread at a time.
class curl_transfer {
public:
  curl_transfer();
  curl_transfer(const curl_transfer&) = delete;
  curl_transfer& operator=(const curl_transfer&) = delete;

  /// Returns false when libcurl could not create a handle; then nothing else may be called.
  explicit operator bool() const noexcept { return handle_ != nullptr; }
  [[nodiscard]] CURL* handle() const noexcept { return handle_.get(); }

  /// Begins a new transfer. Forgets the settings of the previous one and keeps its open connections.
  void begin(const std::string& url, const curl_rules& rules);

  template <class Value>
  void set(CURLoption option, Value value) {
    curl_easy_setopt(handle_.get(), option, value);
  }
  /// Trusts the certificates in this file, and not the system's, which are in a folder as well as in a file.
  void trust_only(const std::string& ca_file);
  /// Adds a line to the list of this transfer: a header, or a recipient.
  void add_line(const std::string& line);
  /// Uses the lines for `CURLOPT_HTTPHEADER` or `CURLOPT_MAIL_RCPT`. Call after the last `add_line`.
  void set_lines(CURLoption option) { set(option, lines_.get()); }
  /// Sends this body by POST. The body must outlive the transfer.
  void post(const std::string& body);
  /// Sends this body where the protocol takes an upload. The body must outlive the transfer.
  void upload(const std::string& body);

  /// Blocks until the transfer has ended.
  [[nodiscard]] CURLcode perform() { return curl_easy_perform(handle_.get()); }

  /// Blocks until the transfer has ended, a stop is requested, which drops it at once, or the connected server has neither sent
  /// nor taken a byte for `silence_max`. Returns CURLE_ABORTED_BY_CALLBACK for a stop, CURLE_OPERATION_TIMEDOUT for silence.
  [[nodiscard]] CURLcode perform(const std::stop_token& stop, std::chrono::milliseconds silence_max);

  [[nodiscard]] const bounded_answer& answer() const noexcept { return answer_; }
  /// Returns the kept bytes of the answer and drops them here.
  [[nodiscard]] std::string release_answer() noexcept { return answer_.release(); }
  /// Returns the status of an HTTP answer, or the last code of an SMTP server; 0: none.
  [[nodiscard]] long status() const;
  /// Returns a text about the ended transfer, e.g. `CURLINFO_CONTENT_TYPE`; empty: none.
  [[nodiscard]] std::string info(CURLINFO which) const;
  /// Returns the value of a header of the answer; empty: none.
  [[nodiscard]] std::string header(const char* name) const;
  /// Returns libcurl's reason for a failed transfer.
  [[nodiscard]] std::string problem(CURLcode code) const;

private:
  struct release {
    void operator()(CURL* handle) const { curl_easy_cleanup(handle); }
    void operator()(curl_slist* list) const { curl_slist_free_all(list); }
  };

  static std::size_t take_answer(char* from, std::size_t size, std::size_t count, void* self);
  static std::size_t read_upload(char* to, std::size_t size, std::size_t count, void* self);

  std::unique_ptr<curl_slist, release> lines_;
  bounded_answer answer_;
  /// Rest of the body of an upload.
  std::string_view upload_;
  std::string problem_;
  /// Ends first, because it points to the others.
  std::unique_ptr<CURL, release> handle_;
};

/// A URL read by libcurl itself, so that the checked address is the called one.
class called_url {
public:
  /// Reads a URL with libcurl's flags of `curl_url_set`.
  explicit called_url(const std::string& text, unsigned flags = 0);

  /// Returns true for an http or https URL.
  [[nodiscard]] bool is_http() const;
  /// Returns true when the URL names a user or a password.
  [[nodiscard]] bool has_account() const { return !part(CURLUPART_USER).empty() || !part(CURLUPART_PASSWORD).empty(); }
  /// Returns a part; empty: none. `flags` are those of `curl_url_get`.
  [[nodiscard]] std::string part(CURLUPart which, unsigned flags = 0) const;

private:
  struct release {
    void operator()(CURLU* url) const { curl_url_cleanup(url); }
  };
  /// Null for text that libcurl does not read.
  std::unique_ptr<CURLU, release> url_;
};

} // namespace ringmaster::protocol
