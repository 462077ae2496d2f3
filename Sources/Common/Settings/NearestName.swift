/// The search for the name that somebody meant who wrote another one.
package enum NearestName {
  /// Longer names are not compared, because the time grows with the square of the length.
  private static let longest = 64

  /// Returns the candidate that differs least from a name, or nil if all of them are too different.
  ///
  /// Candidates with the same last component, such as `audio.rate` and `session.rate`, count as
  /// near.
  static func of(_ name: String, among candidates: [String]) -> String? {
    guard name.utf8.count <= longest else { return nil }
    let limit = limit(for: name)
    let scored = candidates.map { (candidate: $0, distance: distance(name, $0)) }
    let least = scored.min { $0.distance < $1.distance }
    if let least, least.distance <= limit { return least.candidate }
    let alike = candidates.filter { last(of: $0) == last(of: name) }
    return alike.count == 1 ? alike[0] : nil
  }

  /// Returns whether a name differs from another one by no more than a slip of the keys.
  package static func isNear(_ name: String, to other: String) -> Bool {
    name.utf8.count <= longest && distance(name, other) <= limit(for: name)
  }

  /// The number of letters by which a name may differ. All short names differ by few letters.
  private static func limit(for name: String) -> Int {
    name.count < 5 ? 1 : max(2, name.count / 4)
  }

  private static func last(of path: String) -> Substring {
    path.split(separator: ".").last ?? ""
  }

  /// Returns the number of letters to insert, delete, replace or exchange with their neighbours
  /// (the distance of Damerau and Levenshtein, as optimal string alignment).
  private static func distance(_ first: String, _ second: String) -> Int {
    let (a, b) = (Array(first), Array(second))
    var rows = [Array(0...b.count)]
    for (i, letter) in a.enumerated() {
      var row = [i + 1]
      for (j, other) in b.enumerated() {
        var best = min(rows[i][j + 1] + 1, row[j] + 1, rows[i][j] + (letter == other ? 0 : 1))
        if i > 0, j > 0, letter == b[j - 1], a[i - 1] == other {
          best = min(best, rows[i - 1][j - 1] + 1)
        }
        row.append(best)
      }
      rows.append(row)
    }
    return rows[a.count][b.count]
  }
}
