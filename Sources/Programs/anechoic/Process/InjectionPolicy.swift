internal import AnechoicAPI
internal import CommandLineSupport
internal import Foundation
internal import SwiftProtobuf
internal import Synchronization

/// The answers to clients that ask for permission to inject speech into the session of a job.
final class InjectionPolicy: Sendable {
  private let answer: GrantInjectionArgument
  /// Whether no answer was given with --grant-injection.
  private let isDefault: Bool
  /// Whether the server stores the answers for later sessions.
  private let remembers: Bool
  private let controls: ControlQueue
  /// Held while a question is on the terminal, so that there is only one at a time.
  private let terminal = Mutex(())

  var asks: Bool { answer == .ask }

  /// Creates a policy. If the answer is nil, asks on the terminal, and refuses without a terminal.
  init(_ answer: GrantInjectionArgument?, remembers: Bool, controls: ControlQueue) {
    let hasTerminal = isatty(STDIN_FILENO) != 0 && isatty(STDERR_FILENO) != 0
    self.answer = answer ?? (hasTerminal ? .ask : .never)
    isDefault = answer == nil
    self.remembers = remembers
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
        "\(question): refused\(isDefault ? " (permit it with --grant-injection always)" : "")\n")
      decide(request.client, grant: false)
    case .ask:
      // Asks on a thread of its own, because the audio continues until the person answers.
      Thread.detachNewThread { self.ask(question, request.client) }
    }
  }

  /// Refuses a client that an answer of an earlier session lets speak although nobody may.
  func changed(_ change: Anechoic_V1_InjectionPermissionChanged) {
    guard answer == .never, !isDefault, change.permission == .granted else { return }
    standardError("\(change.client) was permitted before: refused\n")
    decide(change.client, grant: false)
  }

  private func ask(_ question: String, _ client: String) {
    let answer = terminal.withLock { _ in
      standardError("\(question)\nPermit this? [y/N] ")
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
          $0.remember = remembers
        }))
  }
}
