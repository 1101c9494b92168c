package org.flowmon.bench.experiment;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.URI;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.PipelineOptions;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveOptions;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.query.ArchiveQuery;
import org.flowmon.archive.query.QueryAnswer;
import org.flowmon.archive.query.QueryOptions;
import org.flowmon.bench.archive.GeneratedWorkload;
import org.flowmon.bench.harness.Experiment;
import org.flowmon.bench.harness.Row;
import org.flowmon.bench.harness.Run;
import org.flowmon.bench.harness.Samples;
import org.flowmon.deploy.embedded.EmbeddedFlink;
import org.flowmon.jobs.distributed.DistributedQuery;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.query.Query;

/** The time of a query that a Flink cluster answers, against the number of its slots. */
public final class QuerySlots implements Experiment {
  private final OperatingSystemMXBean system =
      (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

  private Run run;
  private ArchiveSnapshot snapshot;
  private URI flink;

  /** Answers a query; both ways answer equally. */
  private interface Way {
    QueryAnswer answer() throws IOException;
  }

  /** What the timed runs of a query took. */
  private record Took(Samples millis, Samples cpuMillis) {}

  @Override
  public void run(Run all) throws IOException {
    run = all;
    GeneratedWorkload workload = new GeneratedWorkload(run.number("rows"), run.number("seed"));
    run.word("workload", workload.description());
    run.progress("loading %s", workload.description());
    Archive archive =
        run.open(Archive.create(run.folder().resolve("archive"), ArchiveOptions.DEFAULTS));
    try (CheckpointLoad load = new CheckpointLoad(archive, run.integer("commit-rows"))) {
      workload.read(load::add);
      load.finish();
    }
    snapshot = run.open(archive.snapshot());
    run.note("segments: " + snapshot.segments().size());
    List<Integer> slots = run.integers("slots");
    flink =
        run.open(EmbeddedFlink.start(run.folder().resolve("flink"), Collections.max(slots)))
            .restAddress();
    for (var query : run.textsOf("queries").entrySet()) {
      double first = Double.NaN;
      for (int some : slots) {
        double millis = measure(query.getKey(), QueryParser.parseQuery(query.getValue()), some);
        first = Double.isNaN(first) ? millis : first;
        run.point(query.getKey(), some, first / millis);
      }
    }
  }

  /** Ms of the cluster's answer, the median. */
  private double measure(String name, Query query, int slots) throws IOException {
    QueryOptions local = QueryOptions.DEFAULTS.withThreads(slots);
    Way here = () -> ArchiveQuery.run(List.of(snapshot), query, local);
    Way there =
        () ->
            new DistributedQuery(environment(), slots)
                .run(List.of(snapshot), query, QueryOptions.DEFAULTS);
    Run.require(
        here.answer().table().toString().equals(there.answer().table().toString()),
        "%s: the cluster's answer differs on %d slots",
        name,
        slots);
    Took cluster = timed(there);
    Took process = timed(here);
    run.add(
        new Row()
            .put("query", name)
            .put("slots", slots)
            .put("cluster_ms", cluster.millis().median())
            .put("cluster_least_ms", cluster.millis().least())
            .put("cluster_cpu_ms", cluster.cpuMillis().median())
            .put("local_ms", process.millis().median())
            .put("local_cpu_ms", process.cpuMillis().median()));
    return cluster.millis().median();
  }

  private Took timed(Way way) throws IOException {
    long warm = System.nanoTime() + run.number("warm-up") * 1_000_000;
    while (System.nanoTime() < warm) {
      way.answer();
    }
    List<Double> cpu = new ArrayList<>();
    Samples millis =
        Samples.millis(
            run.integer("rounds"),
            round -> {
              long before = system.getProcessCpuTime();
              way.answer();
              cpu.add((system.getProcessCpuTime() - before) / 1e6);
            });
    return new Took(millis, Samples.of(cpu));
  }

  /** As {@code flowmon query --flink} has it, without a jar: the cluster has these classes. */
  private StreamExecutionEnvironment environment() {
    Configuration options = new Configuration();
    options.set(PipelineOptions.GENERIC_TYPES, false);
    return StreamExecutionEnvironment.createRemoteEnvironment(
        flink.getHost(), flink.getPort(), options);
  }
}
