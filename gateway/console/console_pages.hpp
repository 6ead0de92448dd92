#pragma once

// The web console's files over HTTP, and the bookmarks of XXL-JOB's pages (console spec §2).

#include <string>
#include <string_view>

#include "gateway/exchange/exchange.hpp"

namespace ringmaster::gateway {

/// Path of the console, below the context path or without it.
inline constexpr std::string_view console_path = "/console";

/// Returns true for `/console` and every path below it.
[[nodiscard]] bool is_console_path(std::string_view path) noexcept;

/// Returns true for the path of a page of XXL-JOB that this server does not have itself.
[[nodiscard]] bool is_former_page(std::string_view path) noexcept;

/// Returns true when this server has the console and the client asks for a page, as browsers do.
[[nodiscard]] bool is_page_wanted(const exchange& ex) noexcept;

/// Returns the first page with the links of its assets below `prefix`, the part of the path before `/console`. Pure.
[[nodiscard]] std::string page_below(std::string_view page, std::string_view prefix);

/// Returns the path of the console's page for a page of XXL-JOB and its query, e.g. `/console/jobs?group=3`. Pure.
[[nodiscard]] std::string console_page_of(std::string_view path, std::string_view target);

namespace handlers {

/// Answers a file of the console. Every other path below `/console/` gets the first page, which finds its own way; an unknown
/// asset is a 404. A browser may keep assets for a year, since their names change with their content.
void console(exchange ex);

/// Leads a browser from a page of XXL-JOB to the console's; answers 404 to every other client and method.
void former_page(exchange ex);

} // namespace handlers
} // namespace ringmaster::gateway
