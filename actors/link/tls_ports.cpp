#include "actors/link/tls_ports.hpp"

#include <set>
#include <unistd.h>
#include <utility>
#include <vector>

#include "actors/link/sockets.hpp"
#include "actors/link/tls_stream.hpp"
#include "protocol/caf.hpp"
#include "protocol/link_messages.hpp"

#include <openssl/err.h>

namespace ringmaster::actors {

using namespace std::chrono_literals;

namespace {

core::error unusable(const std::string& file) {
  char text[256] = "unknown reason";
  if (const auto code = ERR_peek_last_error(); code != 0)
    ERR_error_string_n(code, text, sizeof text);
  ERR_clear_error();
  return {core::errc::invalid_argument, file + " cannot be used: " + text};
}

caf::io::network::default_multiplexer& loop_of(caf::actor_system& system) {
  return dynamic_cast<caf::io::network::default_multiplexer&>(system.middleman().backend());
}

caf::actor broker_of(caf::actor_system& system) { return system.middleman().get_named_broker("BASP"); }

std::string in_words(const caf::error& reason, const tls_trouble& trouble) {
  if (reason == caf::sec::incompatible_application_ids)
    return "the node speaks another version of the link";
  if (auto text = trouble.get(); !text.empty())
    return "TLS: " + text;
  return caf::to_string(reason);
}

} // namespace

void prepare_links(caf::actor_system_config& config) {
  config.load<caf::io::middleman>(); // first: the names of its options come with it
  config.set("caf.middleman.app-identifiers", std::vector<std::string>{std::string{protocol::link_identifier}});
  config.set("caf.middleman.heartbeat-interval", caf::timespan{1s});
  config.set("caf.middleman.connection-timeout", caf::timespan{5s});
}

void init_link_meta_objects() {
  // CAF's own table is the process's.
  static std::once_flag done;
  std::call_once(done, [] { caf::io::middleman::init_global_meta_objects(); });
}

core::result<std::shared_ptr<tls_ports>> tls_ports::make(link_files files) {
  std::shared_ptr<tls_ports> made{new tls_ports{std::move(files)}};
  if (auto read = made->reload(); !read)
    return tl::unexpected<core::error>{read.error()};
  return made;
}

tls_ports::~tls_ports() {
  if (bound_ >= 0)
    ::close(bound_);
}

core::result<tls_ports::context_ptr> tls_ports::load() const {
  context_ptr made{SSL_CTX_new(TLS_method()), &SSL_CTX_free};
  if (!made)
    return core::fail(core::errc::unavailable, "TLS: no memory");
  ERR_clear_error();
  SSL_CTX_set_min_proto_version(made.get(), TLS1_2_VERSION);
  SSL_CTX_set_options(made.get(), SSL_OP_NO_TICKET | SSL_OP_NO_RENEGOTIATION);
  SSL_CTX_set_session_cache_mode(made.get(), SSL_SESS_CACHE_OFF);
  SSL_CTX_set_verify(made.get(), SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  if (SSL_CTX_set_cipher_list(made.get(), "HIGH:!aNULL:!MD5:!PSK") != 1)
    return tl::unexpected<core::error>{unusable("the list of ciphers")};
  if (SSL_CTX_use_certificate_chain_file(made.get(), files_.certificate.c_str()) != 1)
    return tl::unexpected<core::error>{unusable(files_.certificate)};
  if (SSL_CTX_use_PrivateKey_file(made.get(), files_.key.c_str(), SSL_FILETYPE_PEM) != 1
      || SSL_CTX_check_private_key(made.get()) != 1)
    return tl::unexpected<core::error>{unusable(files_.key)};
  if (SSL_CTX_load_verify_locations(made.get(), files_.ca.c_str(), nullptr) != 1)
    return tl::unexpected<core::error>{unusable(files_.ca)};
  return made;
}

core::result<void> tls_ports::reload() {
  auto made = load();
  if (!made)
    return tl::unexpected<core::error>{made.error()};
  std::lock_guard guard{context_->mutex};
  context_->now = std::move(*made);
  return {};
}

core::result<std::string> tls_ports::bind(const std::string& address) {
  auto socket = listen_at(address);
  if (!socket)
    return tl::unexpected<core::error>{socket.error()};
  address_ = local_address(*socket);
  port_ = local_port(*socket);
  bound_ = socket->release();
  return address_;
}

core::result<void> tls_ports::publish(const protocol::link_door& door) {
  const auto broker = broker_of(*system_);
  if (bound_ < 0) {
    // The former door is gone, and with it its socket: in a moment.
    protocol::anon_send(broker, caf::close_atom_v, port_);
    auto again = bind(address_);
    if (!again)
      return tl::unexpected<core::error>{again.error()};
  }
  auto doorman = make_doorman(loop_of(*system_), std::exchange(bound_, -1), [context = context_] { return context->get(); });
  protocol::anon_send(broker, caf::publish_atom_v, std::move(doorman), port_, caf::actor_cast<caf::strong_actor_ptr>(door),
                      system_->message_types(door));
  return {};
}

// On a thread of its own: it blocks for a name and a connection.
void tls_ports::dial(const std::string& address, std::chrono::milliseconds limit, dialled done) {
  auto call = [address, limit, context = context_->get(), done = std::move(done)](caf::event_based_actor* self) {
    auto fail = [done](std::string why) { done(core::fail(core::errc::unavailable, std::move(why))); };
    auto socket = connect_to(address, limit);
    if (!socket)
      return fail(socket.error().context);
    auto& system = self->home_system();
    auto trouble = std::make_shared<tls_trouble>();
    auto scribe = make_scribe(loop_of(system), socket->release(), context, tls_policy::side::dials, trouble, nullptr);
    protocol::request(self, broker_of(system), limit, caf::connect_atom_v, std::move(scribe), port_of(address))
      .then(
        [done, fail](const caf::node_id&, const caf::strong_actor_ptr& door, const std::set<std::string>&) {
          if (!door)
            return fail("the node offers no native links");
          done(caf::actor_cast<protocol::link_door>(door));
        },
        [fail, trouble](const caf::error& reason) { fail(in_words(reason, *trouble)); });
  };
  system_->spawn<caf::detached>(std::move(call));
}

} // namespace ringmaster::actors
