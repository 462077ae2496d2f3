package import AnechoicAPI
internal import AudioCore
internal import Foundation
internal import SpatialAudio
internal import SwiftProtobuf
package import VoiceEngines
package import VoiceSessions

/// A recorder of everything that is done to a session. Use it on the session's thread.
///
/// The recording contains no audio from a muted microphone. A chunk is therefore written only after
/// the session has processed it, because only then the muted samples are known.
package final class SessionRecorder {
  private struct PendingChunk {
    /// The memory in bytes that a chunk needs in addition to its message.
    static let overhead = 512

    var act: Anechoic_V1_RecordedAct
    /// The microphone samples of the chunk, without those that the session had received before.
    let samples: Range<Int64>
    /// The encoded acts between this chunk and the next one.
    var followed: [UInt8] = []
    /// The size in memory in bytes.
    var size: Int
  }

  private let queue: RecordingQueue
  private let hasher: OutputHasher
  private let format: AudioFormat
  private let began = ContinuousClock.now
  /// The chunks that are not processed yet, each with the acts that followed it.
  private var pending: [PendingChunk] = []
  private var pendingBytes = 0
  /// The muted ranges of microphone samples. The last one may not have ended yet.
  private var muted: [Range<Int64>] = []
  private var isWanted = true
  private var hasEnded = false

  /// Creates a recorder, and writes the header of the recording to the queue.
  package init(
    _ queue: RecordingQueue, _ setup: SessionSetup, start: Anechoic_V1_Start, of id: String,
    engine: EngineIdentity
  ) {
    self.queue = queue
    hasher = OutputHasher()
    format = setup.microphone
    if setup.startsMuted { muted = [0..<Int64.max] }
    let header = Anechoic_V1_RecordingHeader.with {
      $0.engine = engine.release
      $0.engineWeightsSha256 = engine.weights
      $0.turnWeightsSha256 = SessionConfiguration.Turns.weights
      $0.serverVersion = anechoicVersion
      $0.start = start.recorded(as: id)
      $0.start.config.preferredInjectionMode =
        setup.configuration.acceptsInjection ? .spokenAudio : .none
      $0.owner = Anechoic_V1_RecordedClient(setup.owner)
      $0.injectionAllowed = setup.allowsInjection
      $0.permissionsStored = setup.storesPermissions
      $0.enrollmentForbidden = !setup.allowsEnrollment
      $0.headResponsesSha256 = setup.headResponses?.digest ?? ""
      $0.framesPerTurn = UInt32(SessionRequests.framesPerTurn)
    }
    write(RecordingFormat.magic + RecordingFormat.delimited(header))
  }

  /// Records a request that the session has accepted and whose audio is not processed yet.
  ///
  /// - Parameter arrived: The samples of the microphone that had arrived before the request, and that have
  ///   arrived with it. The client's indexes may be others: it may count anew, or not at all.
  package func record(
    request message: UnsafeRawBufferPointer, arrived: (before: Int64, after: Int64)
  ) {
    guard isWanted, !hasEnded, var request = try? Anechoic_V1_ProcessRequest.decodedWhole(message)
    else {
      return
    }
    guard request.audio.hasMicrophone else { return record(.request(request)) }
    let end = arrived.after
    let first = end - Int64(format.sampleCount(of: request.audio.microphone.samples))
    // The session ignores repeated samples. They may have been muted when they first arrived.
    let again = min(max(arrived.before, first), end)
    request.silence(samples: 0..<Int(again - first), format)
    guard again < end else { return record(.request(request)) }
    let size = message.count + PendingChunk.overhead
    // A packet may contain the sound of the packet before, too.
    let samples = format.opus == nil ? again..<end : first - (end - first)..<end
    pending.append(PendingChunk(act: timed(.request(request)), samples: samples, size: size))
    hold(size)
  }

  /// Records an act. Acts after the end of the session have no effect and are not recorded.
  package func record(_ act: SessionAct) {
    // Encoding speech copies it, which is in vain once nobody reads the recording.
    if isWanted { record(act.recorded) }
  }

  /// Records the answer to the question for a profile that the next request contains.
  func record(_ lookup: Anechoic_V1_RecordedAct.ProfileLookup) { record(.profileLookup(lookup)) }

  private func record(_ act: Anechoic_V1_RecordedAct.OneOf_Act) {
    guard !hasEnded else { return }
    if case .end = act { hasEnded = true }
    add(act)
  }

  /// Writes an act at once, or after the last chunk if chunks are pending.
  private func add(_ act: Anechoic_V1_RecordedAct.OneOf_Act) {
    guard isWanted else { return }
    let bytes = RecordingFormat.delimited(timed(act))
    guard let last = pending.indices.last else { return write(bytes) }
    pending[last].followed += bytes
    pending[last].size += bytes.count
    hold(bytes.count)
  }

  /// Follows the mute state from an event of the session.
  package func follow(_ event: SessionEvent) {
    guard case .muteChanged(let mute, _) = event.kind else { return }
    if mute.isMuted {
      muted.append(event.microphoneSample..<Int64.max)
    } else if let last = muted.popLast(), last.lowerBound < event.microphoneSample {
      muted.append(last.lowerBound..<event.microphoneSample)
    }
  }

  /// Adds output of the session to the digests.
  package func add(_ chunk: OutputChunk) {
    guard isWanted, let digest = hasher.add(chunk) else { return }
    add(.digest(digest))
  }

  /// Writes the chunks that the session has processed up to `position`, a microphone sample.
  package func advance(to position: Int64) {
    let done = pending.prefix { $0.samples.upperBound <= position }
    // Before they are written, because a write that loses the recording empties `pending`.
    pending.removeFirst(done.count)
    for chunk in done { write(chunk) }
    muted.removeAll { $0.upperBound < position - Int64(2 * format.rate.hertz) }
  }

  /// Writes the last digest and the pending chunks, and ends the recording. The session has
  /// processed the microphone up to `position`.
  package func finish(at position: Int64) {
    add(.digest(hasher.digest))
    for var chunk in pending {
      // Samples that were not processed had no effect, so they are not recorded.
      let count = format.sampleCount(of: chunk.act.request.audio.microphone.samples)
      let first = max(0, count - max(0, Int(chunk.samples.upperBound - position)))
      chunk.act.request.silence(samples: first..<count, format)
      write(chunk)
    }
    pending = []
    queue.finish()
  }

  private func timed(_ act: Anechoic_V1_RecordedAct.OneOf_Act) -> Anechoic_V1_RecordedAct {
    let (seconds, attoseconds) = (ContinuousClock.now - began).components
    return .with {
      $0.timeNs = seconds * 1_000_000_000 + attoseconds / 1_000_000_000
      $0.act = act
    }
  }

  /// Adds to the pending bytes. Gives the recording up if they exceed the queue's capacity, because
  /// pending acts are never written while no microphone audio is processed.
  private func hold(_ size: Int) {
    pendingBytes += size
    if pendingBytes > queue.capacity { queue.lose(.backlog) }
    if !queue.isWanted { stop() }
  }

  private func write(_ chunk: PendingChunk) {
    pendingBytes -= chunk.size
    var act = chunk.act
    if muted.contains(where: { $0.overlaps(chunk.samples) }) {
      let samples = act.request.audio.microphone.samples
      act.withheldSamples = UInt32(format.sampleCount(of: samples))
      act.request.audio.microphone.samples = Data()
    }
    write(RecordingFormat.delimited(act) + chunk.followed)
  }

  private func write(_ bytes: [UInt8]) {
    if isWanted, !queue.append(bytes) { stop() }
  }

  /// Stops recording, because the recording is no longer read.
  private func stop() {
    isWanted = false
    pending = []
  }
}

