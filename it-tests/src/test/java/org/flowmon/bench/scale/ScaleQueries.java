package org.flowmon.bench.scale;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.SegmentLease;
import org.flowmon.archive.query.ArchiveQuery;
import org.flowmon.archive.query.QueryAnswer;
import org.flowmon.archive.query.QueryOptions;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.bench.archive.AddressCounts.Counted;
import org.flowmon.bench.archive.WorkloadParameters;
import org.flowmon.bench.archive.WorkloadQuery;
import org.flowmon.bench.experiment.Lookup;
import org.flowmon.bench.harness.Row;
import org.flowmon.bench.harness.Run;
import org.flowmon.bench.harness.Samples;
import org.flowmon.bench.machine.MachineNoise;
import org.flowmon.bench.machine.PageCache;
import org.flowmon.bench.machine.ProcessMemory;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.query.FlowQuery;

/**
 * Queries a {@link ScaleArchive}: first each query once with nothing in memory, then each many
 * times, then each once with its pages dropped again and compiled code.
 */
final class ScaleQueries {
  private static final int QUERIES = 0;
  private static final int OPENING = 1;
  private static final int MEMORY = 2;
  private static final int BYTES = 3;
  private static final int GROWTH = 4;

  private static final int MAX_WARM_RUNS = 500;
  private static final int WEEK = 7;
  private static final double MIB = 1 << 20;

  private final ScaleArchive scale;
  private final Run run;
  private final QueryOptions how;
  private final List<Asked> all = new ArrayList<>();
  private final List<Double> coldOpens = new ArrayList<>();
  private Optional<String> notCold = Optional.empty();

  /** A query, or lookups of several hosts in turn. */
  private interface Question {
    /** Asks, for the number of a round; an answer with another number of rows is an error. */
    QueryAnswer ask(ArchiveSnapshot snapshot, int round) throws IOException;
  }

  /** The measurements of a question. */
  private static final class Asked {
    private final String name;
    private final Question question;
    private double first = Double.NaN;
    private double cold = Double.NaN;
    private Samples warm;
    private double noise;
    private QueryAnswer last;

    Asked(String name, Question question) {
      this.name = name;
      this.question = question;
    }
  }

  ScaleQueries(ScaleArchive scale, Run run) {
    this.scale = scale;
    this.run = run;
    this.how = QueryOptions.DEFAULTS.withThreads(run.cores("threads"));
    WorkloadParameters parameters = scale.workload().parameters();
    int week = Math.min(WEEK, scale.days());
    for (WorkloadQuery query : WorkloadQuery.ofDays(parameters, week)) {
      if (query.name().startsWith("elephants") || query.name().startsWith("portscans")) {
        all.add(new Asked(query.name() + "d", query(query)));
      }
    }
    for (WorkloadQuery query : WorkloadQuery.ofDays(parameters, scale.days())) {
      if (query.name().startsWith("mice") || query.name().startsWith("anomaly")) {
        all.add(new Asked(query.name() + "d", query(query)));
      }
    }
    scale.hosts().forEach((name, hosts) -> all.add(new Asked(name, lookup(hosts))));
  }

  private Question query(WorkloadQuery query) {
    FlowQuery parsed = QueryParser.parse(query.flowmon());
    int[] rows = {-1};
    return (snapshot, round) -> {
      QueryAnswer answer = ArchiveQuery.run(snapshot, parsed, how);
      int found = answer.table().rowCount();
      Run.require(
          found > 0 && (rows[0] < 0 || found == rows[0]),
          "%s: %d rows, before %d",
          query.name(),
          found,
          rows[0]);
      rows[0] = found;
      return answer;
    };
  }

  private Question lookup(List<Counted> hosts) {
    return (snapshot, round) -> {
      Counted host = hosts.get(round % hosts.size());
      return Lookup.ofHost(host.address(), host.rows()).in(snapshot, how);
    };
  }

  /** Measures the tables of queries, opening, memory, bytes and growth. */
  void measure() throws IOException {
    for (Asked asked : all) {
      asked.first = once(asked);
      run.progress("%s: the first run took %.1f ms", asked.name, asked.first);
    }
    try (Archive archive = Archive.open(scale.archive())) {
      long anonymous = 0;
      for (Asked asked : all) {
        warm(archive, asked);
        anonymous = Math.max(anonymous, ProcessMemory.now().anonymous());
      }
      run.add(MEMORY, memory(anonymous));
    }
    for (Asked asked : all) {
      asked.cold = once(asked);
    }
    all.forEach(asked -> run.add(QUERIES, row(asked)));
    run.add(OPENING, opening());
    try (Archive archive = Archive.open(scale.archive());
        ArchiveSnapshot snapshot = archive.snapshot()) {
      ScaleBytes.bytes(archive, snapshot).forEach(row -> run.add(BYTES, row));
      run.add(GROWTH, ScaleBytes.growth(snapshot, scale.days()));
    }
  }

