#pragma once

// Writer of one JSON object, member after member. Internal to the codecs.

#include <cstdint>
#include <string>
#include <string_view>

#include "protocol/wire/json/json_text.hpp"

namespace ringmaster::protocol::wire {

/// Appends an object to a text that outlives it; the object is complete when this goes out of scope. Names must need no escapes.
class json_object {
public:
  explicit json_object(std::string& out) : out_{out} { out_ += '{'; }
  json_object(const json_object&) = delete;
  json_object& operator=(const json_object&) = delete;
  ~json_object() { out_ += '}'; }

  void text(std::string_view name, std::string_view value) { append_json(member(name), value); }
  void number(std::string_view name, std::int64_t value) { append_json(member(name), value); }
  void boolean(std::string_view name, bool value) { member(name) += value ? "true" : "false"; }
  void null(std::string_view name) { member(name) += "null"; }
  /// Appends a value that is already JSON.
  void raw(std::string_view name, std::string_view json) { member(name) += json; }

private:
  std::string& member(std::string_view name) {
    if (!first_)
      out_ += ',';
    first_ = false;
    return out_.append(1, '"').append(name).append("\":");
  }

  std::string& out_;
  bool first_ = true;
};

/// Returns one JSON object, whose members `fill(object)` appends.
template <class Fill>
[[nodiscard]] std::string json_object_of(Fill fill) {
  std::string out;
  {
    json_object object{out};
    fill(object);
  }
  return out;
}

/// Returns a JSON array of the texts that `append(out, item)` appends for each item.
template <class Items, class Append>
[[nodiscard]] std::string json_array(const Items& items, Append append) {
  std::string out{"["};
  bool first = true;
  for (const auto& item : items) {
    if (!first)
      out += ',';
    first = false;
    append(out, item);
  }
  return out += ']';
}

/// Returns a JSON array of texts.
template <class Texts>
[[nodiscard]] std::string json_array(const Texts& texts) {
  return json_array(texts, [](std::string& out, std::string_view text) { append_json(out, text); });
}

} // namespace ringmaster::protocol::wire
