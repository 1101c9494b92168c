package org.flowmon.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.flowmon.deploy.Flowmon;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What a user sees of a damaged archive, at the command line: {@code verify} names the file, and a
 * query answers as before or says plainly which file is hurt. Never another answer.
 *
 * <p>The damages are drawn at random, the same number for every file of the archive, so that the
 * small files of the manifest get as many as the large segments.
 */
class DamageIT {
  private static final long SEED = 20_260_401;
  private static final int TRUNCATIONS_PER_FILE = 4;
  private static final int FLIPS_PER_FILE = 8;

  /** Every column of every flow; what an index answers; what is added up over all. */
  private static final List<String> QUERIES =
      List.of(
          "SELECT * FROM flows",
          "SELECT start_time, dst_addr, bytes FROM flows WHERE src_addr = '192.168.1.104'",
          "SELECT protocol, COUNT(*) AS n, SUM(bytes) AS b, SUM(packets) AS p FROM flows"
              + " GROUP BY protocol ORDER BY n DESC");

  @TempDir static Path folder;
  private static Path archive;
  private static List<Path> files;
  private static List<String> answers;

  private Path hurt;
  private byte[] original;

  /** What a command said. */
  @BeforeAll
  static void importRealFlows() throws IOException {
    Path data = ProjectFiles.data();
    archive = folder.resolve("archive");
    CommandRun imported =
        flowmon(
            "import",
            data.resolve("zeek/m57/conn.log.gz").toString(),
            data.resolve("netflow-from-pcap/many-protocols/export.v5.pcap").toString(),
            "--archive",
            archive.toString());
    assertEquals(0, imported.code(), imported.toString());
    assertEquals(0, flowmon("verify", "--archive", archive.toString()).code());
    answers = new ArrayList<>();
    for (String sql : QUERIES) {
      CommandRun said = query(sql);
      assertEquals(0, said.code(), said.toString());
      assertTrue(said.out().lines().count() > 2, said.out());
      answers.add(said.out());
    }
    try (Stream<Path> all = Files.walk(archive)) {
      // Locks hold nothing.
      files =
          all.filter(Files::isRegularFile)
              .filter(file -> !file.getParent().getFileName().toString().equals("leases"))
              .sorted()
              .toList();
    }
    // Two segments with their sidecars; a commit for the creation and for each file; the newest;
    // the host directory; the day sums.
    assertEquals(10, files.size(), files.toString());
  }

  @AfterEach
  void restore() throws IOException {
    if (hurt != null) {
      Files.write(hurt, original);
    }
  }

  @Test
  void anyTruncationIsNamedByVerifyAndChangesNoAnswer() throws IOException {
    Random random = new Random(SEED);
    for (Path file : files) {
      original = Files.readAllBytes(file);
      hurt = file;
      List<Integer> lengths = new ArrayList<>(List.of(0, original.length - 1));
      while (lengths.size() < TRUNCATIONS_PER_FILE) {
        lengths.add(random.nextInt(original.length));
      }
      for (int length : lengths) {
        Files.write(file, Arrays.copyOf(original, length));
        assertHandled(file, "cut to " + length + " of " + original.length + " bytes");
        assertRefused(file, "cut to " + length + " of " + original.length + " bytes");
      }
      Files.write(file, original);
    }
    assertSound();
  }

  @Test
  void anyFlippedBitIsNamedByVerifyAndChangesNoAnswer() throws IOException {
    Random random = new Random(SEED + 1);
    for (Path file : files) {
      original = Files.readAllBytes(file);
      hurt = file;
      for (int i = 0; i < FLIPS_PER_FILE; i++) {
        int position = random.nextInt(original.length);
        int mask = 1 << random.nextInt(8);
        byte[] bytes = original.clone();
        bytes[position] ^= (byte) mask;
        Files.write(file, bytes);
        assertHandled(file, "byte " + position + " of " + original.length + " changed by " + mask);
      }
      Files.write(file, original);
    }
    assertSound();
  }

