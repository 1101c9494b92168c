package org.flowmon.deploy.embedded;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.LongAdder;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.flowmon.jobs.embedded.EmbeddedServiceException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class EmbeddedFlinkTest {
  private static final LongAdder SUM = new LongAdder();

  @TempDir Path directory;

  @Test
  void runsJobsToTheirEndAndReportsFailures() {
    try (EmbeddedFlink flink = EmbeddedFlink.start(directory, 2)) {
      assertEquals("127.0.0.1", flink.restAddress().getHost());
      JobID job = flink.submit(sum(n -> n), "sum");
      assertEquals(JobStatus.FINISHED, flink.awaitEnd(job, Duration.ofSeconds(60)));
      assertEquals(5050, SUM.sum());

      JobID failing =
          flink.submit(
              sum(
                  n -> {
                    throw new IllegalStateException("as planned");
                  }),
              "failing");
      EmbeddedServiceException e =
          assertThrows(
              EmbeddedServiceException.class,
              () -> flink.awaitEnd(failing, Duration.ofSeconds(60)));
      assertTrue(causes(e).contains("as planned"), () -> causes(e));
      assertEquals(JobStatus.FAILED, flink.status(failing));
    }
  }

  private static StreamExecutionEnvironment sum(MapFunction<Long, Long> first) {
    Configuration configuration = new Configuration();
    configuration.set(RestartStrategyOptions.RESTART_STRATEGY, "none");
    StreamExecutionEnvironment env =
        StreamExecutionEnvironment.getExecutionEnvironment(configuration);
    env.setParallelism(2);
    env.fromSequence(1, 100)
        .map(first)
        .returns(Long.class)
        .map(
            n -> {
              SUM.add(n);
              return n;
            })
        .returns(Long.class)
        .sinkTo(new DiscardingSink<>());
    return env;
  }

  private static String causes(Throwable e) {
    StringBuilder all = new StringBuilder();
    for (Throwable t = e; t != null; t = t.getCause()) {
      all.append(t).append('\n');
    }
    return all.toString();
  }
}
