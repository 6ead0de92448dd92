#include "actors/link/tls_ports.hpp"

#include <fcntl.h>
#include <poll.h>
#include <set>
#include <utility>
#include <vector>

#include "actors/link/channel_bindings.hpp"
#include "actors/link/tls_stream.hpp"
#include "actors/link/tls_texts.hpp"
#include "protocol/caf.hpp"
#include "protocol/error.hpp"
#include "protocol/link_messages.hpp"

#include <openssl/err.h>

namespace ringmaster::actors {

using namespace std::chrono_literals;

namespace {

protocol::tls_file file_of(const std::string& path) { return {path, path + " cannot be used: "}; }

core::result<tls_context> load(const link_files& files) {
  auto made = protocol::make_tls_context(TLS_method());
  if (!made)
    return made;
  SSL_CTX_set_options(made->get(), SSL_OP_NO_TICKET);
  SSL_CTX_set_verify(made->get(), SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  if (SSL_CTX_set_cipher_list(made->get(), "HIGH:!aNULL:!MD5:!PSK") != 1)
    return core::fail(core::errc::invalid_argument, "the cipher list cannot be used: " + protocol::take_tls_error());
  return protocol::use_identity(*made, file_of(files.certificate), file_of(files.key))
    .and_then([&] { return protocol::trust_authorities(*made, file_of(files.ca)); })
    .map([&] { return *made; });
}

caf::io::network::default_multiplexer& loop_of(caf::actor_system& system) {
  return dynamic_cast<caf::io::network::default_multiplexer&>(system.middleman().backend());
}

caf::actor broker_of(caf::actor_system& system) { return system.middleman().get_named_broker("BASP"); }

std::string in_words(const caf::error& reason, const tls_trouble& trouble) {
  if (reason == caf::sec::incompatible_application_ids)
    return "the node speaks another version of the link";
  if (auto text = trouble.get(); !text.empty())
    return text;
  return protocol::end_in_words(reason);
}

/// One attempt to reach a node.
struct dial_call {
  std::string address;
  std::chrono::milliseconds limit;
  std::chrono::steady_clock::time_point until;
  tls_context context;
  std::shared_ptr<channel_bindings> bindings;
  protocol::link_ports::dialled done;

  void fail(std::string why) const { done(core::fail(core::errc::unavailable, std::move(why))); }
};

// Runs on its own thread, because it blocks for a name lookup, a connection and a handshake. All of them must be done before CAF
// gets the connection: CAF's heartbeat closes a connection from which nothing arrives until its next beat. Only one message and
// its reply remain; a connection that is closed anyway is tried again.
void begin(caf::event_based_actor* self, std::shared_ptr<const dial_call> call) {
  const auto left = call->until - std::chrono::steady_clock::now();
  auto socket = connect_to(call->address, std::chrono::ceil<std::chrono::milliseconds>(left));
  if (!socket)
    return call->fail(socket.error().context);
  auto session = shake_hands(call->context, socket->get(), call->until);
  if (!session)
    return call->fail(session.error().context);
  auto& system = self->home_system();
  auto trouble = std::make_shared<tls_trouble>();
  auto scribe = make_scribe(loop_of(system), socket->release(), std::move(*session), trouble, call->bindings);
  protocol::request(self, broker_of(system), call->limit, caf::connect_atom_v, std::move(scribe), port_of(call->address))
    .then(
      [call](const caf::node_id&, const caf::strong_actor_ptr& door, const std::set<std::string>&) {
        if (!door)
          return call->fail("the node offers no native links");
        call->done(caf::actor_cast<protocol::link_door>(door));
      },
      [self, call, trouble](const caf::error& reason) {
        if (reason == caf::sec::connection_timeout && std::chrono::steady_clock::now() < call->until)
          return begin(self, call);
        call->fail(in_words(reason, *trouble));
      });
}

/// Waits for the first byte of the dialled peer. It speaks first on a link, and only to peers that it accepts.
core::result<void> await_greeting(const tls_session& session, int fd, std::chrono::steady_clock::time_point until) {
  for (;;) {
    char byte;
    ERR_clear_error();
    const auto returned = SSL_read(session.get(), &byte, 1);
    if (returned == 1)
      return {};
    if (SSL_get_error(session.get(), returned) != SSL_ERROR_WANT_READ)
      return core::fail(core::errc::unavailable, failure_in_words(session.get()));
    if (!await(fd, POLLIN, until))
      return core::fail(core::errc::unavailable, "the peer sends nothing; the address may not be the link.listen of a node");
  }
}

} // namespace

void prepare_links(caf::actor_system_config& config) {
  config.load<caf::io::middleman>(); // first, because it defines the names of its options
  config.set("caf.middleman.app-identifiers", std::vector<std::string>{std::string{protocol::link_identifier}});
  config.set("caf.middleman.heartbeat-interval", caf::timespan{1s});
  config.set("caf.middleman.connection-timeout", caf::timespan{5s});
}

void init_link_meta_objects() {
  // CAF keeps this table per process.
  static std::once_flag done;
  std::call_once(done, [] { caf::io::middleman::init_global_meta_objects(); });
}

tls_ports::tls_ports(link_files files)
  : source_{std::make_shared<protocol::tls_source>([files = std::move(files)] { return load(files); })},
    visitors_{std::make_shared<visitors>()},
    bindings_{std::make_shared<channel_bindings>()} {}

core::result<std::shared_ptr<tls_ports>> tls_ports::make(link_files files) {
  std::shared_ptr<tls_ports> made{new tls_ports{std::move(files)}};
  if (auto read = made->source_->get(); !read)
    return tl::unexpected<core::error>{read.error()};
  return made;
}

core::result<void> tls_ports::reload() { return source_->reload(); }

core::result<std::string> tls_ports::bind(const std::string& address, protocol::logger log) {
  auto socket = listen_at(address);
  if (!socket)
    return tl::unexpected<core::error>{socket.error()};
  bound_ = std::move(*socket);
  log_ = std::move(log);
  port_ = local_port(bound_);
  return local_address(bound_);
}

core::result<void> tls_ports::probe(const std::string& address, std::chrono::milliseconds limit) const {
  const auto until = std::chrono::steady_clock::now() + limit;
  const auto socket = connect_to(address, limit);
  if (!socket)
    return tl::unexpected<core::error>{socket.error()};
  const auto session = shake_hands(*source_->get(), socket->get(), until);
  if (!session)
    return tl::unexpected<core::error>{session.error()};
  return await_greeting(*session, socket->get(), until);
}

core::result<void> tls_ports::publish(const protocol::link_door& door) {
  const int own = bound_ ? ::fcntl(bound_.get(), F_DUPFD_CLOEXEC, 0) : -1;
  if (own < 0)
    return core::fail(core::errc::unavailable, "no descriptor for the listening socket");
  const auto broker = broker_of(*system_);
  if (std::exchange(published_, true)) // unpublishes a door that no longer exists
    protocol::anon_send(broker, caf::close_atom_v, port_);
  auto doorman = make_doorman(loop_of(*system_), own, [source = source_] { return *source->get(); }, visitors_, bindings_,
                              log_);
  protocol::anon_send(broker, caf::publish_atom_v, std::move(doorman), port_, caf::actor_cast<caf::strong_actor_ptr>(door),
                      system_->message_types(door));
  return {};
}

std::string tls_ports::remote_of(const caf::node_id& peer) const { return visitors_->remote_of(peer); }

std::string tls_ports::seal(const caf::node_id& peer, std::string_view key, std::string_view text) const {
  const auto binding = bindings_->of(peer);
  return binding.empty() ? binding : sealed(key, binding, text);
}

void tls_ports::admit(const caf::node_id& peer) { visitors_->admit(peer); }

void tls_ports::end_guests() { visitors_->sweep(); }

void tls_ports::dial(const std::string& address, std::chrono::milliseconds limit, dialled done) {
  const auto until = std::chrono::steady_clock::now() + limit;
  auto call = std::make_shared<dial_call>(dial_call{address, limit, until, *source_->get(), bindings_, std::move(done)});
  system_->spawn<caf::detached>([call](caf::event_based_actor* self) { begin(self, call); });
}

} // namespace ringmaster::actors
