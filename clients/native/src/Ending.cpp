#include "Ending.h"

#include "Messages.h"

namespace anechoic {

namespace {

// The codes of https://grpc.github.io/grpc/core/md_doc_statuscodes.html, which libgrpc has too.
enum Code {
  ok,
  cancelled,
  unknown,
  invalidArgument,
  deadlineExceeded,
  notFound,
  alreadyExists,
  permissionDenied,
  resourceExhausted,
  failedPrecondition,
  aborted,
  outOfRange,
  unimplemented,
  internal,
  unavailable,
  dataLoss,
  unauthenticated
};

constexpr const char* names[] = {
    "OK",        "CANCELLED",      "UNKNOWN",           "INVALID_ARGUMENT",   "DEADLINE_EXCEEDED",
    "NOT_FOUND", "ALREADY_EXISTS", "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION",
    "ABORTED",   "OUT_OF_RANGE",   "UNIMPLEMENTED",     "INTERNAL",           "UNAVAILABLE",
    "DATA_LOSS", "UNAUTHENTICATED"};

// Parses a detail if it has the type.
template <typename Message>
bool unpack(const google::protobuf::Any& detail, const std::string& type, Message& message) {
  return detail.type_url().ends_with("/google.rpc." + type) &&
         message.ParseFromString(detail.value());
}

Ending::Kind kindOf(int code, bool hasDetails, const std::string& reason) {
  using Kind = Ending::Kind;
  if (code == ok) return Kind::finished;
  if (reason == "DRAINING" || reason == "SERVER_SHUTDOWN") return Kind::stopped;
  if (reason == "RESUME_TOKEN_UNKNOWN" || reason == "TOO_MANY_RESUMES") return Kind::unknownSession;
  switch (code) {
    case unavailable:
    case cancelled:
    case internal:
    case unknown:
    case deadlineExceeded:
      return hasDetails ? Kind::refused : Kind::lost;
    case alreadyExists:
      return Kind::takenId;
    case invalidArgument:
    case unimplemented:
    case unauthenticated:
    case permissionDenied:
      return Kind::refusedForGood;
    default:
      return Kind::refused;
  }
}

}  // namespace

Ending Ending::of(int code, const std::string& details, const std::string& message) {
  Ending ending;
  std::string reason;
  rpc::Status status;
  if (!details.empty() && status.ParseFromString(details)) {
    for (const auto& detail : status.details()) {
      rpc::ErrorInfo info;
      rpc::RetryInfo retry;
      if (unpack(detail, "ErrorInfo", info)) {
        reason = info.reason();
      } else if (unpack(detail, "RetryInfo", retry)) {
        ending.retryAfter =
            std::chrono::ceil<std::chrono::milliseconds>(duration(retry.retry_delay()));
      }
    }
  }
  ending.kind = kindOf(code, !details.empty(), reason);
  ending.code = code >= 0 && code <= unauthenticated ? names[code] : std::to_string(code);
  ending.message = message;
  return ending;
}

}  // namespace anechoic
