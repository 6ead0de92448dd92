#pragma once

// Beast's parser, writing straight into the plain request.

#include <boost/beast/http/basic_parser.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "protocol/http.hpp"

namespace ringmaster::gateway::http {

/// Parser of one request. Feed it with `put` until `is_done`; the header and the body come in separate calls.
class request_parser final : public boost::beast::http::basic_parser<true> {
public:
  request_parser(std::uint32_t header_bytes_max, std::uint64_t body_bytes_max) {
    header_limit(header_bytes_max);
    body_limit(body_bytes_max);
    eager(false);
  }

  protocol::http_request request;
  /// The client waits for an interim reply before it sends the body.
  bool expects_continue = false;
  /// The client speaks HTTP/1.1: it can read a body in chunks.
  bool reads_chunks = false;

private:
  using error_code = boost::beast::error_code;
  using view = boost::beast::string_view;
  /// Memory for a body is taken as it arrives: a length is only a promise.
  static constexpr std::uint64_t body_reserve_max = 16 * 1024;

  void on_request_impl(boost::beast::http::verb, view method, view target, int version, error_code&) override {
    constexpr int http_1_1 = 11;
    reads_chunks = version >= http_1_1;
    request.method.assign(method.data(), method.size());
    request.target.assign(target.data(), target.size());
    request.headers.reserve(8);
  }

  void on_field_impl(boost::beast::http::field name, view name_text, view value, error_code& ec) override {
    using boost::beast::http::field;
    if (is_header_done())
      return; // a trailer
    // Beast takes an unknown transfer encoding for "no body"; the body would then be read as the next request.
    if (name == field::transfer_encoding && !chunked())
      ec = boost::beast::http::error::bad_transfer_encoding;
    else if (name == field::expect)
      expects_continue = boost::beast::iequals(value, "100-continue");
    request.headers.emplace_back(std::string(name_text.data(), name_text.size()), std::string(value.data(), value.size()));
  }

  void on_header_impl(error_code&) override {}

  void on_body_init_impl(const boost::optional<std::uint64_t>& length, error_code&) override {
    if (length)
      request.body.reserve(static_cast<std::size_t>(std::min(*length, body_reserve_max)));
  }

  std::size_t on_body_impl(view bytes, error_code&) override {
    request.body.append(bytes.data(), bytes.size());
    return bytes.size();
  }

  void on_chunk_header_impl(std::uint64_t, view, error_code&) override {}

  std::size_t on_chunk_body_impl(std::uint64_t, view bytes, error_code&) override {
    request.body.append(bytes.data(), bytes.size());
    return bytes.size();
  }

  void on_response_impl(int, view, int, error_code&) override {}
  void on_finish_impl(error_code&) override {}
};

} // namespace ringmaster::gateway::http
