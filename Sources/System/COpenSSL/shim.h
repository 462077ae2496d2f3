#include <openssl/core_names.h>
#include <openssl/ecdsa.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

// OpenSSL keeps pointers to the names and the values of parameters until it has built the key. Swift's
// pointers to strings and arrays end with each call, so these functions are in C.

/// Returns the public key of a type with the parameters, or null. Frees the builder.
static inline EVP_PKEY *anechoic_build_public_key(const char *type, OSSL_PARAM_BLD *builder) {
  OSSL_PARAM *parameters = OSSL_PARAM_BLD_to_param(builder);
  EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, type, NULL);
  EVP_PKEY *key = NULL;
  if (parameters && context && EVP_PKEY_fromdata_init(context) == 1)
    EVP_PKEY_fromdata(context, &key, EVP_PKEY_PUBLIC_KEY, parameters);
  EVP_PKEY_CTX_free(context);
  OSSL_PARAM_free(parameters);
  OSSL_PARAM_BLD_free(builder);
  return key;
}

/// Returns the RSA key of a modulus and an exponent, or null.
static inline EVP_PKEY *anechoic_rsa_public_key(const BIGNUM *modulus, const BIGNUM *exponent) {
  OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
  OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_N, modulus);
  OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_E, exponent);
  return anechoic_build_public_key("RSA", builder);
}

/// Returns the key of an encoded point of the curve P-256, or null.
static inline EVP_PKEY *anechoic_p256_public_key(const unsigned char *point, size_t size) {
  OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
  OSSL_PARAM_BLD_push_utf8_string(builder, OSSL_PKEY_PARAM_GROUP_NAME, "P-256", 0);
  OSSL_PARAM_BLD_push_octet_string(builder, OSSL_PKEY_PARAM_PUB_KEY, point, size);
  return anechoic_build_public_key("EC", builder);
}

// Swift does not see these functions of OpenSSL, which are macros.

/// Accepts TLS 1.2 and later only. Returns 1, or 0 if that is not possible.
static inline int anechoic_require_tls12(SSL_CTX *context) {
  return SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
}

/// Sends the name of the host with the handshake. Returns 1, or 0 if that is not possible.
static inline long anechoic_name_host(SSL *connection, const char *host) {
  return SSL_set_tlsext_host_name(connection, host);
}
