// Golden exchanges of XXL-JOB's web API: each file of exchanges/, line by line.

#include "tests/support/catch.hpp"

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <set>

#include "tests/compat/exchange_file.hpp"
#include "tests/gateway/web_fixture.hpp"
#include "tests/support/source_folder.hpp"

using namespace ringmaster;
using namespace ringmaster::test;

namespace {

const std::string folder = source_path("tests/compat/exchanges");

class exchanges_fixture : public web_fixture {
public:
  void open_for(const exchange_file& file) {
    server.language = file.language;
    web.settings.dialect = file.dialect;
    open();
  }

  raw_socket::message send(const golden_exchange& golden, const std::string& dialect) {
    std::string head = golden.headers;
    if (!golden.session.empty())
      head += dialect == "2.x" ? cookie_2(golden.session) : cookie_3(golden.session);
    if (golden.method != "GET")
      head += "Content-Type: application/x-www-form-urlencoded\r\n";
    return ask(text(golden.method, "/xxl-job-admin" + golden.target, golden.form, head));
  }

  void check(const golden_exchange& golden, const std::string& dialect) {
    if (golden.refusal)
      script->refuse(*golden.refusal);
    const auto reply = send(golden, dialect);
    const auto asked = script->take_asked();
    CHECK((asked.empty() ? "" : asked.back()) == golden.asked);
    CHECK(reply.status() == golden.status);
    for (const auto& line : golden.reply_headers)
      CHECK_THAT(reply.head, Catch::Matchers::Contains("\r\n" + line + "\r\n"));
    if (golden.status == 200)
      CHECK_THAT(reply.head, Catch::Matchers::Contains("\r\nContent-Type: application/json;charset=UTF-8\r\n"));
    if (golden.reply)
      CHECK(reply.body == *golden.reply);
    // With this variable set the replies are printed, to be reviewed and then kept.
    if (std::getenv("RINGMASTER_SHOW_REPLIES"))
      std::cout << "@@ " << golden.line << "\t" << (asked.empty() ? "" : asked.back()) << "\t" << reply.status() << "\t"
                << reply.body << "\n";
  }
};

} // namespace

TEST_CASE("golden exchanges of the web API", "[compat]") {
  const auto path = GENERATE(from_range(files_of(folder)));
  const auto file = read_exchanges(path);
  REQUIRE_FALSE(file.exchanges.empty());
  exchanges_fixture fixture;
  fixture.open_for(file);
  if (std::getenv("RINGMASTER_SHOW_REPLIES"))
    std::cout << "@@ file " << path << "\n";
  for (const auto& golden : file.exchanges) {
    INFO(path << ":" << golden.line << ": " << golden.title);
    fixture.check(golden, file.dialect);
  }
}

TEST_CASE("every route of the web API has a golden exchange in each of its dialects", "[compat]") {
  std::set<std::pair<std::string, std::string>> sent;
  for (const auto& path : files_of(folder)) {
    const auto file = read_exchanges(path);
    for (const auto& golden : file.exchanges)
      sent.emplace(file.dialect, golden.target.substr(0, golden.target.find('?')));
  }
  for (const auto& row : gateway::routes()) {
    CAPTURE(row.path);
    const std::string route{row.path};
    if (row.by == gateway::dialect_set::both || row.by == gateway::dialect_set::xxl2_only)
      CHECK(sent.contains({"2.x", route}));
    if (row.by == gateway::dialect_set::both || row.by == gateway::dialect_set::xxl3_only)
      CHECK(sent.contains({"3.3+", route}));
  }
}
