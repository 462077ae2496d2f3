internal import AcousticSimulator
internal import Foundation
internal import Synchronization

/// The loop of a room. It reads 10 ms of the loudspeaker, computes the sound at the microphone, and
/// writes it at once.
final class RoomPath: Sendable {
  struct Acoustics {
    var room: Room?
    var echoGain: Float
    var noiseAmplitude: Float = 0
    /// The impulse response of the loudspeaker.
    var colour: [Float] = [1]

    /// The impulse response of the whole path.
    var response: [Float] {
      let heard = (room?.response(48000) ?? [1]).map { $0 * echoGain }
      guard colour != [1] else { return heard }
      var sum = [Float](repeating: 0, count: heard.count + colour.count - 1)
      for (index, sample) in heard.enumerated() where sample != 0 {
        for (place, value) in colour.enumerated() { sum[index + place] += sample * value }
      }
      return sum
    }
  }

  struct State {
    var acoustics: Acoustics
    var isChanged = true
    var voices: [(samples: [Float], position: Int)] = []
    var isStopped = false
    var isSettled = false
    var hasEnded = false
    var jumps: [Duration] = []
  }

  private static let block = 480
  private let rig: SoundRig
  private let loudspeaker: String
  private let microphone: String
  private let state: Mutex<State>

  init(_ rig: SoundRig, _ loudspeaker: String, _ microphone: String, _ acoustics: Acoustics) {
    (self.rig, self.loudspeaker, self.microphone) = (rig, loudspeaker, microphone)
    state = Mutex(State(acoustics: acoustics))
  }

  var isSettled: Bool { state.withLock(\.isSettled) }
  var jumps: [Duration] { state.withLock(\.jumps) }

  func say(_ samples: [Float], after delay: Int) {
    state.withLock { $0.voices.append((samples, -delay)) }
  }

  func change(_ body: (inout Acoustics) -> Void) {
    state.withLock {
      body(&$0.acoustics)
      $0.isChanged = true
    }
  }

  func stop() {
    state.withLock { $0.isStopped = true }
    _ = waitUntil(within: .seconds(5)) { state.withLock(\.hasEnded) }
  }

  /// Runs until `stop`. Restores the path when a server has returned.
  func run() {
    blockPipeSignals()
    RealTime.enter()
    while !state.withLock(\.isStopped) {
      try? connect()
      usleep(100_000)
    }
    state.withLock { $0.hasEnded = true }
  }

  /// Connects the streams, and returns when one of them ends.
  private func connect() throws {
    let player = try rig.player(into: microphone, channels: 1, rate: 48000, latencyMilliseconds: 20)
    defer { player.process.stop() }
    let recorder = try rig.recorder(from: loudspeaker + ".monitor", latencyMilliseconds: 10)
    defer { recorder.process.stop() }
    // A new convolver starts with the room's present response.
    state.withLock { $0.isChanged = true }
    var surplus = 0  // Samples to leave out.
    var noise = SeededNoise(77)
    var convolver = LiveConvolver([1], block: Self.block)
    var converter = ClockConverter(speed: rig.clock(of: microphone) / rig.clock(of: loudspeaker))
    var flight = FlightControl(target: 2 * Self.block + converter.largestWaitingCount)
    // The player starts only when it has received silence.
    guard player.pipe.write([Float](repeating: 0, count: 5 * Self.block)) else { return }
    while !state.withLock(\.isStopped), let played = recorder.pipe.read(Self.block) {
      let (change, near) = state.withLock { ($0.takeChange(), $0.popNear(Self.block)) }
      if let change {
        convolver = LiveConvolver(change.response, block: Self.block)
      }
      let amplitude = state.withLock(\.acoustics.noiseAmplitude)
      var heard = zip(convolver.process(played), near).map { $0 + $1 + amplitude * noise.next() }
      let waiting = player.pipe.unreadBytes / MemoryLayout<Float>.stride + converter.waitingCount
      heard = converter.process(heard)
      guard waiting < FlightControl.hopeless else { return record(waiting) }
      switch flight.record(waiting) {
      case .moved(let change): record(change)
      case .excess(let excess):
        surplus += excess
        record(excess)
      case nil: break
      }
      let dropped = max(0, min(heard.count, surplus))
      heard.removeFirst(dropped)
      surplus -= dropped
      if surplus < 0 { heard = [Float](repeating: 0, count: -surplus) + heard }
      surplus = max(0, surplus)
      if flight.isSettled { state.withLock { $0.isSettled = true } }
      guard player.pipe.write(heard) else { return }
    }
  }

  private func record(_ samples: Int) {
    state.withLock {
      if $0.isSettled { $0.jumps.append(.seconds(Double(samples) / 48000)) }
    }
  }
}

extension RoomPath.State {
  fileprivate mutating func takeChange() -> RoomPath.Acoustics? {
    defer { isChanged = false }
    return isChanged ? acoustics : nil
  }

  /// Returns the next samples of all voices.
  fileprivate mutating func popNear(_ count: Int) -> [Float] {
    var near = [Float](repeating: 0, count: count)
    for (samples, position) in voices {
      for index in 0..<count where samples.indices.contains(position + index) {
        near[index] += samples[position + index]
      }
    }
    voices = voices.compactMap {
      $0.position + count < $0.samples.count ? ($0.samples, $0.position + count) : nil
    }
    return near
  }
}
