package org.flowmon.deploy.analysis;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveImporter;
import org.flowmon.archive.ArchiveOptions;
import org.flowmon.archive.commit.ImportedFile;
import org.flowmon.archive.store.ArchiveLocation;
import org.flowmon.deploy.CommandRun;
import org.flowmon.deploy.Flowmon;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.FlowColumn;
import org.junit.jupiter.api.io.TempDir;

/** Runs flowmon analyses. */
abstract class AnalysesCommandFixture {
  @TempDir Path folder;

  /** The result of a command. */
  record Ran(int code, String out) {}

  static Ran run(String... args) {
    PrintStream before = System.out;
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    System.setOut(new PrintStream(out, true, StandardCharsets.UTF_8));
    try {
      int code = Flowmon.commandLine().execute(args);
      return new Ran(code, out.toString(StandardCharsets.UTF_8));
    } finally {
      System.setOut(before);
    }
  }

  /** An archive of a minute from noon on, ten flows a second, of two sources in turn. */
  Path archive() throws Exception {
    long noon = 1_795_262_400_000_000L; // 2026-11-21T12:00:00Z
    Path place = folder.resolve("archive");
    try (Archive archive =
            Archive.openOrCreate(ArchiveLocation.of(place), ArchiveOptions.DEFAULTS);
        ArchiveImporter importer =
            new ArchiveImporter(
                archive, new ImportedFile(String.format("%064x", 1), "test", 1), false)) {
      FlowBatchBuilder builder = new FlowBatchBuilder(600);
      for (int i = 0; i < 600; i++) {
        builder.beginRow();
        builder.set(FlowColumn.ARRIVAL, noon + i * 100_000L);
        builder.set(FlowColumn.END_TIME, noon + i * 100_000L);
        builder.setIpv4(FlowColumn.SRC_ADDR, 0x0A000001 + i % 2);
        builder.setIpv4(FlowColumn.DST_ADDR, i);
        builder.set(FlowColumn.BYTES, i);
        builder.set(FlowColumn.OUTGOING, i < 300 ? 0 : 1);
        builder.endRow();
      }
      importer.add(FlowBatch.open(builder.build(1, 0, 600, 0)));
      importer.commit("test");
    }
    return place;
  }

  /** The number of the first line that begins with a key. */
  static int line(Path file, String key) throws Exception {
    List<String> lines = Files.readAllLines(file).stream().map(String::strip).toList();
    return 1
        + IntStream.range(0, lines.size())
            .filter(i -> lines.get(i).startsWith(key))
            .min()
            .orElseThrow();
  }

  /** The names of the analyses whose groups are counted. */
  static List<String> counted(CommandRun list) {
    assertEquals(0, list.code(), list.toString());
    List<String> lines = list.out().lines().toList();
    return lines.stream()
        .skip(lines.indexOf("") + 3L)
        .map(line -> line.substring(0, line.indexOf(' ')))
        .toList();
  }
}
