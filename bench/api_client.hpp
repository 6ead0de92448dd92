#pragma once

// Client of the server's HTTP API: one kept connection, one request at a time.

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace ringmaster::bench {

struct api_reply {
  unsigned status = 0;
  std::string headers;
  std::string body;
  std::chrono::duration<double, std::milli> took{0}; ///< from the first byte sent to the last byte read
};

/// Blocking client for one thread at a time. Every call throws `std::runtime_error` if the server does not answer within ten
/// seconds.
class api_client {
public:
  explicit api_client(std::uint16_t port);
  ~api_client();
  api_client(const api_client&) = delete;
  api_client& operator=(const api_client&) = delete;

  /// Signs in as the first administrator with the password in `initial-secrets` of the data folder.
  void sign_in(const std::filesystem::path& data_dir);

  /// Adds a header to all further requests.
  void show(const std::string& name, const std::string& value) { headers_ += name + ": " + value + "\r\n"; }

  /// Uses the session of another client.
  void share_session(const api_client& other) { cookie_ = other.cookie_; }

  /// `more`: further header lines of this request, each with its end.
  api_reply get(const std::string& target, const std::string& more = {}) { return call("GET", target, {}, more); }
  /// Posts a form.
  api_reply post(const std::string& target, const std::string& form) { return call("POST", target, form, {}); }

private:
  api_reply call(std::string_view method, const std::string& target, std::string_view form, const std::string& more);
  void connect();

  std::uint16_t port_;
  int socket_ = -1;
  std::string cookie_;
  std::string headers_;
  std::string in_;
};

} // namespace ringmaster::bench
