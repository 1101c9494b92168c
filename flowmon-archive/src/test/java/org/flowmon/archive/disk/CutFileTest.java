package org.flowmon.archive.disk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveOptions;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.commit.ArchiveCommit;
import org.flowmon.archive.commit.SourceRange;
import org.flowmon.archive.maintenance.ArchiveVerifier;
import org.flowmon.archive.maintenance.CompactionOptions;
import org.flowmon.archive.maintenance.Compactor;
import org.flowmon.archive.query.ArchiveQuery;
import org.flowmon.archive.query.QueryOptions;
import org.flowmon.archive.region.SegmentCorruptException;
import org.flowmon.archive.segment.Provenance;
import org.flowmon.archive.segment.SegmentOptions;
import org.flowmon.archive.segment.writer.SegmentWriter;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.query.Query;
import org.flowmon.udaf.value.Parameters;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Files that are cut while a process has them mapped. The result is an error that names the file,
 * or the answer; never another answer, nor the end of the process. Each case runs in a process of
 * its own, which could end.
 */
class CutFileTest {
  private static final int ROWS = 30_000;
  private static final List<String> QUERIES =
      List.of(
          "SELECT sum(bytes) AS s FROM flows",
          "SELECT src_addr, sum(bytes) AS s FROM flows GROUP BY src_addr ORDER BY s DESC,"
              + " src_addr LIMIT 10",
          "SELECT count(*) AS n FROM flows WHERE src_addr = '10.0.0.7' OR dst_addr = '10.0.0.7'",
          "SELECT max(end_time) AS n FROM flows WHERE bytes > 500",
          "SELECT service, count(*) AS n FROM flows GROUP BY service ORDER BY n DESC, service",
          "SELECT end_time, src_addr, bytes FROM flows ORDER BY end_time, src_addr, bytes",
          "SELECT bytes FROM flows WHERE dst_port = 443 LIMIT 20000");

  @TempDir Path folder;

  private static String answer(Archive archive, String sql, boolean verify) throws IOException {
    Query query = QueryParser.parse(sql).bind(Parameters.NONE);
    try (ArchiveSnapshot snapshot = archive.snapshot()) {
      QueryOptions options = QueryOptions.DEFAULTS.withVerifyChecksums(verify);
      StringBuilder text = new StringBuilder();
      ArchiveQuery.stream(
          List.of(snapshot),
          query,
          options,
          table -> {
            for (int row = 0; row < table.rowCount(); row++) {
              for (int column = 0; column < table.columnCount(); column++) {
                text.append(table.value(row, column)).append(' ');
              }
            }
          });
      return text.toString();
    }
  }

