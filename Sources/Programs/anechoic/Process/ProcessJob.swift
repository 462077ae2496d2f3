internal import AnechoicAPI
internal import AudioCore
internal import AudioFiles
internal import CommandLineSupport
internal import GRPCTransport
internal import SessionWire
internal import SwiftProtobuf
internal import VoiceClient

/// The processing of one set of files in one session.
final class ProcessJob {
  /// The time that a session has to end after a signal.
  private static let patience = Duration.seconds(5)

  private let start: Anechoic_V1_Start
  private let sender: Sender
  private let controls: ControlQueue
  private let injectionPolicy: InjectionPolicy
  private let microphoneFormat: AudioFormat
  private let playbackFormat: AudioFormat
  /// The number of microphone samples. Nil if the files are repeated.
  private let sampleCount: Int?
  private let files: JobFiles
  private let makeLog: (SampleRate) throws -> any JobLog
  private let levels: InputFiles.RecentLevelsOfInputs
  private let stop = StopRequest()
  private let summaryFiles: JobSummary.Files

  var sessionID: String { start.sessionID }

  /// Opens the input files. Existing output files stay unchanged until there is output to write.
  /// `makeLog` opens the log then, for a microphone of a rate.
  init(
    _ files: JobFiles, _ start: Anechoic_V1_Start, route: Anechoic_V1_DeviceReport? = nil,
    grantInjection: GrantInjectionArgument?,
    remembersInjection: Bool, makeLog: @escaping (SampleRate) throws -> any JobLog
  ) throws {
    self.files = files
    self.makeLog = makeLog
    let inputs = try files.inputs()
    microphoneFormat = inputs.microphoneFormat
    playbackFormat = inputs.playbackFormat(isSpatial: start.config.spatialAudio.enabled)
    levels = inputs.recentLevels
    sampleCount = files.isLoop ? nil : inputs.sampleCount
    summaryFiles = JobSummary.Files(
      microphone: files.microphone, reference: files.reference,
      outputs: files.written,
      length: sampleCount.map { inputs.microphoneFormat.rate.duration(ofSamples: $0) },
      shortReference: inputs.shortReference,
      hasEchoReference: files.reference != nil || files.playback != nil)
    controls = try ControlQueue(file: files.controls, rate: microphoneFormat.rate, route: route)
    injectionPolicy = InjectionPolicy(
      grantInjection, remembers: remembersInjection, controls: controls)
    var start = start
    inputs.announce(in: &start.inputs)
    func sent(_ format: AudioFormat) -> Anechoic_V1_AudioFormat {
      Anechoic_V1_AudioFormat(
        files.isOpus ? .opus(format.rate, channelCount: format.channelCount) : format)
    }
    if files.playback != nil { start.outputs.playback = sent(playbackFormat) }
    if files.recognizer != nil { start.outputs.recognizer = sent(microphoneFormat) }
    if files.raw != nil { start.outputs.raw = sent(microphoneFormat) }
    if let path = files.echoPath { start.echoPathHint = try Anechoic_V1_EchoPath(file: path) }
    start.echoPathWanted = files.learntEchoPath != nil
    if let path = files.voiceprint { start.voiceprint = try Anechoic_V1_Voiceprint(file: path) }
    start.enrollVoice = files.learntVoiceprint != nil
    self.start = start
    sender = Sender(files: inputs, controls: controls, stop: stop)
  }

  /// The warning about a reference that ends too early, otherwise nil.
  var shortReferenceWarning: String? { summaryFiles.shortReferenceWarning }

