internal import AnechoicAPI
internal import AudioCore
internal import Foundation
internal import SwiftProtobuf
internal import VoiceSessions

/// Writes down what is done to a session, on the session's thread. What a muted microphone hears is
/// left out: so a chunk is not written before it has been processed, when it is known where mute holds.
final class SessionRecorder {
  private typealias Act = Anechoic_V1_RecordedAct

  private let queue: RecordingQueue
  private let hasher: OutputHasher
  private let format: AudioFormat
  private let began = ContinuousClock.now
  /// Acts that wait for a chunk of the microphone before them.
  private var pending: [(act: Anechoic_V1_RecordedAct, samples: Range<Int64>?)] = []
  /// Where mute holds or held, the last perhaps without an end.
  private var muted: [Range<Int64>] = []
  private var arrived: Int64 = 0
  private var isWanted = true

  init(
    _ queue: RecordingQueue, _ setup: SessionSetup, start: Anechoic_V1_Start, engine: String
  ) {
    self.queue = queue
    hasher = OutputHasher(setup)
    format = setup.microphone
    if setup.startsMuted { muted = [0..<Int64.max] }
    let header = Anechoic_V1_RecordingHeader.with {
      $0.engine = engine
      $0.serverVersion = anechoicVersion
      $0.start = start
      $0.owner = Anechoic_V1_RecordedClient(setup.owner)
      $0.injectionAllowed = setup.allowsInjection
    }
    write(RecordingFormat.magic + RecordingFormat.delimited(header))
  }

  /// A request that is about to be taken.
  func note(request message: UnsafeRawBufferPointer) {
    guard isWanted, let request = try? Anechoic_V1_ProcessRequest.decoded(message) else { return }
    var samples: Range<Int64>?
    if request.audio.hasMicrophone {
      let chunk = request.audio.microphone
      let first = max(0, chunk.hasFirstSample ? chunk.firstSample : arrived)
      let end = first.addingReportingOverflow(
        Int64(chunk.samples.count / format.bytesPerSampleFrame)
      ).partialValue
      samples = first..<max(first, end)
      arrived = max(arrived, end)
    }
    note(.request(request), samples)
  }

  func note(_ act: Anechoic_V1_RecordedAct.OneOf_Act) { note(act, nil) }

  /// Takes in an event, for where mute holds.
  func note(_ event: SessionEvent) {
    guard case .muteChanged(let mute, _) = event.kind else { return }
    if mute.isMuted {
      muted.append(event.microphoneSample..<Int64.max)
    } else if let last = muted.popLast(), last.lowerBound < event.microphoneSample {
      muted.append(last.lowerBound..<event.microphoneSample)
    }
  }

  /// Takes in what came out of the session.
  func note(_ chunk: OutputChunk) {
    guard isWanted, let digest = hasher.add(chunk) else { return }
    note(.digest(digest))
  }

  /// Writes what has been processed up to a sample of the microphone.
  func advance(to position: Int64) {
    let done = pending.prefix { ($0.samples?.upperBound ?? 0) <= position }
    for (act, samples) in done { write(act, samples) }
    pending.removeFirst(done.count)
    muted.removeAll { $0.upperBound < position - Int64(2 * format.rate.hertz) }
  }

  /// The session has ended.
  func finish() {
    note(.digest(hasher.digest))
    // What nobody has processed is nobody's to hear.
    for (act, samples) in pending { write(act, samples, isUnprocessed: true) }
    pending = []
    queue.finish()
  }

  private func note(_ act: Anechoic_V1_RecordedAct.OneOf_Act, _ samples: Range<Int64>?) {
    guard isWanted else { return }
    let (seconds, attoseconds) = (ContinuousClock.now - began).components
    pending.append(
      (
        .with {
          $0.timeNs = seconds * 1_000_000_000 + attoseconds / 1_000_000_000
          $0.act = act
        }, samples
      ))
  }

  private func write(
    _ act: Anechoic_V1_RecordedAct, _ samples: Range<Int64>?, isUnprocessed: Bool = false
  ) {
    var act = act
    if let samples, isUnprocessed || muted.contains(where: { $0.overlaps(samples) }) {
      act.withheldSamples = UInt32(clamping: samples.count)
      act.request.audio.microphone.samples = Data()
    }
    write(RecordingFormat.delimited(act))
  }

  private func write(_ bytes: [UInt8]) {
    guard isWanted else { return }
    isWanted = queue.append(bytes)
    if !isWanted { pending = [] }
  }
}

extension Anechoic_V1_RecordedClient {
  init(_ origin: ControlOrigin) {
    self.init()
    name = origin.actor
    isMediaClient = origin.isMediaClient
  }
}

extension Anechoic_V1_RecordedAct.Gesture {
  init(_ gesture: MuteGesture) {
    self.init()
    client = Anechoic_V1_RecordedClient(gesture.origin)
    gestureID = gesture.id
    if let mutes = gesture.mutes { muted = mutes }
  }
}

extension Anechoic_V1_RecordedAct.OneOf_Act {
  static func end(_ reason: SessionEvent.EndReason, flushed: Bool) -> Self {
    .end(
      .with {
        $0.reason = Anechoic_V1_SessionEnded.Reason(reason)
        $0.flushed = flushed
      })
  }
}

extension Anechoic_V1_Start {
  func with(sessionID id: String) -> Self {
    var start = self
    start.sessionID = id
    return start
  }
}
