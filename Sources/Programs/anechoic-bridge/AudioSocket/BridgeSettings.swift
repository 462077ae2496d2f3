public import LiveVoice
internal import Operations

/// The settings of a bridge.
public struct BridgeSettings: Sendable {
  /// The host of the application: a name or an address.
  public var host: String
  /// The port of the application.
  public var port: UInt16
  /// The connection to the Anechoic server, and the settings of its sessions. The format follows the
  /// call.
  public var voice: LiveVoiceOptions
  public var types = AudioTypes()
  /// The maximum number of calls at a time.
  public var maximumCalls = 100
  /// The echo paths of exchanges. Nil: each call learns its own.
  var echoPaths: LineEchoPaths?
  /// The TLS of exchanges. Nil: they connect without.
  var security: HTTPSecurity?
  let metrics = BridgeMetrics()
  /// Writes a line to the log. Called from any thread.
  public var log: @Sendable (String) -> Void

  public init(
    host: String, port: UInt16, voice: LiveVoiceOptions, log: @escaping @Sendable (String) -> Void
  ) {
    self.host = host
    self.port = port
    self.voice = voice
    self.log = log
  }

  var application: String { "\(host):\(port)" }
}

/// The reason why a call did not start.
struct CallError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}

/// The faults of a call.
struct CallCounts {
  /// Messages that are not valid.
  var invalid = 0
  /// Blocks of the caller that came too late.
  var late = 0
  /// Blocks of the caller that did not come in time, so that silence replaced them.
  var missing = 0
  /// Blocks that a side did not read in time.
  var dropped = 0
  /// Silent blocks of an application that had sent too much, which were left out.
  var shortened = 0

  /// The faults that occurred, in words.
  var words: String {
    let faults = [
      (invalid, "invalid message"), (late, "late block"), (missing, "missing block"),
      (dropped, "unread block"), (shortened, "left-out block"),
    ]
    return faults.filter { $0.0 > 0 }.map { ", \($0.0) \($0.1)\($0.0 == 1 ? "" : "s")" }.joined()
  }
}

/// The sample rates of the types of audio messages.
///
/// Asterisk 21 uses 0x10 to 0x18 for its rates from 8 to 192 kHz. Some older programs send 16 kHz as
/// 0x11, so a type can have another rate.
public struct AudioTypes: Sendable, Equatable {
  private var rates: [UInt8: Int] = [
    0x10: 8000, 0x11: 12000, 0x12: 16000, 0x13: 24000, 0x14: 32000, 0x15: 44100, 0x16: 48000,
    0x17: 96000, 0x18: 192_000,
  ]

  public init() {}

  /// Returns the rate of a type in Hz.
  public subscript(type: UInt8) -> Int? {
    get { rates[type] }
    set { rates[type] = newValue }
  }

  /// Returns the duration of audio in seconds, or nil for a type that is no audio.
  func seconds(_ frame: AudioSocketFrame) -> Double? {
    self[frame.type].map { Double(frame.payload.count / 2) / Double($0) }
  }
}
