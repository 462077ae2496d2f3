internal import AnechoicAPI
internal import AudioCodecs
internal import AudioCore
internal import Foundation
internal import GRPCTransport
internal import SessionWire
internal import SwiftProtobuf

/// The method of EdgeService with which a program plays a far end.
struct FarEndMethods: Sendable {
  /// The time between two looks for room in the ring: at first, and after `shortLooks` looks in
  /// vain, because the agent may have no call.
  private static let (pause, longPause) = (Duration.milliseconds(4), Duration.milliseconds(20))
  private static let shortLooks = 10
  /// The longest time for which a far end that has ended waits until its sound is taken.
  private static let longestEnd = Duration.milliseconds(200)

  let agent: EdgeAgent

  var methods: [ServerMethod] {
    [
      ServerMethod.clientStreaming(Method(service: RPC.edge, name: RPC.playFarEnd)) {
        requests, _ in
        guard let bytes = try await requests.next() else {
          throw Status(.invalidArgument, "the first message must be the start")
        }
        let (index, format) = try begin(.decoded(bytes))
        let taken: Int64
        do {
          taken = try await play(index, format) { try await requests.next() }
        } catch {
          await end(index)
          throw error
        }
        await end(index)
        return try Anechoic_V1_PlayFarEndResponse.with { $0.samples = taken }.serializedBytes()
      }
    ]
  }

  /// Plays a far end until its program ends. Returns the number of sample frames.
  private func play(
    _ index: Int, _ format: AudioFormat, _ next: () async throws -> [UInt8]?
  ) async throws -> Int64 {
    let feed = try FarEndFeed(format, agent.slots.ring(index), wake: agent.voice.signal)
    while let bytes = try await next() {
      let request: Anechoic_V1_PlayFarEndRequest = try .decoded(bytes)
      switch request.request {
      case .samples(let samples):
        try feed.add(samples)
        try await flush(feed)
      case .place(let place):
        try check { () throws(InvalidFieldError) in try place.checkPlace(path: "place") }
        agent.slots.move(index, to: place)
      case .start, nil:
        throw Status(.invalidArgument, "request: must be samples or a place after the start")
      }
    }
    feed.finish()
    try await flush(feed)
    return feed.taken
  }

  /// Waits until the ring has had room for all samples.
  private func flush(_ feed: FarEndFeed) async throws {
    var looks = 0
    while !feed.flush() {
      looks += 1
      try await Task.sleep(for: looks > Self.shortLooks ? Self.longPause : Self.pause)
    }
  }

  /// Releases a far end once the voice has taken its sound, so that its end is heard at its place
  /// too. The task of its own waits even if the call was cancelled.
  private func end(_ index: Int) async {
    await Task { [slots = agent.slots] in
      let start = ContinuousClock.now
      while slots.ring(index).count > 0, .now - start < Self.longestEnd {
        try? await Task.sleep(for: Self.pause)
      }
      slots.release(index)
    }.value
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
    let format = try check { () throws(InvalidFieldError) in
      if start.hasPlace { try start.place.checkPlace(path: "start.place") }
      return try AudioFormat(input: start.format, path: "start.format")
    }
    do throws(FarEndSlots.ClaimError) {
      return (try agent.slots.claim(start.name, at: start.hasPlace ? start.place : nil), format)
    } catch {
      switch error {
      case .taken:
        throw Status(
          .alreadyExists, "start.name: another program plays the far end \"\(start.name)\"")
      case .input(let place):
        throw Status(
          .alreadyExists,
          "start.name: programs.far_ends has the input \(place) for \"\(start.name)\"; play there, "
            + "or under another name")
      case .full:
        throw Status(
          .resourceExhausted,
          "start.name: programs.far_ends has no \"\(start.name)\", and no spare far end is left; "
            + "see programs.spare_far_ends")
      }
    }
  }

  private func check<Result>(
    _ body: () throws(InvalidFieldError) -> Result
  ) throws(Status) -> Result {
    do { return try body() } catch { throw Status(.invalidArgument, error.description) }
  }
}