  private static void cut(Path file, long length) throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      channel.truncate(length);
    }
  }

  /** Opens the archive, cuts files of a kind, runs all operations and prints the results. */
  public static void main(String[] args) throws Exception {
    Path place = Path.of(args[0]);
    boolean warm = args[3].equals("warm");
    try (Archive archive = Archive.open(place);
        ArchiveSnapshot held = archive.snapshot()) {
      List<String> before = new ArrayList<>();
      for (String sql : QUERIES) {
        before.add(answer(archive, sql, warm));
      }
      List<AutoCloseable> open = new ArrayList<>();
      if (!warm) { // mapped, and no column checked yet
        for (var segment : held.segments()) {
          var lease = held.open(segment, true);
          lease.index();
          open.add(lease);
        }
      }
      try (Stream<Path> files = Files.walk(place)) {
        for (Path file : files.filter(f -> f.toString().endsWith(args[1])).toList()) {
          cut(file, (long) (Files.size(file) * Double.parseDouble(args[2])) / 4096 * 4096);
        }
      }
      for (int i = 0; i < QUERIES.size(); i++) {
        say(before.get(i), archive, QUERIES.get(i));
      }
      for (AutoCloseable lease : open) {
        try {
          lease.close();
        } catch (SegmentCorruptException e) {
          System.out.println("cut: " + e.getMessage());
        }
      }
      merge(archive);
    }
    System.out.println("verify: " + ArchiveVerifier.verify(place).isSound());
    System.out.println("end");
  }

  private static void merge(Archive archive) throws IOException {
    try {
      new Compactor(archive, CompactionOptions.DEFAULTS).step(() -> false);
      System.out.println("merged");
    } catch (SegmentCorruptException e) {
      System.out.println("cut: " + e.getMessage());
    }
  }

  private static void say(String before, Archive archive, String sql) throws IOException {
    try {
      String after = answer(archive, sql, true);
      System.out.println(after.equals(before) ? "same" : "WRONG " + sql);
    } catch (SegmentCorruptException e) {
      System.out.println("cut: " + e.getMessage());
    }
  }

  private Path archive(String options) throws IOException {
    Path place = folder.resolve("archive");
    try (Archive archive = Archive.create(place, ArchiveOptions.DEFAULTS)) {
      archive.setSegmentOptions(SegmentOptions.parse(options));
      SegmentWriter writer = archive.newSegmentWriter();
      for (int i = 0; i < 3; i++) {
        var segment = archive.seal(writer, List.of(Flows.manyHosts(i, ROWS)), Provenance.NONE);
        archive.commit(
            ArchiveCommit.ofRanges(
                List.of(segment), List.of(new SourceRange("t:0", i, i + 1, i)), "test"));
      }
      archive.updateDirectory(false, () -> false);
      archive.updateDays(CompactionOptions.NONE::settled, false, () -> false);
    }
    return place;
  }

  @ParameterizedTest
  @CsvSource({
    "lookup, .parquet, 0, warm",
    "lookup, .parquet, 0.5, cold",
    "lookup, .idx, 0, warm",
    "lookup, .idx, 0.5, cold",
    "lookup, .hosts, 0, warm",
    "lookup, .days, 0, warm",
    "compact, .parquet, 0.5, cold",
    "compact codec=none, .parquet, 0.5, cold"
  })
  void aFileThatIsCutWhileItIsReadIsAnErrorAndNeverTheEndOfTheProcess(
      String options, String suffix, String part, String state) throws Exception {
    Path place = archive(options);
    List<String> said = run(place, suffix, part, state);
    assertEquals("end", said.get(said.size() - 1), said.toString());
    assertTrue(said.stream().noneMatch(l -> l.startsWith("WRONG")), said.toString());
    assertTrue(
        !suffix.equals(".parquet") || said.stream().anyMatch(l -> l.startsWith("cut: " + place)),
        said.toString());
    assertTrue(said.contains("verify: false"), said.toString());
  }

  private static List<String> run(Path place, String suffix, String part, String state)
      throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx512m",
                "-XX:-CreateCoredumpOnCrash",
                "-XX:ErrorFile=" + place.resolveSibling("hs_err"),
                "-cp",
                System.getProperty("java.class.path"),
                CutFileTest.class.getName(),
                place.toString(),
                suffix,
                part,
                state)
            .redirectErrorStream(true)
            .start();
    String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertTrue(process.waitFor(60, TimeUnit.SECONDS));
    return out.lines().filter(l -> !l.contains(" WARN ")).toList();
  }

  @Test
  void aFileThatIsDeletedWhileItIsReadIsWhole() throws IOException {
    Path place = archive("lookup");
    try (Archive archive = Archive.open(place);
        ArchiveSnapshot held = archive.snapshot()) {
      var lease = held.open(held.segments().get(0), true);
      Files.delete(place.resolve("segments").resolve(held.segments().get(0).fileName()));
      lease.close();
      assertTrue(!answer(archive, QUERIES.get(0), true).isEmpty());
    }
  }

  @Test
  void aFileThatIsReplacedWhileItIsReadIsWhole() throws IOException {
    Path place = archive("lookup");
    try (Archive archive = Archive.open(place);
        ArchiveSnapshot held = archive.snapshot()) {
      var lease = held.open(held.segments().get(0), true);
      Path file = place.resolve("segments").resolve(held.segments().get(0).fileName());
      byte[] bytes = Files.readAllBytes(file);
      Files.delete(file);
      Files.write(file, Arrays.copyOf(bytes, bytes.length / 2));
      lease.close();
      assertTrue(!answer(archive, QUERIES.get(0), true).isEmpty());
    }
  }
}
