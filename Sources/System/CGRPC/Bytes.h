#ifndef ANECHOIC_CGRPC_BYTES_H
#define ANECHOIC_CGRPC_BYTES_H

#include <grpc/grpc.h>
#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/slice.h>
#include <grpcpp/support/status.h>
#include <grpcpp/support/string_ref.h>

#include <map>
#include <string>
#include <vector>

#include "CGRPCTypes.h"

namespace anechoic {

inline cgrpc_bytes lend(const std::string &text) { return {text.data(), text.size()}; }
inline cgrpc_bytes lend(const grpc::string_ref &text) { return {text.data(), text.size()}; }
inline cgrpc_bytes lend(const grpc::Slice &slice) { return {slice.begin(), slice.size()}; }

inline std::string copy(cgrpc_bytes bytes) {
  return bytes.count == 0 ? std::string()
                          : std::string(static_cast<const char *>(bytes.start), bytes.count);
}

inline grpc::Status copy(cgrpc_status status) {
  return grpc::Status(static_cast<grpc::StatusCode>(status.code), copy(status.message),
                      copy(status.details));
}

// Copies a message into one allocation, because libgrpc owns the bytes that it sends.
inline grpc::ByteBuffer wrap(cgrpc_bytes message) {
  grpc::Slice slice(message.start, message.count);
  return grpc::ByteBuffer(&slice, 1);
}

// Returns a message in one piece, and copies only a message that arrived in several.
inline grpc::Slice unwrap(grpc::ByteBuffer &buffer) {
  grpc::Slice slice;
  if (!buffer.TrySingleSlice(&slice).ok()) {
    (void)buffer.DumpToSingleSlice(&slice);
  }
  return slice;
}

// Returns whether HTTP/2 can carry an entry. libgrpc aborts the process if an entry is not legal.
inline bool is_legal(cgrpc_metadatum entry) {
  const grpc::Slice key(entry.key.start, entry.key.count);
  const grpc::Slice value(entry.value.start, entry.value.count);
  const grpc_slice c_key = key.c_slice(), c_value = value.c_slice();
  const bool legal = grpc_header_key_is_legal(c_key) != 0 &&
                     (grpc_is_binary_header(c_key) != 0 ||
                      grpc_header_nonbin_value_is_legal(c_value) != 0);
  grpc_slice_unref(c_key);
  grpc_slice_unref(c_value);
  return legal;
}

// Returns metadata as entries that point into it.
inline std::vector<cgrpc_metadatum> lend(
    const std::multimap<grpc::string_ref, grpc::string_ref> &metadata) {
  std::vector<cgrpc_metadatum> entries;
  entries.reserve(metadata.size());
  for (const auto &entry : metadata) {
    entries.push_back({lend(entry.first), lend(entry.second)});
  }
  return entries;
}

}  // namespace anechoic

#endif
