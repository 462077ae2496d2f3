/// The answer to a request: complete, or made by a task while the connection stays open.
public enum HTTPAnswer: Sendable {
  case complete(HTTPResponse)
  /// The closure starts the task. The listener cancels the task when the client has gone.
  case later(@Sendable (HTTPExchange) -> Task<Void, Never>)

  /// The answer to a request that is refused: the status in words.
  public static func refusal(_ status: HTTPStatus) -> HTTPAnswer { .complete(.refusal(status)) }

  /// An answer that `body` makes on the threads of `executor`. The connection ends when `body`
  /// returns.
  public static func made(
    on executor: any TaskExecutor, by body: @escaping @Sendable (HTTPExchange) async -> Void
  ) -> HTTPAnswer {
    .later { exchange in
      Task(executorPreference: executor) {
        await body(exchange)
        exchange.end()
      }
    }
  }
}
