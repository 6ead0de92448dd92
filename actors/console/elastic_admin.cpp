#include "actors/console/elastic_admin.hpp"

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <utility>

#include "actors/console/elastic_drafts.hpp"
#include "actors/console/seeded_tokens.hpp"
#include "actors/store/store_access.hpp"
#include "core/elastic/plan_preview.hpp"
#include "protocol/error.hpp"

namespace ringmaster::actors {

namespace {

namespace elastic = core::elastic;

/// Returns the id of a request: from 1 on, the same for the same token and job.
elastic::request_id request_id_of(std::uint64_t token, elastic::elastic_job_id job) {
  constexpr std::uint64_t spread = 0x9E37'79B9'7F4A'7C15;
  const auto mixed = (token ^ (static_cast<std::uint64_t>(core::number(job)) * spread))
                     & static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  return elastic::request_id{mixed == 0 ? 1 : static_cast<std::int64_t>(mixed)};
}

/// A stored request.
struct added_request {
  protocol::elastic_triggered reply;
  bool is_new = false;
};

core::result<added_request> add_request(storage::store& store, const protocol::trigger_elastic& order, std::uint64_t token,
                                        core::time_point now) {
  elastic::request_row request{request_id_of(token, order.job), order.job, order.item};
  request.param = order.param;
  request.at = now;
  if (order.policy) {
    request.policy = *order.policy;
  } else {
    const auto card = store.elastic().show(order.job, order.by);
    if (!card)
      return tl::unexpected{card.error()};
    request.policy = card->job.what.options.trigger_policy;
  }
  return store.elastic().add_request(request, now, order.by).map([&](const elastic::elastic_edit_done& done) {
    return added_request{{request.id, request.job}, done.revision != 0};
  });
}

core::result<protocol::elastic_host_list> hosts_of(storage::store& store, const protocol::elastic_hosts_query& asked) {
  auto rows = store.elastic().hosts(asked.group, asked.by);
  if (!rows)
    return tl::unexpected{rows.error()};
  return store.elastic().host_loads().map([&](auto&& loads) {
    return protocol::elastic_host_list{std::move(*rows), std::forward<decltype(loads)>(loads)};
  });
}


const char* word_of(elastic::job_status status) {
  switch (status) {
  case elastic::job_status::on: return "enabled";
  case elastic::job_status::off: return "disabled";
  case elastic::job_status::draining: return "drained";
  case elastic::job_status::shut_down: break;
  }
  return "shut down";
}

const char* word_of(elastic::host_mode mode) {
  switch (mode) {
  case elastic::host_mode::enabled: return "enabled";
  case elastic::host_mode::disabled: return "disabled";
  case elastic::host_mode::draining: return "drained";
  case elastic::host_mode::removed: break;
  }
  return "removed";
}

bool has_changed(const elastic::elastic_edit_done& done) { return done.revision != 0; }
bool has_changed(const elastic::host_edit_done& done) { return done.changed; }
bool has_changed(const added_request& done) { return done.is_new; }

std::string title_of(elastic::elastic_job_id job) { return "elastic job=" + std::to_string(core::number(job)); }

} // namespace

elastic_admin_state::elastic_admin_state(protocol::elastic_admin::pointer self, query_workers stores,
                                         protocol::elastic_director director, protocol::wall_clock clock, logger log,
                                         declared_files files)
  : self_{self},
    stores_{std::move(stores)},
    director_{std::move(director)},
    clock_{std::move(clock)},
    log_{std::move(log)},
    files_{std::move(files)},
    tokens_{seeded_tokens()} {}

protocol::elastic_admin::behavior_type elastic_admin_state::make_behavior() {
  return {
    [this](const protocol::elastic_page_query& asked) {
      return look<core::page<elastic::elastic_brief>, protocol::elastic_page>(
        [asked](storage::store& store) { return store.elastic().list(asked.search, asked.by); });
    },
    [this](const protocol::elastic_query& asked) {
      return look<elastic::elastic_card, protocol::elastic_found>(
        [asked](storage::store& store) { return store.elastic().show(asked.job, asked.by); });
    },
    [this](const protocol::elastic_items_query& asked) {
      return look<elastic::elastic_items, protocol::elastic_items_found>(
        [asked](storage::store& store) { return store.elastic().items(asked.job, asked.from, asked.limit, asked.by); });
    },
    [this](const protocol::elastic_history_query& asked) {
      return look<elastic::elastic_history, protocol::elastic_history_page>(
        [asked](storage::store& store) { return store.elastic().history(asked.search, asked.by); });
    },
    [this](const protocol::elastic_hosts_query& asked) {
      return look<protocol::elastic_host_list, protocol::elastic_host_list>(
        [asked](storage::store& store) { return hosts_of(store, asked); });
    },
    [this](const protocol::elastic_servers_query& asked) {
      return look<std::vector<elastic::elastic_server>, protocol::elastic_server_list>(
        [asked](storage::store& store) { return store.elastic().servers(asked.group, asked.by); });
    },
    [this](const protocol::elastic_dump_query& asked) {
      return look<elastic::elastic_dump, protocol::elastic_dump_found>(
        [asked](storage::store& store) { return store.elastic().dump(asked.job, asked.masked, asked.by); });
    },
    [this](protocol::elastic_plan_query& asked) { return preview(std::move(asked)); },
    [this](protocol::elastic_draft_query& asked) { return preview(std::move(asked)); },
    [this](const protocol::elastic_declaration_query& asked) { return declare(asked); },
    [this](protocol::add_elastic& order) { return add(std::move(order)); },
    [this](protocol::update_elastic& order) { return update(std::move(order)); },
    [this](const protocol::remove_elastic& order) { return remove(order); },
    [this](const protocol::set_elastic_status& order) { return set(order); },
    [this](const protocol::set_elastic_item& order) { return set(order); },
    [this](const protocol::set_elastic_server& order) { return set(order); },
    [this](const protocol::restart_elastic& order) { return restart(order); },
    [this](const protocol::cancel_elastic_run& order) { return cancel(order); },
    [this](const protocol::set_elastic_host& order) { return set(order); },
    [this](protocol::trigger_elastic& order) { return trigger(std::move(order)); },
  };
}

template <class T, class Reply, class UseCase>
caf::result<Reply> elastic_admin_state::look(UseCase use_case) {
  auto promise = self_->make_response_promise<Reply>();
  ask_store<T>(self_, stores_.reads, std::move(use_case), [promise](core::result<T>&& found) mutable {
    if (!found)
      return promise.deliver(protocol::to_caf(found.error()));
    promise.deliver(Reply{std::move(*found)});
  });
  return promise;
}

template <class Reply, class UseCase, class Tell>
caf::result<Reply> elastic_admin_state::edit(std::string what, UseCase use_case, Tell reply) {
  using value = typename std::invoke_result_t<UseCase&, storage::store&>::value_type;
  auto promise = self_->make_response_promise<Reply>();
  ask_store<value>(self_, stores_.edits, std::move(use_case), [=, this](core::result<value>&& outcome) mutable {
    if (director_ && (outcome || in_doubt(outcome.error().code)))
      protocol::send(self_, director_, protocol::edit_hint{});
    if (!outcome)
      return promise.deliver(protocol::to_caf(outcome.error()));
    if (has_changed(*outcome))
      log_->info("{} manually", what);
    promise.deliver(reply(std::move(*outcome)));
  });
  return promise;
}

template <class UseCase>
caf::result<protocol::elastic_edited> elastic_admin_state::edit_job(std::string what, UseCase use_case) {
  return edit<protocol::elastic_edited>(std::move(what), std::move(use_case), [](elastic::elastic_edit_done&& done) {
    return protocol::elastic_edited{done};
  });
}

// The worker also plans: that takes milliseconds for many items.
caf::result<protocol::elastic_plan_preview> elastic_admin_state::preview(protocol::elastic_plan_query&& asked) {
  return look<std::vector<elastic::elastic_preview_share>, protocol::elastic_plan_preview>(
    [asked = std::move(asked), t = now()](
      storage::store& store) -> core::result<std::vector<elastic::elastic_preview_share>> {
      if (auto card = store.elastic().show(asked.job, asked.by); !card)
        return tl::unexpected{card.error()};
      const auto job = store.elastic().read_job(asked.job);
      if (!job)
        return tl::unexpected{job.error()};
      const auto hosts = store.elastic().hosts(job->job.what.group, asked.by);
      if (!hosts)
        return tl::unexpected{hosts.error()};
      return elastic::preview_plan(*job, *hosts, asked.without, t);
    });
}

caf::result<protocol::elastic_plan_preview> elastic_admin_state::preview(protocol::elastic_draft_query&& asked) {
  return look<std::vector<elastic::elastic_preview_share>, protocol::elastic_plan_preview>(
    [asked = std::move(asked), t = now()](storage::store& store) { return plan_elastic_draft(store, asked, t); });
}

caf::result<protocol::exported_file> elastic_admin_state::declare(const protocol::elastic_declaration_query& asked) {
  return look<std::string, protocol::exported_file>(
    [asked, files = files_, t = now()](storage::store& store) { return declare_elastic_job(store, asked, files, t); });
}

caf::result<protocol::elastic_edited> elastic_admin_state::add(protocol::add_elastic&& order) {
  if (clock_.in_doubt())
    return protocol::to_caf(protocol::clock_in_doubt());
  auto asked = std::make_shared<const protocol::add_elastic>(std::move(order));
  return edit_job("an elastic job added", [asked, files = files_, t = now()](storage::store& store) {
    return add_elastic_job(store, *asked, files, t);
  });
}

caf::result<protocol::elastic_edited> elastic_admin_state::update(protocol::update_elastic&& order) {
  if (clock_.in_doubt())
    return protocol::to_caf(protocol::clock_in_doubt());
  auto asked = std::make_shared<const protocol::update_elastic>(std::move(order));
  return edit_job(title_of(asked->job) + " changed", [asked, files = files_, t = now()](storage::store& store) {
    return update_elastic_job(store, *asked, files, t);
  });
}

caf::result<protocol::elastic_edited> elastic_admin_state::remove(const protocol::remove_elastic& order) {
  return edit_job(title_of(order.job) + " removed",
                  [order, t = now()](storage::store& store) { return remove_elastic_job(store, order, t); });
}

caf::result<protocol::elastic_edited> elastic_admin_state::set(const protocol::set_elastic_status& order) {
  // The next instant is computed from the present time.
  if (order.status == elastic::job_status::on && clock_.in_doubt())
    return protocol::to_caf(protocol::clock_in_doubt());
  return edit_job(title_of(order.job) + ' ' + word_of(order.status), [order, t = now()](storage::store& store) {
    return store.elastic().set_status(order.job, order.status, t, order.by);
  });
}

caf::result<protocol::elastic_edited> elastic_admin_state::set(const protocol::set_elastic_item& order) {
  return edit_job(title_of(order.job) + (order.disabled ? " has an item disabled" : " has an item enabled"),
                  [order, t = now()](storage::store& store) {
                    return store.elastic().set_item_disabled(order.job, order.item, order.disabled, t, order.by);
                  });
}

caf::result<protocol::elastic_edited> elastic_admin_state::set(const protocol::set_elastic_server& order) {
  return edit_job(title_of(order.job) + (order.disabled ? " has a server disabled" : " has a server enabled"),
                  [order, t = now()](storage::store& store) {
                    return store.elastic().set_server_disabled(order.job, order.server, order.disabled, t, order.by);
                  });
}

caf::result<protocol::elastic_edited> elastic_admin_state::restart(const protocol::restart_elastic& order) {
  if (clock_.in_doubt())
    return protocol::to_caf(protocol::clock_in_doubt());
  return edit_job(title_of(order.job) + " restarted",
                  [order, t = now()](storage::store& store) { return store.elastic().restart(order.job, t, order.by); });
}

caf::result<protocol::elastic_edited> elastic_admin_state::cancel(const protocol::cancel_elastic_run& order) {
  return edit_job("run " + std::to_string(core::number(order.run)) + " of an elastic job cancelled",
                  [order, t = now()](storage::store& store) { return store.elastic().cancel_run(order.run, t, order.by); });
}

caf::result<protocol::elastic_host_edited> elastic_admin_state::set(const protocol::set_elastic_host& order) {
  return edit<protocol::elastic_host_edited>(
    "a host of elastic jobs " + std::string{word_of(order.mode)},
    [order, t = now()](storage::store& store) { return store.elastic().set_host_mode(order.server, order.mode, t, order.by); },
    [](elastic::host_edit_done&& done) { return protocol::elastic_host_edited{std::move(done)}; });
}

caf::result<protocol::elastic_triggered> elastic_admin_state::trigger(protocol::trigger_elastic&& order) {
  const auto token = order.token != 0 ? static_cast<std::uint64_t>(order.token) : tokens_();
  const auto job = order.job;
  auto asked = std::make_shared<const protocol::trigger_elastic>(std::move(order));
  return edit<protocol::elastic_triggered>(
    title_of(job) + " triggered",
    [asked, token, t = now()](storage::store& store) { return add_request(store, *asked, token, t); },
    [](added_request&& done) { return done.reply; });
}

} // namespace ringmaster::actors
