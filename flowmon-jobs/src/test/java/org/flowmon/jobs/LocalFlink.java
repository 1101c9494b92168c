package org.flowmon.jobs;

import java.time.Duration;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.configuration.TaskManagerOptions;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** Flink in this JVM, with little memory: of its own accord it takes much of the machine's. */
public final class LocalFlink {
  private LocalFlink() {}

  /** An environment; a job that fails ends. */
  public static StreamExecutionEnvironment environment(int parallelism) {
    return environment(parallelism, 0);
  }

  /** An environment in which a job that fails starts again from its last checkpoint. */
  public static StreamExecutionEnvironment environment(int parallelism, int restarts) {
    Configuration options = new Configuration();
    if (restarts > 0) {
      options.set(RestartStrategyOptions.RESTART_STRATEGY, "fixed-delay");
      options.set(RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_ATTEMPTS, restarts);
      options.set(RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_DELAY, Duration.ofMillis(10));
    } else {
      options.set(RestartStrategyOptions.RESTART_STRATEGY, "none");
    }
    options.set(TaskManagerOptions.NETWORK_MEMORY_MAX, MemorySize.ofMebiBytes(32));
    options.set(TaskManagerOptions.NETWORK_MEMORY_MIN, MemorySize.ofMebiBytes(32));
    options.set(TaskManagerOptions.MANAGED_MEMORY_SIZE, MemorySize.ofMebiBytes(16));
    return StreamExecutionEnvironment.createLocalEnvironment(parallelism, options);
  }
}
