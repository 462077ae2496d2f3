internal import AudioCore
internal import EdgeAudio
internal import Foundation

/// An open scripted device.
final class ScriptedPCM: PCMDevice {
  let format: DeviceFormat
  private let hardware: ScriptedDevice
  private let rate: Double  // Samples in one second of the machine's clock.
  private let isCoarse: Bool  // Whether the position changes only once a period.
  private let hasClock: Bool
  private var startedAt: Double?
  private var moved = 0  // Samples that were read or written since the start.
  private var stalledAt: Double?
  private var hasXrun = true  // Stays true until the device is prepared.
  private var seenXruns: Int
  private let seenLosses: Int

  init(
    _ hardware: ScriptedDevice, _ wish: DeviceWish, periodCount: Int, periodFrames: Int,
    hasClock: Bool
  ) {
    self.hardware = hardware
    self.hasClock = hasClock
    let period = wish.rate.samplesPerFrame * periodFrames
    isCoarse = periodFrames > 1
    format = DeviceFormat(
      rate: wish.rate, channelCount: wish.channelCount, periodSamples: period,
      bufferSamples: period * periodCount, coding: "SCRIPTED")
    rate = Double(wish.rate.hertz) * hardware.clockRate
    (seenXruns, seenLosses) = hardware.withState { ($0.xruns, $0.losses) }
  }

  deinit { hardware.withState { $0.isOpen = false } }

  private var isCapture: Bool { hardware.direction == .capture }

  func prepare() throws(DeviceIOError) {
    try check(ready: false)
    hasXrun = false
    moved = 0
    startedAt = isCapture ? ScriptedDevice.now : nil
  }

  func resume() throws(DeviceIOError) -> Bool {
    if hardware.withState({ $0.losses }) != seenLosses { throw .lost("No such device") }
    guard hardware.withState({ $0.asleepUntil }) <= ScriptedDevice.now else { return false }
    moved = 0
    if startedAt != nil { startedAt = ScriptedDevice.now }
    return true
  }

  func wait(_ time: Duration) throws(DeviceIOError) {
    let end = ScriptedDevice.now + time / .seconds(1)
    let wakesForNothing = hardware.withState { state in
      state.waitCount += 1
      return state.wakesForNothing
    }
    while true {
      try check()
      if wakesForNothing { return }
      if ready >= format.periodSamples { return }
      let now = ScriptedDevice.now
      if now >= end { return }
      let missing = Double(format.periodSamples - ready) / rate
      usleep(UInt32(1e6 * max(0.0002, min(0.005, missing, end - now))))
    }
  }

  func read(_ samples: UnsafeMutablePointer<Float>, atMost count: Int) throws(DeviceIOError) -> Int
  {
    try check()
    guard let startedAt else { return 0 }
    let number = min(count, ready)
    let later = hardware.withState { $0.laterChannels }
    for index in 0..<max(0, number) {
      let time = startedAt + Double(moved + index) / rate
      for channel in 0..<format.channelCount {
        samples[index * format.channelCount + channel] = hardware.signal(
          time - Double(channel) * later)
      }
    }
    moved += max(0, number)
    return max(0, number)
  }

  func write(_ samples: UnsafePointer<Float>, atMost count: Int) throws(DeviceIOError) -> Int {
    try check()
    let number = max(0, min(count, ready))
    let isFirst = moved == 0
    moved += number
    if startedAt == nil, moved >= format.bufferSamples - format.periodSamples {
      startedAt = ScriptedDevice.now
    }
    let (rate, moved) = (rate, moved)
    let start = startedAt ?? ScriptedDevice.now
    let plane = (0..<number).map { samples[$0 * format.channelCount] }
    hardware.withState { state in
      if isFirst || state.takes.isEmpty {
        state.takes.append(ScriptedDevice.Take(start: start, rate: rate))
      }
      let first = moved - number - state.takes[state.takes.count - 1].samples.count
      state.takes[state.takes.count - 1].start = start + Double(first) / rate
      state.takes[state.takes.count - 1].samples += plane
    }
    return number
  }

  var delay: Int { !hasClock ? 0 : isCapture ? max(0, ready) : max(0, moved - elapsed) }

  /// The number of samples since the start, by the device's clock.
  private var elapsed: Int {
    guard let startedAt else { return 0 }
    let samples = Int(((stalledAt ?? ScriptedDevice.now) - startedAt) * rate)
    return isCoarse ? samples / format.periodSamples * format.periodSamples : samples
  }

  /// The number of samples that can be read, or for which there is room.
  private var ready: Int {
    guard stalledAt == nil else { return 0 }
    guard hasClock else { return format.bufferSamples }
    return isCapture ? elapsed - moved : format.bufferSamples - (moved - elapsed)
  }

  /// Throws the fault that the next call into ALSA would report.
  private func check(ready mustBeReady: Bool = true) throws(DeviceIOError) {
    let (losses, xruns, asleepUntil, isStalled) = hardware.withState {
      ($0.losses, $0.xruns, $0.asleepUntil, $0.isStalled)
    }
    let now = ScriptedDevice.now
    if losses != seenLosses { throw .lost("No such device") }
    if asleepUntil > now { throw .suspended }
    if isStalled {
      stalledAt = stalledAt ?? now
    } else if let since = stalledAt {
      // The clock stood still while the device was suspended.
      if let startedAt { self.startedAt = startedAt + now - since }
      stalledAt = nil
    }
    if xruns != seenXruns {
      seenXruns = xruns
      hasXrun = true
    }
    if startedAt != nil, stalledAt == nil, ready > format.bufferSamples { hasXrun = true }
    if mustBeReady, hasXrun { throw .xrun }
  }
}
