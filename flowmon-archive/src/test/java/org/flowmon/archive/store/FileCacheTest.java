package org.flowmon.archive.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.Random;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.flowmon.archive.region.FileIdentity;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileCacheTest {
  private static final int FILES = 60;
  private static final int BYTES = 1000;

  @TempDir Path root;
  private final MemoryObjectStore store = new MemoryObjectStore("memory://cache");
  private final FileIdentity[] identities = new FileIdentity[FILES];

  private void fill() {
    Random random = new Random(7);
    for (int i = 0; i < FILES; i++) {
      byte[] bytes = new byte[BYTES];
      random.nextBytes(bytes);
      CRC32C crc = new CRC32C();
      crc.update(bytes);
      store.put("segments/" + i, bytes);
      identities[i] = new FileIdentity(BYTES, (int) crc.getValue(), 1, 0);
    }
  }

  private Path old(String name) throws IOException {
    Path file = root.resolve("segments").resolve(name);
    Files.createDirectories(file.getParent());
    Files.write(file, new byte[BYTES]);
    FileTime twoHoursAgo = FileTime.fromMillis(System.currentTimeMillis() - 7_200_000);
    return Files.setLastModifiedTime(file, twoHoursAgo);
  }

  private long bytesOnDisk() throws IOException {
    try (Stream<Path> files = Files.list(root.resolve("segments"))) {
      return files
          .filter(file -> !file.getFileName().toString().startsWith(ArchiveStore.TEMPORARY_PREFIX))
          .mapToLong(file -> file.toFile().length())
          .sum();
    }
  }

  @Test
  void theBoundHoldsWithoutListingTheFolderForEachFile() throws IOException {
    fill();
    Path ofAnother = old("another");
    Path beingFetched = old(ArchiveStore.TEMPORARY_PREFIX + "of-another");
    FileCache cache = new FileCache(store, root, 10 * BYTES);
    for (int i = 0; i < FILES; i++) {
      cache.hold("segments/" + i, identities[i]).close();
      assertTrue(bytesOnDisk() <= 10 * BYTES, "after file " + i + ": " + bytesOnDisk());
    }
    assertEquals(1, cache.scans());
    assertEquals(FILES + 1 - 10, cache.counts().evicted());
    assertFalse(Files.exists(ofAnother), "nobody used it for two hours");
    assertTrue(Files.exists(beingFetched), "it is no cached file yet");
    // Used again, so another goes first.
    cache.hold("segments/" + (FILES - 10), identities[FILES - 10]).close();
    cache.hold("segments/0", identities[0]).close();
    assertTrue(Files.exists(root.resolve("segments/" + (FILES - 10))));
  }
}
