package org.flowmon.ingest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class IngestCounterTest {
  @Test
  void everyCounterStandsInTheDocs() throws IOException {
    Path root = Path.of("").toAbsolutePath();
    while (!Files.exists(root.resolve("docs/format/exports.md"))) {
      root = root.getParent();
    }
    String docs = Files.readString(root.resolve("docs/format/exports.md"));
    for (IngestCounter counter : IngestCounter.values()) {
      String label = counter.label();
      // A row of counters with a common beginning abbreviates it.
      String[] parts = label.split("_(?:dropped|skipped)_", 2);
      boolean told =
          docs.contains("`" + label + "`")
              || (parts.length == 2 && docs.contains("`…_" + parts[1] + "`"));
      assertTrue(told, label + " is not in docs/format/exports.md");
    }
  }

  @Test
  void snapshotsHoldWhatWasCounted() {
    IngestCounters counters = new IngestCounters();
    counters.add(IngestCounter.FLOWS_DECODED, 5);
    counters.increment(IngestCounter.DATAGRAMS_RECEIVED);
    assertEquals("{datagrams_received=1, flows_decoded=5}", counters.toString());
  }
}
