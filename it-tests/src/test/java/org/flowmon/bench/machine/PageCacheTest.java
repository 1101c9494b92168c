package org.flowmon.bench.machine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class PageCacheTest {
  @TempDir Path folder;

  @Test
  void pagesAreDroppedAndBytesStay() throws Exception {
    byte[] bytes = new byte[1 << 20];
    new Random(5).nextBytes(bytes);
    Path file = Files.write(folder.resolve("a file"), bytes);
    Optional<String> problem = PageCache.drop(folder);
    // If a tool is missing, or the file system keeps its files in memory, the result says it.
    assertTrue(
        problem.isEmpty()
            || problem.get().contains("fincore")
            || problem.get().contains("dd cannot")
            || problem.get().contains("stayed in memory"),
        problem.toString());
    assertArrayEquals(bytes, Files.readAllBytes(file));
  }

  @Test
  void pagesThatAProcessHasMappedStayAndThatIsSaid() throws Exception {
    Path file = Files.write(folder.resolve("file"), new byte[1 << 20]);
    try (FileChannel channel = FileChannel.open(file)) {
      var mapped = channel.map(FileChannel.MapMode.READ_ONLY, 0, 1 << 20);
      mapped.load();
      assertTrue(PageCache.drop(file).isPresent());
      assertEquals(0, mapped.get(4096));
    }
  }
}
