#pragma once

// Texts by which /api/v1 refuses requests: Ringmaster's own sentences, never XXL-JOB's. Pure.

#include <string>
#include <string_view>

#include "core/result.hpp"
#include "core/text/language.hpp"

namespace ringmaster::protocol::wire {

/// Returns the sentence of an error. An error about a member of the request begins with the member's name, e.g. `title: must have
/// 1 to 64 characters`. Some errors are in English in all languages: their context gives the reason. Empty for an error without
/// context whose reason has no words.
[[nodiscard]] std::string api_message_of(const core::error& error, core::language reader);

/// Returns the text of a mistake in a schedule in plain words. XXL-JOB's parser names Java's exceptions.
[[nodiscard]] std::string api_schedule_text(std::string_view detail);

} // namespace ringmaster::protocol::wire
