package org.flowmon.archive.retention;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveOptions;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.commit.ArchiveCommit;
import org.flowmon.archive.commit.RetentionChange;
import org.flowmon.archive.query.Traffic;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.archive.store.ArchiveLocation;
import org.flowmon.archive.store.MemoryObjectStore;
import org.flowmon.archive.store.MemoryStores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The first limit of an archive counts the times of all its rows. */
class FirstLimitTest {
  private static final int SEGMENTS = 20;
  private static final String URL = "memory://first/limit";

  @TempDir Path directory;
  private final MemoryObjectStore store = MemoryStores.of(URL);

  private Archive open(String host, long cacheBytes) throws IOException {
    String cache = directory.resolve(host).toString();
    return Archive.openOrCreate(
        ArchiveLocation.parse(
            URL, Map.of("cache_directory", cache, "cache_bytes", Long.toString(cacheBytes))),
        new ArchiveOptions(4, 4));
  }

  private long cached(String host) {
    try (Stream<Path> files = Files.walk(directory.resolve(host))) {
      return files
          .filter(file -> file.toString().contains("/cache/") && Files.isRegularFile(file))
          .mapToLong(file -> file.toFile().length())
          .sum();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void anAgeThatFitsNoClockIsRefused() {
    IllegalArgumentException e =
        assertThrows(
            IllegalArgumentException.class,
            () -> RetentionOptions.of(0, 0, Duration.ofDays(200_000_000), 0));
    assertTrue(e.getMessage().contains("an age of"), e.getMessage());
  }

  @Test
  void noMoreIsHeldThanTheCacheHasRoomFor() throws IOException {
    long largest = 0;
    long all = 0;
    try (Archive archive = open("a", 1L << 30)) {
      Traffic traffic = new Traffic(77, true, 0.05);
      for (int s = 0; s < SEGMENTS; s++) {
        SealedSegment segment =
            Traffic.commit(
                archive, traffic.batches(1000, s / (double) SEGMENTS, (s + 1) / (double) SEGMENTS));
        largest = Math.max(largest, segment.segmentFile().length());
        all += segment.segmentFile().length();
      }
    }
    long bound = 4 * largest;
    AtomicLong most = new AtomicLong();
    try (Archive archive = open("b", bound)) {
      store.fault =
          (operation, name) -> {
            if (operation.equals("readRange") || operation.equals("putIfAbsent")) {
              most.accumulateAndGet(cached("b"), Math::max);
            }
          };
      archive.commit(
          ArchiveCommit.ofRetention(
              RetentionChange.to(new RetentionOptions(1_000_000, 1_000_000, 0, 0)), "test"));
      store.fault = (operation, name) -> {};
      assertTrue(archive.fetched().fetches() >= SEGMENTS, archive.fetched().toString());
      assertTrue(most.get() <= bound + largest, most + " of " + bound + ", all are " + all);
      try (ArchiveSnapshot snapshot = archive.snapshot()) {
        assertEquals(SEGMENTS * 1000L, snapshot.rows());
      }
    }
  }
}
