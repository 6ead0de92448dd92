#include "core/run/trigger_text.hpp"

#include "core/text/text.hpp"

namespace ringmaster::core {

namespace {

// Maximum lengths of the values in UTF-16 units, so that all of them and the fixed text stay below `message_units_max`.
constexpr std::size_t host_units = 300, addresses_units = 4000, route_units = 3000, address_units = 600, handler_units = 600,
                      param_units = 2000, answer_units = 3500;

constexpr std::string_view line_end = "<br>";

// For a group without addresses.
constexpr localized address_empty{"调度失败：执行器地址为空", "調度失敗：執行器地址為空", "Trigger Fail：registry address is empty"};
constexpr localized kind_label{"任务触发类型", "任務觸發類型", "Job trigger type"};
constexpr std::string_view label_end = "：";

std::string_view entity(char c) noexcept {
  switch (c) {
  case '&': return "&amp;";
  case '<': return "&lt;";
  case '>': return "&gt;";
  case '"': return "&quot;";
  case '\'': return "&#39;";
  default: return {};
  }
}

/// Returns the bytes of the character that begins with `lead`, in valid UTF-8.
std::size_t length_of(char lead) noexcept {
  const auto byte = static_cast<unsigned char>(lead);
  if (byte < 0x80)
    return 1;
  if (byte < 0xE0)
    return 2;
  return byte < 0xF0 ? 3 : 4;
}

/// Returns `<br><br><span …>>>>>>>title<<<<</span><br>`, XXL's separator of parts.
std::string banner(std::string_view title, std::string_view colour = "#00c0ef") {
  std::string out{"<br><br><span style=\"color:"};
  return out.append(colour).append(";\" > >>>>>>>>>>>").append(title).append("<<<<<<<<<<< </span><br>");
}

class writer {
public:
  writer(language reader, trigger_tail tail) : reader_{reader}, tail_{tail} {}

  std::string write(const trigger_story& story) && {
    head(story);
    out_ += banner(localized{"触发调度", "觸發調度", "Trigger Job"}.in(reader_));
    if (tail_ == trigger_tail::remark)
      remark(story);
    else
      answer(story);
    if (story.code == 0)
      out_ += pending_end(tail_);
    else
      out_ += answered_end(story.code, trigger_reason(story.note.message, reader_), tail_);
    return std::move(out_);
  }

private:
  void head(const trigger_story& story) {
    const auto& note = story.note;
    line(kind_label, title(note.kind, reader_));
    line({"调度机器", "調度機器", "Trigger machine address"}, escaped_html(note.node_host, host_units));
    line({"执行器-注册方式", "執行器-註冊方式", "Execotor-Registry Type"},
         story.manual_addresses || !note.addresses.empty() ? localized{"手动录入", "手動錄入", "Manual registration"}.in(reader_)
                                : localized{"自动注册", "自動註冊", "Automatic registration"}.in(reader_));
    line({"执行器-地址列表", "執行器-地址列表", "Execotor-Registry Address"},
         address_list(note.addresses.empty() ? story.addresses : std::string_view{note.addresses}));
    auto route = std::string{title(note.route, reader_)};
    if (note.part.broadcast)
      route += "(" + std::to_string(note.part.index) + "/" + std::to_string(note.part.total) + ")";
    line({"路由策略", "路由策略", "Route Strategy"}, route);
    line({"阻塞处理策略", "阻塞處理策略", "Block Strategy"}, title(note.block, reader_));
    line({"任务超时时间", "任務超時時間", "Job timeout period"}, std::to_string(note.timeout_s));
    label({"失败重试次数", "失敗重試次數", "Fail Retry Count"});
    out_ += std::to_string(note.retry_left);
  }

  void answer(const trigger_story& story) {
    if (!story.route_note.empty())
      out_.append(escaped_html(trigger_reason(story.route_note, reader_), route_units)).append("<br><br>");
    label({"触发调度", "觸發調度", "Trigger Job"});
    out_.append("<br>address：").append(story.address.empty() ? "null" : escaped_html(story.address, address_units));
  }

  void remark(const trigger_story& story) {
    out_ += line_end;
    label({"执行器地址", "執行器地址", "Executor address"});
    if (!story.address.empty())
      out_ += escaped_html(story.address, address_units);
    else if (story.route_note.empty())
      out_ += "address route fail.";
    else
      out_.append("address route fail, ").append(escaped_html(trigger_reason(story.route_note, reader_), route_units));
    if (!story.handler.empty())
      out_.append("<br>JobHandler：").append(escaped_html(story.handler, handler_units));
    out_ += line_end;
    label({"任务参数", "任務參數", "Job parameter"});
    out_ += escaped_html(story.param, param_units);
    out_ += line_end;
    out_ += remark_label(reader_);
  }

