package org.flowmon.deploy.demo;

import java.io.IOException;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.query.ArchiveQuery;
import org.flowmon.archive.query.QueryOptions;
import org.flowmon.udaf.query.QueryParser;

/** Asks the archive, by a query as anyone could, what is stored of what was sent. */
final class StoredFlows {
  private static final String ALL = "SELECT COUNT(*) AS flows FROM flows";

  /** Generated history comes as source kind 8, synthetic; what came over the wire does not. */
  private static final String WITHOUT_HISTORY = ALL + " WHERE source_kind <> 8";

  private StoredFlows() {}

  /** Flows in the archive, without the history that was generated for it. */
  static long count(Archive archive, boolean hasHistory) throws IOException {
    String sql = hasHistory ? WITHOUT_HISTORY : ALL;
    try (ArchiveSnapshot snapshot = archive.snapshot()) {
      return ArchiveQuery.run(snapshot, QueryParser.parse(sql), QueryOptions.DEFAULTS)
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