  /** Opens the archive, with its pages dropped if possible, and queries once. */
  private double once(Asked asked) throws IOException {
    Optional<String> problem = PageCache.drop(scale.archive());
    if (problem.isPresent() && notCold.isEmpty()) {
      notCold = problem;
      run.progress("no cold figures: %s", problem.get());
    }
    long start = System.nanoTime();
    try (Archive archive = Archive.open(scale.archive());
        ArchiveSnapshot snapshot = archive.snapshot()) {
      long opened = System.nanoTime();
      coldOpens.add((opened - start) / 1e6);
      asked.last = asked.question.ask(snapshot, 0);
      return (System.nanoTime() - opened) / 1e6;
    }
  }

  private void warm(Archive archive, Asked asked) throws IOException {
    Samples.Operation operation =
        round -> {
          // Like a user's request.
          try (ArchiveSnapshot snapshot = archive.snapshot()) {
            asked.last = asked.question.ask(snapshot, round);
          }
        };
    operation.run(0); // takes long: it checks each column that it is the first to read
    long begun = System.nanoTime();
    for (int round = 1;
        round < MAX_WARM_RUNS && System.nanoTime() - begun < run.number("warm-up") * 1_000_000;
        round++) {
      operation.run(round);
    }
    int rounds = run.integer("rounds");
    asked.warm = Samples.millis(rounds, operation);
    asked.noise = MachineNoise.slowest(run.cores("threads"), asked.warm.median(), rounds);
  }

  private Row row(Asked asked) {
    return new Row()
        .put("query", asked.name)
        .put("answer_rows", asked.last.table().rowCount())
        .put("segments_read", asked.last.stats().segmentsRead())
        .put("cells_read", asked.last.stats().cellsRead())
        .put("rows_examined", asked.last.stats().rowsExamined())
        .put("p50_ms", asked.warm.median())
        .put("p99_ms", asked.warm.percentile(0.99))
        .put("best_ms", asked.warm.least())
        .put("loop_p99_to_p50", asked.noise)
        .put("cold_ms", ifCold(asked.cold))
        .put("first_ms", ifCold(asked.first));
  }

  private Object ifCold(double millis) {
    return notCold.isEmpty() ? (Object) millis : "-";
  }

  private Row opening() throws IOException {
    Samples warm =
        Samples.millis(
            Math.max(2, all.size()),
            round -> {
              try (Archive archive = Archive.open(scale.archive())) {
                archive.snapshot().close();
              }
            });
    double each;
    int segments;
    try (Archive archive = Archive.open(scale.archive());
        ArchiveSnapshot snapshot = archive.snapshot()) {
      segments = snapshot.segments().size();
      long start = System.nanoTime();
      for (SealedSegment segment : snapshot.segments()) {
        try (SegmentLease lease = snapshot.open(segment, true)) {
          Run.require(lease.index() != null, "%s: %s", segment.id(), lease.indexProblem());
        }
      }
      each = (System.nanoTime() - start) / 1e3 / segments;
    }
    Samples cold = Samples.of(coldOpens);
    return new Row()
        .put("segments", segments)
        .put("open_ms", warm.median())
        .put("open_cold_ms", ifCold(cold.median()))
        .put("open_cold_worst_ms", ifCold(cold.most()))
        .put("segment_and_sidecar_us", each);
  }

  /** The memory of this process, which has run all queries many times. */
  private static Row memory(long anonymous) throws IOException {
    ProcessMemory now = ProcessMemory.now();
    long peak =
        ManagementFactory.getMemoryPoolMXBeans().stream()
            .filter(pool -> pool.getType() == MemoryType.HEAP)
            .map(MemoryPoolMXBean::getPeakUsage)
            .mapToLong(usage -> usage.getUsed())
            .sum();
    System.gc(); // the rest is the archive's need
    long used = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    return new Row()
        .put("heap_limit_mib", Runtime.getRuntime().maxMemory() / MIB)
        .put("heap_used_mib", used / MIB)
        .put("heap_peak_mib", peak / MIB)
        .put("resident_mib", now.resident() / MIB)
        .put("resident_most_mib", now.most() / MIB)
        .put("anonymous_mib", now.anonymous() / MIB)
        .put("anonymous_most_mib", anonymous / MIB)
        .put("file_mib", now.file() / MIB);
  }
}
