#include "apps/demo_executor.hpp"

#include <chrono>
#include <utility>

#include <nlohmann/json.hpp>

#include "config/settings.hpp"

namespace ringmaster::apps {

namespace {

constexpr std::chrono::seconds beat_every{30};

protocol::http_response answer(const char* body) {
  protocol::http_response response;
  response.body = body;
  return response;
}

} // namespace

demo_executor::demo_executor(std::string admin, std::string app_name, std::string token)
  : admin_{std::move(admin)}, app_name_{std::move(app_name)}, token_{std::move(token)} {
  config::server_settings server;
  server.listen = "127.0.0.1:0";
  config::trigger_settings calls;
  calls.io_threads = 1;
  transport_ = gateway::make_transport(server, calls, {});
  client_ = transport_->client();
}

core::result<std::unique_ptr<demo_executor>> demo_executor::start(std::string admin, std::string app_name, std::string token) {
  std::unique_ptr<demo_executor> made{new demo_executor{std::move(admin), std::move(app_name), std::move(token)}};
  auto bound =
    made->transport_->listen([executor = made.get()](protocol::http_request&& request, protocol::http_reply_ptr reply) {
      executor->serve(std::move(request), reply);
    });
  if (!bound)
    return tl::unexpected<core::error>{bound.error()};
  made->address_ = "http://" + *bound + "/";
  made->beats_ = std::jthread{[executor = made.get()](std::stop_token stopped) { executor->beat(std::move(stopped)); }};
  return made;
}

demo_executor::~demo_executor() {
  beats_ = {};
  transport_->stop();
}

void demo_executor::beat(std::stop_token stopped) {
  const auto registration =
    nlohmann::json{{"registryGroup", "EXECUTOR"}, {"registryKey", app_name_}, {"registryValue", address_}}.dump();
  std::unique_lock lock{waiting_};
  do
    tell_admin("/api/registry", registration);
  while (!wake_.wait_for(lock, stopped, beat_every, [&stopped] { return stopped.stop_requested(); }));
}

void demo_executor::serve(protocol::http_request&& request, const protocol::http_reply_ptr& reply) {
  auto token = request.find_header("XXL-JOB-ACCESS-TOKEN");
  if (!token || *token != token_)
    return reply->send(answer(R"({"code":500,"msg":"The access token is wrong."})"));
  reply->send(answer(R"({"code":200})"));
  if (request.target == "/run")
    report_success(request.body);
}

void demo_executor::report_success(const std::string& run_body) {
  auto run = nlohmann::json::parse(run_body, nullptr, false);
  if (!run.is_object() || !run.contains("logId"))
    return;
  auto result = nlohmann::json::array();
  result.push_back({{"logId", run["logId"]}, {"logDateTim", run["logDateTime"]}, {"handleCode", 200}, {"handleMsg", "done"}});
  tell_admin("/api/callback", result.dump());
}

void demo_executor::tell_admin(const char* path, std::string body) {
  protocol::http_call call;
  call.origin = admin_;
  call.target = path;
  call.headers.emplace_back("XXL-JOB-ACCESS-TOKEN", token_);
  call.body = std::move(body);
  std::vector<protocol::http_call> calls;
  calls.push_back(std::move(call));
  client_->post(std::move(calls), [](std::size_t, protocol::http_result&&) {});
}

} // namespace ringmaster::apps
