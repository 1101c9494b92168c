package org.flowmon.deploy.demo;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Instant;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveImporter;
import org.flowmon.archive.commit.ImportedFile;
import org.flowmon.deploy.command.Sha256;
import org.flowmon.deploy.demo.service.DemoOptions;
import org.flowmon.ingest.synthetic.HistoryGenerator;
import org.flowmon.ingest.synthetic.TrafficModel;

/** Imports two weeks of generated history into the archive like a file. */
final class HistoryPreload {
  /** Small, so that few batches wait in memory for their segment. */
  private static final int SEGMENT_ROWS = 1 << 18;

  private static final long PRODUCER = 1;

  private HistoryPreload() {}

  /** Imports history up to {@code until}, exclusive, the live part's start; returns its flows. */
  static long run(Archive archive, TrafficModel model, Instant until, DemoOptions options)
      throws IOException {
    if (options.historyFlows() == 0) {
      return 0;
    }
    HistoryGenerator generator =
        HistoryGenerator.daysBefore(
            model,
            until,
            DemoOptions.HISTORY_DAYS,
            options.historyFlows(),
            options.flowsPerSecond());
    String name =
        "generated history, seed "
            + options.seed()
            + ", "
            + options.historyFlows()
            + " flows until "
            + until;
    try (ArchiveImporter importer =
        new ArchiveImporter(archive, identity(name), false, SEGMENT_ROWS, 1)) {
      HistoryGenerator.GeneratedHistory generated =
          generator.generate(
              PRODUCER,
              batch -> {
                try {
                  importer.add(batch);
                } catch (IOException e) {
                  throw new UncheckedIOException(e);
                }
              });
      importer.commit("flowmon demo: " + name);
      return generated.flows();
    }
  }

  /** The identity by the hash of a description, from which the flows follow. */
  private static ImportedFile identity(String description) {
    return new ImportedFile(Sha256.of(description), description, 0);
  }
}
