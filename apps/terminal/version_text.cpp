// The only file of apps that includes every library: it asks each library for its loaded version instead of its header version.

#include "apps/terminal/version_text.hpp"

#include <boost/version.hpp>
#include <caf/config.hpp>
#include <curl/curl.h>
#include <mysql.h>
#include <openssl/crypto.h>
#include <spdlog/version.h>
#include <sqlite3.h>

namespace ringmaster::apps {

namespace {

std::string dotted(int major, int minor, int patch) {
  return std::to_string(major) + '.' + std::to_string(minor) + '.' + std::to_string(patch);
}

void append_line(std::string& text, std::string_view name, std::string_view version) {
  text.append("\n  ").append(name).append(" ").append(version);
}

} // namespace

std::string version_text() {
  std::string text = "ringmaster " RINGMASTER_VERSION "\ncommit ";
  text.append(built_from()).append("\nlibraries:");
  append_line(text, "CAF", dotted(CAF_MAJOR_VERSION, CAF_MINOR_VERSION, CAF_PATCH_VERSION));
  append_line(text, "Boost", dotted(BOOST_VERSION / 100'000, BOOST_VERSION / 100 % 1'000, BOOST_VERSION % 100));
  append_line(text, "OpenSSL", OpenSSL_version(OPENSSL_VERSION_STRING));
  append_line(text, "SQLite", sqlite3_libversion());
  append_line(text, "MySQL client", mysql_get_client_info());
  append_line(text, "libcurl", curl_version_info(CURLVERSION_NOW)->version);
  append_line(text, "spdlog", dotted(SPDLOG_VER_MAJOR, SPDLOG_VER_MINOR, SPDLOG_VER_PATCH));
  return text;
}

} // namespace ringmaster::apps
