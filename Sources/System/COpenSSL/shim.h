#include <limits.h>
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

/// Chooses HTTP/1.1 (ALPN). Refuses a client that offers other protocols only.
static inline int anechoic_choose_http1(SSL *connection, const unsigned char **chosen,
                                        unsigned char *size, const unsigned char *offered,
                                        unsigned int offered_size, void *unused) {
  static const unsigned char http1[] = "\x08http/1.1";
  (void)connection;
  (void)unused;
  int found = SSL_select_next_proto((unsigned char **)chosen, size, http1, sizeof http1 - 1, offered,
                                    offered_size);
  return found == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_ALERT_FATAL;
}

/// Prepares the connections of a server of HTTP/1.1, which are neither resumed nor negotiated again, and
/// keep no buffers while they are idle. Returns 1, or 0 if that is not possible.
static inline int anechoic_serve_http1(SSL_CTX *context) {
  SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_TICKET | SSL_OP_NO_COMPRESSION |
                                   SSL_OP_CIPHER_SERVER_PREFERENCE);
  SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_alpn_select_cb(context, anechoic_choose_http1, NULL);
  return SSL_CTX_set_num_tickets(context, 0);
}

/// Refuses to decrypt a key, instead of asking the terminal for a password.
static inline int anechoic_no_password(char *buffer, int size, int writes, void *unused) {
  (void)buffer;
  (void)size;
  (void)writes;
  (void)unused;
  return -1;
}

/// Uses a chain of certificates, its own one first, and a key, both in PEM. Returns 1, or 0 with the reason in
/// the errors of OpenSSL.
static inline int anechoic_use_identity(SSL_CTX *context, const void *chain, size_t chain_size,
                                        const void *key, size_t key_size) {
  if (chain_size > INT_MAX || key_size > INT_MAX) return 0;
  BIO *chain_bytes = BIO_new_mem_buf(chain, (int)chain_size);
  BIO *key_bytes = BIO_new_mem_buf(key, (int)key_size);
  X509 *own = NULL, *next = NULL;
  EVP_PKEY *private_key = NULL;
  int is_done = 0;
  if (!chain_bytes || !key_bytes) goto end;
  own = PEM_read_bio_X509(chain_bytes, NULL, anechoic_no_password, NULL);
  private_key = PEM_read_bio_PrivateKey(key_bytes, NULL, anechoic_no_password, NULL);
  if (!own || !private_key || SSL_CTX_use_certificate(context, own) != 1) goto end;
  while ((next = PEM_read_bio_X509(chain_bytes, NULL, anechoic_no_password, NULL)) != NULL) {
    // The context owns the certificate if this succeeds.
    if (SSL_CTX_add0_chain_cert(context, next) != 1) {
      X509_free(next);
      goto end;
    }
  }
  // Reading ends with the error that there is no further certificate.
  unsigned long last = ERR_peek_last_error();
  if (ERR_GET_LIB(last) != ERR_LIB_PEM || ERR_GET_REASON(last) != PEM_R_NO_START_LINE) goto end;
  ERR_clear_error();
  is_done = SSL_CTX_use_PrivateKey(context, private_key) == 1 &&
            SSL_CTX_check_private_key(context) == 1;
end:
  BIO_free(chain_bytes);
  BIO_free(key_bytes);
  X509_free(own);
  EVP_PKEY_free(private_key);
  return is_done;
}
