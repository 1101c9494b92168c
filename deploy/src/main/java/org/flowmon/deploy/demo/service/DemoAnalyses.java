package org.flowmon.deploy.demo.service;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.flowmon.ingest.synthetic.Incidents;
import org.flowmon.jobs.analysis.AnalysisConfig;

/**
 * The analyses of a demo with generated traffic: the bundled ones, with windows so short that a
 * minute shows something. The job reads them from a folder of the demo, where people can, too.
 */
public final class DemoAnalyses {
  /** All of them; what each finds is what is planted. */
  public static final List<Finder> ALL =
      List.of(
          new Finder("elephants", Incidents.HEAVY_TALKER, "src_addr"),
          new Finder("scans_fast", Incidents.SCAN, "src_addr"),
          new Finder("scans", Incidents.SLOW_SCAN, "src_addr"),
          new Finder("beacons", Incidents.BEACON, "src_addr"),
          new Finder("new_talkers", Incidents.NEW_TALKER, "src_addr"),
          new Finder("ddos", Incidents.DDOS, "dst_addr"),
          new Finder("dispersion", "", "prefix"),
          new Finder("anomaly", "", ""),
          new Finder("mice", "", "src_addr"));

  /**
   * An analysis.
   *
   * @param finds the name of what is planted; empty if it is for nothing planted alone
   * @param subject the column of whom a row is about; empty if rows are about all of the traffic
   */
  public record Finder(String analysis, String finds, String subject) {}

  private DemoAnalyses() {}

  public static Optional<Finder> of(String analysis) {
    return ALL.stream().filter(one -> one.analysis().equals(analysis)).findFirst();
  }

  /** Writes their files into a new folder: the demo's own, and the bundled ones as they are. */
  public static void write(Path folder) throws IOException {
    Files.createDirectories(folder);
    for (Finder one : ALL) {
      Path file = folder.resolve(one.analysis() + ".yaml");
      try (InputStream own =
          DemoAnalyses.class.getResourceAsStream(
              "/org/flowmon/deploy/demo/" + file.getFileName())) {
        if (own != null) {
          Files.copy(own, file);
        } else {
          Files.writeString(file, AnalysisConfig.textOf(one.analysis()));
        }
      }
    }
  }
}
