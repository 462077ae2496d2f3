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
}
