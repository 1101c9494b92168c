package org.flowmon.bench.scale;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.flowmon.bench.Bench;
import org.flowmon.bench.harness.BenchFolder;
import org.flowmon.bench.harness.BenchResult;
import org.flowmon.bench.harness.Experiment;
import org.flowmon.bench.harness.Run;
import org.flowmon.bench.machine.ChildJvm;
import org.flowmon.deploy.command.UsageException;

/** Builds a large archive and queries it in a separate JVM. */
public final class Scale implements Experiment {
  private static final int SHOWN_RATES = 10;

  @Override
  public void run(Run run) throws IOException {
    Optional<Path> directory = run.path("dir");
    if (run.flag("only-queries")) {
      if (directory.isEmpty()) {
        throw new UsageException("--only-queries needs --dir");
      }
      new ScaleQueries(ScaleArchive.read(directory.get()), run).measure();
      return;
    }
    if (directory.isPresent() && Files.exists(directory.get())) {
      ScaleArchive found = ScaleArchive.read(directory.get());
      run.progress("%s has %,d rows already", directory.get(), found.rows());
      measure(run, found);
      return;
    }
    Path folder = run.open(BenchFolder.of("scale", directory)).path();
    measure(run, ScaleLoad.build(run, folder));
  }

  private static void measure(Run run, ScaleArchive archive) throws IOException {
    List<String> arguments =
        List.of(
            "archive",
            "scale",
            "--only-queries",
            "--json",
            "--dir=" + archive.directory(),
            "--threads=" + run.cores("threads"),
            "--rounds=" + run.integer("rounds"),
            "--warm-up=" + run.number("warm-up"));
    run.add(archive.loading());
    run.add(some(archive.rates()));
    BenchResult.read(ChildJvm.run(Bench.class, run.text("heap"), arguments)).forEach(run::add);
    for (Map<String, Object> row : archive.rates().rows()) {
      double at = (long) row.get("rows");
      run.point("load", at, (double) row.get("rows_per_second"));
      run.point("load and merging", at, (double) row.get("with_merging_rows_per_second"));
    }
  }

  /** The first and the last rates, and some between. */
  private static BenchResult some(BenchResult rates) {
    List<Map<String, Object>> all = rates.rows();
    BenchResult some = new BenchResult(rates.bench());
    int step = Math.max(1, all.size() / SHOWN_RATES);
    for (int i = 0; i < all.size(); i++) {
      if (i % step == 0 || i == all.size() - 1) {
        some.row(all.get(i));
      }
    }
    return some;
  }
}
