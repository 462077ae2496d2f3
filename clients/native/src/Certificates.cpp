#include "Certificates.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <memory>

namespace anechoic {

namespace {

struct Release {
  void operator()(BIO* bio) const { BIO_free(bio); }
  void operator()(X509* certificate) const { X509_free(certificate); }
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
};
template <typename T>
using Owned = std::unique_ptr<T, Release>;

Owned<BIO> open(const std::string& pem) {
  return Owned<BIO>(BIO_new_mem_buf(pem.data(), int(pem.size())));
}

// Leaves no error in the program's queue of OpenSSL.
std::string lastReason() {
  const char* const reason = ERR_reason_error_string(ERR_peek_last_error());
  ERR_clear_error();
  return reason != nullptr ? reason : "not usable";
}

Owned<X509> nextCertificate(BIO* bio) {
  return Owned<X509>(PEM_read_bio_X509(bio, nullptr, nullptr, nullptr));
}

}  // namespace

std::string authoritiesProblem(const std::string& pem) {
  const Owned<BIO> bio = open(pem);
  size_t count = 0;
  while (nextCertificate(bio.get()) != nullptr) ++count;
  const unsigned long error = ERR_peek_last_error();
  if (ERR_GET_LIB(error) != ERR_LIB_PEM || ERR_GET_REASON(error) != PEM_R_NO_START_LINE) {
    return lastReason();
  }
  ERR_clear_error();
  return count > 0 ? "" : "no certificate in PEM";
}

std::string identityProblem(const std::string& certificateChain, const std::string& keyPem) {
  if (const std::string problem = authoritiesProblem(certificateChain); !problem.empty()) {
    return "certificate_file: " + problem;
  }
  const Owned<BIO> bio = open(certificateChain);
  const Owned<X509> certificate = nextCertificate(bio.get());
  static char noPassword[] = "";
  const Owned<BIO> keyBio = open(keyPem);
  const Owned<EVP_PKEY> key(PEM_read_bio_PrivateKey(keyBio.get(), nullptr, nullptr, noPassword));
  if (key == nullptr) {
    const std::string reason = lastReason();
    const bool isEncrypted = keyPem.find("ENCRYPTED") != keyPem.npos;
    const bool hasKey = keyPem.find("PRIVATE KEY-----") != keyPem.npos;
    return "key_file: " + (isEncrypted ? "encrypted with a password"
                           : hasKey    ? reason
                                       : "no private key in PEM");
  }
  if (X509_check_private_key(certificate.get(), key.get()) == 1) return "";
  ERR_clear_error();
  return "key_file: not the key of the certificate";
}

}  // namespace anechoic
