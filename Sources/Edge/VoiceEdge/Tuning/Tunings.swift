internal import Synchronization

/// The tuning of the port in use, for the threads of the devices.
final class Tunings: Sendable {
  let capture = TuningSlot()
  let playback = TuningSlot()
  private let controls: LoudspeakerControls
  private let configuration: EdgeConfiguration

  init(_ configuration: EdgeConfiguration, _ controls: LoudspeakerControls) {
    self.configuration = configuration
    self.controls = controls
  }

  /// Selects the tuning of a port.
  func select(_ port: EdgeConfiguration.Port?) {
    let tuning = configuration.tuning(of: port)
    capture.set(tuning.capture)
    playback.set(tuning.playback)
    controls.setDelay(milliseconds: tuning.delay)
  }
}

extension EdgeConfiguration {
  /// Returns the tuning of a port: that of its product, or otherwise none.
  func tuning(of port: Port?) -> Tuning {
    port.flatMap { tunings.products[$0.product ?? $0.id] } ?? Tuning()
  }
}

/// The correction of one direction that applies now. Other threads set it. A device's thread takes it
/// over when it has changed.
final class TuningSlot: Sendable {
  private let tuning = Mutex(Tuning.Direction())
  private let changes = Atomic<Int>(0)

  func set(_ new: Tuning.Direction) {
    let isNew = tuning.withLock { tuning in
      defer { tuning = new }
      return tuning != new
    }
    if isNew { changes.add(1, ordering: .releasing) }
  }

  var current: Tuning.Direction { tuning.withLock { $0 } }

  /// A number that grows with every change.
  var generation: Int { changes.load(ordering: .acquiring) }
}