  static std::string address_list(std::optional<std::string_view> list) {
    if (!list || list->empty())
      return "null";
    std::string shown{"["};
    for (const char c : *list)
      shown.append(c == ',' ? ", " : std::string(1, c));
    return escaped_html(shown += "]", addresses_units);
  }

  void label(localized name) { out_.append(name.in(reader_)).append(label_end); }

  void line(localized name, std::string_view value) {
    label(name);
    out_.append(value).append(line_end);
  }

  language reader_;
  trigger_tail tail_;
  std::string out_;
};

} // namespace

std::string_view trigger_reason(std::string_view stored, language reader) noexcept {
  for (const auto written : {language::zh_cn, language::zh_tc, language::en})
    if (stored == address_empty.in(written))
      return address_empty.in(reader);
  return stored;
}

bool says_no_address(std::string_view text) noexcept {
  for (const auto written : {language::zh_cn, language::zh_tc, language::en})
    if (text.find(address_empty.in(written)) != std::string_view::npos)
      return true;
  return false;
}

std::string_view remark_label(language reader) noexcept {
  return localized{"调度备注", "調度備註", "Trigger remark"}.in(reader);
}

std::optional<trigger_kind> kind_in_text(std::string_view text) noexcept {
  for (const auto written : {language::zh_cn, language::zh_tc, language::en}) {
    auto rest = text;
    bool begins = true;
    for (const auto part : {kind_label.in(written), label_end}) {
      begins = begins && rest.starts_with(part);
      rest.remove_prefix(begins ? part.size() : 0);
    }
    if (!begins)
      continue;
    for (const auto kind : {trigger_kind::cron, trigger_kind::misfire, trigger_kind::manual, trigger_kind::parent,
                            trigger_kind::retry, trigger_kind::api, trigger_kind::missed})
      if (rest.substr(0, rest.find('<')) == title(kind, written))
        return kind;
  }
  return std::nullopt;
}

std::string trigger_text(const trigger_story& story, language reader, trigger_tail tail) {
  return writer{reader, tail}.write(story);
}

std::string_view pending_end(trigger_tail tail) noexcept {
  return tail == trigger_tail::remark ? "：pending" : "<br>code：---<br>msg：";
}

std::string_view success_end(trigger_tail tail) noexcept {
  return tail == trigger_tail::remark ? "：success" : "<br>code：200<br>msg：";
}

std::string answered_end(std::int32_t code, std::string_view message, trigger_tail tail) {
  auto shown = escaped_html(message, answer_units);
  if (tail == trigger_tail::answer)
    return "<br>code：" + std::to_string(code) + "<br>msg：" + shown;
  if (code == 200)
    return std::string{success_end(tail)};
  return message.empty() ? "：fail" : "：error, " + shown;
}

std::string retry_text(language reader, trigger_tail tail) {
  return banner(localized{"失败重试触发", "失敗重試觸發", "Fail retry trigger"}.in(reader),
                tail == trigger_tail::remark ? "#00c0ef" : "#F39C12");
}

std::vector<child_start> child_starts(const job& parent) {
  std::vector<child_start> starts;
  std::string_view rest = parent.child_jobs;
  while (!rest.empty()) {
    const auto comma = rest.find(',');
    const auto entry = rest.substr(0, comma);
    const auto number = parse_int32(entry);
    if (!number || job_id{*number} != parent.id)
      starts.push_back({entry, number && *number > 0});
    rest.remove_prefix(comma == std::string_view::npos ? rest.size() : comma + 1);
  }
  return starts;
}

std::string_view child_heading(language reader) noexcept {
  return localized{"触发子任务", "觸發子任務", "Trigger child job"}.in(reader);
}

std::string_view child_success(language reader) noexcept {
  return localized{"触发成功", "觸發成功", "Trigger success"}.in(reader);
}

// The remark is the message of XXL's own answer; it is empty up to 3.1.
std::string child_text(std::span<const child_start> children, language reader, trigger_tail tail) {
  if (children.empty())
    return {};
  auto out = banner(child_heading(reader));
  const auto total = std::to_string(children.size());
  for (std::size_t i = 0; i < children.size(); ++i) {
    out.append(std::to_string(i + 1)).append("/").append(total).append(localized{" [任务ID=", " [任務ID=", " [Job ID="}.in(reader));
    out.append(escaped_html(children[i].job, 64));
    if (children[i].started)
      out.append(localized{"], 触发成功, 触发备注: ", "], 觸發成功, 觸發備註: ", "], Trigger success, Trigger msg: "}.in(reader))
        .append(tail == trigger_tail::remark ? "Success <br>" : "null <br>");
    else
      out += localized{"], 触发失败, 触发备注: 任务ID格式错误 <br>", "], 觸發失敗, 觸發備註: 任務ID格式錯誤 <br>",
                       "], Trigger Fail, Trigger msg: Job ID is illegal <br>"}.in(reader);
  }
  return out;
}

std::optional<std::string> result_with_children(std::string_view message, const job& parent, language reader,
                                                trigger_tail tail) {
  const auto starts = child_starts(parent);
  if (starts.empty())
    return std::nullopt;
  std::string all{cut_utf16(message, message_units_max)};
  all += child_text(starts, reader, tail);
  return std::string{cut_utf16(all, message_units_max)};
}

std::string escaped_html(std::string_view text, std::size_t units) {
  // Text that cannot be shown is not examined: a character has at least half a unit per byte.
  const auto valid = valid_utf8(text.substr(0, 4 * units + 4));
  std::string out;
  std::size_t used = 0;
  std::size_t fits_to = 0; // of `out`, with room for the mark
  for (std::size_t i = 0; i < valid.size();) {
    const auto length = length_of(valid[i]);
    const auto special = entity(valid[i]);
    used += !special.empty() ? special.size() : length == 4 ? 2 : 1;
    if (used > units) {
      out.resize(fits_to);
      return units == 0 ? std::string{} : out += "…";
    }
    out += special.empty() ? std::string_view{valid}.substr(i, length) : special;
    if (used < units)
      fits_to = out.size();
    i += length;
  }
  return out;
}

std::string_view title(trigger_kind kind, language reader) noexcept {
  switch (kind) {
  case trigger_kind::cron: return localized{"Cron触发", "Cron觸發", "Cron trigger"}.in(reader);
  case trigger_kind::misfire: return localized{"调度过期补偿", "調度過期補償", "Misfire compensation trigger"}.in(reader);
  case trigger_kind::manual: return localized{"手动触发", "手動觸發", "Manual trigger"}.in(reader);
  case trigger_kind::parent: return localized{"父任务触发", "父任務觸發", "Parent job trigger"}.in(reader);
  case trigger_kind::retry: return localized{"失败重试触发", "失敗重試觸發", "Fail retry trigger"}.in(reader);
  case trigger_kind::api: return localized{"API触发", "API觸發", "Api trigger"}.in(reader);
  case trigger_kind::missed: return localized{"调度过期，已忽略", "調度過期，已忽略", "Missed, not triggered"}.in(reader);
  }
  return {};
}

std::string_view title(route_strategy route, language reader) noexcept {
  switch (route) {
  case route_strategy::first: return localized{"第一个", "第一個", "First"}.in(reader);
  case route_strategy::last: return localized{"最后一个", "最後一個", "Last"}.in(reader);
  case route_strategy::round: return localized{"轮询", "輪詢", "Round"}.in(reader);
  case route_strategy::random: return localized{"随机", "隨機", "Random"}.in(reader);
  case route_strategy::consistent_hash: return localized{"一致性HASH", "一致性HASH", "Consistent Hash"}.in(reader);
  case route_strategy::least_frequently_used:
    return localized{"最不经常使用", "最不經常使用", "Least Frequently Used"}.in(reader);
  case route_strategy::least_recently_used:
    return localized{"最近最久未使用", "最近最久未使用", "Least Recently Used"}.in(reader);
  case route_strategy::failover: return localized{"故障转移", "故障轉移", "Failover"}.in(reader);
  case route_strategy::busyover: return localized{"忙碌转移", "忙碌轉移", "Busyover"}.in(reader);
  case route_strategy::sharding_broadcast: return localized{"分片广播", "分片廣播", "Sharding Broadcast"}.in(reader);
  case route_strategy::unknown: return localized{"未知", "未知", "unknown"}.in(reader);
  }
  return {};
}

std::string_view title(block_strategy block, language reader) noexcept {
  switch (block) {
  case block_strategy::serial_execution: return localized{"单机串行", "單機串行", "Serial execution"}.in(reader);
  case block_strategy::discard_later: return localized{"丢弃后续调度", "丟棄後續調度", "Discard Later"}.in(reader);
  case block_strategy::cover_early: return localized{"覆盖之前调度", "覆蓋之前調度", "Cover Early"}.in(reader);
  }
  return {};
}

} // namespace ringmaster::core
