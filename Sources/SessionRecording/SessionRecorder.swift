package import AnechoicAPI
internal import AudioCore
internal import Foundation
internal import SessionConversions
internal import SwiftProtobuf
package import VoiceSessions

/// Writes down what is done to a session, on the session's thread. What a muted microphone hears is
/// left out: so a chunk is not written before it has been processed, when it is known where mute holds.
package final class SessionRecorder {
  private struct PendingChunk {
    /// In bytes: what a chunk takes in memory beside its message.
    static let overhead = 512

    var act: Anechoic_V1_RecordedAct
    /// Of the microphone, as far as the session had not heard them before.
    let samples: Range<Int64>
    /// What was done after it and before the next, as it will be written.
    var followed: [UInt8] = []
    /// In bytes, in memory.
    var size: Int
  }

  private let queue: RecordingQueue
  private let hasher: OutputHasher
  private let format: AudioFormat
  private let began = ContinuousClock.now
  /// What has not been processed, and what was done meanwhile.
  private var pending: [PendingChunk] = []
  private var pendingBytes = 0
  /// Where mute holds or held, the last perhaps without an end.
  private var muted: [Range<Int64>] = []
  private var arrived: Int64 = 0
  private var isWanted = true
  private var hasEnded = false

  package init(
    _ queue: RecordingQueue, _ setup: SessionSetup, start: Anechoic_V1_Start, of id: String,
    engine: String
  ) {
    self.queue = queue
    hasher = OutputHasher(setup)
    format = setup.microphone
    if setup.startsMuted { muted = [0..<Int64.max] }
    let header = Anechoic_V1_RecordingHeader.with {
      $0.engine = engine
      $0.serverVersion = anechoicVersion
      $0.start = start.recorded(as: id)
      $0.owner = Anechoic_V1_RecordedClient(setup.owner)
      $0.injectionAllowed = setup.allowsInjection
      $0.framesPerTurn = UInt32(SessionRequests.framesPerTurn)
    }
    write(RecordingFormat.magic + RecordingFormat.delimited(header))
  }

  /// A request that has been taken, and whose audio is not processed yet.
  package func note(request message: UnsafeRawBufferPointer) {
    guard isWanted, !hasEnded, var request = try? Anechoic_V1_ProcessRequest.decoded(message) else {
      return
    }
    guard request.audio.hasMicrophone else { return note(.request(request)) }
    let chunk = request.audio.microphone
    let first = chunk.hasFirstSample ? chunk.firstSample : arrived
    let end = first + Int64(chunk.samples.count / format.bytesPerSampleFrame)
    // Samples that come again are of no use to the session, and may have been muted long ago.
    let again = min(max(arrived, first), end)
    request.silence(samples: 0..<Int(again - first), format)
    guard again < end else { return note(.request(request)) }
    arrived = end
    let size = message.count + PendingChunk.overhead
    pending.append(
      PendingChunk(act: timed(.request(request)), samples: again..<end, size: size))
    hold(size)
  }

  /// Takes in what is done now; what is done after the end does nothing.
  package func note(_ act: Anechoic_V1_RecordedAct.OneOf_Act) {
    guard !hasEnded else { return }
    if case .end = act { hasEnded = true }
    add(act)
  }

  /// Writes at once, unless a chunk before it is not written yet.
  private func add(_ act: Anechoic_V1_RecordedAct.OneOf_Act) {
    guard isWanted else { return }
    let bytes = RecordingFormat.delimited(timed(act))
    guard let last = pending.indices.last else { return write(bytes) }
    pending[last].followed += bytes
    pending[last].size += bytes.count
    hold(bytes.count)
  }

  /// Takes in an event, for where mute holds.
  package func note(_ event: SessionEvent) {
    guard case .muteChanged(let mute, _) = event.kind else { return }
    if mute.isMuted {
      muted.append(event.microphoneSample..<Int64.max)
    } else if let last = muted.popLast(), last.lowerBound < event.microphoneSample {
      muted.append(last.lowerBound..<event.microphoneSample)
    }
  }

  /// Takes in what came out of the session.
  package func note(_ chunk: OutputChunk) {
    guard isWanted, let digest = hasher.add(chunk) else { return }
    add(.digest(digest))
  }

  /// Writes what has been processed up to a sample of the microphone.
  package func advance(to position: Int64) {
    let done = pending.prefix { $0.samples.upperBound <= position }
    // Before they are written: one that is lost then takes all that is pending with it.
    pending.removeFirst(done.count)
    for chunk in done { write(chunk) }
    muted.removeAll { $0.upperBound < position - Int64(2 * format.rate.hertz) }
  }

  /// The session has ended at a sample of the microphone.
  package func finish(at position: Int64) {
    add(.digest(hasher.digest))
    for var chunk in pending {
      // What nobody has processed is nobody's to hear, and has changed nothing.
      let count = chunk.act.request.audio.microphone.samples.count / format.bytesPerSampleFrame
      let processed = max(0, position - chunk.samples.lowerBound)
      let first = min(count, count - chunk.samples.count + Int(processed))
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

  /// Counts what is pending: without microphone none of it is ever written.
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
      act.withheldSamples = UInt32(samples.count / format.bytesPerSampleFrame)
      act.request.audio.microphone.samples = Data()
    }
    write(RecordingFormat.delimited(act) + chunk.followed)
  }

  private func write(_ bytes: [UInt8]) {
    if isWanted, !queue.append(bytes) { stop() }
  }

  /// Nobody wants it any more.
  private func stop() {
    isWanted = false
    pending = []
  }
}

extension Anechoic_V1_ProcessRequest {
  /// Makes a part of the microphone's chunk silent.
  fileprivate mutating func silence(samples: Range<Int>, _ format: AudioFormat) {
    guard !samples.isEmpty else { return }
    let size = format.bytesPerSampleFrame
    let bytes = audio.microphone.samples.startIndex + samples.lowerBound * size
    audio.microphone.samples.replaceSubrange(
      bytes..<bytes + samples.count * size, with: Data(count: samples.count * size))
  }
}

extension Anechoic_V1_RecordedClient {
  package init(_ origin: ControlOrigin) {
    self.init()
    name = origin.actor
    isMediaClient = origin.isMediaClient
  }
}

extension Anechoic_V1_RecordedAct.Gesture {
  package init(_ gesture: MuteGesture) {
    self.init()
    client = Anechoic_V1_RecordedClient(gesture.origin)
    gestureID = gesture.id
    if let mutes = gesture.mutes { muted = mutes }
  }
}

extension Anechoic_V1_RecordedAct.OneOf_Act {
  package static func end(
    _ reason: SessionEvent.EndReason, flushed: Bool, frames: Int = 0
  ) -> Self {
    .end(
      .with {
        $0.reason = Anechoic_V1_SessionEnded.Reason(reason)
        $0.flushed = flushed
        $0.frames = UInt32(frames)
      })
  }
}

extension Anechoic_V1_Start {
  /// Without its labels, which are for those who look for the session, and change nothing in it.
  fileprivate func recorded(as id: String) -> Self {
    var start = self
    start.sessionID = id
    start.labels = [:]
    return start
  }
}
