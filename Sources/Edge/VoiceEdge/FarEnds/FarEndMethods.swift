internal import AnechoicAPI
internal import AudioCodecs
internal import AudioCore
internal import Foundation
internal import GRPCTransport
internal import SessionWire
internal import SwiftProtobuf

/// The method of EdgeService with which a program plays a far end.
struct FarEndMethods: Sendable {
  /// The time between two looks for room in the ring.
  private static let pause = Duration.milliseconds(4)

  let agent: EdgeAgent

  var methods: [ServerMethod] {
    [
      ServerMethod.clientStreaming(Method(service: RPC.edge, name: RPC.playFarEnd)) {
        requests, _ in
        guard let bytes = try await requests.next() else {
          throw Status(.invalidArgument, "the first message must be the start")
        }
        let (index, format) = try begin(.decoded(bytes))
        defer { agent.slots.release(index) }
        let feed = try FarEndFeed(format, agent.slots.ring(index), wake: agent.voice.signal)
        while let bytes = try await requests.next() {
          let request: Anechoic_V1_PlayFarEndRequest = try .decoded(bytes)
          switch request.request {
          case .samples(let samples):
            try feed.add(samples)
            while !feed.flush() { try await Task.sleep(for: Self.pause) }
          case .place(let place):
            try check { () throws(InvalidField) in try place.checkPlace(path: "place") }
            agent.slots.move(index, to: place)
          case .start, nil:
            throw Status(.invalidArgument, "request: must be samples or a place after the start")
          }
        }
        feed.finish()
        while !feed.flush() { try await Task.sleep(for: Self.pause) }
        return try Anechoic_V1_PlayFarEndResponse.with { $0.samples = feed.taken }.serializedBytes()
      }
    ]
  }

  /// Checks the start, and claims the far end.
  private func begin(
    _ request: Anechoic_V1_PlayFarEndRequest
  ) throws(Status) -> (index: Int, AudioFormat) {
    guard agent.configuration.session.join == nil else {
      throw Status(.failedPrecondition, "this agent only plays another device's session")
    }
    guard case .start(let start) = request.request else {
      throw Status(.invalidArgument, "the first message must be the start")
    }
    guard Identifier.isValid(start.name) else {
      throw Status(.invalidArgument, "start.name: \(Identifier.rule)")
    }
    guard start.format.encoding != .opus else {
      throw Status(.invalidArgument, "start.format.encoding: Opus is not supported; use PCM")
    }
    let format = try check { () throws(InvalidField) in
      if start.hasPlace { try start.place.checkPlace(path: "start.place") }
      return try AudioFormat(input: start.format, path: "start.format")
    }
    do throws(FarEndSlots.Refusal) {
      return (try agent.slots.claim(start.name, at: start.hasPlace ? start.place : nil), format)
    } catch {
      switch error {
      case .taken:
        throw Status(.alreadyExists, "start.name: the far end \"\(start.name)\" is being played")
      case .full:
        throw Status(
          .resourceExhausted,
          "start.name: programs.far_ends has no \"\(start.name)\", and no spare far end is left; "
            + "see programs.spare_far_ends")
      }
    }
  }

  private func check<Result>(
    _ body: () throws(InvalidField) -> Result
  ) throws(Status) -> Result {
    do { return try body() } catch { throw Status(.invalidArgument, error.description) }
  }
}

/// The sound of a program on its way to a ring of frames: one channel, at the rate of the ring.
private final class FarEndFeed {
  private let format: AudioFormat
  private let ring: FrameRing<CaptureNote>
  private let wake: @Sendable () -> Void
  private let resampler: StreamResampler
  private let frame: Frame
  /// The samples that wait for room, at most a second and a frame.
  private var waiting: [Float] = []
  private var next = 0
  /// The number of sample frames that were added.
  private(set) var taken: Int64 = 0

  init(
    _ format: AudioFormat, _ ring: FrameRing<CaptureNote>, wake: @escaping @Sendable () -> Void
  ) throws(Status) {
    (self.format, self.ring, self.wake) = (format, ring, wake)
    do { resampler = try StreamResampler(from: format.rate.hertz, to: ring.rate) } catch {
      throw Status(.internal, "the far end cannot be converted: \(error.message)")
    }
    frame = Frame(rate: ring.rate, channelCount: 1)
  }

  func add(_ samples: Data) throws(Status) {
    let size = format.bytesPerSampleFrame
    let count = samples.count / size
    guard samples.count % size == 0, count <= format.rate.hertz else {
      throw Status(
        .invalidArgument, "samples: must be whole sample frames of \(size) bytes, up to 1 s")
    }
    var mean = [Float](repeating: 0, count: count)
    var plane = mean
    for channel in 0..<format.channelCount {
      let fault = samples.withUnsafeBytes { bytes in
        plane.withUnsafeMutableBufferPointer { plane in
          plane.baseAddress.flatMap {
            SampleCoding.decode(bytes, format, channel: channel, into: $0, count: count)
          }
        }
      }
      if let fault {
        throw Status(.invalidArgument, "samples: sample frame \(fault) is not a finite number")
      }
      for index in mean.indices { mean[index] += plane[index] / Float(format.channelCount) }
    }
    taken += Int64(count)
    waiting += resampler.process(mean, isLast: false)
  }

  /// Adds what the conversion still holds, and fills the last frame with silence.
  func finish() {
    waiting += resampler.process([], isLast: true)
    let rest = (waiting.count - next) % frame.sampleCount
    if rest > 0 { waiting += [Float](repeating: 0, count: frame.sampleCount - rest) }
  }

  /// Passes on the whole frames for which there is room. Returns whether none is left.
  func flush() -> Bool {
    while waiting.count - next >= frame.sampleCount {
      guard ring.count < FIFOReader.lead else { return false }
      for index in 0..<frame.sampleCount { frame.plane(0)[index] = waiting[next + index] }
      next += frame.sampleCount
      let wasEmpty = ring.count == 0
      _ = ring.write(frame, CaptureNote())
      if wasEmpty { wake() }
    }
    waiting.removeFirst(next)
    next = 0
    return true
  }
}
