/// One processing of a recording, with its settings.
struct ReportedRun {
  /// The settings in words where there are several runs, otherwise empty.
  let name: String
  let output: SoundSource
  let log: ReportLog
  let summary: JobSummary
}
