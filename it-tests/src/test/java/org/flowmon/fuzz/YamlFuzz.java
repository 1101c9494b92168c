package org.flowmon.fuzz;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.config.ConfigException;
import org.flowmon.jobs.config.job.JobConfig;

/** Files of analyses, as they also come by the control topic, and the job's configuration. */
final class YamlFuzz implements FuzzTarget {
  private static final int MAX_TEXT = 1 << 16;
  private static final String JOB =
      "kafka:\n  bootstrap: 127.0.0.1:9092\n  topic: flows\n  group: g\narchive:\n"
          + "  directory: /tmp/a\n  retention: {flows: 1000000, age: 90d}\njob:\n  role: all\n"
          + "postgres:\n  url: jdbc:postgresql://127.0.0.1/flowmon\n  user: u\n";

  @Override
  public String name() {
    return "yaml";
  }

  @Override
  public String about() {
    return "YAML of analyses and of the job";
  }

  @Override
  public List<byte[]> seeds() {
    List<byte[]> seeds = new ArrayList<>();
    for (AnalysisConfig analysis : AnalysisConfig.offered()) {
      String text = "a" + AnalysisConfig.textOf(analysis.name());
      seeds.add(text.getBytes(StandardCharsets.UTF_8));
    }
    seeds.add(("j" + JOB).getBytes(StandardCharsets.UTF_8));
    return seeds;
  }

  @Override
  public long allocationLimit(byte[] input) {
    return (64L << 20) + 1024L * input.length; // queries are parsed and checked
  }

  @Override
  public long cpuLimit(byte[] input) {
    return 1_000_000_000L;
  }

  @Override
  public void run(byte[] input) {
    if (input.length < 1 || input.length > MAX_TEXT) {
      return;
    }
    String text = new String(input, 1, input.length - 1, StandardCharsets.UTF_8);
    try {
      if (input[0] == 'j') {
        JobConfig.parse("input.yaml", text);
      } else {
        AnalysisConfig.parse("input.yaml", text);
      }
    } catch (ConfigException e) {
      ExportsFuzz.require(
          e.getMessage() != null && e.getMessage().contains("input.yaml"),
          "an error that does not name the file: " + e.getMessage());
    }
  }
}
