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

/** A short coverage-guided run over each target; what it finds stays in {@link #FOLDER}. */
class FuzzIT {
  private static final Duration TIME = Duration.ofSeconds(10);

  private static final Path FOLDER = Path.of("target", "fuzz-it").toAbsolutePath();

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
    // Inputs of an earlier run take this one's time.
    Path folder = Files.createTempDirectory(Files.createDirectories(FOLDER), target.name() + "-");
    FuzzRun.Outcome outcome = new FuzzRun(target, folder).run(TIME, FuzzRun.Output.IN_FILE);
    List<String> log = Files.readAllLines(outcome.log(), StandardCharsets.ISO_8859_1);
    String said =
        outcome.text()
            + "\n"
            + log.stream().filter(line -> line.contains("Seed:")).findFirst().orElse("no seed")
            + "\n"
            + String.join("\n", log.subList(Math.max(0, log.size() - 60), log.size()));
    assertEquals(0, outcome.exitCode(), said);
    assertTrue(outcome.inputs() > 0, said);
  }
}
