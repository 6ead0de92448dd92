#include "protocol/wire/executor/executor_codec.hpp"

#include <algorithm>

#include "protocol/wire/json/json_text.hpp"

namespace ringmaster::protocol::wire {

namespace {

/// Writer of one flat object. The names are constants and need no escaping.
class object_writer {
public:
  explicit object_writer(std::size_t size) { out_.reserve(size); }

  void number(std::string_view name, std::int64_t value) {
    start(name);
    append_json(out_, value);
  }

  void text(std::string_view name, std::string_view value) {
    start(name);
    append_json(out_, value, split::post);
  }

  std::string finish() {
    out_ += '}';
    return std::move(out_);
  }

private:
  void start(std::string_view name) {
    out_ += out_.empty() ? "{\"" : ",\"";
    out_ += name;
    out_ += "\":";
  }

  std::string out_;
};

std::int64_t not_negative(std::int64_t value) noexcept { return std::max<std::int64_t>(value, 0); }

} // namespace

std::string encode_run(const core::claimed_run& run) {
  const core::job& job = *run.plan.spec;
  const std::string& param = run.plan.effective_param();
  const std::string_view source = job.glue_source ? std::string_view{*job.glue_source} : std::string_view{};
  constexpr std::size_t frame = 352;
  object_writer out{frame + job.handler.size() + param.size() + source.size()};
  out.number("jobId", core::number(job.id));
  out.text("executorHandler", job.handler);
  out.text("executorParams", param);
  out.text("executorBlockStrategy", core::stored_name(job.block));
  out.number("executorTimeout", not_negative(job.timeout_s));
  out.number("logId", core::number(run.id));
  out.number("logDateTime", core::to_ms(core::cut_to_second(run.plan.fire_at)));
  out.text("glueType", job.glue_type);
  out.text("glueSource", source);
  out.number("glueUpdatetime", not_negative(core::to_ms(job.glue_updated)));
  out.number("broadcastIndex", not_negative(run.plan.part.index));
  out.number("broadcastTotal", std::max(run.plan.part.total, 1));
  return out.finish();
}

std::string encode_beat() { return "{}"; }

std::string encode_idle_beat(core::job_id job) {
  object_writer out{24};
  out.number("jobId", core::number(job));
  return out.finish();
}

std::string encode_kill(core::job_id job, core::log_id run) {
  if (core::number(run) <= 0)
    return encode_idle_beat(job);
  object_writer out{48};
  out.number("jobId", core::number(job));
  out.number("logId", core::number(run));
  return out.finish();
}

std::string encode_log(core::log_id run, core::time_point fire_at, std::int32_t from_line,
                       const std::optional<core::log_bounds>& bounds) {
  const std::int64_t date = core::to_ms(core::cut_to_second(fire_at));
  object_writer out{112};
  out.number("logDateTim", date);
  out.number("logDateTime", date);
  out.number("logId", core::number(run));
  out.number("fromLineNum", from_line);
  if (bounds)
    out.number("maxBytes", bounds->bytes);
  if (bounds && bounds->tail)
    out.number("tail", *bounds->tail);
  return out.finish();
}

} // namespace ringmaster::protocol::wire
