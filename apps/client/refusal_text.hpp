#pragma once

// Refusals of a server, for the terminal.

#include <string>
#include <string_view>

namespace ringmaster::apps {

/// Translates a refusal in XXL-JOB's words, of any language, into the plain English that commands on the database print. Earlier
/// servers refuse so; any other text is unchanged. `target`: the path of the request, which names the object, such as
/// `/runs/17/log`.
[[nodiscard]] std::string plain_refusal(std::string detail, std::string_view target);

} // namespace ringmaster::apps
