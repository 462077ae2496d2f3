import AudioCore
import Testing
import TestTime

@testable import EdgeAudio

@Suite(.timeLimit(.minutes(1)))
struct SoundServerDevicesTests {
  private let devices = SoundServerDevices()
  private let wish = DeviceWish(rate: .hz48000, channelCount: 1)

  /// Returns whether the device is present, by what opening it says, if it is opened.
  private func isPresent(_ reason: DeviceError.Reason?) -> Bool? {
    devices.isPresent("mic", mayCapture: true) { _, _ throws(DeviceError) in
      if let reason { throw DeviceError(reason, "") }
    }
  }

  @Test func aDeviceThatCannotBeOpenedIsAbsent() {
    devices.record("mic", .capture, wish, DeviceError(.absent, ""))
    #expect(isPresent(nil) == false)
  }

  @Test func aBusyDeviceIsNotAbsent() {
    devices.record("mic", .capture, wish, DeviceError(.absent, ""))
    devices.record("mic", .capture, wish, DeviceError(.busy, ""))
    #expect(isPresent(.absent) == nil)
  }

  @Test(arguments: [DeviceError.Reason.busy, .absent])
  func aDeviceIsLookedAtAgain(reason: DeviceError.Reason) async throws {
    let isBusy = reason == .busy
    devices.record("mic", .capture, wish, isPresent: !isBusy)
    try await eventually("another look") { isPresent(reason) == isBusy }
  }
}