  /// Sends and receives concurrently until the session has ended. Calls `connected` once the server
  /// has answered. From then on, SIGINT or SIGTERM ends the audio before the end of the files.
  /// A session that is gone is followed by another on the first of the servers `others` that has
  /// room. `outage` is the longest time without any server.
  func run(
    on client: VoiceProcessingClient, elsewhere others: [VoiceProcessingClient],
    reconnecting outage: Duration, connected: () -> Void
  ) async throws -> JobSummary {
    let isPaced = start.pacing == .realTime
    let framesPerChunk = files.isOpus ? PacketWriter.framesPerPacket : isPaced ? 1 : 10
    var start = start
    start.outputs.chunkDuration.nanos = Int32(framesPerChunk) * 10_000_000
    let began = ContinuousClock.now
    var policy = ReconnectionPolicy()
    policy.longestOutage = outage
    if outage == .zero { start.resumeWindow = .init() }
    let stream = try await client.processResumably(start, elsewhere: others, policy: policy)
    connected()
    Self.warn(about: start, stream.started)
    let watch = watchSignals(stream)
    defer { watch.cancel() }
    let outputs = try openOutputs()
    var receiver = Receiver(
      outputs, isOpus: files.isOpus, log: try makeLog(microphoneFormat.rate), inputLevels: levels,
      controls: controls,
      injectionPolicy: injectionPolicy, progress: ProgressBar(total: sampleCount),
      length: sampleCount, stop: stop)
    let sender = sender
    async let sending = sender.run(on: stream, framesPerChunk: framesPerChunk, isPaced: isPaced)
    let found: JobFindings
    do {
      found = try await receiver.run(on: stream)
    } catch {
      stream.cancel()
      // If a file could not be read, that is the cause, not the cancellation that followed.
      do { _ = try await sending } catch let cause as AudioFileError {
        throw removingOutputs(cause)
      } catch {}
      throw (error as? Status).map(isGivenUp) == true ? Self.givenUp : error
    }
    let sent: SentLevels
    do { sent = try await sending } catch let cause as AudioFileError {
      throw removingOutputs(cause)
    } catch let status as Status where isGivenUp(status) {
      throw Self.givenUp
    }
    return JobSummary(
      sent, found, summaryFiles, sampleCount: outputs.output.sampleCount,
      rate: microphoneFormat.rate,
      engine: stream.started.engine.words, settings: stream.started.config,
      algorithmicDelay: stream.algorithmicDelay,
      took: ContinuousClock.now - began, wasStopped: stop.isSet)
  }

  private static let givenUp = CommandError(
    "stopped; the server has not answered for \(patience)", code: CommandError.interrupted)

  /// Whether a session was given up after a signal.
  private func isGivenUp(_ status: Status) -> Bool { stop.isSet && status.code == .cancelled }

  /// Removes the outputs of a job that has refused an input, and returns the error.
  private func removingOutputs(_ error: AudioFileError) -> AudioFileError {
    files.written.forEach(FileRoles.remove)
    return error
  }

  /// Says what the session could not use of that which an earlier one has learnt.
  private static func warn(about start: Anechoic_V1_Start, _ started: Anechoic_V1_Started) {
    if start.hasEchoPathHint, !started.echoPathUsed {
      standardError(
        "anechoic: --echo-path: the session could not use the echo path, which is of another rate, "
          + "number of channels or engine\n")
    }
    if start.hasVoiceprint, !started.voiceprintUsed {
      standardError(
        "anechoic: --voiceprint: the session could not use the voiceprint, which is of another encoder "
          + "or engine\n")
    }
  }

  private func openOutputs() throws -> Receiver.Files {
    func file(_ path: String?) throws -> AudioFileWriter? {
      try path.map { try AudioFileWriter(path: $0, format: microphoneFormat) }
    }
    return Receiver.Files(
      output: try AudioFileWriter(path: files.output, format: microphoneFormat),
      playback: try files.playback.map { try AudioFileWriter(path: $0, format: playbackFormat) },
      recognizer: try file(files.recognizer), raw: try file(files.raw),
      echoPath: files.learntEchoPath.map { LearntFile($0) },
      voiceprint: files.learntVoiceprint.map { LearntFile($0) })
  }

  /// Ends the audio at the first SIGINT or SIGTERM, and the session where the server does not answer.
  private func watchSignals(_ stream: ResumableStream) -> Task<Void, Never> {
    let signals = TerminationSignals()
    return Task { [stop, patience = Self.patience] in
      await signals.next()
      stop.set()
      stop.answered()
      do {
        while stop.silence < patience { try await Task.sleep(for: patience - stop.silence) }
      } catch { return }
      stream.cancel()
    }
  }
}

extension Anechoic_V1_Engine {
  /// The name of the engine and its version.
  fileprivate var words: String { version.isEmpty ? name : "\(name) \(version)" }
}
