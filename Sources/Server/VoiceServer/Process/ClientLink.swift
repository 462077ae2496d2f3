internal import GRPCTransport

/// The connection of a session to its media client: one `Process` call. For use on the call's thread.
struct ClientLink {
  let output: ResponseStream
  /// Sends the remaining responses and then a status.
  let end: (Status) -> Void
  /// Ends the call with a status and forgets the session, because another call has the session now.
  let replace: (Status) -> Void
}
