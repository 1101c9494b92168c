package org.flowmon.deploy.demo;

import java.io.IOException;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.query.ArchiveQuery;
import org.flowmon.archive.query.QueryOptions;
import org.flowmon.udaf.parser.QueryParser;

/** Queries the archive for the stored flows, as any user could. */
final class ArchiveAnswers {
  private static final String ALL = "SELECT COUNT(*) AS flows FROM flows";

  private ArchiveAnswers() {}

  static long count(Archive archive) throws IOException {
    try (ArchiveSnapshot snapshot = archive.snapshot()) {
      return ArchiveQuery.run(snapshot, QueryParser.parse(ALL), QueryOptions.DEFAULTS)
          .table()
          .longValue(0, 0);
    }
  }

  static DemoSummary.ArchiveFacts facts(Archive archive) throws IOException {
    try (ArchiveSnapshot snapshot = archive.snapshot()) {
      return new DemoSummary.ArchiveFacts(
          archive.directory().toAbsolutePath(),
          snapshot.rows(),
          snapshot.bytesOnDisk(),
          snapshot.segments().size());
    }
  }
}
