package org.flowmon.bench.scale;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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
import org.flowmon.bench.experiment.ExperimentOptions;
import org.flowmon.bench.experiment.Timings;
import org.flowmon.bench.machine.MachineNoise;
import org.flowmon.bench.machine.PageCache;
import org.flowmon.bench.machine.ProcessMemory;
import org.flowmon.bench.output.BenchResult;
import org.flowmon.flow.IpAddress;
import org.flowmon.flow.IpPrefix;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.query.FlowQuery;

/**
 * Queries a {@link ScaleArchive}: first each query once with nothing in memory, then each many
 * times, then each once with its pages dropped again and compiled code.
 */
final class ScaleQueries {
  static final String QUERIES = "queries";
  static final String OPENING = "opening";
  static final String MEMORY = "memory";

  static final int RUNS = 100;
  private static final int MAX_WARM_RUNS = 500;
  private static final int WEEK = 7;
  private static final double MIB = 1 << 20;

  private final ScaleArchive scale;
  private final ExperimentOptions options;
  private final QueryOptions how;
  private final List<Asked> all = new ArrayList<>();
  private final List<Double> coldOpens = new ArrayList<>();
  private String notCold;

  /** A query, or lookups of several hosts in turn. */
  private interface Question {
    /** Runs the query for a run's number; an answer with another number of rows is an error. */
    QueryAnswer ask(ArchiveSnapshot snapshot, int run) throws IOException;
  }

  /** The measurements of a question. */
  private static final class Asked {
    private final String name;
    private final Question question;
    private double first = Double.NaN;
    private double cold = Double.NaN;
    private Timings warm;
    private double noise;
    private QueryAnswer last;

    Asked(String name, Question question) {
      this.name = name;
      this.question = question;
    }
  }

  ScaleQueries(ScaleArchive scale, ExperimentOptions options) {
    this.scale = scale;
    this.options = options;
    this.how = QueryOptions.DEFAULTS.withThreads(options.threads());
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
    return (snapshot, run) -> {
      QueryAnswer answer = ArchiveQuery.run(snapshot, parsed, how);
      int found = answer.table().rowCount();
      if (found < 1 || (rows[0] >= 0 && found != rows[0])) {
        throw new IllegalStateException(query.name() + ": " + found + " rows, before " + rows[0]);
      }
      rows[0] = found;
      return answer;
    };
  }

  private Question lookup(List<Counted> hosts) {
    return (snapshot, run) -> {
      Counted host = hosts.get(run % hosts.size());
      IpPrefix address = new IpPrefix(IpAddress.ofIpv4((int) host.address()), 32);
      QueryAnswer answer =
          ArchiveQuery.lookup(snapshot, address, Long.MIN_VALUE, Long.MAX_VALUE, -1, how);
      if (answer.table().rowCount() != host.rows()) {
        throw new IllegalStateException(
            answer.table().rowCount() + " flows of " + address + ", expected " + host.rows());
      }
      return answer;
    };
  }

  /** Measures the tables of queries, opening, memory, bytes and growth. */
  List<BenchResult> measure() throws IOException {
    for (Asked asked : all) {
      asked.first = once(asked);
      options.progress(String.format("%s: the first run took %.1f ms", asked.name, asked.first));
    }
    List<BenchResult> tables = new ArrayList<>();
    BenchResult opening;
    BenchResult memory;
    try (Archive archive = Archive.open(scale.archive())) {
      long anonymous = 0;
      for (Asked asked : all) {
        warm(archive, asked);
        anonymous = Math.max(anonymous, ProcessMemory.now().anonymous());
      }
      memory = memory(anonymous);
    }
    for (Asked asked : all) {
      asked.cold = once(asked);
    }
    opening = opening();
    tables.add(queries());
    tables.add(opening);
    tables.add(memory);
    try (Archive archive = Archive.open(scale.archive());
        ArchiveSnapshot snapshot = archive.snapshot()) {
      tables.add(ScaleBytes.bytes(archive, snapshot));
      tables.add(ScaleBytes.growth(snapshot, scale.days()));
    }
    return tables;
  }

