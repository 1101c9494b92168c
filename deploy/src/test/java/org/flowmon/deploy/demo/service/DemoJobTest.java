package org.flowmon.deploy.demo.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.LockSupport;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.flowmon.deploy.command.CommandException;
import org.flowmon.deploy.embedded.EmbeddedFlink;
import org.flowmon.jobs.embedded.EmbeddedServiceException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is said of a job that fails. */
class DemoJobTest {
  @TempDir Path directory;

  private static StreamExecutionEnvironment failing() {
    Configuration noRestart = new Configuration();
    noRestart.set(RestartStrategyOptions.RESTART_STRATEGY, "none");
    StreamExecutionEnvironment environment =
        StreamExecutionEnvironment.getExecutionEnvironment(noRestart);
    environment.setParallelism(1);
    MapFunction<Long, Long> fails =
        n -> {
          throw new IllegalStateException("as planned");
        };
    environment.fromSequence(1, 2).map(fails).returns(Long.class).sinkTo(new DiscardingSink<>());
    return environment;
  }

  @Test
  void aCheckOfAJobThatFailedWaitsUntilPeopleAreToldAndItsLogIsWritten() throws IOException {
    Path log = directory.resolve("job.log");
    List<String> told = new CopyOnWriteArrayList<>();
    try (EmbeddedFlink flink = EmbeddedFlink.start(directory.resolve("flink"), 1)) {
      JobID id = flink.submit(failing(), "failing");
      DemoJob job =
          DemoJob.watch(
              flink,
              id,
              log,
              line -> {
                LockSupport.parkNanos(500_000_000L);
                told.add(line);
              });
      assertThrows(
          EmbeddedServiceException.class, () -> flink.awaitEnd(id, Duration.ofSeconds(60)));
      assertThrows(CommandException.class, job::check);
      assertEquals(1, told.size());
      assertTrue(told.get(0).contains("as planned; its log is " + log), told.get(0));
      assertTrue(Files.readString(log).contains("as planned"));
    }
  }

  @Test
  void aLogWithoutRoomIsNotNamedAsOneThatIsThere() {
    Path full = Path.of("/dev/full");
    assumeTrue(Files.exists(full));
    String said = DemoJob.written(full, new IllegalStateException("as planned"));
    assertTrue(said.startsWith("its log could not be written to /dev/full: "), said);
  }
}
