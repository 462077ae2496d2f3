/// A way to connect to a sound server whose programs' streams can be seen and changed.
public protocol StreamServers: Sendable {
  /// Connects to the server. Takes a few seconds at most. The connection belongs to one thread.
  func connect() throws(StreamServerError) -> any SoundServer
}

/// A connection to a sound server. Use it from one thread. Each function returns within a few seconds.
public protocol SoundServer: AnyObject {
  /// Returns the streams that programs play now.
  func streams() throws(StreamServerError) -> [ProgramStream]

  /// Returns the programs that record now.
  func recorders() throws(StreamServerError) -> [RecordingProgram]

  /// Sets the volume of each channel of a stream. Does nothing if the stream has ended.
  func setVolume(_ volume: [UInt32], of index: UInt32) throws(StreamServerError)

  /// Waits until a stream of either direction appears, changes or ends, at most for `time`.
  ///
  /// - Returns: Whether something happened.
  func wait(_ time: Duration) throws(StreamServerError) -> Bool
}

/// A stream that a program plays.
public struct ProgramStream: Sendable, Equatable {
  /// The number of the stream, which the server gives to no other stream.
  public var index: UInt32
  /// The key under which the server remembers the volume for later streams of the program.
  public var identity: String
  /// The purpose of the stream, such as `music` or `event`. Empty if the program does not tell.
  public var role: String
  /// The id of the program's process, if the server knows it.
  public var process: Int32?
  /// The volume of each channel. 65,536 is the original level, and the sound is proportional to the
  /// third power of the volume.
  public var volume: [UInt32]
  /// Whether the program neither pauses nor mutes the stream.
  public var isPlaying: Bool

  public init(
    index: UInt32, identity: String, role: String, process: Int32?, volume: [UInt32],
    isPlaying: Bool = true
  ) {
    self.index = index
    self.identity = identity
    self.role = role
    self.process = process
    self.volume = volume
    self.isPlaying = isPlaying
  }
}

/// A program that records.
public struct RecordingProgram: Sendable, Equatable {
  /// The name of the program, for people.
  public var application: String
  /// The id of the program's process, if the server knows it.
  public var process: Int32?

  public init(application: String, process: Int32?) {
    self.application = application
    self.process = process
  }
}

/// The reason why a sound server cannot be used.
public struct StreamServerError: Error, Equatable, CustomStringConvertible {
  public let description: String

  public init(_ description: String) { self.description = description }
}
