internal import CAnechoic
internal import Foundation
internal import GRPCTransport
internal import LiveVoice
internal import VoiceClient

extension LiveVoiceOptions {
  /// The largest file with certificates or a key, in bytes.
  private static let largestFile = 1 << 20

  /// Creates options from those of a C program. Throws INVALID_ARGUMENT for one that is not valid.
  init(_ options: anechoic_options) throws(Status) {
    let rate = Int(options.sample_rate_hz)
    self.init(
      server: options.server.map { String(cString: $0) } ?? "127.0.0.1:50051",
      microphone: Format(sampleRate: rate, channels: Int(options.microphone_channels)),
      reference: options.reference_channels == 0
        ? nil : Format(sampleRate: rate, channels: Int(options.reference_channels)))
    clientName = options.client_name.map { String(cString: $0) }
    credentials = options.token_file.map { TokenFile(path: String(cString: $0)) }
    micMode =
      switch options.mic_mode {
      case ANECHOIC_STANDARD: .standard
      case ANECHOIC_VOICE_ISOLATION: .voiceIsolation
      case ANECHOIC_WIDE_SPECTRUM: .wideSpectrum
      default: throw Status(.invalidArgument, "mic_mode: \(options.mic_mode.rawValue) is unknown")
      }
    fallback =
      switch options.fallback {
      case ANECHOIC_FALLBACK_MICROPHONE: .microphone
      case ANECHOIC_FALLBACK_SILENCE: .silence
      default: throw Status(.invalidArgument, "fallback: \(options.fallback.rawValue) is unknown")
      }
    engine = options.engine.map { String(cString: $0) } ?? ""
    isMuted = options.muted
    delay = .milliseconds(Int(options.delay_ms))
    encoding = options.opus ? .opus : .float32
    security = try Self.security(options)
  }

  private static func security(_ options: anechoic_options) throws(Status) -> ChannelSecurity {
    guard (options.certificate_file == nil) == (options.key_file == nil) else {
      throw Status(.invalidArgument, "certificate_file and key_file must be given together")
    }
    guard options.tls || options.ca_file != nil || options.certificate_file != nil else {
      return .plaintext
    }
    do {
      let authorities = try options.ca_file.map { try CertificateAuthorities(pem: read($0)) }
      var identity: CertificateIdentity?
      if let certificate = options.certificate_file, let key = options.key_file {
        identity = try CertificateIdentity(certificateChain: read(certificate), key: read(key))
      }
      return .tls(authorities: authorities, identity: identity, serverName: nil)
    } catch let status as Status {
      throw status
    } catch {
      throw Status(.invalidArgument, "ca_file, certificate_file or key_file: \(error)")
    }
  }

  private static func read(_ path: UnsafePointer<CChar>) throws -> [UInt8] {
    let path = String(cString: path)
    guard let file = FileHandle(forReadingAtPath: path),
      let data = try? file.read(upToCount: largestFile)
    else { throw Status(.invalidArgument, "\(path): the file cannot be read") }
    return Array(data)
  }
}
