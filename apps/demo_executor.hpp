#pragma once

// The executor of `ringmaster demo`: accepts every run, reports success, speaks the executor's side of the wire protocol over
// real sockets.

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "core/result.hpp"
#include "gateway/transport.hpp"
#include "protocol/http.hpp"

namespace ringmaster::apps {

/// Owns its own server, io thread and a thread that beats: registers as `app_name` at `admin` at once and then every 30 s, as
/// XXL-JOB's executors do (XXL wire §1.6).
class demo_executor {
public:
  /// `admin`: origin of the server, `http://127.0.0.1:8080`.
  [[nodiscard]] static core::result<std::unique_ptr<demo_executor>> start(std::string admin, std::string app_name,
                                                                          std::string token);
  ~demo_executor();
  demo_executor(const demo_executor&) = delete;
  demo_executor& operator=(const demo_executor&) = delete;

private:
  demo_executor(std::string admin, std::string app_name, std::string token);
  void serve(protocol::http_request&& request, const protocol::http_reply_ptr& reply);
  void report_success(const std::string& run_body);
  void tell_admin(const char* path, std::string body);
  void beat(std::stop_token stopped);

  std::string admin_;
  std::string app_name_;
  std::string token_;
  std::string address_;
  std::unique_ptr<gateway::transport> transport_;
  std::shared_ptr<protocol::http_client> client_;
  std::mutex waiting_;
  std::condition_variable_any wake_;
  /// Last: ends before what it uses.
  std::jthread beats_;
};

} // namespace ringmaster::apps
