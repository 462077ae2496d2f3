import Foundation
import Testing

/// Routes and interruptions, sent from a file and shown to a person.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct DeviceReportTests {
  private let folder: Folder

  init() throws { folder = try Folder() }

  private static let reports = """
    {"at": 0.5, "device_report": {"route_changed": {"reason": "REASON_NEW_DEVICE", "current": \
    {"input": {"portId": "mic", "displayName": "Desk microphone"}, \
    "output": {"portId": "usb-1", "type": "TYPE_USB", "headphones": true}}}}}
    {"at": 1, "deviceReport": {"interruption": {"began": true, "reason": "REASON_SUSPENDED"}}}
    {"at": 1.5, "device_report": {"interruption": {"shouldResume": true}}}
    """

  @Test func reportsApplyAtTheirTimesAndAreLogged() async throws {
    try folder.writeCall()
    try folder.write(Data(Self.reports.utf8), "controls.jsonl")
    let result = try await Command.run(
      "anechoic",
      [
        "process", "--microphone", "microphone.wav", "--reference", "reference.wav", "--output",
        "out.wav", "--controls", "controls.jsonl", "--events", "events.jsonl",
      ], in: folder)
    #expect(result.status == 0, "\(result.errors)")
    let events = try folder.jsonLines("events.jsonl")
    let route = events.first { $0["routeChanged"] != nil }
    #expect(route?["microphoneSample"] as? Int == 8000)
    #expect(route?["routeChanged", "current", "output", "portId"] as? String == "usb-1")
    let interruptions = events.filter { $0["interruption"] != nil }
    #expect(interruptions.map { $0["microphoneSample"] as? Int } == [16000, 24000])
    #expect(interruptions.map { $0["interruption", "began"] as? Bool } == [true, nil])
    #expect(interruptions.last?["interruption", "shouldResume"] as? Bool == true)
  }

  @Test func anErrorInAReportIsReported() async throws {
    try folder.writeCall()
    try folder.write(
      Data(#"{"at": 0, "device_report": {"interruption": {"began": true}}}"#.utf8),
      "controls.jsonl")
    let result = try await Command.run(
      "anechoic",
      [
        "process", "--microphone", "microphone.wav", "--output", "out.wav", "--controls",
        "controls.jsonl",
      ], in: folder)
    #expect(result.status == 2 && result.errorLines.count == 1, "\(result.errors)")
    #expect(
      result.errors.hasPrefix(
        "anechoic: controls.jsonl:1: device_report.interruption.reason: is required"),
      "\(result.errors)")
  }

  @Test func watchAndShowPrintRoutesAndInterruptions() async throws {
    try folder.write(
      Data(Self.reports.replacing("\"at\": 0.5", with: "\"at\": 0").utf8), "controls.jsonl")
    let call = try await LiveCall(in: folder, ["--controls", "controls.jsonl"])
    let watch = try call.start(["sessions", "watch", "call-1", "--from", "1"])
    try await call.waitForEvent("shouldResume")
    let page = try await call.run("sessions", "show", "call-1")
    #expect(page.text.contains("route         Desk microphone > usb-1 (usb, headphones)\n"))
    let session = try await call.json("sessions", "show", "call-1")
    #expect(session["route", "output", "headphones"] as? Bool == true)
    try await call.end()
    let words = try await watch.wait().text
    #expect(
      words.contains("route changed, new device: to Desk microphone > usb-1 (usb, headphones)\n"),
      "\(words)")
    #expect(words.contains("interruption started: suspended\n"), "\(words)")
    #expect(words.contains("interruption ended: suspended, audio may resume\n"), "\(words)")
  }
}
