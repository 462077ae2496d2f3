internal import AnechoicAPI
internal import Foundation
internal import GRPCTransport
internal import SwiftProtobuf
internal import Synchronization

/// The services grpc.reflection.v1 and v1alpha, on the server's own threads.
///
/// The plug-in of libgrpc++ keeps a thread for each open stream.
final class ReflectionService: Sendable {
  /// The maximum number of open streams.
  static let mostStreams = 1000
  /// The maximum size of a request in bytes. The answer contains the request.
  static let largestRequest = 1024

  private let services: [String]
  private let files: ReflectedFiles
  private let openStreams = Atomic(0)

  /// Creates the service. It describes the methods and itself.
  init(_ methods: [ServerMethod]) {
    services = Set(methods.map(\.method.service) + [RPC.reflection, RPC.reflectionAlpha]).sorted()
    files = ReflectedFiles(FileDescriptors.all())
  }

  var methods: [ServerMethod] {
    [RPC.reflection, RPC.reflectionAlpha].map { service in
      ServerMethod(
        Method(service: service, name: RPC.serverReflectionInfo), lane: .background
      ) { ReflectionCall($0, self) }
    }
  }

  /// Counts a stream. Returns false if too many are open.
  fileprivate func enter() -> Bool {
    guard openStreams.add(1, ordering: .relaxed).newValue > Self.mostStreams else { return true }
    leave()
    return false
  }

  fileprivate func leave() { openStreams.subtract(1, ordering: .relaxed) }

  fileprivate func answer(
    _ request: Grpc_Reflection_V1_ServerReflectionRequest
  ) -> Grpc_Reflection_V1_ServerReflectionResponse {
    .with {
      $0.validHost = request.host
      $0.originalRequest = request
      $0.messageResponse = answer(request.messageRequest)
    }
  }

  private func answer(
    _ request: Grpc_Reflection_V1_ServerReflectionRequest.OneOf_MessageRequest?
  ) -> Grpc_Reflection_V1_ServerReflectionResponse.OneOf_MessageResponse {
    switch request {
    case .fileByFilename(let name):
      response(files.file(named: name), or: "there is no file \"\(name)\"")
    case .fileContainingSymbol(let symbol):
      response(files.file(containing: symbol), or: "no file declares \"\(symbol)\"")
    case .fileContainingExtension(let request):
      response(
        nil, or: "\"\(request.containingType)\" has no extension \(request.extensionNumber)")
    case .allExtensionNumbersOfType(let name):
      // No file of this server declares an extension.
      files.hasMessage(named: name)
        ? .allExtensionNumbersResponse(.with { $0.baseTypeName = name })
        : response(nil, or: "there is no message type \"\(name)\"")
    case .listServices:
      .listServicesResponse(
        .with { $0.service = services.map { service in .with { $0.name = service } } })
    case nil:
      .errorResponse(
        .with {
          $0.errorCode = StatusCode.invalidArgument.rawValue
          $0.errorMessage = "message_request: is empty"
        })
    }
  }

  private func response(
    _ files: [Data]?, or problem: String
  ) -> Grpc_Reflection_V1_ServerReflectionResponse.OneOf_MessageResponse {
    guard let files else {
      return .errorResponse(
        .with {
          $0.errorCode = StatusCode.notFound.rawValue
          $0.errorMessage = problem
        })
    }
    return .fileDescriptorResponse(.with { $0.fileDescriptorProto = files })
  }
}

/// A stream of reflection requests. The next request is read when the last answer has left.
private final class ReflectionCall: ServerCallHandler {
  private let call: ServerCall
  private let service: ReflectionService
  private let hasEntered: Bool

  init(_ call: ServerCall, _ service: ReflectionService) {
    self.call = call
    self.service = service
    hasEntered = service.enter()
    if hasEntered { call.read() } else { call.finish(.tooManyReflections) }
  }

  func received(_ message: UnsafeRawBufferPointer) {
    guard message.count <= ReflectionService.largestRequest else {
      return call.finish(
        Status(
          InvalidFieldError(
            "request", "must have at most \(ReflectionService.largestRequest) bytes")))
    }
    guard
      let request = try? Grpc_Reflection_V1_ServerReflectionRequest(serializedBytes: Data(message)),
      let answer: [UInt8] = try? service.answer(request).serializedBytes()
    else { return call.finish(.notA("ServerReflectionRequest")) }
    // No other write is in flight, because the request was read after the last answer had left.
    answer.withUnsafeBytes { try? call.write($0) }
  }

  func writeCompleted() { call.read() }

  func halfClosed() { call.finish(.ok) }

  func cancelled() {}

  func ended() {
    if hasEntered { service.leave() }
  }
}
