package org.flowmon.bench.machine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ProcessWritesTest {
  private static final int BYTES = 4 << 20;

  @TempDir Path folder;

  @Test
  void filesOfThisProcessAndOfChildrenThatHaveEndedCount() throws Exception {
    long pid = ProcessHandle.current().pid();
    OptionalLong before = ProcessWrites.of(pid);
    assumeTrue(before.isPresent(), "no Linux");
    Files.write(folder.resolve("own"), new byte[BYTES]);
    long own = ProcessWrites.of(pid).orElseThrow() - before.getAsLong();
    assumeTrue(own > 0, "the temporary folder is in memory");
    Process dd =
        new ProcessBuilder(
                "dd", "if=/dev/zero", "of=" + folder.resolve("child"), "bs=" + BYTES, "count=1")
            .redirectErrorStream(true)
            .start();
    dd.getInputStream().readAllBytes();
    assertEquals(0, dd.waitFor());
    long both = ProcessWrites.of(pid).orElseThrow() - before.getAsLong();
    assertTrue(own >= BYTES && both >= 2 * BYTES, own + " and " + both);
  }

  @Test
  void aProcessThatHasEndedIsUnknown() throws Exception {
    Process dd = new ProcessBuilder("true").start();
    assertEquals(0, dd.waitFor());
    assertEquals(OptionalLong.empty(), ProcessWrites.of(dd.pid()));
  }
}
