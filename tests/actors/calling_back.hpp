#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tests/actors/executor_fixture.hpp"

namespace ringmaster::test {

inline const std::string refusal = R"({"code":500,"msg":"later","content":null})";

struct calling_back : executor_world {
  explicit calling_back(std::vector<std::string> admins = {"http://a:8080/xxl-job-admin"}) : executor_world{std::move(admins)} {}

  core::run_report report_of(std::int64_t run, std::optional<std::string> message = std::nullopt, std::int32_t code = 200) {
    return {core::log_id{run}, start_time, code, std::move(message)};
  }
  void report(std::int64_t first, std::int64_t last) {
    protocol::run_reports over;
    for (auto run = first; run <= last; ++run)
      over.reports.push_back(report_of(run));
    tell(callbacks, std::move(over));
  }
  void away() {
    client->answers = [](const protocol::http_call&) {
      return http_failure(protocol::delivery::not_sent, "connection refused");
    };
  }
  /// Refuses each request that contains one of these runs.
  void refuse(std::set<std::int64_t> bad) {
    client->answers = [bad = std::move(bad)](const protocol::http_call& call) {
      for (const auto& result : results_in(call))
        if (bad.contains(result.run))
          return http_answer(refusal);
      return http_answer(R"({"code":200})");
    };
  }
  void keep(const std::string& name, std::int64_t first, std::int64_t last) {
    for (auto run = first; run <= last; ++run)
      files->files[name].push_back(report_of(run));
  }
  void back() {
    client->answers = [](const protocol::http_call&) { return http_answer(R"({"code":200})"); };
  }
  /// Returns the number of reports of each run.
  [[nodiscard]] std::map<std::int64_t, int> times() const {
    std::map<std::int64_t, int> out;
    for (const auto& result : results())
      ++out[result.run];
    return out;
  }
};

struct calling_back_two : calling_back {
  calling_back_two() : calling_back{{"http://a:8080", "http://b:8080"}} {}
};

} // namespace ringmaster::test