  @Test
  void aMissingFileIsNamedByVerifyAndChangesNoAnswer() throws IOException {
    for (Path file : files) {
      original = Files.readAllBytes(file);
      hurt = file;
      Files.delete(file);
      if (isAdvisory(file)) {
        assertSame(file, "missing");
      } else {
        assertHandled(file, "missing");
        assertRefused(file, "missing");
      }
      Files.write(file, original);
    }
    assertSound();
  }

  /** What is cut or gone is noticed by the query of everything, where it cannot be done without. */
  private static void assertRefused(Path file, String damage) {
    if (!isSidecar(file) && !isAdvisory(file) && !isDerived(file)) {
      assertEquals(3, query(QUERIES.get(0)).code(), file + " " + damage);
    }
  }

  private static void assertHandled(Path file, String damage) throws IOException {
    String what = file.getFileName() + " " + damage + " (seed " + SEED + ")";
    if (isDerived(file) && !Files.exists(file)) {
      assertSame(file, damage); // it is made anew from the segments
      assertSound();
      return;
    }
    CommandRun verified = flowmon("verify", "--archive", archive.toString());
    assertEquals(1, verified.code(), what + ": " + verified);
    assertTrue(
        (verified.out() + verified.err()).contains(file.getFileName().toString()),
        what + ": " + verified);
    assertFalse(isCalledADefect(verified), what + ": " + verified);
    if (isDerived(file)) {
      assertSame(file, damage);
      return;
    }
    for (int i = 0; i < QUERIES.size(); i++) {
      CommandRun said = query(QUERIES.get(i));
      String context = what + ", " + QUERIES.get(i) + ": ";
      if (said.code() == 0) {
        // Not assertEquals, whose message would hold both answers.
        assertTrue(said.out().equals(answers.get(i)), context + "another answer; " + said.err());
      } else {
        assertEquals(3, said.code(), context + said);
        assertTrue(said.err().contains(file.getFileName().toString()), context + said.err());
        assertFalse(isCalledADefect(said), context + said.err());
        assertFalse(isSidecar(file), context + "a sidecar can be done without; " + said.err());
        assertPartOf(answers.get(i), said.out(), QUERIES.get(i), context);
      }
    }
  }

  /** Rows without groups or order are written as they are found: each is a right one. */
  private static void assertPartOf(String answer, String part, String sql, String context) {
    if (sql.contains("GROUP BY")) {
      assertEquals("", part, context + "an answer before the error");
      return;
    }
    Map<String, Integer> left = new HashMap<>();
    answer.lines().forEach(line -> left.merge(line, 1, Integer::sum));
    part.lines()
        .forEach(
            line ->
                assertTrue(
                    left.merge(line, -1, Integer::sum) >= 0,
                    context + "a row that is in no answer: " + line));
  }

  private static void assertSame(Path file, String damage) {
    for (int i = 0; i < QUERIES.size(); i++) {
      CommandRun said = query(QUERIES.get(i));
      assertEquals(0, said.code(), file + " " + damage + ": " + said.err());
      assertTrue(said.out().equals(answers.get(i)), file + " " + damage + ": another answer");
    }
  }

  private static void assertSound() {
    CommandRun verified = flowmon("verify", "--archive", archive.toString());
    assertEquals(0, verified.code(), verified.toString());
  }

  /** The host directory and the day sums follow from the segments. */
  private static boolean isDerived(Path file) {
    return file.toString().endsWith(".hosts") || file.toString().endsWith(".days");
  }

  private static boolean isSidecar(Path file) {
    return file.toString().endsWith(".idx");
  }

  /** {@code manifest/latest} says nothing that the commits do not say. */
  private static boolean isAdvisory(Path file) {
    return file.getFileName().toString().equals("latest");
  }

  private static boolean isCalledADefect(CommandRun said) {
    return said.err().contains("\tat ") || said.err().contains("defect of flowmon");
  }

  private static CommandRun query(String sql) {
    return flowmon("query", sql, "--archive", archive.toString(), "--format", "csv");
  }

  private static CommandRun flowmon(String... arguments) {
    return CommandRun.of(Flowmon.commandLine(), arguments);
  }
}
