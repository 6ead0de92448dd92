#include "actors/link/tls_texts.hpp"

#include <openssl/err.h>
#include <openssl/sslerr.h>
#include <openssl/x509_vfy.h>

#include "protocol/tls/tls_context.hpp"

namespace ringmaster::actors {

namespace {

/// Returns whether another authority signed the certificate, also one with the same name: then the signature is invalid.
bool is_of_another_authority(long verified) {
  switch (verified) {
  case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
  case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
  case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
  case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
  case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
  case X509_V_ERR_CERT_SIGNATURE_FAILURE: return true;
  default: return false;
  }
}

std::string refused_certificate(bool is_server, long verified) {
  const std::string shown = is_server ? "its certificate" : "the node's certificate";
  const std::string why = X509_verify_cert_error_string(verified);
  return is_of_another_authority(verified) ? "link.ca does not know who signed " + shown + ": " + why
                                           : shown + " is not accepted: " + why;
}

std::string close_in_words(const SSL* session) {
  if (SSL_is_init_finished(session) != 1)
    return "the connection was closed during the TLS handshake";
  // The dialling end completes its handshake before the other end has checked its certificate.
  return SSL_is_server(session) == 1 ? "the connection was closed"
                                     : "the connection was closed: the node may not accept this executor's certificate";
}

} // namespace

std::string failure_in_words(const SSL* session) {
  const auto code = ERR_peek_last_error();
  ERR_clear_error();
  const bool is_server = SSL_is_server(session) == 1;
  if (const auto verified = SSL_get_verify_result(session); verified != X509_V_OK)
    return refused_certificate(is_server, verified);
  const auto* text = ERR_reason_error_string(code);
  const int reason = ERR_GET_LIB(code) == ERR_LIB_SSL ? ERR_GET_REASON(code) : 0;
  if (!text || reason == SSL_R_UNEXPECTED_EOF_WHILE_READING)
    return close_in_words(session);
  if (protocol::is_certificate_alert(code))
    return (is_server ? "it does not accept this node's certificate: " : "the node does not accept this executor's certificate: ")
           + std::string{text};
  if (reason == SSL_R_HTTP_REQUEST || reason == SSL_R_WRONG_VERSION_NUMBER)
    return is_server ? "it does not speak TLS" : "the address does not speak TLS";
  if (reason == SSL_R_PEER_DID_NOT_RETURN_A_CERTIFICATE)
    return "it presented no certificate";
  return "TLS: " + std::string{text};
}

} // namespace ringmaster::actors
