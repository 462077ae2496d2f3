#ifndef ANECHOIC_CGRPC_SERVER_CERTIFICATES_H
#define ANECHOIC_CGRPC_SERVER_CERTIFICATES_H

#include <grpc/grpc_security.h>
#include <grpcpp/security/server_credentials.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "CGRPCSecurity.h"

namespace anechoic {

// The certificate, the key and the client authorities of a server, which can be replaced while the
// server runs. Connections keep the certificate that they began with.
class ServerCertificates {
 public:
  explicit ServerCertificates(const cgrpc_tls &tls);

  void replace(const cgrpc_tls &tls);

  // Returns credentials for an address. libgrpc asks them for the certificate at each handshake.
  static std::shared_ptr<grpc::ServerCredentials> credentials(
      const std::shared_ptr<ServerCertificates> &certificates);

  // Makes a copy for libgrpc if the certificate is newer than the version `seen`, and updates
  // `seen`. Returns NULL otherwise.
  grpc_ssl_server_certificate_config *newer_than(uint64_t &seen);

 private:
  std::mutex mutex_;
  std::string authorities_;
  std::string chain_;
  std::string key_;
  uint64_t version_ = 0;
};

}  // namespace anechoic

#endif
