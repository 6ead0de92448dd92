#pragma once

// Text of replies and requests as sent over the wire. Has no socket.

#include <string>
#include <string_view>

#include "protocol/http.hpp"

namespace ringmaster::gateway::http {

/// Parameters of the end of a reply.
struct reply_end {
  bool keep_alive = false;
  /// The answer to HEAD has a length and no body.
  bool head_only = false;
  /// Announced to clients that keep their connection; 0: not announced.
  long idle_seconds = 0;
  /// A body of unknown size is sent in chunks. Otherwise the end of the connection ends it.
  bool in_chunks = false;
};

/// Appends status line and headers. Leaves out a header of `response` that would end a line early, or that frames the message.
void append_reply_head(std::string& out, const protocol::http_response& response, const reply_end& end);

/// Appends a request, head and body: header names in exactly the given case, one space after the colon, CRLF, always a
/// Content-Length (XXL wire S1 to S4).
void append_request(std::string& out, std::string_view authority, const protocol::http_call& call);

/// Returns the reason why `call` cannot be written as a request; empty when it can.
[[nodiscard]] std::string_view request_defect(const protocol::http_call& call) noexcept;

/// Returns the reply for a request that the transport itself refused: a problem of RFC 9457, as those of /api/v1, with `code` and
/// `msg` for clients of XXL-JOB's API.
[[nodiscard]] protocol::http_response plain_reply(unsigned status, std::string_view message);

} // namespace ringmaster::gateway::http
