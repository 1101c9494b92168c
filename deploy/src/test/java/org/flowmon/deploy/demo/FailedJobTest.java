package org.flowmon.deploy.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.flowmon.deploy.CommandRun;
import org.flowmon.deploy.command.ExitCodes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A demo whose job fails says so at once and ends. */
final class FailedJobTest {
  private static final int SECONDS = 120;

  @TempDir Path folder;

  @Test
  void aJobThatFailsIsToldWithItsCauseAndItsLogAndEndsTheDemo() throws Exception {
    Path demo = folder.resolve("demo");
    CompletableFuture<Void> broken = CompletableFuture.runAsync(() -> breakTheArchive(demo));
    long start = System.nanoTime();
    CommandRun said =
        CommandRun.of(
            "demo", "--for", SECONDS + "s", "--rate", "2000", "--history", "0", "--dir", demo);
    long seconds = (System.nanoTime() - start) / 1_000_000_000;
    broken.get(10, TimeUnit.SECONDS);
    assertEquals(ExitCodes.FAILED, said.code(), said.toString());
    assertTrue(seconds < SECONDS, said.toString());
    Path log = demo.resolve("job.log");
    String told =
        said.out().lines().filter(line -> line.startsWith("the job failed: ")).findFirst().get();
    assertTrue(told.contains("segments"), told); // what cannot be written
    assertTrue(told.endsWith("; its log is " + log), told);
    assertTrue(said.err().contains("the demo ended early, because its job failed"), said.err());
    assertTrue(Files.readString(log).contains("Caused by: "), log.toString());
    assertFalse(said.out().contains("stored "), said.out());
  }

  /** Puts a file in place of the folder of segments, as soon as there is one. */
  private static void breakTheArchive(Path demo) {
    Path segments = demo.resolve("archive/segments");
    try {
      while (!Files.isDirectory(segments)) {
        Thread.sleep(20);
      }
      Files.move(segments, demo.resolve("moved"));
      Files.createFile(segments);
    } catch (IOException | InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
