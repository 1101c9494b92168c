package org.flowmon.archive.golden;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.manifest.ManifestCorruptException;
import org.flowmon.archive.query.ArchiveQuery;
import org.flowmon.archive.query.QueryOptions;
import org.flowmon.archive.region.SegmentCorruptException;
import org.flowmon.udaf.parser.QueryParser;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Each file of an archive with expired flows is damaged in turn. Questions are answered as before
 * or refused because of damage, whatever the bytes are, and never exhaust the heap.
 */
class DamagedArchiveTest {
  private static final long SEED = 20_261_121;
  private static final int HURTS_OF_A_FILE = 24;

  private static final List<String> QUERIES =
      List.of(
          "SELECT * FROM flows ORDER BY arrival",
          "SELECT src_addr, COUNT(*), SUM(bytes) FROM flows GROUP BY src_addr ORDER BY src_addr",
          "SELECT arrival, service FROM flows WHERE src_addr = '9.16.0.2' ORDER BY arrival");

  @TempDir Path temporary;
  private Path directory;
  private String answers;
  private final SplittableRandom random = new SplittableRandom(SEED);

  @BeforeEach
  void copy() throws Exception {
    directory = GoldenRows.copy(GoldenRows.folder().resolve("manifest-4"), temporary.resolve("a"));
    answers = ask();
  }

  private String ask() throws IOException {
    StringBuilder text = new StringBuilder();
    try (Archive archive = Archive.open(directory);
        ArchiveSnapshot snapshot = archive.snapshot()) {
      for (String query : QUERIES) {
        text.append(
            ArchiveQuery.run(snapshot, QueryParser.parse(query), QueryOptions.DEFAULTS).table());
      }
      text.append(snapshot.rows()).append(' ').append(snapshot.storedRows());
      text.append(' ').append(snapshot.cutoff()).append(' ').append(snapshot.committedEnds());
    }
    return text.toString();
  }

  /** Whether it was refused; any answer is the same. */
  private boolean isRefused(String context) throws IOException {
    try {
      assertTrue(answers.equals(ask()), context + ": another answer");
      return false;
    } catch (ManifestCorruptException | SegmentCorruptException e) {
      return true;
    } catch (RuntimeException | OutOfMemoryError e) {
      throw new AssertionError(context, e);
    }
  }

  private List<Path> files(String suffix) throws IOException {
    try (Stream<Path> all = Files.walk(directory)) {
      return all.filter(Files::isRegularFile)
          .filter(file -> file.toString().endsWith(suffix) && !file.toString().contains("leases"))
          .sorted()
          .toList();
    }
  }

  @Test
  void flippedAndCutFilesChangeNoAnswer() throws IOException {
    int refused = 0;
    for (Path file : files("")) {
      byte[] sound = Files.readAllBytes(file);
      for (int i = 0; i < HURTS_OF_A_FILE; i++) {
        boolean isCut = i % 4 == 0;
        int at = random.nextInt(sound.length);
        byte[] hurt = isCut ? Arrays.copyOf(sound, at) : sound.clone();
        if (!isCut) {
          hurt[at] ^= (byte) (1 << random.nextInt(8));
        }
        Files.write(file, hurt);
        String how = isCut ? " cut to " : " flipped at ";
        refused += isRefused("seed " + SEED + ", " + file.getFileName() + how + at) ? 1 : 0;
      }
      Files.write(file, sound);
    }
    assertTrue(refused > HURTS_OF_A_FILE, refused + " refused");
    assertEquals(answers, ask());
  }

  /** A refusal as in {@link ManifestCorruptException}, for bytes with a correct checksum. */
  private static byte[] sealed(byte[] frame) {
    CRC32C crc = new CRC32C();
    crc.update(frame, 0, frame.length - 4);
    ByteBuffer.wrap(frame)
        .order(ByteOrder.LITTLE_ENDIAN)
        .putInt(frame.length - 4, (int) crc.getValue());
    return frame;
  }

  private void opens(String context) throws IOException {
    try {
      ask();
    } catch (ManifestCorruptException | SegmentCorruptException e) {
      assertTrue(e.getMessage() != null, context);
    } catch (RuntimeException | OutOfMemoryError e) {
      throw new AssertionError(context, e);
    }
  }

  @Test
  void framesOfTheManifestWithTheRightChecksumAreBoundedAllTheSame() throws IOException {
    List<Path> commits = files(".commit");
    List<Path> snapshots = files(".snapshot");
    for (Path file :
        List.of(commits.get(commits.size() - 1), snapshots.get(snapshots.size() - 1))) {
      byte[] sound = Files.readAllBytes(file);
      for (int i = 0; i < 150; i++) {
        byte[] hurt = sound.clone();
        int at = random.nextInt(hurt.length - 4);
        switch (random.nextInt(3)) {
          case 0 -> hurt[at] ^= (byte) (1 << random.nextInt(8));
          case 1 -> hurt[at] = (byte) (random.nextBoolean() ? 0x7F : 0xFF);
          default -> Arrays.fill(hurt, at, Math.min(at + 4, hurt.length - 4), (byte) 0x7F);
        }
        Files.write(file, sealed(hurt));
        opens("seed " + SEED + ", " + file.getFileName() + " forged at " + at);
      }
      Files.write(file, sound);
    }
    assertEquals(answers, ask());
  }

  @Test
  void leasesOfAnyBytesHoldNothingUp() throws IOException {
    Path leases = Files.createDirectories(directory.resolve("leases"));
    for (int length : new int[] {0, 3, 8, 9, 100_000}) {
      byte[] bytes = new byte[length];
      for (int i = 0; i < length; i++) {
        bytes[i] = (byte) random.nextInt();
      }
      Files.write(
          leases.resolve("00000000-0000-0000-0000-00000000000" + length % 7 + ".lease"), bytes);
    }
    try (Archive archive = Archive.open(directory)) {
      archive.removeReplaced(Duration.ZERO);
    }
    assertEquals(answers, ask());
    try (Stream<Path> left = Files.list(leases)) {
      assertEquals(List.of(), left.toList());
    }
  }
}
