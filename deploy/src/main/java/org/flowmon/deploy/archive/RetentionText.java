package org.flowmon.deploy.archive;

import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.flow.time.FlowTime;

/** Describes an archive's retention for people. */
final class RetentionText {
  private RetentionText() {}

  static String line(ArchiveSnapshot snapshot) {
    return String.format(
        "keeps %s: %d flows visible, %d stored, %d have expired (%d came too late)%s",
        snapshot.retention(),
        snapshot.rows(),
        snapshot.storedRows(),
        snapshot.expiredRows(),
        snapshot.lateRows(),
        snapshot.cutoff() == Long.MIN_VALUE
            ? ""
            : "; none before " + FlowTime.instant(snapshot.cutoff()));
  }

  /** Expired rows that are still in the archive's files. */
  static long hidden(ArchiveSnapshot snapshot) {
    return snapshot.storedRows() - snapshot.rows();
  }
}
