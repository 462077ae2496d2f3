#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>

#include <algorithm>
#include <climits>
#include <cstring>
#include <ctime>
#include <memory>
#include <string_view>

#include "CGRPCSecurity.h"

// These checks take the same steps as libgrpc, so that PEM that passes here works there.

namespace {

struct Release {
  void operator()(BIO *bio) const { BIO_free(bio); }
  void operator()(X509 *certificate) const { X509_free(certificate); }
  void operator()(EVP_PKEY *key) const { EVP_PKEY_free(key); }
  void operator()(SSL_CTX *context) const { SSL_CTX_free(context); }
};

template <class T>
using Owned = std::unique_ptr<T, Release>;

// Empties the thread's queue of OpenSSL errors before and after a check.
struct ErrorScope {
  ErrorScope() { ERR_clear_error(); }
  ~ErrorScope() { ERR_clear_error(); }
};

const char *last_reason() {
  const char *reason = ERR_reason_error_string(ERR_peek_last_error());
  return reason ? reason : "not usable";
}

Owned<BIO> open(cgrpc_bytes pem) {
  return Owned<BIO>(BIO_new_mem_buf(pem.start, static_cast<int>(pem.count)));
}

// Returns the reason why the bytes cannot be PEM, or NULL if they may be PEM. libgrpc stops reading
// at a zero byte.
const char *not_pem(cgrpc_bytes pem) {
  if (pem.count == 0) return "empty";
  if (pem.count > INT_MAX || std::memchr(pem.start, 0, pem.count)) return "not PEM";
  return nullptr;
}

Owned<X509> next_certificate(BIO *bio) {
  static char no_password[] = "";  // Otherwise OpenSSL asks for one on the terminal.
  return Owned<X509>(PEM_read_bio_X509_AUX(bio, nullptr, nullptr, no_password));
}

// Calls `use` with each certificate until it returns false. Returns a fault of the PEM, or NULL.
template <class Use>
const char *each_certificate(cgrpc_bytes pem, Use use) {
  if (const char *reason = not_pem(pem)) return reason;
  const auto bio = open(pem);
  size_t count = 0;
  while (auto certificate = next_certificate(bio.get())) {
    if (!use(std::move(certificate), count)) return last_reason();
    ++count;
  }
  const unsigned long error = ERR_peek_last_error();
  const bool is_end =
      ERR_GET_LIB(error) == ERR_LIB_PEM && ERR_GET_REASON(error) == PEM_R_NO_START_LINE;
  if (!is_end) return last_reason();
  ERR_clear_error();
  return count > 0 ? nullptr : "no certificate in PEM";
}

const char *reason_of_bad_key(cgrpc_bytes pem) {
  const std::string_view text(static_cast<const char *>(pem.start), pem.count);
  if (text.find("ENCRYPTED") != text.npos) return "encrypted with a password";
  const bool has_key = text.find("PRIVATE KEY-----") != text.npos;
  return has_key ? last_reason() : "no private key in PEM";
}

Owned<EVP_PKEY> read_key(cgrpc_bytes pem) {
  static char no_password[] = "";
  return Owned<EVP_PKEY>(
      PEM_read_bio_PrivateKey(open(pem).get(), nullptr, nullptr, no_password));
}

int64_t seconds(const ASN1_TIME *time) {
  std::tm parts = {};
  return ASN1_TIME_to_tm(time, &parts) == 1 ? timegm(&parts) : 0;
}

// Calls `merge` with the validity so far and that of the next certificate.
template <class Merge>
cgrpc_validity merged_validity(cgrpc_bytes pem, Merge merge) {
  const ErrorScope scope;
  cgrpc_validity all = {0, 0};
  each_certificate(pem, [&](Owned<X509> certificate, size_t index) {
    const cgrpc_validity one = {seconds(X509_get0_notBefore(certificate.get())),
                                seconds(X509_get0_notAfter(certificate.get()))};
    all = index == 0 ? one : merge(all, one);
    return true;
  });
  return all;
}

}  // namespace

extern "C" {

cgrpc_validity cgrpc_chain_validity(cgrpc_bytes pem) {
  return merged_validity(pem, [](cgrpc_validity all, cgrpc_validity one) {
    return cgrpc_validity{std::max(all.first, one.first), std::min(all.last, one.last)};
  });
}

cgrpc_validity cgrpc_authorities_validity(cgrpc_bytes pem) {
  return merged_validity(pem, [](cgrpc_validity all, cgrpc_validity one) {
    return cgrpc_validity{std::min(all.first, one.first), std::max(all.last, one.last)};
  });
}

cgrpc_pem_finding cgrpc_check_authorities(cgrpc_bytes pem) {
  const ErrorScope scope;
  const char *reason = each_certificate(pem, [](Owned<X509>, size_t) { return true; });
  return {reason ? CGRPC_PEM_BAD_CERTIFICATES : CGRPC_PEM_GOOD, reason};
}

cgrpc_pem_finding cgrpc_check_identity(cgrpc_bytes certificate_chain, cgrpc_bytes key_pem) {
  const ErrorScope scope;
  const Owned<SSL_CTX> context(SSL_CTX_new(TLS_method()));
  Owned<X509> own;
  // OpenSSL refuses keys here that are too weak for it.
  const char *reason =
      each_certificate(certificate_chain, [&](Owned<X509> certificate, size_t index) {
        if (index == 0) {
          own = std::move(certificate);
          return SSL_CTX_use_certificate(context.get(), own.get()) == 1;
        }
        if (SSL_CTX_add_extra_chain_cert(context.get(), certificate.get()) != 1) return false;
        certificate.release();  // The context owns it now.
        return true;
      });
  if (reason) return {CGRPC_PEM_BAD_CERTIFICATES, reason};
  if (const char *reason = not_pem(key_pem)) return {CGRPC_PEM_BAD_KEY, reason};
  const auto key = read_key(key_pem);
  if (!key) return {CGRPC_PEM_BAD_KEY, reason_of_bad_key(key_pem)};
  if (X509_check_private_key(own.get(), key.get()) != 1) return {CGRPC_PEM_KEY_OF_ANOTHER, nullptr};
  if (SSL_CTX_use_PrivateKey(context.get(), key.get()) != 1) {
    return {CGRPC_PEM_BAD_KEY, last_reason()};
  }
  return {CGRPC_PEM_GOOD, nullptr};
}

}  // extern "C"
