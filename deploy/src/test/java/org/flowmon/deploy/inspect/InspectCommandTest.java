package org.flowmon.deploy.inspect;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.flowmon.deploy.CommandRun;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class InspectCommandTest {
  @TempDir Path folder;

  private Path archive() throws Exception {
    Path input =
        Files.writeString(
            folder.resolve("in.csv"), "end_time,src_addr,bytes\n1,10.0.0.1,10\n86401,9.0.0.1,5\n");
    Path archive = folder.resolve("archive");
    assertEquals(0, CommandRun.of("import", input, "--archive", archive).code());
    return archive;
  }

  private static Path file(Path archive, String suffix) throws Exception {
    try (Stream<Path> files = Files.list(archive.resolve("segments"))) {
      return files.filter(f -> f.toString().endsWith(suffix)).findFirst().orElseThrow();
    }
  }

  private static void assertSays(String text, String... lines) {
    List<String> found = text.lines().map(line -> line.strip().replaceAll(" +", " ")).toList();
    for (String line : lines) {
      assertTrue(found.stream().anyMatch(l -> l.matches(line)), line + " in\n" + text);
    }
  }

  @Test
  void aSegmentASidecarAnExportAndAnArchiveSayWhatTheyAre() throws Exception {
    Path archive = archive();
    CommandRun segment = CommandRun.of("inspect", file(archive, ".parquet"));
    assertEquals(0, segment.code(), segment.err());
    assertSays(
        segment.out(),
        "kind Parquet file",
        "rows 2",
        "end_time 2 us INT64 TIMESTAMP .* 1 0 \\d+ \\d+ 1970-01-01T00:00:01Z 1970-01-02T00:00:01Z",
        "src_addr 6 BYTE_ARRAY STRING .* 10.0.0.1 9.0.0.1",
        "bytes 11 B INT64 .* 5 10",
        "flowmon.provenance.file in.csv",
        "flowmon.chunks .*");
    CommandRun sidecar = CommandRun.of("inspect", file(archive, ".idx"), "--json");
    assertEquals(0, sidecar.code(), sidecar.err());
    assertSays(
        sidecar.out(),
        "\"kind\" : \"sidecar\",",
        "\"column\" : \"src_addr\",",
        "\"rows\" : \"2\".*");
    Path export = folder.resolve("x.parquet");
    assertEquals(0, CommandRun.of("export", "--archive", archive, "--to", export).code());
    assertSays(CommandRun.of("inspect", export).out(), "src_addr 6 BYTE_ARRAY STRING ZSTD .*");
    CommandRun all = CommandRun.of("inspect", archive);
    assertEquals(0, all.code(), all.err());
    assertSays(
        all.out(),
        "kind archive",
        "flows 2",
        "segments 1",
        "directory_bytes " + bytes(archive, "directory"),
        "day_sum_bytes 0",
        "last_end_time 1970-01-02T00:00:01Z",
        "19700101t000001-\\S+ 2 0 1970-01-01T00:00:01Z 1970-01-02T00:00:01Z \\d+ \\d+ [0-9a-f]{8}");
    assertEquals(3, CommandRun.of("inspect", folder.resolve("in.csv")).code());
    assertEquals(3, CommandRun.of("inspect", folder.resolve("none")).code());
    assertEquals(3, CommandRun.of("inspect", folder).code());
  }

  @Test
  void anArchiveSaysWhatItsDaySumsTake() throws Exception {
    StringBuilder csv = new StringBuilder("end_time,src_addr,dst_addr,bytes\n");
    for (int i = 0; i < 5000; i++) {
      csv.append(i * 17 + ",10.0.0." + i % 3 + ",10.0.1." + i % 4 + ",7\n");
    }
    Path archive = folder.resolve("days");
    Path input = Files.writeString(folder.resolve("days.csv"), csv);
    Path later = Files.writeString(folder.resolve("later.csv"), "end_time,bytes\n999999,1\n");
    assertEquals(0, CommandRun.of("import", input, later, "--archive", archive).code());
    long bytes = 0;
    for (String of : List.of("segments", "directory", "days")) {
      bytes += bytes(archive, of);
    }
    assertSays(
        CommandRun.of("inspect", archive).out(),
        "day_sum_bytes " + bytes(archive, "days"),
        "bytes_per_flow " + Math.round(bytes / 5001.0 * 1e6) / 1e6);
  }

  /** The total bytes of the files in one of the archive's folders; at least one must exist. */
  private static long bytes(Path archive, String of) throws Exception {
    long bytes = 0;
    try (Stream<Path> files = Files.list(archive.resolve(of))) {
      for (Path file : files.toList()) {
        bytes += Files.size(file);
      }
    }
    assertTrue(bytes > 0, of);
    return bytes;
  }

  @Test
  void damagedFilesAreErrorsThatNameThemAndNeverDefects() throws Exception {
    Path archive = archive();
    Path damaged = folder.resolve("damaged");
    for (String suffix : List.of(".parquet", ".idx")) {
      byte[] bytes = Files.readAllBytes(file(archive, suffix));
      for (long seed = 1; seed <= 400; seed++) {
        Random random = new Random(seed);
        byte[] some =
            random.nextInt(4) == 0
                ? Arrays.copyOf(bytes, random.nextInt(bytes.length))
                : bytes.clone();
        if (some.length == bytes.length) {
          for (int flips = 1 + random.nextInt(3); flips > 0; flips--) {
            // Mostly in the footer, because the rest is not read.
            int at = bytes.length - 1 - random.nextInt(Math.min(bytes.length, 4000));
            some[at] ^= (byte) (1 << random.nextInt(8));
          }
        }
        Files.write(damaged, some);
        CommandRun said = CommandRun.of("inspect", damaged);
        assertTrue(said.code() == 0 || said.code() == 3, suffix + " " + seed + ": " + said.err());
        assertTrue(!said.err().contains("a defect"), suffix + " " + seed + ": " + said.err());
        assertTrue(
            said.code() == 0 || said.err().contains(damaged.toString()),
            suffix + " " + seed + ": " + said.err());
      }
    }
  }
}
