internal import AnechoicAPI
internal import CommandLineSupport
internal import Foundation
internal import SwiftProtobuf
internal import Synchronization

/// Answers clients who ask for permission to inject speech into a job's session.
final class InjectionPolicy: Sendable {
  private let answer: GrantInjectionArgument
  /// The person did not choose the answer, and may want to know how.
  private let isDefault: Bool
  private let controls: ControlQueue
  /// One question at a time.
  private let terminal = Mutex(())

  var asks: Bool { answer == .ask }

  /// Nil asks where there is somebody to ask, and else refuses.
  init(_ answer: GrantInjectionArgument?, controls: ControlQueue) {
    let hasTerminal = isatty(STDIN_FILENO) != 0 && isatty(STDERR_FILENO) != 0
    self.answer = answer ?? (hasTerminal ? .ask : .never)
    isDefault = answer == nil
    self.controls = controls
  }

  func decide(_ request: Anechoic_V1_InjectionPermissionRequested) {
    let question = "\(request.client) asks to inject speech: \(request.usageDescription)"
    switch answer {
    case .always:
      standardError("\(question): permitted\n")
      decide(request.client, grant: true)
    case .never:
      standardError(
        "\(question): refused\(isDefault ? " (--grant-injection always permits it)" : "")\n")
      decide(request.client, grant: false)
    case .ask:
      // A thread of its own: a person takes time, and audio goes on.
      Thread.detachNewThread { self.ask(question, request.client) }
    }
  }

  private func ask(_ question: String, _ client: String) {
    let answer = terminal.withLock { _ in
      standardError("\(question)\nPermit it? [y/N] ")
      return readLine()?.lowercased()
    }
    decide(client, grant: answer == "y" || answer == "yes")
  }

  private func decide(_ client: String, grant: Bool) {
    controls.decide(
      .decideInjectionPermission(
        .with {
          $0.client = client
          $0.grant = grant
        }))
  }
}
