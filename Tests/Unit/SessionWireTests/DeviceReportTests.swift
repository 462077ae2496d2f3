@testable import SessionWire
import SwiftProtobuf
import Testing
import VoiceSessions

@testable import AnechoicAPI

/// The contents of device reports, and the events that repeat them.
struct DeviceReportTests {
  private static let route = Anechoic_V1_AudioRoute.with {
    $0.input.portID = "usb-046d-0825"
    $0.input.displayName = "Webcam"
    $0.input.type = .usb
    $0.output.portID = String(repeating: "é", count: 127) + "e"
    $0.output.displayName = String(repeating: "a", count: 255)
    $0.output.type = .bluetooth
    $0.output.headphones = true
  }
  private static let change = Anechoic_V1_RouteChanged.with {
    $0.reason = .newDevice
    $0.previous.output.portID = "hdmi"
    $0.current = route
  }

  @Test func aRouteSurvivesTheWayThereAndBack() throws {
    guard case .route(let change) = try report({ $0.routeChanged = Self.change }) else {
      Issue.record("no route")
      return
    }
    #expect(Anechoic_V1_RouteChanged(change) == Self.change)
    #expect(change.current.map { Anechoic_V1_AudioRoute($0) } == Self.route)
  }

  @Test func everyReasonAndKindSurvivesToo() throws {
    for reason in Anechoic_V1_RouteChanged.Reason.allCases where reason != .unspecified {
      for type in Anechoic_V1_AudioPort.TypeEnum.allCases {
        let message = Anechoic_V1_RouteChanged.with {
          $0.reason = reason
          $0.current.input.type = type
        }
        guard case .route(let change) = try report({ $0.routeChanged = message }) else { continue }
        #expect(Anechoic_V1_RouteChanged(change) == message)
      }
    }
    for reason in Anechoic_V1_Interruption.Reason.allCases where reason != .unspecified {
      for began in [true, false] {
        let message = Anechoic_V1_Interruption.with {
          $0.began = began
          $0.reason = reason
          $0.shouldResume = !began
        }
        let told: Interruption
        switch try report({ $0.interruption = message }) {
        case .interruption(.began(let reason)): told = .began(reason)
        case .interruption(.ended(let reason, let shouldResume)):
          told = .ended(try #require(reason), shouldResume: shouldResume)
        case .route: continue
        }
        #expect(Anechoic_V1_Interruption(told) == message)
      }
    }
  }

  @Test func aPortOfANewerClientIsOfNoKind() throws {
    let report = try report {
      $0.routeChanged = Self.change
      $0.routeChanged.current.output.type = .UNRECOGNIZED(77)
    }
    guard case .route(let change) = report else { return }
    #expect(change.current?.output?.kind == .unspecified)
  }

  @Test func withoutASuitableRouteThereNeedNotBeOne() throws {
    let report = try report { $0.routeChanged.reason = .noSuitableRoute }
    #expect(report == .route(RouteChange(reason: .noSuitableRoute, current: nil)))
  }

  @Test func anEndNeedsNoReason() throws {
    let report = try report { $0.interruption.shouldResume = true }
    #expect(report == .interruption(.ended(nil, shouldResume: true)))
  }

  struct Fault: Sendable, CustomTestStringConvertible {
    let field: String
    let change: @Sendable (inout Anechoic_V1_DeviceReport) -> Void
    var testDescription: String { field }
  }

  private static let faults: [Fault] = [
    Fault(field: "") { _ in },
    Fault(field: ".route_changed.reason") { $0.routeChanged = .with { $0.current = route } },
    Fault(field: ".route_changed.reason") {
      $0.routeChanged = change
      $0.routeChanged.reason = .UNRECOGNIZED(6)
    },
    Fault(field: ".route_changed.current") { $0.routeChanged.reason = .deviceLost },
    Fault(field: ".route_changed.current.input.port_id") {
      $0.routeChanged = change
      $0.routeChanged.current.input.portID = String(repeating: "a", count: 256)
    },
    Fault(field: ".route_changed.current.output.display_name") {
      $0.routeChanged = change
      $0.routeChanged.current.output.displayName = String(repeating: "é", count: 128)
    },
    Fault(field: ".route_changed.previous.output.port_id") {
      $0.routeChanged = change
      $0.routeChanged.previous.output.portID = "a\u{1B}[2J"
    },
    Fault(field: ".route_changed.current.input.display_name") {
      $0.routeChanged.reason = .noSuitableRoute
      $0.routeChanged.current.input.displayName = "a\nb"
    },
    Fault(field: ".interruption.reason") { $0.interruption.began = true },
    Fault(field: ".interruption.reason") { $0.interruption.reason = .UNRECOGNIZED(5) },
  ]

  @Test(arguments: faults)
  func anInvalidReportIsRefusedWithItsField(fault: Fault) {
    let field = #expect(throws: InvalidFieldError.self) { _ = try report(fault.change) }
    #expect(field?.path == "device_report" + fault.field)
  }

  private func report(
    _ change: (inout Anechoic_V1_DeviceReport) -> Void
  ) throws(InvalidFieldError) -> DeviceReport {
    var message = Anechoic_V1_DeviceReport()
    change(&message)
    return try DeviceReport(message, path: "device_report")
  }
}
