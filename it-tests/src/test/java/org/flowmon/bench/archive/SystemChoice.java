package org.flowmon.bench.archive;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import org.flowmon.archive.segment.SegmentOptions;
import org.flowmon.deploy.command.UsageException;
import picocli.CommandLine.Option;

/** The options that choose systems: the archive alone, or with others. */
public final class SystemChoice {
  @Option(
      names = "--segment-rows",
      defaultValue = "4000000",
      description = "Rows of a segment of the archive; default ${DEFAULT-VALUE}.")
  private int segmentRows;

  @Option(
      names = "--segments",
      defaultValue = "lookup",
      paramLabel = "OPTIONS",
      description = "How segments are sealed, for example 'compact codec=zstd:3'; default lookup.")
  private String segments;

  @Option(names = "--compare", description = "Compare with other systems.")
  private boolean compare;

  @Option(
      names = "--systems",
      split = ",",
      paramLabel = "NAME",
      description = "With --compare: only these, for example flowmon,duckdb.")
  private List<String> systems;

  /** The systems, the archive first. */
  public List<BenchSystemProvider> chosen() {
    if (segmentRows < 1) {
      throw new UsageException("--segment-rows is at least 1");
    }
    Map<String, BenchSystemProvider> all = new LinkedHashMap<>();
    all.put(FlowmonSystem.NAME, new Flowmon(segmentRows, segmentOptions()));
    if (compare) {
      ServiceLoader.load(BenchSystemProvider.class)
          .forEach(provider -> all.put(provider.name(), provider));
    } else if (systems != null) {
      throw new UsageException("--systems belongs to --compare");
    }
    if (systems == null) {
      return List.copyOf(all.values());
    }
    List<BenchSystemProvider> chosen = new ArrayList<>();
    for (String name : systems) {
      if (!all.containsKey(name)) {
        throw new UsageException("no system " + name + "; there are " + all.keySet());
      }
      chosen.add(all.get(name));
    }
    return chosen;
  }

  private SegmentOptions segmentOptions() {
    try {
      return SegmentOptions.parse(segments);
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
