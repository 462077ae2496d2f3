extension Status {
  /// Whether there was no connection because this side refused the server's certificate: it is of
  /// nobody that is trusted, of another name, expired, or not valid yet. Trying again does not help.
  ///
  /// A server that refuses the *client's* certificate only closes the connection: with TLS 1.3 the
  /// client cannot tell that from a server that went away.
  public var isCertificateRefusal: Bool {
    code == .unavailable && Self.refusals.contains { message.contains($0) }
  }

  /// OpenSSL's words and libgrpc's: there is no code for it.
  private static let refusals = ["certificate verify failed", "is not in peer certificate"]
}
