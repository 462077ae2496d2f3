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
