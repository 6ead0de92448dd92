#include "gateway/handlers/xxl/handlers.hpp"

#include <string>
#include <string_view>

#include "core/alarm/alarm_text.hpp"
#include "gateway/console/console_pages.hpp"

namespace ringmaster::gateway::handlers {

namespace {

constexpr std::string_view head_of_page = R"(<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Ringmaster</title></head>
<body>
<h1>Ringmaster</h1>
<p>A job scheduler that takes the place of the XXL-JOB admin. It is running.</p>
<p>Jobs and runs are managed with the command <code>ringmaster</code> on the server (<code>ringmaster --help</code>), or from
another machine with <code>--server</code> and an API key.</p>
)";

constexpr std::string_view no_console = "<p>This server was built without the web console.</p>\n";

void append_link(std::string& page, const std::string& target, std::string_view what) {
  const auto shown = core::escape_html(target);
  page.append("<li><a href=\"").append(shown).append("\">").append(shown).append("</a>: ").append(what).append("</li>\n");
}

} // namespace

void start_page(exchange ex) {
  if (is_page_wanted(ex))
    return former_page(ex);
  const auto has_console = !ex.services().web.console.empty();
  std::string page{head_of_page};
  page.append(has_console ? "" : no_console).append("<ul>\n");
  if (has_console)
    append_link(page, ex.location(std::string{console_path} + "/"), "the web console");
  append_link(page, ex.location("/readyz"), "whether this node serves");
  append_link(page, ex.location("/api/v1/openapi.json"), "the description of the HTTP API");
  page.append("</ul>\n<p>Executors of XXL-JOB use this server's address, with <code>/xxl-job-admin</code> after it, as "
              "<code>xxl.job.admin.addresses</code>.</p>\n</body>\n</html>\n");
  ex.respond({200, "text/html; charset=utf-8", std::move(page), {{"Cache-Control", "no-store"}}});
}

} // namespace ringmaster::gateway::handlers
