package org.flowmon.fuzz;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * A short coverage-guided run over each target; what it finds stays in {@link #FOLDER}. It begins
 * with a part of the committed inputs, another in each run, as all of them would leave no time for
 * new ones; {@link CorpusTest} takes all. {@code flowmon fuzz} looks for longer, and so does {@code
 * -Dflowmon.fuzz.seconds=N}.
 */
class FuzzIT {
  private static final Duration TIME =
      Duration.ofSeconds(Integer.getInteger("flowmon.fuzz.seconds", 6));

  private static final int COMMITTED = 20;
  private static final long SEED = Long.getLong("flowmon.fuzz.seed", System.nanoTime());

  private static final Path FOLDER = Path.of("target", "fuzz-it").toAbsolutePath();

  @TestFactory
  Stream<DynamicTest> aShortRunFindsNothing() {
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
    List<byte[]> inputs = Corpus.some(target, COMMITTED, new Random(SEED));
    FuzzRun.Outcome outcome = run(target, inputs, TIME);
    // On a busy machine the given inputs may take all of the time.
    for (int times = 2; times <= 8 && isTooShort(outcome, inputs); times *= 2) {
      outcome = run(target, inputs, TIME.multipliedBy(times));
    }
    List<String> log = Files.readAllLines(outcome.log(), StandardCharsets.ISO_8859_1);
    String said =
        outcome.text()
            + "\n"
            + "inputs of seed "
            + SEED
            + ", "
            + log.stream().filter(line -> line.contains("Seed:")).findFirst().orElse("no seed")
            + "\n"
            + String.join("\n", log.subList(Math.max(0, log.size() - 60), log.size()));
    assertEquals(0, outcome.exitCode(), said);
    assertTrue(outcome.inputs() > inputs.size(), said); // it came to new ones
  }

  /** In a folder of its own, as inputs of an earlier run take this one's time. */
  private static FuzzRun.Outcome run(FuzzTarget target, List<byte[]> inputs, Duration time)
      throws Exception {
    Path folder = Files.createTempDirectory(Files.createDirectories(FOLDER), target.name() + "-");
    return new FuzzRun(target, folder).runBriefly(inputs, time);
  }

  private static boolean isTooShort(FuzzRun.Outcome outcome, List<byte[]> given) {
    return outcome.exitCode() == 0 && outcome.inputs() <= given.size();
  }
}
