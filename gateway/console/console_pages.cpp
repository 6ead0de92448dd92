#include "gateway/console/console_pages.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "core/alarm/alarm_text.hpp"
#include "gateway/auth/secrets.hpp"
#include "gateway/exchange/api_preconditions.hpp"
#include "gateway/exchange/gzip.hpp"
#include "protocol/wire/xxl/form.hpp"

namespace ringmaster::gateway {

namespace {

constexpr std::string_view first_page = "index.html";
constexpr std::string_view assets = "assets/";
/// Links of the first page as the build writes them.
constexpr std::string_view link_start = "\"./";
constexpr std::string_view prefix_mark = "%RINGMASTER_PREFIX%";

const protocol::web_file* find_file(const exchange& ex, std::string_view path) noexcept {
  const auto files = ex.services().web.console;
  const auto found = std::ranges::lower_bound(files, path, {}, &protocol::web_file::path);
  return found != files.end() && found->path == path ? &*found : nullptr;
}

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

void tell_first_page(const exchange& ex) {
  const auto* file = find_file(ex, first_page);
  if (!file)
    return ex.problem(404, "this server was built without the web console");
  auto page = page_below(file->content, ex.location(""));
  auto etag = etag_of(sha256_hex(page).substr(0, 16));
  if (has_already(ex.request(), etag))
    return ex.respond({304, {}, {}, {{"ETag", std::move(etag)}, {"Cache-Control", "no-cache"}}});
  ex.respond({200, std::string{file->content_type}, std::move(page), {{"ETag", std::move(etag)}, {"Cache-Control", "no-cache"}}});
}

protocol::http_headers headers_of(const protocol::web_file& file) {
  const bool is_asset = file.path.starts_with(assets);
  return {{"ETag", std::string{file.etag}},
          {"Cache-Control", is_asset ? "public, max-age=31536000, immutable" : "no-cache"},
          {"Vary", "Accept-Encoding"}};
}

void tell_file(const exchange& ex, const protocol::web_file& file) {
  auto headers = headers_of(file);
  if (has_already(ex.request(), file.etag))
    return ex.respond({304, {}, {}, std::move(headers)});
  protocol::http_response reply{200, std::string{file.content_type}, {}, std::move(headers)};
  if (file.is_plain || takes_gzip(ex.request())) {
    if (!file.is_plain)
      reply.headers.emplace_back("Content-Encoding", "gzip");
    reply.fixed_body = file.content;
  } else {
    reply.body = decompressed(file.content);
  }
  ex.respond(std::move(reply));
}

/// Page of XXL-JOB, and the console's. If the query has `number`, a positive number, `before`, the number and `after` follow.
struct former {
  std::string_view path;
  std::string_view page;
  std::string_view number = {};
  std::string_view before = {};
  std::string_view after = {};
};

/// Rows of one path have the same page; the first row whose number is in the query counts.
constexpr std::array former_pages{
  former{"/index", "/"},
  former{"/dashboard", "/"},
  former{"/toLogin", "/sign-in"},
  former{"/auth/login", "/sign-in"},
  former{"/jobinfo", "/jobs", "jobGroup", "?group="},
  former{"/joblog", "/runs", "jobId", "?job="},
  former{"/joblog", "/runs", "jobGroup", "?group="},
  former{"/joblog/logDetailPage", "/runs", "id", "/", "/log"},
  former{"/jobcode", "/jobs", "jobId", "/", "/script"},
  former{"/jobgroup", "/executors"},
  former{"/user", "/users"},
  former{"/help", "/help"},
};

/// Returns a positive number of the query; empty for any other value.
std::string number_in(const protocol::wire::form& query, std::string_view name) {
  auto value = query.text_or_empty(name);
  const bool is_number =
    !value.empty() && value.size() <= 19 && value.find_first_not_of("0123456789") == std::string::npos && value.front() != '0';
  return is_number ? value : std::string{};
}

} // namespace

bool is_console_path(std::string_view path) noexcept {
  return path.starts_with(console_path) && (path.size() == console_path.size() || path[console_path.size()] == '/');
}

bool is_former_page(std::string_view path) noexcept {
  return std::ranges::find(former_pages, path, &former::path) != former_pages.end();
}

bool is_page_wanted(const exchange& ex) noexcept {
  const auto& method = ex.request().method;
  const auto* accepted = ex.request().find_header("Accept");
  return (method == "GET" || method == "HEAD") && !ex.services().web.console.empty() && accepted &&
         accepted->find("text/html") != std::string::npos;
}

std::string page_below(std::string_view page, std::string_view prefix) {
  const auto shown = core::escape_html(prefix);
  std::string text{page};
  replace_all(text, link_start, '"' + shown + std::string{console_path} + '/');
  replace_all(text, prefix_mark, shown);
  return text;
}

std::string console_page_of(std::string_view path, std::string_view target) {
  const auto query = protocol::wire::form::parse(target, {}, {});
  std::string_view page = "/";
  for (const auto& each : former_pages) {
    if (!query || each.path != path)
      continue;
    page = each.page;
    if (const auto number = each.number.empty() ? std::string{} : number_in(*query, each.number); !number.empty())
      return std::string{console_path}.append(page).append(each.before).append(number).append(each.after);
  }
  return std::string{console_path}.append(page);
}

namespace handlers {

void console(exchange ex) {
  auto path = std::string_view{ex.path()}.substr(console_path.size());
  if (path.starts_with('/'))
    path.remove_prefix(1);
  if (const auto* file = find_file(ex, path); file && path != first_page)
    return tell_file(ex, *file);
  if (path.starts_with(assets))
    return ex.problem(404, "no such file of the web console");
  tell_first_page(ex);
}

void former_page(exchange ex) {
  if (!is_page_wanted(ex))
    return ex.problem(404, "no such path");
  ex.redirect(302, console_page_of(ex.path(), ex.request().target));
}

} // namespace handlers
} // namespace ringmaster::gateway
