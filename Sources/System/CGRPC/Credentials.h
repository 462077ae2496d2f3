#ifndef ANECHOIC_CGRPC_CREDENTIALS_H
#define ANECHOIC_CGRPC_CREDENTIALS_H

#include <grpcpp/security/credentials.h>
#include <grpcpp/support/channel_arguments.h>

#include <memory>
#include <string>

#include "Bytes.h"
#include "CGRPCSecurity.h"

namespace anechoic {

// Returns whether an address is plaintext. Unix sockets always are: they do not leave the machine.
inline bool is_plaintext(const std::string &address, const cgrpc_tls *tls) {
  return !tls || address.rfind("unix:", 0) == 0;
}

// Returns the credentials of a client. Sets the expected name of the server in `arguments`.
inline std::shared_ptr<grpc::ChannelCredentials> channel_credentials(
    const std::string &target, const cgrpc_tls *tls, grpc::ChannelArguments &arguments) {
  if (is_plaintext(target, tls)) return grpc::InsecureChannelCredentials();
  if (tls->server_name) arguments.SetSslTargetNameOverride(tls->server_name);
  grpc::SslCredentialsOptions options;
  options.pem_root_certs = copy(tls->authorities);
  options.pem_cert_chain = copy(tls->certificate_chain);
  options.pem_private_key = copy(tls->key);
  return grpc::SslCredentials(options);
}

}  // namespace anechoic

#endif