extension Anechoic_V1_ProcessRequest {
  /// Replaces samples of the microphone's chunk by silence. A packet is replaced as a whole or not at
  /// all.
  fileprivate mutating func silence(samples: Range<Int>, _ format: AudioFormat) {
    guard !samples.isEmpty else { return }
    guard format.opus == nil else {
      if samples.count == format.sampleCount(of: audio.microphone.samples) {
        audio.microphone.samples = format.silence(samples: samples.count)
      }
      return
    }
    let size = format.bytesPerSampleFrame
    let bytes = audio.microphone.samples.startIndex + samples.lowerBound * size
    audio.microphone.samples.replaceSubrange(
      bytes..<bytes + samples.count * size, with: Data(count: samples.count * size))
  }
}

extension AudioFormat {
  /// Returns the number of samples of each channel in a chunk that a session has accepted.
  fileprivate func sampleCount(of chunk: Data) -> Int {
    opus == nil
      ? chunk.count / bytesPerSampleFrame
      : OpusPacket.sampleCount(of: chunk, rate: rate.hertz)
  }

  /// Returns a chunk of silence. A packet has at most 120 ms.
  func silence(samples: Int) -> Data {
    opus == nil
      ? Data(count: samples * bytesPerSampleFrame)
      : Data(OpusPacket.silence(samples: samples, rate: rate.hertz))
  }
}

extension Anechoic_V1_Start {
  /// Returns the start with the session's id, and without labels and a resume window, which have no
  /// effect on the session.
  fileprivate func recorded(as id: String) -> Self {
    var start = self
    start.sessionID = id
    start.labels = [:]
    start.clearResumeWindow()
    return start
  }
}
