#pragma once

#include <cstdint>

// Forward declarations of everything that a message may carry.

namespace ringmaster::storage {

class store;

} // namespace ringmaster::storage

namespace ringmaster::core {

enum class errc : std::uint8_t;
struct node_life;
struct claim_outcome;
struct record_outcome;
struct deploy_report;
struct intent;
struct job_edit;

} // namespace ringmaster::core

namespace ringmaster::protocol {

struct tick_atom;
struct firing_batch;
struct claim_request;
struct claim_reply;
struct trigger_results;
struct callback_batch;
struct callbacks_stored;
struct claims_opened;
struct intent_batch;
struct store_task;
struct store_listener;
struct life_change;
struct slot_change;
struct edit_hint;
struct route_request;
struct routed_batch;
struct slot_release;
struct registry_beat;
struct registry_removal;
struct registry_hint;
struct registry_change;
struct sent_runs;
struct unknown_batch;
struct link_query;
struct link_handle;
struct send_batch;
struct send_results;
struct probe_request;
struct probe_reply;
struct log_request;
struct log_reply;
struct drain_inbox;
struct apply_declared;
struct start_job;
struct stop_job;
struct trigger_job;
struct remove_job;
struct http_exchange;
struct status_query;
struct node_status;
struct stop_request;
struct handles_query;
struct node_handles;
struct registry_subscription;
struct executor_news;
struct news_subscription;
struct stray_claims;
struct trigger_partners;
struct notice_done;

} // namespace ringmaster::protocol
