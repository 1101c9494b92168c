package org.flowmon.deploy.kafka;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.flowmon.deploy.CommandRun;
import org.flowmon.deploy.command.ExitCodes;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The messages of commands without a broker. */
class DeadBrokerTest {
  /** An address on which nothing listens; only an administrator could. */
  private static final String PLACE = "127.0.0.1:1";

  private static final String CHECK =
      "; check that it runs, that host and port are right, and that this machine reaches them (a"
          + " broker that wants TLS or SASL: --config with kafka.properties, or"
          + " --kafka-properties)";

  @TempDir private static Path folder;

  /**
   * A command that uses Kafka.
   *
   * @param seconds that it waits for a broker
   * @param rest of its arguments
   */
  private record Asking(int seconds, String name, List<String> rest) {}

  private static List<Asking> commands() throws Exception {
    Path mice = folder.resolve("mice.yaml");
    Files.writeString(mice, AnalysisConfig.textOf("mice"));
    return List.of(
        new Asking(5, "analyses add", List.of("--wait", "5s", mice.toString())),
        new Asking(10, "analyses list", List.of()),
        new Asking(10, "reports", List.of()),
        new Asking(10, "quarantine", List.of()),
        new Asking(10, "alerts list", List.of()));
  }

  /** All at once, as each waits for seconds; the lines are told apart by their commands. */
  @Test
  void isSaidInOneLineByEachCommand() throws Exception {
    List<Asking> commands = commands();
    List<Integer> codes = new ArrayList<>();
    CommandRun all =
        CommandRun.of(
            () -> {
              ExecutorService threads = Executors.newFixedThreadPool(commands.size());
              try {
                List<Future<Integer>> runs =
                    commands.stream().map(command -> threads.submit(() -> run(command))).toList();
                for (Future<Integer> run : runs) {
                  codes.add(run.get());
                }
              } finally {
                threads.shutdownNow();
              }
              return 0;
            });
    assertEquals(Collections.nCopies(commands.size(), ExitCodes.FAILED), codes, all.err());
    assertEquals("", all.out());
    // The lines of Kafka's client are left out; the first command of a process sets their level.
    List<String> said = all.err().lines().filter(line -> line.startsWith("flowmon ")).toList();
    List<String> expected =
        commands.stream()
            .map(
                command ->
                    "flowmon %s: no Kafka broker answers at %s within %d s%s"
                        .formatted(command.name(), PLACE, command.seconds(), CHECK))
            .toList();
    assertEquals(expected.stream().sorted().toList(), said.stream().sorted().toList(), all.err());
  }

  private static int run(Asking command) {
    List<String> arguments = new ArrayList<>(List.of(command.name().split(" ")));
    arguments.addAll(List.of("--kafka", PLACE));
    arguments.addAll(command.rest());
    return CommandRun.execute(arguments.toArray());
  }

  @Test
  void aNameThatNobodyKnowsIsSaidWithItsPlace() {
    CommandRun run = CommandRun.of("reports", "--kafka", "nowhere.invalid:9092");
    assertEquals(ExitCodes.FAILED, run.code(), run.err());
    assertEquals(
        "flowmon reports: Kafka cannot be asked at nowhere.invalid:9092: No resolvable bootstrap"
            + " urls given in bootstrap.servers"
            + CHECK
            + "\n",
        run.err());
  }

  @Test
  void aBrokerHasNoLongerThanTheCommandWaitsButTimeToAnswer() {
    assertEquals(Duration.ofSeconds(10), KafkaBroker.patience(Duration.ZERO));
    assertEquals(Duration.ofSeconds(5), KafkaBroker.patience(Duration.ofMillis(100)));
    assertEquals(Duration.ofSeconds(7), KafkaBroker.patience(Duration.ofSeconds(7)));
    assertEquals(Duration.ofSeconds(10), KafkaBroker.patience(Duration.ofHours(1)));
  }
}
