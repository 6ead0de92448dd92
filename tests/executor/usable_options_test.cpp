#include "executor/host/usable_options.hpp"

#include <functional>

#include "tests/support/catch.hpp"
#include "tests/support/temp_folder.hpp"

using namespace ringmaster;
using executor::executor_options;
using namespace std::chrono_literals;

namespace {

executor_options usable() {
  executor_options out;
  out.admins = {"http://10.0.0.1:8080/xxl-job-admin"};
  out.app_name = "pay-worker";
  return out;
}

/// Returns the error for the options; empty: they are valid.
std::string said_of(const std::function<void(executor_options&)>& change) {
  auto options = usable();
  change(options);
  const auto checked = executor::check_options(options);
  return checked ? "" : checked.error().context;
}

std::string said_of_name(std::string name) {
  return said_of([&](auto& options) { options.app_name = name; });
}

} // namespace

TEST_CASE("options: the required options are sufficient", "[executor]") {
  CHECK(executor::check_options(usable()));
  CHECK(said_of([](auto& options) { options = {}; }) == "executor.app_name is missing: the group that this executor belongs to");
}

TEST_CASE("options: checks the app name like admins do", "[executor]") {
  CHECK(said_of_name("four").empty());
  CHECK(said_of_name(std::string(64, 'x')).empty());
  CHECK(said_of_name("支付系统").empty());
  CHECK(said_of_name("abc") == "executor.app_name must have from 4 to 64 characters, not 3");
  CHECK(said_of_name(std::string(65, 'x')) == "executor.app_name must have from 4 to 64 characters, not 65");
  CHECK(said_of_name("  ") == "executor.app_name is missing: the group that this executor belongs to");
  for (const std::string name : {"pay\nworker", "pay\r\nX-Header: 1", "pay\tworker", "pay\x7fworker", "<pay>", "pay\xffworker"}) {
    CAPTURE(name);
    CHECK(said_of_name(name) == "executor.app_name: admins refuse control characters, < and >, and invalid UTF-8");
  }
  CHECK_FALSE(said_of_name(std::string("pay\0worker", 10)).empty());
}

TEST_CASE("options: header values must be one line", "[executor]") {
  CHECK(said_of([](auto& options) { options.access_token = "secret\nX: 1"; }) ==
        "the access token contains a control character or invalid UTF-8");
  CHECK_FALSE(said_of([](auto& options) { options.address = "http://a:1/\n"; }).empty());
}

TEST_CASE("options: checks the addresses of admins", "[executor]") {
  for (const std::string admin : {"", "10.0.0.1:8080", "ftp://a", "http://", "http://a\nb"}) {
    CAPTURE(admin);
    CHECK(said_of([&](auto& options) {
            options.admins = {admin};
          }).starts_with("executor.admins: \"" + admin + "\" is not an address"));
  }
  CHECK(said_of([](auto& options) { options.admins = {"http://me@a:1/"}; }) ==
        "executor.admins: an address must not contain a user name; the token identifies the executor");
  CHECK(said_of([](auto& options) { options.admins = {}; }).starts_with("executor.admins and executor.nodes are empty"));
}

TEST_CASE("options: requires a token unless explicitly disabled", "[executor]") {
  CHECK(said_of([](auto& options) { options.listen = "0.0.0.0"; }).starts_with("executor.listen is 0.0.0.0 without an access"));
  CHECK(said_of([](auto& options) { options.listen = "0.0.0.0", options.access_token = "x"; }).empty());
  CHECK(said_of([](auto& options) { options.listen = "0.0.0.0", options.allow_no_token = true; }).empty());
  CHECK(said_of([](auto& options) { options.listen = ""; }) ==
        "executor.listen is empty: use 0.0.0.0 for all addresses, or set executor.nodes to run without a port");
}

TEST_CASE("options: checks value ranges", "[executor]") {
  CHECK(said_of([](auto& options) { options.dialect = "3.5"; }).empty());
  CHECK(said_of([](auto& options) { options.dialect = "2.x"; }) == "executor.dialect must be auto, 3.4 or 3.5");
  CHECK(said_of([](auto& options) { options.port = 65536; }) == "executor.port must be at most 65535");
  CHECK(said_of([](auto& options) { options.queue_max = 0; }) == "executor.queue_max must be at least 1");
  CHECK(said_of([](auto& options) { options.coroutine_threads = 0; }) == "executor.coroutine_threads must be from 1 to 1000");
  CHECK(said_of([](auto& options) { options.coroutine_threads = 1001; }) == "executor.coroutine_threads must be from 1 to 1000");
  CHECK(said_of([](auto& options) { options.admin_timeout = -1ms; }) == "executor.admin_timeout must be from 1 ms to 1 day");
  CHECK(said_of([](auto& options) { options.idle_limit = std::chrono::milliseconds::max(); }) ==
        "executor.idle_limit must be from 1 ms to 1 day");
  CHECK(said_of([](auto& options) { options.drain_timeout = 0ms; }).empty());
  CHECK(said_of([](auto& options) { options.drain_timeout = -1ms; }) == "executor.drain_timeout must be from 0 to 1 day");
}

TEST_CASE("options: errors of the system name the option", "[executor]") {
  const test::temp_folder folder;
  const auto start_with = [&folder](const std::function<void(executor_options&)>& change) {
    auto options = usable();
    options.data_dir = folder.path();
    options.port = 0;
    change(options);
    auto started = executor::executor::start(std::move(options), {});
    return started ? "started" : started.error().context;
  };
  const auto listen = start_with([](auto& options) { options.listen = "junk", options.access_token = "x"; });
  CHECK(listen.starts_with("executor.listen = `junk:"));
  const auto ca = start_with([](auto& options) { options.admin_ca = "/nowhere/ca.pem"; });
  CHECK(ca.find("executor.admin_ca") != std::string::npos);
}

TEST_CASE("options: checks the options of elastic jobs", "[executor]") {
  const auto said = [](const std::function<void(executor_options&)>& change, std::size_t handlers = 1) {
    auto options = usable();
    options.nodes = {"10.0.0.1:9100"};
    change(options);
    const auto checked = executor::check_elastic(options, handlers);
    return checked ? "" : checked.error().context;
  };
  CHECK(said([](auto&) {}).empty());
  CHECK(said([](auto& options) { options.nodes = {}; }) == "executor.nodes is empty: elastic jobs need native links");
  CHECK(said([](auto& options) { options.nodes = {}; }, 0).empty());
  CHECK(said([](auto&) {}, 513) == "an executor can have at most 512 handlers of elastic jobs");
  CHECK(said([](auto& options) { options.labels = {"gpu", "disk"}; }).empty());
  CHECK(said([](auto& options) { options.labels = {"a,b"}; }) ==
        "executor.labels: \"a,b\" must be one line without commas, and not empty");
  CHECK_FALSE(said([](auto& options) { options.labels = {" "}; }).empty());
  CHECK(said([](auto& options) { options.labels = {std::string(1024, 'x')}; }) ==
        "executor.labels must have at most 1024 bytes in total");
  CHECK(said([](auto& options) { options.elastic_capacity = 5001; }) == "executor.elastic_capacity must be at most 5000");
  CHECK(said([](auto& options) { options.elastic_drain = -1ms; }) == "executor.elastic_drain must be from 0 to 1 day");
}
