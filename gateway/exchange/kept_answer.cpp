#include "gateway/exchange/kept_answer.hpp"

#include <utility>

#include "gateway/auth/secrets.hpp"
#include "gateway/exchange/api_preconditions.hpp"
#include "gateway/exchange/gzip.hpp"

namespace ringmaster::gateway {

namespace {

constexpr std::size_t tag_digits = 16;

} // namespace

void kept_answer::keep(std::string json, std::string_view identity, steady now) {
  tag_ = etag_of(sha256_hex(identity).substr(0, tag_digits));
  compressed_ = compressed(json);
  plain_ = std::move(json);
  made_ = now;
}

protocol::http_response kept_answer::response_to(const protocol::http_request& request) const {
  protocol::http_headers headers{{"ETag", "W/" + tag_}, {"Cache-Control", "no-cache"}, {"Vary", "Accept-Encoding"}};
  if (has_already(request, tag_))
    return {304, {}, {}, std::move(headers)};
  const bool as_gzip = !compressed_.empty() && takes_gzip(request);
  if (as_gzip)
    headers.emplace_back("Content-Encoding", "gzip");
  return {200, "application/json", as_gzip ? compressed_ : plain_, std::move(headers)};
}

} // namespace ringmaster::gateway