  /** Opens the archive, with its pages dropped if possible, and queries once. */
  private double once(Asked asked) throws IOException {
    Optional<String> problem = PageCache.drop(scale.archive());
    if (problem.isPresent() && notCold == null) {
      notCold = problem.get();
      options.progress("no cold figures: " + notCold);
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
    Timings.Operation operation =
        run -> {
          // Like a user's request.
          try (ArchiveSnapshot snapshot = archive.snapshot()) {
            asked.last = asked.question.ask(snapshot, run);
          }
        };
    operation.run(0); // takes long: it checks each column that it is the first to read
    long begun = System.nanoTime();
    for (int run = 1;
        run < MAX_WARM_RUNS && System.nanoTime() - begun < options.warmUp().toNanos();
        run++) {
      operation.run(run);
    }
    asked.warm = Timings.of(options.rounds(RUNS), operation);
    asked.noise =
        MachineNoise.slowest(options.threads(), asked.warm.median(), options.rounds(RUNS));
    options.progress(
        String.format(
            "%s: median %.2f ms, p99 %.2f; p99 of a plain loop: %.2f times its median",
            asked.name, asked.warm.median(), asked.warm.percentile(0.99), asked.noise));
  }

  private BenchResult queries() {
    BenchResult result = new BenchResult(QUERIES);
    for (Asked asked : all) {
      Map<String, Object> row = new LinkedHashMap<>();
      row.put("query", asked.name);
      row.put("answer_rows", (long) asked.last.table().rowCount());
      row.put("segments_read", (long) asked.last.stats().segmentsRead());
      row.put("cells_read", asked.last.stats().cellsRead());
      row.put("rows_examined", asked.last.stats().rowsExamined());
      row.put("p50_ms", asked.warm.median());
      row.put("p99_ms", asked.warm.percentile(0.99));
      row.put("best_ms", asked.warm.best());
      row.put("loop_p99_to_p50", asked.noise);
      row.put("cold_ms", notCold == null ? asked.cold : "-");
      row.put("first_ms", notCold == null ? asked.first : "-");
      result.row(row);
    }
    return result;
  }

  private BenchResult opening() throws IOException {
    Timings warm =
        Timings.of(
            Math.max(2, all.size()),
            run -> {
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
          if (lease.index() == null) {
            throw new IOException(segment.id() + ": " + lease.indexProblem());
          }
        }
      }
      each = (System.nanoTime() - start) / 1e3 / segments;
    }
    coldOpens.sort(Double::compare);
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("segments", (long) segments);
    row.put("open_ms", warm.median());
    row.put("open_cold_ms", notCold == null ? coldOpens.get(coldOpens.size() / 2) : "-");
    row.put("open_cold_worst_ms", notCold == null ? coldOpens.get(coldOpens.size() - 1) : "-");
    row.put("segment_and_sidecar_us", each);
    BenchResult result = new BenchResult(OPENING);
    result.row(row);
    return result;
  }

  /** The memory of this process, which has run all queries many times. */
  private static BenchResult memory(long anonymous) throws IOException {
    ProcessMemory now = ProcessMemory.now();
    long peak =
        ManagementFactory.getMemoryPoolMXBeans().stream()
            .filter(pool -> pool.getType() == MemoryType.HEAP)
            .map(MemoryPoolMXBean::getPeakUsage)
            .mapToLong(usage -> usage.getUsed())
            .sum();
    System.gc(); // the rest is the archive's need
    long used = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("heap_limit_mib", Runtime.getRuntime().maxMemory() / MIB);
    row.put("heap_used_mib", used / MIB);
    row.put("heap_peak_mib", peak / MIB);
    row.put("resident_mib", now.resident() / MIB);
    row.put("resident_most_mib", now.most() / MIB);
    row.put("anonymous_mib", now.anonymous() / MIB);
    row.put("anonymous_most_mib", anonymous / MIB);
    row.put("file_mib", now.file() / MIB);
    BenchResult result = new BenchResult(MEMORY);
    result.row(row);
    return result;
  }
}
