#include "ServerCertificates.h"

#include <grpc/grpc.h>

#include "Bytes.h"

namespace {

// The certificates and the version that one address uses.
struct Fetcher {
  std::shared_ptr<anechoic::ServerCertificates> certificates;
  uint64_t seen = 0;
};

// Called by libgrpc before each handshake of an address, one call after another.
grpc_ssl_certificate_config_reload_status fetch(void *context,
                                                grpc_ssl_server_certificate_config **config) {
  auto &fetcher = *static_cast<Fetcher *>(context);
  auto *newer = fetcher.certificates->newer_than(fetcher.seen);
  if (newer == nullptr) return GRPC_SSL_CERTIFICATE_CONFIG_RELOAD_UNCHANGED;
  *config = newer;
  return GRPC_SSL_CERTIFICATE_CONFIG_RELOAD_NEW;
}

// libgrpc++ has no credentials with a fetcher, but libgrpc has.
class FetchingCredentials final : public grpc::ServerCredentials {
 public:
  FetchingCredentials(grpc_ssl_client_certificate_request_type request, Fetcher *fetcher)
      : credentials_(grpc_ssl_server_credentials_create_with_options(
            grpc_ssl_server_credentials_create_options_using_config_fetcher(request, fetch,
                                                                           fetcher))) {}
  ~FetchingCredentials() override { grpc_server_credentials_release(credentials_); }

  void SetAuthMetadataProcessor(const std::shared_ptr<grpc::AuthMetadataProcessor> &) override {}

 private:
  int AddPortToServer(const std::string &address, grpc_server *server) override {
    return grpc_server_add_http2_port(server, address.c_str(), credentials_);
  }

  grpc_server_credentials *const credentials_;
};

}  // namespace

namespace anechoic {

ServerCertificates::ServerCertificates(const cgrpc_tls &tls) { replace(tls); }

void ServerCertificates::replace(const cgrpc_tls &tls) {
  std::lock_guard<std::mutex> lock(mutex_);
  authorities_ = copy(tls.authorities);
  chain_ = copy(tls.certificate_chain);
  key_ = copy(tls.key);
  ++version_;
}

grpc_ssl_server_certificate_config *ServerCertificates::newer_than(uint64_t &seen) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (seen == version_) return nullptr;
  seen = version_;
  const grpc_ssl_pem_key_cert_pair pair = {key_.c_str(), chain_.c_str()};
  // libgrpc requires authorities, also of a server that asks clients for no certificate. It then does
  // not use them.
  const std::string &authorities = authorities_.empty() ? chain_ : authorities_;
  return grpc_ssl_server_certificate_config_create(authorities.c_str(), &pair, 1);
}

std::shared_ptr<grpc::ServerCredentials> ServerCertificates::credentials(
    const std::shared_ptr<ServerCertificates> &certificates) {
  // The fetcher is never freed: libgrpc does not tell when the last handshake of an address has
  // ended, which may be after the server.
  auto *fetcher = new Fetcher{certificates};
  return std::make_shared<FetchingCredentials>(
      certificates->authorities_.empty() ? GRPC_SSL_DONT_REQUEST_CLIENT_CERTIFICATE
                                         : GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY,
      fetcher);
}

}  // namespace anechoic
