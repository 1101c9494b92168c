package org.flowmon.bench.scale;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.flowmon.bench.archive.AddressCounts;
import org.flowmon.bench.archive.AddressCounts.Counted;
import org.flowmon.bench.archive.GeneratedWorkload;
import org.flowmon.bench.harness.BenchResult;
import org.flowmon.bench.harness.Row;
import org.flowmon.deploy.command.UsageException;

/**
 * A folder with a finished archive and its description {@code scale.json}. That file is written
 * last: without it the archive is not finished.
 *
 * @param directory holds {@code archive} and {@code scale.json}
 * @param hosts the hosts to look up, by kind of lookup, with the count of flows of each
 * @param rates rows a second while it was loaded
 */
public record ScaleArchive(
    Path directory,
    long rows,
    long seed,
    int days,
    Map<String, List<Counted>> hosts,
    BenchResult rates,
    BenchResult loading) {
  static final String RATES = "rates";
  static final String LOADING = "loading";

  private static final String FILE = "scale.json";
  private static final String WORKLOAD = "workload";
  private static final String HOSTS = "hosts";
  private static final int HOSTS_OF_EACH = 100;
  private static final int[] FLOWS = {1_000, 100};

  public Path archive() {
    return archive(directory);
  }

  static Path archive(Path directory) {
    return directory.resolve("archive");
  }

  GeneratedWorkload workload() {
    return new GeneratedWorkload(rows, seed, days);
  }

  public static boolean isFinished(Path directory) {
    return Files.exists(directory.resolve(FILE));
  }

  /**
   * Chooses the hosts to look up: hosts with nearly a given number of flows, never more, and as
   * many hosts without flows. Half of the latter are from the inside hosts' range, so that many are
   * near.
   */
  static Map<String, List<Counted>> choose(AddressCounts counts, long seed) {
    Map<String, List<Counted>> hosts = new LinkedHashMap<>();
    for (int flows : FLOWS) {
      hosts.put("lookup_" + flows, counts.nearest(flows, flows, HOSTS_OF_EACH));
    }
    SplittableRandom random = new SplittableRandom(seed);
    List<Counted> absent = new ArrayList<>();
    while (absent.size() < HOSTS_OF_EACH) {
      long address =
          absent.size() % 2 == 0
              ? 10L << 24 | random.nextInt(16 << 16)
              : random.nextLong(1L << 24, 223L << 24);
      if (counts.rows(address) == 0) {
        absent.add(new Counted(address, 0));
      }
    }
    hosts.put("lookup_absent", absent);
    return hosts;
  }

  /** Marks the archive as finished. */
  void write() throws IOException {
    BenchResult workload = new BenchResult(WORKLOAD);
    workload.row(new Row().put("rows", rows).put("seed", seed).put("days", days));
    BenchResult looked = new BenchResult(HOSTS);
    hosts.forEach(
        (name, some) ->
            some.forEach(
                host ->
                    looked.row(
                        new Row()
                            .put("lookup", name)
                            .put("address", host.address())
                            .put("flows", host.rows()))));
    String json =
        BenchResult.merged("archive scale", List.of(workload, looked, rates, loading)).toJson();
    Files.writeString(directory.resolve(FILE), json);
  }

  /**
   * Reads the file of {@link #write}.
   *
   * @throws UsageException if the folder holds no finished archive
   */
  public static ScaleArchive read(Path directory) throws IOException {
    if (!isFinished(directory)) {
      throw new UsageException(
          "--dir "
              + directory
              + " holds no finished archive of this experiment (no "
              + FILE
              + "): delete it, or name a folder that is not there, to build one");
    }
    Map<String, BenchResult> tables = new LinkedHashMap<>();
    for (BenchResult table : BenchResult.read(Files.readAllBytes(directory.resolve(FILE)))) {
      tables.put(table.bench(), table);
    }
    if (!tables.keySet().containsAll(List.of(WORKLOAD, HOSTS, RATES, LOADING))) {
      throw new IOException(directory.resolve(FILE) + " has only the tables " + tables.keySet());
    }
    Map<String, Object> workload = tables.get(WORKLOAD).rows().get(0);
    Map<String, List<Counted>> hosts = new LinkedHashMap<>();
    for (Map<String, Object> row : tables.get(HOSTS).rows()) {
      hosts
          .computeIfAbsent((String) row.get("lookup"), name -> new ArrayList<>())
          .add(new Counted((long) row.get("address"), Math.toIntExact((long) row.get("flows"))));
    }
    return new ScaleArchive(
        directory,
        (long) workload.get("rows"),
        (long) workload.get("seed"),
        Math.toIntExact((long) workload.get("days")),
        hosts,
        tables.get(RATES),
        tables.get(LOADING));
  }
}
