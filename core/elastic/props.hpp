#pragma once

// Properties of an elastic job: values for its type and its error handler, by ElasticJob's names (EJ §3, §11, §13).
//
// In a column and in messages they are one text, the canonical form: a JSON object of texts, keys in ascending order, without
// blanks, `{"http.method":"GET","http.uri":"https://…"}`; without properties it is empty.

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "core/result.hpp"

namespace ringmaster::core::elastic {

/// Properties by name. Numbers and flags are texts, too: `"3000"`, `"true"`.
using job_props = std::map<std::string, std::string, std::less<>>;

/// Reads the canonical form, also with blanks and in another order. Knows no names: `check_props` does. Errors:
/// `invalid_argument` for another form, with the position, and for a name that is given twice.
[[nodiscard]] result<job_props> parse_props(std::string_view text);

/// Returns the canonical form. Equal properties have equal texts.
[[nodiscard]] std::string props_text(const job_props& props);

/// Checks names and values against `prop_fields`, for a job of this type (`simple`, `dataflow`, `script`, `http` or another one).
/// Errors: `invalid_argument` for an unknown name, a name of another type, a value of another form or outside its limits, and a
/// missing property that the type requires. The message begins with the name, and never has the value of a secret.
[[nodiscard]] result<void> check_props(std::string_view job_type, const job_props& props);

/// Shown instead of the value of a secret. `check_props` refuses it as the value of one.
inline constexpr std::string_view masked_value = "******";
/// Returns the properties as users see them: values of secrets, and of names that are unknown here, are `masked_value`.
[[nodiscard]] job_props shown_props(job_props props);
/// Returns properties that a user has edited, with the stored values in place of `masked_value`.
[[nodiscard]] job_props with_kept_values(job_props given, const job_props& stored);

/// Return the value, or the default of the field if the property is not set. `name`: one of `prop_fields`. The properties are
/// checked before: a number or flag of another form counts as not set.
[[nodiscard]] std::string_view prop_text(const job_props& props, std::string_view name);
[[nodiscard]] std::int64_t prop_number(const job_props& props, std::string_view name);
[[nodiscard]] bool prop_flag(const job_props& props, std::string_view name);

} // namespace ringmaster::core::elastic
