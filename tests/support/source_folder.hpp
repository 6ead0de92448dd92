#pragma once

#include <string>
#include <string_view>

namespace ringmaster::test {

/// Returns the path of a file of this project. `relative`: from the source folder, as `docs/openapi.json`.
/// One unit alone is compiled with the folder's name, so that the others compile to the same objects in every checkout.
[[nodiscard]] std::string source_path(std::string_view relative);

} // namespace ringmaster::test
