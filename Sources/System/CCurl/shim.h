#include <curl/curl.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

// Options and information of libcurl are variadic functions, which Swift does not see.

/// The memory for the body of an answer.
typedef struct {
  unsigned char *bytes;
  size_t count;
  size_t most;
  bool is_too_large;
  /// Asked about once a second; true ends the transfer.
  bool (*is_cancelled)(void *);
  void *context;
} anechoic_https_body;

static inline size_t anechoic_https_write(char *bytes, size_t size, size_t count, void *user) {
  anechoic_https_body *body = (anechoic_https_body *)user;
  size_t added = size * count;
  if (added > body->most - body->count) {
    body->is_too_large = true;
    return 0;
  }
  memcpy(body->bytes + body->count, bytes, added);
  body->count += added;
  return added;
}

/// The question whether a transfer is to end.
typedef struct {
  /// Asked about once a second; true ends the transfer.
  bool (*is_over)(void *);
  void *context;
} anechoic_http_end;

static inline int anechoic_http_progress(
    void *user, curl_off_t total, curl_off_t now, curl_off_t upload, curl_off_t uploaded) {
  (void)total, (void)now, (void)upload, (void)uploaded;
  anechoic_http_end *end = (anechoic_http_end *)user;
  return end->is_over(end->context) ? 1 : 0;
}

/// Sets the options of every request: TLS 1.2 or later, no redirects, a bound on the time, and the end. `problem` has
/// CURL_ERROR_SIZE bytes.
static inline void anechoic_http_prepare(
    CURL *curl, const char *address, const char *protocols, const char *authorities, const char *agent,
    long milliseconds, anechoic_http_end *end, char *problem) {
  problem[0] = 0;
  curl_easy_setopt(curl, CURLOPT_URL, address);
  curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, protocols);
  curl_easy_setopt(curl, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
  if (authorities) {
    curl_easy_setopt(curl, CURLOPT_CAINFO, authorities);
    curl_easy_setopt(curl, CURLOPT_CAPATH, NULL);
  }
  curl_easy_setopt(curl, CURLOPT_USERAGENT, agent);
  curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, milliseconds);
  curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
  // A search for the address that takes long ends in its own thread.
  curl_easy_setopt(curl, CURLOPT_QUICK_EXIT, 1L);
  curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
  curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, anechoic_http_progress);
  curl_easy_setopt(curl, CURLOPT_XFERINFODATA, end);
  curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, problem);
}

/// Sends the request, and ends it. Sets the status of HTTP.
static inline CURLcode anechoic_http_perform(CURL *curl, long *status) {
  CURLcode code = curl_easy_perform(curl);
  if (code == CURLE_OK) curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, status);
  curl_easy_cleanup(curl);
  return code;
}

/// Gets a document over HTTPS, with TLS 1.2 or later, and without following redirects. Blocks its thread for at most
/// `milliseconds`. `authorities` is a file of PEM, or null for those that the system trusts. Sets the status of HTTP.
/// `problem` has CURL_ERROR_SIZE bytes.
static inline CURLcode anechoic_https_get(
    const char *address, const char *authorities, const char *agent, long milliseconds, anechoic_https_body *body,
    long *status, char *problem) {
  CURL *curl = curl_easy_init();
  if (!curl) return CURLE_FAILED_INIT;
  anechoic_http_end end = {body->is_cancelled, body->context};
  anechoic_http_prepare(curl, address, "https", authorities, agent, milliseconds, &end, problem);
  curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, anechoic_https_write);
  curl_easy_setopt(curl, CURLOPT_WRITEDATA, body);
  return anechoic_http_perform(curl, status);
}

static inline size_t anechoic_http_discard(char *bytes, size_t size, size_t count, void *user) {
  (void)bytes, (void)user;
  return size * count;
}

/// Posts a document of JSON over HTTP or HTTPS, without following redirects, and discards the body of the answer.
/// Blocks its thread for at most `milliseconds`. `authorities` is a file of PEM, or null for those that the system
/// trusts. `lines` are headers, such as "name: value". With them, a request without TLS goes through no proxy. Sets the
/// status of HTTP. `problem` has CURL_ERROR_SIZE bytes.
static inline CURLcode anechoic_http_post(
    const char *address, const char *authorities, const char *agent, char *const *lines, size_t line_count,
    const unsigned char *document, size_t size, long milliseconds, bool (*is_over)(void *), void *context,
    long *status, char *problem) {
  CURL *curl = curl_easy_init();
  if (!curl) return CURLE_FAILED_INIT;
  anechoic_http_end end = {is_over, context};
  anechoic_http_prepare(curl, address, "http,https", authorities, agent, milliseconds, &end, problem);
  // The headers may have secrets, which a proxy of the environment would read.
  if (line_count > 0 && strncmp(address, "https:", 6) != 0) curl_easy_setopt(curl, CURLOPT_NOPROXY, "*");
  // Without "Expect: 100-continue", for which some collectors never answer.
  struct curl_slist *headers = curl_slist_append(NULL, "Content-Type: application/json");
  headers = curl_slist_append(headers, "Expect:");
  for (size_t index = 0; index < line_count; ++index) headers = curl_slist_append(headers, lines[index]);
  curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
  curl_easy_setopt(curl, CURLOPT_POSTFIELDS, (const char *)document);
  curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)size);
  curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, anechoic_http_discard);
  CURLcode code = anechoic_http_perform(curl, status);
  curl_slist_free_all(headers);
  return code;
}
