import LinuxSystem
import Testing

/// Connections to a host by its name.
struct DialTests {
  @Test(arguments: ["127.0.0.1", "localhost"])
  func aHostThatListensIsReached(host: String) throws {
    let listener = try ListeningSocket("127.0.0.1:0")
    defer { listener.close() }
    let port = try #require(listener.address.split(separator: ":").last.flatMap { UInt16($0) })
    let socket = try ConnectedSocket.dialing(host, port, by: .now + .seconds(10))
    #expect(socket.descriptor >= 0)
  }

  @Test func theReasonOfAFailureIsTold() throws {
    let listener = try ListeningSocket("127.0.0.1:0")
    let port = try #require(listener.address.split(separator: ":").last.flatMap { UInt16($0) })
    listener.close()
    for host in ["127.0.0.1", "localhost"] {
      #expect(problem(host, port) == "connection refused")
    }
    #expect(problem("nowhere.invalid", 1) == "unreachable")
  }

  private func problem(_ host: String, _ port: UInt16) -> String {
    do throws(ConnectedSocket.DialProblem) {
      _ = try ConnectedSocket.dialing(host, port, by: .now + .seconds(10))
      return "connected"
    } catch {
      switch error {
      case .unreachable: return "unreachable"
      case .silent: return "silent"
      case .failed(let words): return words
      }
    }
  }
}
