internal import AnechoicAPI
internal import EdgeAudio
internal import Synchronization

/// The owner of the route. It checks the ports several times a second, and tells the device loops
/// and the session which port to use.
final class RouteDirector: ThreadOwner {
  /// The time between checks: while the microphone is open, and otherwise.
  private static let (interval, restingInterval) = (
    Duration.milliseconds(200), Duration.milliseconds(600)
  )

  private let selector: Mutex<RouteSelector>
  /// Held from a change of the route until it is told, so that no older one is told last.
  private let telling = Mutex(())
  private let lastPresent = Mutex<Set<String>>([])
  private let hasNews = Atomic(false)
  private let ports: [EdgeConfiguration.Port]
  private let system: any AudioSystem
  private let controls: ControlWatch
  private let jacks: JackWatch
  private let mayCapture: @Sendable () -> Bool
  private let withheld: @Sendable () -> Set<String>
  private let changed: @Sendable (RouteSelector.Change) -> Void
  let thread = LoopThread()

  /// Creates a director. It opens no device for capture while `mayCapture` returns false. The
  /// policy selects none of the ports in `withheld`.
  init(
    _ routes: EdgeConfiguration.Routes, _ system: any AudioSystem, _ controls: ControlWatch,
    _ jacks: JackWatch, mayCapture: @escaping @Sendable () -> Bool,
    withheld: @escaping @Sendable () -> Set<String>,
    changed: @escaping @Sendable (RouteSelector.Change) -> Void
  ) {
    selector = Mutex(RouteSelector(routes))
    ports = routes.ports
    self.system = system
    self.controls = controls
    self.jacks = jacks
    self.mayCapture = mayCapture
    self.withheld = withheld
    self.changed = changed
  }

  func start() {
    thread.start("routes") { [self] thread in
      jacks.start { [weak self] in self?.refresh() }
      while !thread.isStopped {
        hasNews.store(false, ordering: .relaxed)
        update()
        thread.sleep(mayCapture() ? Self.interval : Self.restingInterval) {
          !hasNews.load(ordering: .relaxed)
        }
      }
    }
  }

  /// Checks the ports now, because a jack or the ports that are withheld may have changed. Returns
  /// at once.
  func refresh() {
    hasNews.store(true, ordering: .relaxed)
    thread.wake()
  }

  var current: EdgeConfiguration.Port? { selector.withLock { $0.current } }

  /// The port that a person has chosen, or that the policy names.
  var chosen: String? { selector.withLock { $0.named } }

  /// The ids of the ports that were present at the last check.
  var present: Set<String> { lastPresent.withLock { $0 } }

  /// Selects a port. Nil leaves the choice to the policy.
  func choose(_ id: String?) throws(RouteError) {
    try telling.withLock { _ throws(RouteError) in
      let result = selector.withLock { selector -> Result<RouteSelector.Change?, RouteError> in
        do throws(RouteError) { return .success(try selector.choose(id)) } catch {
          return .failure(error)
        }
      }
      if let change = try result.get() { tell(change) }
    }
  }

  private func update() {
    // May block as long as a sound server does.
    let present = Set(ports.filter(isPresent).map(\.id))
    lastPresent.withLock { $0 = present }
    let withheld = withheld()
    telling.withLock { _ in
      let change = selector.withLock { $0.update(present: present, withheld: withheld) }
      if let change { tell(change) }
    }
  }

  private func tell(_ change: RouteSelector.Change) {
    controls.watch(change.current?.control)
    changed(change)
  }

  /// Returns whether a port is present. A port whose presence is unknown counts as present, and its
  /// loops try to open it.
  private func isPresent(_ port: EdgeConfiguration.Port) -> Bool {
    guard jacks.isPlugged(port.id) != false else { return false }
    let mayCapture = mayCapture()
    return ![port.input, port.output, port.control].compactMap { $0 }
      .contains { system.isPresent($0, mayCapture: mayCapture) == false }
  }
}
