package org.flowmon.bench.scale;

import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveOptions;
import org.flowmon.bench.archive.AddressCounts;
import org.flowmon.bench.archive.GeneratedWorkload;
import org.flowmon.bench.experiment.CheckpointLoad;
import org.flowmon.bench.experiment.ExperimentOptions;
import org.flowmon.bench.output.BenchResult;

/**
 * Builds a {@link ScaleArchive} and measures the rates for each million rows, without generating
 * the rows.
 */
final class ScaleLoad {
  private static final int WINDOW = 1_000_000;

  private final CheckpointLoad load;
  private final Consumer<String> progress;
  private final BenchResult rates = new BenchResult(ScaleArchive.RATES);
  private long windowRows;
  private double windowSeconds;
  private double windowCpuSeconds;
  private double windowUpkeepSeconds;

  private ScaleLoad(CheckpointLoad load, Consumer<String> progress) {
    this.load = load;
    this.progress = progress;
  }

  /**
   * Builds the archive in {@code directory/archive} and writes {@code scale.json}.
   *
   * @param directory exists
   * @param commitRows rows of a commit
   */
  static ScaleArchive build(
      Path directory, long rows, long seed, int days, int commitRows, Consumer<String> progress)
      throws IOException {
    progress.accept("warming up");
    CheckpointLoad.warmUp(rows, seed, commitRows);
    GeneratedWorkload workload = new GeneratedWorkload(rows, seed, days);
    progress.accept("loading " + workload.description());
    AddressCounts counts = new AddressCounts();
    ScaleLoad run = load(workload, ScaleArchive.archive(directory), commitRows, counts, progress);
    ScaleArchive built =
        new ScaleArchive(
            directory,
            rows,
            seed,
            days,
            ScaleArchive.choose(counts, seed),
            run.rates,
            run.loading());
    built.write();
    return built;
  }

  private static ScaleLoad load(
      GeneratedWorkload workload,
      Path directory,
      int commitRows,
      AddressCounts counts,
      Consumer<String> progress)
      throws IOException {
    long window = Math.min(WINDOW, Math.max(commitRows, workload.parameters().rows() / 2));
    try (Archive archive = Archive.create(directory, ArchiveOptions.DEFAULTS);
        CheckpointLoad load = new CheckpointLoad(archive, commitRows)) {
      ScaleLoad run = new ScaleLoad(load, progress);
      ExperimentOptions.read(
          workload,
          block -> {
            counts.add(block);
            load.add(block);
            run.endWindow(window - commitRows); // the rest of a block counts for the next window
          });
      load.finish();
      run.endWindow(run.rates.rows().isEmpty() ? 1 : window / 2);
      return run;
    }
  }

  /** Notes the rates if at least so many rows were committed since the last time. */
  private void endWindow(long least) {
    long some = load.rows() - windowRows;
    if (some < Math.max(1, least)) {
      return;
    }
    double seconds = load.loading().seconds() - windowSeconds;
    double upkeep = load.upkeep().seconds() - windowUpkeepSeconds;
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("rows", load.rows());
    row.put("rows_per_second", some / seconds);
    row.put("rows_per_cpu_second", some / (load.loading().cpuSeconds() - windowCpuSeconds));
    row.put("with_merging_rows_per_second", some / (seconds + upkeep));
    rates.row(row);
    progress.accept(
        String.format(
            "%,d rows; the last %,d at %,.0f rows/s, with merging %,.0f",
            load.rows(), some, some / seconds, some / (seconds + upkeep)));
    windowRows = load.rows();
    windowSeconds = load.loading().seconds();
    windowCpuSeconds = load.loading().cpuSeconds();
    windowUpkeepSeconds = load.upkeep().seconds();
  }

  private BenchResult loading() {
    List<Map<String, Object>> all = rates.rows();
    Map<String, Object> first = all.get(0);
    Map<String, Object> last = all.get(all.size() - 1);
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("rows", load.rows());
    row.put("commits", load.commits());
    row.put("load_seconds", load.loading().seconds());
    row.put("merging_seconds", load.upkeep().seconds());
    row.put("rewritten_per_row", load.rewritten() / (double) load.rows());
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
