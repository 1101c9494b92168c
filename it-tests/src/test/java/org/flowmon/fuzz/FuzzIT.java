package org.flowmon.fuzz;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/** A short coverage-guided run over each target. */
class FuzzIT {
  private static final Duration TIME = Duration.ofSeconds(10);

  @TempDir Path folder;

  @TestFactory
  Stream<DynamicTest> nothingIsFoundInTenSeconds() {
    // A run takes one core, and half of its time to start.
    ExecutorService runs = Executors.newFixedThreadPool(2);
    List<DynamicTest> tests = new ArrayList<>();
    for (FuzzTarget target : FuzzTargets.all()) {
      Future<?> run =
          runs.submit(
              () -> {
                findsNothing(target);
                return null;
              });
      tests.add(DynamicTest.dynamicTest(target.name(), run::get));
    }
    runs.shutdown();
    return tests.stream();
  }

  private void findsNothing(FuzzTarget target) throws Exception {
    FuzzRun.Outcome outcome =
        new FuzzRun(target, Files.createDirectories(folder.resolve(target.name())))
            .run(TIME, FuzzRun.Output.IN_FILE);
    List<String> log = Files.readAllLines(outcome.log(), StandardCharsets.ISO_8859_1);
    String end = String.join("\n", log.subList(Math.max(0, log.size() - 60), log.size()));
    assertEquals(0, outcome.exitCode(), end);
    assertTrue(outcome.inputs() > 0, outcome.text() + "\n" + end);
  }
}
