package org.flowmon.bench.archive;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import org.flowmon.archive.segment.SegmentOptions;
import org.flowmon.bench.harness.Run;
import org.flowmon.deploy.command.UsageException;

/** The systems that the options of a run choose: the archive alone, or with others. */
public final class SystemChoice {
  private final List<BenchSystemProvider> chosen;

  private SystemChoice(List<BenchSystemProvider> chosen) {
    this.chosen = chosen;
  }

  /** Checks the options, so call it before anything is created. */
  public static SystemChoice of(Run run) {
    return new SystemChoice(chosen(run));
  }

  /**
   * Compares the chosen systems. Answers that differ make the command's exit code 1.
   *
   * @param folder for their data
   * @param isColdToo whether all queries are also timed with nothing in memory
   */
  public SystemComparison compare(
      Run run, Workload workload, List<WorkloadQuery> queries, Path folder, boolean isColdToo)
      throws IOException {
    SystemComparison comparison =
        new SystemComparison(
            workload,
            queries,
            run.cores("threads"),
            Duration.ofMillis(run.number("warm-up")),
            run.integer("rounds"),
            line -> run.progress("%s", line));
    comparison.run(chosen, folder, isColdToo);
    comparison.differences().forEach(line -> run.expect(false, "answers differ: %s", line));
    return comparison;
  }

  /** The systems, the archive first. */
  private static List<BenchSystemProvider> chosen(Run run) {
    Map<String, BenchSystemProvider> all = new LinkedHashMap<>();
    all.put(
        FlowmonSystem.NAME,
        new Flowmon(run.integer("segment-rows"), segmentOptions(run.text("segments"))));
    boolean isComparison = run.flag("compare");
    if (isComparison) {
      ServiceLoader.load(BenchSystemProvider.class)
          .forEach(provider -> all.put(provider.name(), provider));
    }
    if (!run.has("systems")) {
      return List.copyOf(all.values());
    }
    if (!isComparison) {
      throw new UsageException("--systems belongs to --compare");
    }
    List<BenchSystemProvider> chosen = new ArrayList<>();
    for (String name : run.texts("systems")) {
      if (!all.containsKey(name)) {
        throw new UsageException("no system " + name + "; there are " + all.keySet());
      }
      chosen.add(all.get(name));
    }
    return chosen;
  }

  private static SegmentOptions segmentOptions(String text) {
    try {
      return SegmentOptions.parse(text);
    } catch (IllegalArgumentException e) {
      throw new UsageException("--segments: " + e.getMessage());
    }
  }

  private record Flowmon(int segmentRows, SegmentOptions segments) implements BenchSystemProvider {
    @Override
    public String name() {
      return FlowmonSystem.NAME;
    }

    @Override
    public BenchSystem open(Path folder, int threads) throws IOException {
      return FlowmonSystem.create(folder, segmentRows, segments, threads);
    }
  }
}
