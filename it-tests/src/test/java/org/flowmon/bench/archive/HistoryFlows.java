package org.flowmon.bench.archive;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.flowmon.flow.FlowBatch;
import org.flowmon.ingest.synthetic.HistoryGenerator;
import org.flowmon.ingest.synthetic.TrafficModel;
import org.flowmon.ingest.synthetic.TrafficOptions;

/** Flows like the demo's history, with all columns that NetFlow fills. */
public final class HistoryFlows {
  private HistoryFlows() {}

  /**
   * Returns flows of one hour, in batches like those from Kafka; equal arguments give equal flows.
   */
  public static List<FlowBatch> of(int count, long seed) {
    TrafficModel model = new TrafficModel(seed, TrafficOptions.defaults());
    Instant end = Instant.parse("2026-01-15T00:00:00Z");
    List<FlowBatch> flows = new ArrayList<>();
    new HistoryGenerator(model, end.minus(Duration.ofHours(1)), end, count, 1)
        .generate(seed, flows::add);
    return flows;
  }
}
