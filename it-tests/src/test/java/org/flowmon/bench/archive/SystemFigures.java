package org.flowmon.bench.archive;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.flowmon.bench.harness.Samples;

/** The measurements of one system. */
public final class SystemFigures {
  private final String name;
  private final String settings;
  private final long rows;
  private final double loadSeconds;
  private final double indexSeconds;
  private final long bytesOnDisk;
  private final Map<String, Samples> millis = new HashMap<>();
  private Samples cold = Samples.of(List.of());

  SystemFigures(
      String name,
      String settings,
      long rows,
      double loadSeconds,
      double indexSeconds,
      long bytesOnDisk) {
    this.name = name;
    this.settings = settings;
    this.rows = rows;
    this.loadSeconds = loadSeconds;
    this.indexSeconds = indexSeconds;
    this.bytesOnDisk = bytesOnDisk;
  }

  void measured(String query, Samples times) {
    millis.put(query, times);
  }

  void measuredCold(Samples times) {
    cold = times;
  }

  /**
   * The median time of opening the data and asking all queries in turn with nothing in memory, ms;
   * NaN if not measured.
   */
  public double cold() {
    return cold.median();
  }

  public String name() {
    return name;
  }

  /** Version and settings, for people. */
  public String settings() {
    return settings;
  }

  /** Number of loaded rows. */
  public long rows() {
    return rows;
  }

  /** Time of loading, without generating or reading the rows. */
  public double loadSeconds() {
    return loadSeconds;
  }

  /** Time of the steps after loading: indexes, statistics. */
  public double indexSeconds() {
    return indexSeconds;
  }

  /** Rows a second of loading and indexing together. */
  public double rowsPerSecond() {
    return rows / (loadSeconds + indexSeconds);
  }

  /** Bytes on disk per row, indexes included. */
  public double bytesPerRow() {
    return bytesOnDisk / (double) rows;
  }

  /** The shortest time of a query, ms. */
  public double best(String query) {
    return millis.get(query).least();
  }

  /** The median time of a query, ms. */
  public double median(String query) {
    return millis.get(query).median();
  }

  /** The longest time of a query, ms. */
  public double worst(String query) {
    return millis.get(query).most();
  }
}
