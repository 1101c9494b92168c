package org.flowmon.deploy.bench.scale;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveImporter;
import org.flowmon.archive.ArchiveOptions;
import org.flowmon.archive.compact.CompactionOptions;
import org.flowmon.archive.compact.Compactor;
import org.flowmon.archive.manifest.ImportedFile;
import org.flowmon.deploy.bench.archive.AddressCounts;
import org.flowmon.deploy.bench.archive.FlowBlock;
import org.flowmon.deploy.bench.archive.GeneratedWorkload;
import org.flowmon.deploy.bench.archive.WorkloadBatches;
import org.flowmon.deploy.bench.experiment.ExperimentOptions;
import org.flowmon.deploy.bench.output.BenchResult;
import org.flowmon.flow.FlowBatch;

/**
 * Loads an archive as checkpoints of a job do, on one thread: a commit of so many rows, then what
 * is to be merged, then the host directory; and measures the rates on the way. The making of the
 * rows is not counted. Used once.
 */
final class ScaleLoad {
  private static final int WINDOW = 1_000_000;
  private static final int WARM_UP_ROWS = 1_000_000;

  private final int commitRows;
  private final Consumer<String> progress;
  private final long window;
  private final WorkloadBatches batches = new WorkloadBatches();
  private final BenchResult rates = new BenchResult(ScaleArchive.RATES);
  private final Spent load = new Spent();
  private final Spent upkeep = new Spent();
  private Archive archive;
  private Compactor compactor;
  private ArchiveImporter importer;
  private long rows;
  private long commits;
  private long inCommit;
  private long rewritten;
  private long inWindow;

  /** Time that was spent on something: so far, and in the current window. */
  private static final class Spent {
    private long nanos;
    private long cpu;
    private long windowNanos;
    private long windowCpu;
    private long begun;
    private long cpuBegun;

    void begin() {
      begun = System.nanoTime();
      cpuBegun = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }

    void end() {
      nanos += System.nanoTime() - begun;
      cpu += ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() - cpuBegun;
    }

    void beginWindow() {
      windowNanos = nanos;
      windowCpu = cpu;
    }

    double windowSeconds() {
      return (nanos - windowNanos) / 1e9;
    }

    double windowCpuSeconds() {
      return (cpu - windowCpu) / 1e9;
    }
  }

  private ScaleLoad(long rows, int commitRows, Consumer<String> progress) {
    this.commitRows = commitRows;
    this.progress = progress;
    this.window = Math.min(WINDOW, Math.max(commitRows, rows / 2));
  }

  /**
   * Builds the archive in {@code directory/archive} and says so in {@code scale.json}.
   *
   * @param directory is there
   * @param commitRows rows of a commit
   */
  static ScaleArchive build(
      Path directory, long rows, long seed, int days, int commitRows, Consumer<String> progress)
      throws IOException {
    GeneratedWorkload workload = new GeneratedWorkload(rows, seed, days);
    progress.accept("loading " + workload.description());
    ScaleLoad load = new ScaleLoad(rows, commitRows, progress);
    AddressCounts counts = new AddressCounts();
    load.run(workload, ScaleArchive.archive(directory), counts);
    ScaleArchive built =
        new ScaleArchive(
            directory,
            rows,
            seed,
            days,
            ScaleArchive.choose(counts, seed),
            load.rates,
            load.loading());
    built.write();
    return built;
  }

  /** Compiles what loading runs through, so that the first rows are not slow for want of it. */
  static void warmUp(Path scratch, long rows, long seed, int commitRows) throws IOException {
    long some = Math.min(rows, WARM_UP_ROWS);
    GeneratedWorkload workload = new GeneratedWorkload(some, ~seed);
    new ScaleLoad(some, commitRows, line -> {}).run(workload, scratch, new AddressCounts());
  }

  private void run(GeneratedWorkload workload, Path directory, AddressCounts counts)
      throws IOException {
    try (Archive opened = Archive.create(directory, ArchiveOptions.DEFAULTS)) {
      archive = opened;
      compactor = new Compactor(opened, CompactionOptions.DEFAULTS);
      ExperimentOptions.read(
          workload,
          block -> {
            counts.add(block);
            add(block);
          });
      if (importer != null) {
        load.begin();
        commit();
      }
      if (inWindow >= window / 2 || rates.rows().isEmpty()) {
        endWindow();
      }
      upkeep.begin();
      opened.updateDirectory(true, () -> false);
      upkeep.end();
    } finally {
      if (importer != null) {
        importer.close();
      }
    }
  }

  private void add(FlowBlock block) throws IOException {
    load.begin();
    batches.write(block, this::add);
    load.end();
  }

  private void add(FlowBatch batch) throws IOException {
    if (importer == null) {
      ImportedFile file = new ImportedFile(String.format("%064x", commits), "scale", commitRows);
      importer = new ArchiveImporter(archive, file, false);
    }
    importer.add(batch);
    rows += batch.rows();
    inCommit += batch.rows();
    if (inCommit >= commitRows) {
      commit();
      load.begin();
    }
  }

  /** Ends the time of loading, which began before. */
  private void commit() throws IOException {
    importer.commit("flowmon bench archive scale");
    importer = null;
    load.end();
    commits++;
    inWindow += inCommit;
    inCommit = 0;
    upkeep.begin();
    for (Compactor.Step step = compactor.step(() -> false);
        step != null;
        step = compactor.step(() -> false)) {
      rewritten += step.rows();
      archive.removeReplaced(Duration.ZERO);
    }
    archive.removeReplaced(Duration.ZERO);
    archive.updateDirectory(false, () -> false);
    upkeep.end();
    if (inWindow >= window) {
      endWindow();
    }
  }

  private void endWindow() {
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("rows", rows);
    row.put("rows_per_second", inWindow / load.windowSeconds());
    row.put("rows_per_cpu_second", inWindow / load.windowCpuSeconds());
    row.put(
        "with_merging_rows_per_second", inWindow / (load.windowSeconds() + upkeep.windowSeconds()));
    rates.row(row);
    progress.accept(
        String.format(
            "%,d rows; the last %,d at %,.0f rows/s, with merging %,.0f",
            rows,
            inWindow,
            (double) row.get("rows_per_second"),
            (double) row.get("with_merging_rows_per_second")));
    inWindow = 0;
    load.beginWindow();
    upkeep.beginWindow();
  }

  private BenchResult loading() {
    List<Map<String, Object>> all = rates.rows();
    Map<String, Object> first = all.get(0);
    Map<String, Object> last = all.get(all.size() - 1);
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("rows", rows);
    row.put("commits", commits);
    row.put("load_seconds", load.nanos / 1e9);
    row.put("merging_seconds", upkeep.nanos / 1e9);
    row.put("rewritten_per_row", rewritten / (double) rows);
    row.put("first_rows_per_second", first.get("rows_per_second"));
    row.put("last_rows_per_second", last.get("rows_per_second"));
    row.put("last_to_first", ratio(last, first, "rows_per_second"));
    row.put("last_to_first_by_cpu", ratio(last, first, "rows_per_cpu_second"));
    BenchResult loading = new BenchResult(ScaleArchive.LOADING);
    loading.row(row);
    return loading;
  }

  private static double ratio(Map<String, Object> a, Map<String, Object> b, String name) {
    return (double) a.get(name) / (double) b.get(name);
  }
}
