extension Status {
  /// The start of libgrpc's message about a host that it cannot find. A target and a reason follow.
  private static let unknownHost = "DNS resolution failed for "

  /// The same status, with a sentence for people in place of a message that libgrpc made on this
  /// side.
  var inPlainWords: Status {
    switch (code, message) {
    case (.cancelled, "CANCELLED"): with("the call was cancelled")
    case (.deadlineExceeded, "Deadline Exceeded"): with("the server did not answer in time")
    case (.unavailable, _) where message.hasPrefix(Self.unknownHost): with(unknownHostInWords)
    default: self
    }
  }

  /// `DNS resolution failed for a.example:1: C-ares ...: Domain name not found` as a sentence.
  private var unknownHostInWords: String {
    let parts = message.dropFirst(Self.unknownHost.count).split(separator: ": ")
    let target = String(parts.first ?? "")
    guard case .host(let host, _) = ServerAddress(target) else { return "cannot find \(target)" }
    let reason = parts.count > 1 ? " (\(parts[parts.count - 1].lowercased()))" : ""
    return "cannot find host \(host)\(reason)"
  }

  private func with(_ message: String) -> Status {
    Status(code, message, details: details)
  }
}

extension Status {
  /// Whether the connection failed because this side refused the server's certificate: its authority
  /// is not trusted, its name is another, or it is not valid at this time. A retry does not help.
  ///
  /// A server that refuses the *client's* certificate only closes the connection. With TLS 1.3 the
  /// client cannot tell this from a server that went away.
  public var isCertificateRefusal: Bool {
    code == .unavailable && Self.refusals.contains { message.contains($0) }
  }

  /// Parts of the messages of OpenSSL and libgrpc, which have no code for a refusal.
  private static let refusals = ["certificate verify failed", "is not in peer certificate"]

  /// A hint at the cause, if something listens at the address and no connection comes about. Nil for any
  /// other status.
  public var connectionHint: String? {
    guard code == .unavailable, message.hasPrefix(Self.failedToConnect) else { return nil }
    return Self.hints.first { message.contains($0.part) }?.hint
  }

  private static let failedToConnect = "failed to connect to all addresses"

  /// Parts of the messages of OpenSSL and libgrpc.
  private static let hints = [
    ("wrong version number", "the server has no TLS at this address"),
    ("no application protocol", notGRPC), ("http1.x server", notGRPC),
    ("Failed parsing HTTP/2", notGRPC), ("Socket closed", mayNeedTLS),
    ("Connection reset", mayNeedTLS),
  ].map { (part: $0, hint: $1) }

  private static let notGRPC = "this port does not serve gRPC; is it that of HTTP?"
  private static let mayNeedTLS = "the server may need TLS, which --tls switches on"
}
