// YAML as a list of values with their paths. Works on the events of yaml-cpp, so that no document is built: an alias is one
// value, however many nodes it names.

#include <exception>
#include <set>
#include <sstream>
#include <utility>

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include "config/elasticjob/readers.hpp"
#include "core/text/text.hpp"

namespace ringmaster::config {

namespace {

std::size_t line_of(const YAML::Mark& mark) { return mark.line < 0 ? 1 : static_cast<std::size_t>(mark.line) + 1; }

/// Collects the values of the documents of one file. After an error it ignores all events.
class value_collector final : public YAML::EventHandler {
public:
  explicit value_collector(file_findings& found) : found_(found) {}

  [[nodiscard]] bool failed() const noexcept { return failed_; }
  [[nodiscard]] std::vector<property> take() { return std::exchange(values_, {}); }

  void OnDocumentStart(const YAML::Mark& mark) override {
    // The parser makes documents without end of a character that begins none.
    if (mark.pos == document_pos_)
      fail(line_of(mark), "invalid YAML");
    document_pos_ = mark.pos;
    levels_.clear();
    path_.clear();
    values_.clear();
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t) override {
    if (is_key())
      fail(line_of(mark), "a key must be a text");
    else
      add_value(mark, std::nullopt, false);
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    if (is_key())
      fail(line_of(mark), "a key must not be an alias");
    else
      add_value(mark, std::nullopt, true);
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t, const std::string& text) override {
    const bool is_null = tag == "?" && (text.empty() || text == "~" || text == "null" || text == "Null" || text == "NULL");
    if (is_key())
      open_key(mark, text);
    else if (is_null)
      add_value(mark, std::nullopt, false);
    else
      add_value(mark, text, false);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t, YAML::EmitterStyle::value) override {
    open_level(mark, false);
  }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t, YAML::EmitterStyle::value) override {
    open_level(mark, true);
  }
  void OnSequenceEnd() override { close_level(); }
  void OnMapEnd() override { close_level(); }

private:
  /// An open map or sequence.
  struct level {
    bool is_map = false;
    /// The next event is a key, in a map.
    bool expects_key = false;
    /// Length of its own path.
    std::size_t path_size = 0;
    std::size_t entries = 0;
    std::size_t line = 1;
    std::set<std::string, std::less<>> keys = {};
  };

  [[nodiscard]] bool is_key() const noexcept { return !failed_ && !levels_.empty() && levels_.back().expects_key; }

  void fail(std::size_t line, std::string_view why) {
    if (!failed_)
      found_.refuse(line, why);
    failed_ = true;
  }

  void open_key(const YAML::Mark& mark, const std::string& key) {
    auto& map = levels_.back();
    if (key.size() > yaml_path_bytes_max || map.path_size + key.size() + 1 > yaml_path_bytes_max)
      return fail(line_of(mark),
                  "a key with the names of its parents is longer than " + std::to_string(yaml_path_bytes_max) + " bytes");
    if (!map.keys.insert(key).second)
      return fail(line_of(mark), "'" + core::valid_utf8(core::cut_bytes(key, 100)) + "' is given twice");
    if (!count(line_of(mark), key.size()))
      return;
    path_.resize(map.path_size);
    if (!path_.empty() && !key.starts_with('['))
      path_ += '.';
    path_ += key;
    map.expects_key = false;
    ++map.entries;
  }

  /// Makes the path of the next value, which begins here.
  void begin_value() {
    if (levels_.empty() || levels_.back().is_map)
      return;
    auto& sequence = levels_.back();
    path_.resize(sequence.path_size);
    path_ += '[' + std::to_string(sequence.entries++) + ']';
  }
  void end_value() noexcept {
    if (!levels_.empty() && levels_.back().is_map)
      levels_.back().expects_key = true;
  }

  /// Counts a key or a value against the limits of the file.
  bool count(std::size_t line, std::size_t bytes) {
    bytes_ += bytes;
    if (++counted_ > 2 * yaml_values_max || bytes_ > yaml_bytes_max)
      fail(line, "more than " + std::to_string(yaml_values_max) + " values");
    return !failed_;
  }

  void add_value(const YAML::Mark& mark, std::optional<std::string> text, bool is_alias) {
    if (failed_)
      return;
    begin_value();
    if (!count(line_of(mark), path_.size() + (text ? text->size() : 0)))
      return;
    values_.push_back({path_, std::move(text), line_of(mark), is_alias});
    end_value();
  }

  void open_level(const YAML::Mark& mark, bool is_map) {
    if (failed_)
      return;
    if (is_key())
      return fail(line_of(mark), "a key must be a text");
    if (levels_.size() == yaml_levels_max)
      return fail(line_of(mark), "more than " + std::to_string(yaml_levels_max) + " levels");
    begin_value();
    levels_.push_back({is_map, is_map, path_.size(), 0, line_of(mark)});
  }

  void close_level() {
    if (failed_)
      return;
    const auto closed = std::move(levels_.back());
    levels_.pop_back();
    path_.resize(closed.path_size);
    if (closed.entries == 0 && count(closed.line, path_.size()))
      values_.push_back({path_, std::nullopt, closed.line});
    end_value();
  }

  file_findings& found_;
  bool failed_ = false;
  /// Place of the last document.
  int document_pos_ = -1;
  std::vector<level> levels_;
  std::string path_;
  std::vector<property> values_;
  std::size_t counted_ = 0;
  std::size_t bytes_ = 0;
};

} // namespace

std::vector<std::vector<property>> read_yaml(std::string_view text, file_findings& found) {
  std::vector<std::vector<property>> out;
  std::istringstream input{std::string{text}};
  value_collector collector{found};
  try {
    YAML::Parser parser{input};
    while (!collector.failed() && parser.HandleNextDocument(collector))
      out.push_back(collector.take());
  } catch (const YAML::Exception& thrown) {
    // The parser reads on after an error of the collector.
    if (!collector.failed())
      found.refuse(line_of(thrown.mark), "invalid YAML: " + core::valid_utf8(thrown.msg));
  } catch (const std::exception&) {
    if (!collector.failed())
      found.refuse(1, "invalid YAML");
  }
  // The values before an error would only lead to more errors.
  if (collector.failed())
    out.clear();
  return out;
}

} // namespace ringmaster::config
