package org.flowmon.bench.scale;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveOptions;
import org.flowmon.bench.archive.AddressCounts;
import org.flowmon.bench.archive.GeneratedWorkload;
import org.flowmon.bench.experiment.CheckpointLoad;
import org.flowmon.bench.harness.BenchResult;
import org.flowmon.bench.harness.Row;
import org.flowmon.bench.harness.Run;

/**
 * Builds a {@link ScaleArchive} and measures the rates for each million rows, without generating
 * the rows.
 */
public final class ScaleLoad {
  private static final int WINDOW = 1_000_000;

  private final CheckpointLoad load;
  private final BenchResult rates = new BenchResult(ScaleArchive.RATES);
  private long windowRows;
  private double windowSeconds;
  private double windowCpuSeconds;
  private double windowUpkeepSeconds;

  private ScaleLoad(CheckpointLoad load) {
    this.load = load;
  }

  /** Builds the archive in {@code directory/archive} and writes {@code scale.json}. */
  public static ScaleArchive build(Run run, Path directory) throws IOException {
    long rows = run.number("rows");
    long seed = run.number("seed");
    int days = run.integer("days");
    int commitRows = run.integer("commit-rows");
    run.progress("warming up");
    CheckpointLoad.warmUp(rows, seed, commitRows);
    GeneratedWorkload workload = new GeneratedWorkload(rows, seed, days);
    run.progress("loading %s", workload.description());
    AddressCounts counts = new AddressCounts();
    long window = Math.min(WINDOW, Math.max(commitRows, rows / 2));
    BenchResult rates;
    BenchResult loading;
    try (Archive archive =
            Archive.create(ScaleArchive.archive(directory), ArchiveOptions.DEFAULTS);
        CheckpointLoad load = new CheckpointLoad(archive, commitRows)) {
      ScaleLoad scale = new ScaleLoad(load);
      workload.read(
          block -> {
            counts.add(block);
            load.add(block);
            // The rest of a block counts for the next window.
            scale.endWindow(run, window - commitRows);
          });
      load.finish();
      scale.endWindow(run, scale.rates.rows().isEmpty() ? 1 : window / 2);
      rates = scale.rates;
      loading = scale.loading();
    }
    ScaleArchive built =
        new ScaleArchive(
            directory, rows, seed, days, ScaleArchive.choose(counts, seed), rates, loading);
    built.write(); // says that the archive is finished, so it is closed before
    return built;
  }

  /** Notes the rates if at least so many rows were committed since the last time. */
  private void endWindow(Run run, long least) {
    long some = load.rows() - windowRows;
    if (some < Math.max(1, least)) {
      return;
    }
    double seconds = load.loading().seconds() - windowSeconds;
    double upkeep = load.upkeep().seconds() - windowUpkeepSeconds;
    Row row =
        new Row()
            .put("rows", load.rows())
            .put("rows_per_second", some / seconds)
            .put("rows_per_cpu_second", some / (load.loading().cpuSeconds() - windowCpuSeconds))
            .put("with_merging_rows_per_second", some / (seconds + upkeep));
    rates.row(row);
    run.progress("%s", BenchResult.sentence(row.values()));
    windowRows = load.rows();
    windowSeconds = load.loading().seconds();
    windowCpuSeconds = load.loading().cpuSeconds();
    windowUpkeepSeconds = load.upkeep().seconds();
  }

  private BenchResult loading() {
    List<Map<String, Object>> all = rates.rows();
    Map<String, Object> first = all.get(0);
    Map<String, Object> last = all.get(all.size() - 1);
    Row row =
        new Row()
            .put("rows", load.rows())
            .put("commits", load.commits())
            .put("load_seconds", load.loading().seconds())
            .put("merging_seconds", load.upkeep().seconds())
            .put("rewritten_per_row", load.rewritten() / (double) load.rows())
            .put("first_rows_per_second", first.get("rows_per_second"))
            .put("last_rows_per_second", last.get("rows_per_second"))
            .put("last_to_first", ratio(last, first, "rows_per_second"))
            .put("last_to_first_by_cpu", ratio(last, first, "rows_per_cpu_second"));
    BenchResult loading = new BenchResult(ScaleArchive.LOADING);
    loading.row(row);
    return loading;
  }

  private static double ratio(Map<String, Object> a, Map<String, Object> b, String name) {
    return (double) a.get(name) / (double) b.get(name);
  }
}
