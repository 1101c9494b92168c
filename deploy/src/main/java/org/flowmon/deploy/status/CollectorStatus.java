package org.flowmon.deploy.status;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.flowmon.deploy.output.Facts;
import org.flowmon.deploy.serve.flows.CollectorClient;
import org.flowmon.ingest.IngestCounter;

/** A collector, by its {@code --http}. */
final class CollectorStatus {
  private static final Pattern COUNT =
      Pattern.compile("^flowmon_collector_([a-z0-9_]+?)(?:_total)?(?:\\{[^}]*})? ([0-9]+)$");

  private final CollectorClient collector;
  private final Map<String, Long> losses = new TreeMap<>();

  CollectorStatus(CollectorClient collector) {
    this.collector = collector;
  }

  /** What was counted as lost, by counter. */
  Map<String, Long> losses() {
    return losses;
  }

  /** Throws {@link IOException} if it does not answer. */
  Part part(Instant now) throws IOException {
    JsonNode exporters = collector.exporters();
    long flows = 0;
    long waiting = 0;
    Instant heard = Instant.MIN;
    for (JsonNode one : exporters) {
      flows += one.path("flows").asLong();
      waiting += one.path("waiting_bytes").asLong();
      Instant last = Instant.parse(one.path("last_heard").asText());
      heard = last.isAfter(heard) ? last : heard;
    }
    for (String line : collector.metrics().split("\n", -1)) {
      Matcher count = COUNT.matcher(line);
      if (count.matches()) {
        boolean isLoss =
            count.group(1).equals("flows_failed")
                || IngestCounter.ofLabel(count.group(1)).map(IngestCounter::isLoss).orElse(false);
        if (isLoss) {
          losses.merge(count.group(1), Long.parseLong(count.group(2)), Long::sum);
        }
      }
    }
    Facts facts = new Facts();
    Optional<String> trouble = collector.trouble();
    facts.value("exporters", exporters.size());
    facts.value("flows", flows);
    facts.value("waiting_bytes", waiting);
    facts.value("last_heard", exporters.isEmpty() ? null : heard.toString());
    facts.value("trouble", trouble.orElse(null));
    String line =
        "%d exporters, %,d flows%s"
            .formatted(
                exporters.size(),
                flows,
                exporters.isEmpty() ? "" : ", heard last " + Part.time(heard, now));
    return new Part(
        "collector",
        trouble.isEmpty() ? Part.State.OK : Part.State.WRONG,
        trouble.isEmpty() ? List.of(line) : List.of(line, trouble.get()),
        facts);
  }
}
