#include "EchoService.h"

#include <algorithm>

#include "EchoCall.h"

EchoService::EchoService() {
  AddMethod(new grpc::internal::RpcServiceMethod(
      "/anechoic.benchmark.Echo/Echo", grpc::internal::RpcMethod::BIDI_STREAMING, nullptr));
  MarkMethodRaw(0);
}

void EchoServer::offer() {
  const auto idlest =
      std::min_element(queues.begin(), queues.end(),
                       [](const auto &a, const auto &b) { return a->calls < b->calls; });
  (new EchoCall(this, idlest->get()))->request();
}
