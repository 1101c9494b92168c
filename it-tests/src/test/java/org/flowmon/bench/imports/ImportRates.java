package org.flowmon.bench.imports;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.flowmon.bench.harness.BenchFolder;
import org.flowmon.bench.harness.Experiment;
import org.flowmon.bench.harness.Row;
import org.flowmon.bench.harness.Run;
import org.flowmon.bench.harness.Samples;
import org.flowmon.bench.machine.ChildJvm;
import org.flowmon.deploy.Flowmon;
import org.flowmon.ingest.file.FlowFiles;
import org.flowmon.ingest.publish.BatchCollectingSink;

/**
 * Flows a second from a file to a queryable archive, by the command with its start, beside others
 * on the same flows: DuckDB reads the same log, nfdump the same exports. The programs take turns.
 */
public final class ImportRates implements Experiment {
  private static final long SENT_A_SECOND = 150_000; // what nfcapd takes without loss

  private static final int BATCH_ROWS = 4096; // as an import's

  /** Of the input: Zeek's log to batches alone, without commands. */
  private static final String DECODING = "zeek_batches";

  private interface Program {
    void run(Path target) throws IOException;
  }

  /** Takes no part of the time. */
  private interface Check {
    void of(Path target) throws IOException;
  }

  private record Contestant(
      String input, String name, Path file, long flows, Program program, Check check) {}

  @Override
  public void run(Run run) throws IOException {
    Path folder = run.open(BenchFolder.in(run.path("dir"), "import")).path();
    List<String> inputs = run.texts("input");
    List<Contestant> contestants = new ArrayList<>();
    Path log = folder.resolve("conn.log");
    if (inputs.contains("zeek")) {
      contestants.addAll(ofLog(run, log));
    } else if (inputs.contains(DECODING)) {
      var unused = write(run, log);
    }
    if (inputs.contains("netflow_v9")) {
      contestants.addAll(ofExports(run, folder));
    }
    List<List<Double>> seconds = new ArrayList<>();
    contestants.forEach(contestant -> seconds.add(new ArrayList<>()));
    long[] bytes = new long[contestants.size()];
    for (int round = 0; round <= run.integer("rounds"); round++) { // the first warms the files
      for (int i = 0; i < contestants.size(); i++) {
        Contestant contestant = contestants.get(i);
        Path target = folder.resolve("target-" + i);
        long start = System.nanoTime();
        contestant.program.run(target);
        double took = (System.nanoTime() - start) / 1e9;
        contestant.check.of(target);
        bytes[i] = bytesOf(target);
        delete(target);
        run.progress(
            "%s, %s, round %d: %.2f s, %,.0f flows/s",
            contestant.input, contestant.name, round, took, contestant.flows / took);
        if (round > 0) {
          seconds.get(i).add(took);
        }
      }
    }
    if (inputs.contains("zeek") || inputs.contains(DECODING)) {
      run.add(decoding(run, log));
    }
    for (int i = 0; i < contestants.size(); i++) {
      Contestant contestant = contestants.get(i);
      Samples samples = Samples.of(seconds.get(i));
      run.add(
          new Row()
              .put("input", contestant.input)
              .put("system", contestant.name)
              .put("flows", contestant.flows)
              .put("flows_per_second_best", contestant.flows / samples.least())
              .put("flows_per_second_median", contestant.flows / samples.median())
              .put("input_bytes", Files.size(contestant.file))
              .put("result_bytes", bytes[i]));
    }
  }

  /** Returns the sum of packets. */
  private static long write(Run run, Path log) throws IOException {
    run.progress("writing %,d lines of conn.log", run.number("rows"));
    return ZeekLog.write(log, run.number("rows"), run.number("seed"));
  }

  private List<Contestant> ofLog(Run run, Path log) throws IOException {
    long rows = run.number("rows");
    long packets = write(run, log);
    return List.of(
        new Contestant(
            "zeek",
            "flowmon import",
            log,
            rows,
            archive -> take(archive, log),
            archive -> check(archive, rows, packets)),
        new Contestant(
            "zeek",
            "DuckDB read_csv",
            log,
            rows,
            database -> DuckDbLog.load(database, log),
            database -> DuckDbLog.check(database, rows, packets)));
  }

