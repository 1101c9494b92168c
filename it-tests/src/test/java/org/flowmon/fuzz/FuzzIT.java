package org.flowmon.fuzz;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * A short coverage-guided run over a third of the targets, other ones each time; what it finds
 * stays in {@link #FOLDER}. It begins with a part of the committed inputs, as all of them would
 * leave no time for new ones; {@link CorpusTest} takes all inputs of all targets. {@code flowmon
 * fuzz} looks for longer, and {@code -Dflowmon.fuzz.seconds=N} does so at all targets.
 */
class FuzzIT {
  private static final @Nullable Integer SECONDS = Integer.getInteger("flowmon.fuzz.seconds");
  private static final Duration TIME = Duration.ofSeconds(SECONDS == null ? 10 : SECONDS);

  private static final int COMMITTED = 20;
  private static final long SEED = Long.getLong("flowmon.fuzz.seed", System.nanoTime());

  private static final Path FOLDER = Path.of("target", "fuzz-it").toAbsolutePath();

  @TestFactory
  Stream<DynamicTest> aShortRunFindsNothing() {
    // A run takes one core, and half of its time to start.
    ExecutorService runs = Executors.newFixedThreadPool(2);
    List<DynamicTest> tests = new ArrayList<>();
    for (FuzzTarget target : targets()) {
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

  private static List<FuzzTarget> targets() {
    List<FuzzTarget> targets = new ArrayList<>(FuzzTargets.all());
    if (SECONDS != null) {
      return targets;
    }
    Collections.shuffle(targets, new Random(SEED));
    return targets.subList(0, (targets.size() + 2) / 3);
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
