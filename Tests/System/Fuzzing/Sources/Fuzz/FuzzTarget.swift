internal import AudioFiles
internal import BundledEngines
internal import Foundation
internal import GRPCTransport
internal import SessionWire
internal import VoiceEdge
internal import VoiceEngines

/// A part of the product that reads untrusted input.
enum FuzzTarget: String, CaseIterable {
  case session, recording, audio, certificate, configuration, websocket

  /// Passes one input to the part.
  func run(_ input: UnsafeRawBufferPointer) {
    switch self {
    case .session: SessionInput.run(input)
    case .recording: Self.replay(Data(input))
    case .audio: Self.withFile(input) { Self.readAudio($0) }
    case .certificate:
      let bytes = Array(input)
      _ = try? CertificateAuthorities(pem: bytes)
      _ = try? CertificateIdentity(certificateChain: bytes, key: bytes)
    case .configuration:
      let text = String(decoding: input.prefix(EdgeConfiguration.longestFile), as: UTF8.self)
      _ = try? EdgeConfiguration.read(text, file: "fuzz.yaml")
    case .websocket: WebSocketInput.run(input)
    }
  }

  private static func replay(_ data: Data) {
    _ = try? SessionReplay(data, engines: .bundled).run(
      sink: Silence())
  }

  private static func readAudio(_ path: String) {
    guard let reader = try? AudioFileReader(path: path) else { return }
    // A header may claim more audio than a test can wait for.
    for _ in 0..<100 {
      guard let samples = try? reader.read(samples: 4800), !samples.isEmpty else { return }
    }
  }

  /// Calls `body` with the path of a file that contains the input, then removes the file.
  private static func withFile(_ input: UnsafeRawBufferPointer, _ body: (String) -> Void) {
    let name = "/dev/shm/anechoic-fuzz-\(getpid())"
    let descriptor = open(name, O_RDWR | O_CREAT | O_TRUNC, 0o600)
    unlink(name)
    defer { close(descriptor) }
    guard write(descriptor, input.baseAddress, input.count) == input.count else { return }
    body("/proc/self/fd/\(descriptor)")
  }
}