  /** Lines a second of CPU time of one thread, to the bytes of batches, without an archive. */
  private static Row decoding(Run run, Path log) throws IOException {
    List<Double> seconds = new ArrayList<>();
    long rows = run.number("rows");
    long[] bytes = new long[1];
    for (int round = 0; round <= run.integer("rounds"); round++) {
      bytes[0] = 0;
      long start = Samples.cpuNanos();
      try (BatchCollectingSink sink =
          new BatchCollectingSink(BATCH_ROWS, batch -> bytes[0] += batch.bytes().length)) {
        long read = FlowFiles.open(log).read(sink).rows();
        Run.require(read == rows, "%s of %d lines are flows", read, rows);
      }
      double took = (Samples.cpuNanos() - start) / 1e9;
      run.progress(
          "zeek, to batches alone, round %d: %,.0f lines/s of CPU time", round, rows / took);
      if (round > 0) {
        seconds.add(took);
      }
    }
    Samples samples = Samples.of(seconds);
    return new Row()
        .put("input", "zeek")
        .put("system", "flowmon, to batches alone, CPU time of one thread")
        .put("flows", rows)
        .put("flows_per_second_best", rows / samples.least())
        .put("flows_per_second_median", rows / samples.median())
        .put("input_bytes", Files.size(log))
        .put("result_bytes", bytes[0]);
  }

  private List<Contestant> ofExports(Run run, Path folder) throws IOException {
    long rows = run.number("rows");
    Path capture = folder.resolve("exports.pcap");
    run.progress("making a capture of %,d flows", rows);
    flowmon(
        "generate",
        "office",
        "--protocol",
        "netflow_v9",
        "--seed",
        run.text("seed"),
        "--flows",
        Long.toString(rows),
        "--for",
        "10d",
        "--to",
        capture.toString());
    List<Contestant> contestants = new ArrayList<>();
    contestants.add(
        new Contestant(
            "netflow_v9",
            "flowmon import",
            capture,
            rows,
            archive -> take(archive, capture),
            archive -> check(archive, rows, -1)));
    Optional<NfcapdFile> stored = Optional.empty();
    if (NfcapdFile.isInstalled()) {
      run.progress("sending the capture to nfcapd");
      stored = Optional.of(NfcapdFile.of(folder, port -> send(capture, port)));
    } else {
      run.note("nfdump is not installed: nothing to compare exports with");
    }
    stored.ifPresent(
        file -> {
          contestants.add(
              new Contestant(
                  "nfcapd", "nfdump -r -o csv", file.path(), file.flows(), file::print, of -> {}));
          contestants.add(
              new Contestant(
                  "nfcapd", "nfdump -r -w", file.path(), file.flows(), file::copy, of -> {}));
        });
    return contestants;
  }

  private static void send(Path capture, int port) throws IOException {
    flowmon(
        "generate",
        "--from",
        capture.toString(),
        "--protocol",
        "netflow_v9",
        "--to",
        "udp:" + port,
        "--rate",
        Long.toString(SENT_A_SECOND));
  }

  private static void take(Path archive, Path file) throws IOException {
    flowmon("import", "--archive", archive.toString(), file.toString());
  }

  /** A query must find the flows and, unless negative, the packets. */
  private static void check(Path archive, long rows, long packets) throws IOException {
    String answer =
        flowmon(
            "query",
            "--archive",
            archive.toString(),
            "--format",
            "csv",
            "SELECT COUNT(*), SUM(packets) FROM flows");
    String[] values = answer.strip().lines().skip(1).findFirst().orElse("").split(",", -1);
    Run.require(
        Long.parseLong(values[0]) == rows, "the archive has %s of %d flows", values[0], rows);
    Run.require(
        packets < 0 || Long.parseLong(values[1]) == packets,
        "the archive has %s of %d packets",
        values[1],
        packets);
  }

  private static String flowmon(String... arguments) throws IOException {
    return new String(
        ChildJvm.run(
            Flowmon.class,
            arguments[0].equals("import") ? ChildJvm.IMPORT : ChildJvm.LAUNCHER,
            List.of(arguments)),
        StandardCharsets.UTF_8);
  }

  private static long bytesOf(Path target) throws IOException {
    return Files.isRegularFile(target) ? Files.size(target) : BenchFolder.bytes(target);
  }

  private static void delete(Path target) throws IOException {
    if (Files.isDirectory(target)) {
      BenchFolder.delete(target);
    } else {
      Files.deleteIfExists(target);
    }
  }
}
