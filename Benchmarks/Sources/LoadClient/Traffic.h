#ifndef LOAD_CLIENT_TRAFFIC_H
#define LOAD_CLIENT_TRAFFIC_H

#include <grpcpp/support/byte_buffer.h>

#include <optional>
#include <string>
#include <vector>

#include "Call.h"

// The messages that every stream sends and expects. They are created once, and sending copies
// nothing.
class Traffic {
 public:
  // Returns messages of `count` bytes for the echo servers.
  static Traffic echo_of_bytes(size_t count);
  // Returns the messages that the service would get in a call, for the echo servers.
  static Traffic echo_of_call(const bench::Call &call);
  // Returns the messages of a call for the service: a start, and then requests with 10 ms of both
  // inputs.
  static Traffic service(const bench::Call &call);

  const std::string &method() const { return method_; }
  // Returns the message before the first frame, which no frame answers.
  const std::optional<grpc::ByteBuffer> &opening() const { return opening_; }
  // Returns a frame. The frames repeat.
  const grpc::ByteBuffer &frame(size_t index) const { return frames_[index % frames_.size()]; }
  size_t frame_count() const { return frames_.size(); }
  // Returns whether a response is the answer to a frame.
  bool is_answer(grpc::ByteBuffer &response) const;

 private:
  std::string method_;
  std::optional<grpc::ByteBuffer> opening_;
  std::vector<grpc::ByteBuffer> frames_;
};

#endif
