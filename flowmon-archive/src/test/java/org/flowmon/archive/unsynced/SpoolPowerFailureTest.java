package org.flowmon.archive.unsynced;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.function.Predicate;
import org.flowmon.ingest.spool.Spool;
import org.flowmon.ingest.spool.SpooledBatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The collector's spool after a loss of power; it is tested here, beside the disk for that. */
class SpoolPowerFailureTest {
  private static final long BYTES = 40_000; // files of 2,500

  @TempDir private Path directory;

  private static byte[] batch(int number) {
    return ByteBuffer.allocate(600).putInt(number).array();
  }

  private record Left(List<Integer> batches, long untold) {}

  private static Left left(Path folder) throws IOException {
    List<Integer> all = new ArrayList<>();
    try (Spool spool = Spool.open(folder, BYTES, "flows")) {
      for (Optional<SpooledBatch> next = spool.read(lost -> {});
          next.isPresent();
          next = spool.read(lost -> {})) {
        all.add(ByteBuffer.wrap(next.get().bytes()).getInt());
      }
      return new Left(all, spool.untold());
    }
  }

  private UnsyncedDisk disk() throws IOException {
    return new UnsyncedDisk(Files.createDirectory(directory.resolve("disk")));
  }

  /** A stop leaves all on the device, and the names of its files and folders, too. */
  @Test
  void whatAStopLeavesSurvivesALossOfPower() throws IOException {
    UnsyncedDisk disk = disk();
    try (Spool spool = Spool.open(disk.path().resolve("a/spool/0"), BYTES, "flows")) {
      for (int i = 0; i < 10; i++) {
        assertTrue(spool.write(0, 1, batch(i)));
      }
      spool.seal();
      spool.tidy(3, 1);
    }
    Path after = directory.resolve("after");
    disk.afterPowerFailure(after, folder -> false, file -> false);
    Left left = left(after.resolve("a/spool/0"));
    assertEquals(List.of(0, 1, 2, 3, 4, 5, 6, 7, 8, 9), left.batches);
    assertEquals(3, left.untold);
  }

  /**
   * A mark leaves out losses that a batch tells of, so the device must have that batch first. Here
   * a mark says behind which batch it was written, and the power fails after any step, with any of
   * what is not synced yet.
   */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void aMarkIsOnTheDeviceAfterTheBatchesBeforeIt(long seed) throws IOException {
    Random random = new Random(seed);
    UnsyncedDisk disk = disk();
    int[] ended = {0};
    int[] steps = {0};
    try (Spool spool = Spool.open(disk.path().resolve("spool"), BYTES, "flows")) {
      spool.tidy(0, 1);
      disk.listen(step -> check(disk, random, ended[0], "seed " + seed + ", " + ++steps[0]));
      for (int i = 1; i <= 60; i++) {
        assertTrue(spool.write(0, 1, batch(i)), "there is room");
        if (random.nextInt(3) == 0) {
          spool.tidy(i, 1);
        }
        if (random.nextInt(4) > 0) {
          Optional<SpooledBatch> read = spool.read(damaged -> {});
          if (read.isPresent()) {
            ended[0] = ByteBuffer.wrap(read.get().bytes()).getInt();
            spool.ended(read.get().place());
          }
        }
        if (random.nextInt(4) == 0) {
          spool.seal();
        }
      }
      disk.listen(step -> {});
    }
    assertTrue(steps[0] > 100, steps[0] + " steps");
  }

  private void check(UnsyncedDisk disk, Random random, int ended, String told) {
    Map<String, Boolean> luck = new HashMap<>();
    Predicate<String> lucky = name -> luck.computeIfAbsent(name, any -> random.nextBoolean());
    Path after = directory.resolve(told);
    try {
      disk.afterPowerFailure(after, lucky, lucky);
      Left left = left(after.resolve("spool"));
      List<Integer> batches = left.batches;
      for (int i = 1; i < batches.size(); i++) {
        assertEquals(batches.get(i - 1) + 1, batches.get(i), told + ": " + batches);
      }
      int last = batches.isEmpty() ? ended : Math.max(ended, batches.get(batches.size() - 1));
      assertTrue(last >= left.untold, told + ": " + batches + " behind " + ended + ", " + left);
      assertTrue(batches.isEmpty() || batches.get(0) <= ended + 1, told + ": " + batches);
    } catch (IOException e) {
      throw new UncheckedIOException(told, e);
    }
  }
}
