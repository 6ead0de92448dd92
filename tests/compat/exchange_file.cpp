#include "tests/compat/exchange_file.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace ringmaster::test {

namespace {

using core::refusal;

// All refusals in the order of the enumeration.
constexpr std::array refusal_names{
  "none", "not_permitted", "sign_in_empty", "sign_in_wrong", "no_group_visible", "choose_group", "job_name_empty",
  "author_empty", "schedule_type_illegal", "cron_illegal", "schedule_text_missing", "glue_type_illegal", "handler_empty",
  "route_illegal", "misfire_illegal", "block_illegal", "child_illegal", "child_missing", "child_not_permitted", "group_illegal",
  "job_missing", "job_id_illegal", "type_disables_start", "choose_one", "choose_job", "run_id_illegal", "run_not_triggered",
  "clear_type_illegal", "not_glue", "source_empty", "remark_empty", "remark_length", "remark_illegal", "app_name_empty",
  "app_name_length", "app_name_illegal", "app_name_repeated", "title_empty", "title_illegal", "addresses_empty",
  "addresses_illegal", "address_form", "address_scheme", "group_in_use", "last_group", "user_name_empty", "name_length",
  "password_empty", "old_password_empty", "old_password_wrong", "user_repeated", "own_account", "password_short",
  "too_long"};
static_assert(refusal_names.size() == static_cast<std::size_t>(refusal::too_long) + 1);

refusal refusal_named(std::string_view name) {
  const auto found = std::find(refusal_names.begin(), refusal_names.end(), name);
  if (found == refusal_names.end())
    throw std::runtime_error("no refusal " + std::string{name});
  return static_cast<refusal>(found - refusal_names.begin());
}

core::errc code_named(std::string_view name) {
  for (int i = 1; i <= static_cast<int>(core::errc::forbidden); ++i)
    if (core::to_string(static_cast<core::errc>(i)) == name)
      return static_cast<core::errc>(i);
  throw std::runtime_error("no error " + std::string{name});
}

/// Reads `CODE REFUSAL [SUBJECT]`; the context follows a refusal `none`.
core::error error_in(const std::string& text) {
  std::istringstream words{text};
  std::string code;
  std::string why;
  words >> code >> why;
  std::string rest;
  std::getline(words >> std::ws, rest);
  core::error error{code_named(code), "not for clients", refusal_named(why), rest};
  if (error.why == refusal::none)
    error.context = std::exchange(error.subject, {});
  return error;
}

void take_line(golden_exchange& into, std::string_view key, const std::string& value) {
  if (key == "send") {
    const auto blank = value.find(' ');
    into.method = value.substr(0, blank);
    into.target = value.substr(blank + 1);
  } else if (key == "as") {
    into.session = value;
  } else if (key == "header") {
    into.headers += value + "\r\n";
  } else if (key == "form") {
    into.form = value;
  } else if (key == "refused") {
    into.refusal = error_in(value);
  } else if (key == "asked") {
    into.asked = value;
  } else if (key == "status") {
    into.status = std::stoi(value);
  } else if (key == "has") {
    into.reply_headers.push_back(value);
  } else if (key == "reply") {
    into.reply = value;
  } else {
    throw std::runtime_error("no key " + std::string{key});
  }
}

} // namespace

exchange_file read_exchanges(const std::string& path) {
  std::ifstream in{path};
  exchange_file file;
  file.name = std::filesystem::path{path}.stem().string();
  std::string line;
  for (std::size_t number = 1; std::getline(in, line); ++number) {
    if (line.empty() || line.starts_with("//"))
      continue;
    if (line.starts_with("## ")) {
      file.exchanges.emplace_back();
      file.exchanges.back().title = line.substr(3);
      file.exchanges.back().line = number;
      continue;
    }
    const auto colon = line.find(':');
    const auto key = line.substr(0, colon);
    const auto value = colon == std::string::npos || colon + 2 > line.size() ? std::string{} : line.substr(colon + 2);
    try {
      if (!file.exchanges.empty())
        take_line(file.exchanges.back(), key, value);
      else if (key == "dialect")
        file.dialect = value;
      else if (key == "language")
        file.language = value;
      else
        throw std::runtime_error("no key " + key);
    } catch (const std::exception& problem) {
      throw std::runtime_error(path + ":" + std::to_string(number) + ": " + problem.what());
    }
  }
  return file;
}

std::vector<std::string> files_of(const std::string& folder) {
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::directory_iterator{folder})
    if (entry.path().extension() == ".txt")
      paths.push_back(entry.path().string());
  std::sort(paths.begin(), paths.end());
  return paths;
}

} // namespace ringmaster::test
