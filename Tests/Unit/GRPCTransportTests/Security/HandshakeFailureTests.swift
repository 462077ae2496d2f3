import Testing

@testable import GRPCTransport

/// The reasons that are read from libgrpc's descriptions of failed handshakes.
struct HandshakeFailureTests {
  @Test(arguments: [
    (
      "UNKNOWN:Ssl handshake failed: SSL_ERROR_SSL: error:0A0000C7:SSL routines::peer did not return "
        + "a certificate {tsi_code:10}", HandshakeFailure.Reason.noCertificate
    ),
    ("UNKNOWN:… error:0A000086:SSL routines::certificate verify failed {x}", .certificateRefused),
    ("UNKNOWN:… SSL routines::tlsv1 alert unknown ca {x}", .refusedByClient),
    ("UNKNOWN:… SSL routines::http request {x}", .notTLS),
    ("UNKNOWN:Cannot check peer: missing selected ALPN property. {x}", .noHTTP2),
    ("UNKNOWN:… SSL routines::unsupported protocol {x}", .versionOrCipher),
    ("UNKNOWN:Handshake read failed {x, children:[INTERNAL:Socket closed {y}]}", .closed),
    ("UNKNOWN:Handshake timed out {x}", .timeout),
    ("something new", .other),
  ])
  func theReasonIsRead(line: String, reason: HandshakeFailure.Reason) {
    let failure = HandshakeFailure(line)
    #expect(failure.reason == reason)
    #expect(!failure.problem.contains("UNKNOWN:") && !failure.problem.contains("{"))
  }
}
