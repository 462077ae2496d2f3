internal import Foundation
public import GRPCTransport

/// The rule that decides when the log tells that a certificate expires.
public struct CertificateExpiry: Sendable {
  /// The state of a certificate.
  public enum State: Equatable, Sendable {
    case good
    case notYetValid
    /// Valid for this number of whole days more.
    case expiring(days: Int64)
    case expired
  }

  /// The time before the end from which on the log warns.
  static let warningTime: Int64 = 14 * 86_400
  private static let day: Int64 = 86_400
  private var lastTold: (time: Int64, isRefused: Bool)?

  public init() {}

  /// Returns the state of a certificate at a time in seconds since 1970.
  public static func state(of validity: CertificateValidity, at time: Int64) -> State {
    if time < validity.first { return .notYetValid }
    if time > validity.last { return .expired }
    let left = validity.last - time
    return left < warningTime ? .expiring(days: left / day) : .good
  }

  /// Returns whether the log should tell a state at a time in seconds since 1970: once a day, and when
  /// clients begin to refuse the certificate.
  public mutating func isDue(_ state: State, at time: Int64) -> Bool {
    guard state != .good else {
      lastTold = nil
      return false
    }
    if let lastTold, time - lastTold.time < Self.day, lastTold.isRefused == state.isRefused {
      return false
    }
    lastTold = (time, state.isRefused)
    return true
  }
}

extension CertificateExpiry.State {
  /// The state of a certificate in words, or nil for a good one.
  public func words(_ validity: CertificateValidity) -> String? {
    switch self {
    case .good: nil
    case .notYetValid: "the certificate is not valid before \(Self.text(validity.first))"
    case .expired: "the certificate expired on \(Self.text(validity.last))"
    case .expiring(let days):
      "the certificate expires in \(days) day\(days == 1 ? "" : "s"), on \(Self.text(validity.last))"
    }
  }

  /// Whether a client refuses the certificate.
  public var isRefused: Bool { self == .expired || self == .notYetValid }

  private static func text(_ seconds: Int64) -> String {
    Date(timeIntervalSince1970: Double(seconds)).formatted(.iso8601)
  }
}
