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

  public static StreamExecutionEnvironment environment(int parallelism) {
    return environment(parallelism, new Configuration());
  }

  /** An environment with options of one's own. */
  public static StreamExecutionEnvironment environment(int parallelism, Configuration own) {
    Configuration options = new Configuration(own);
    options.set(TaskManagerOptions.NETWORK_MEMORY_MAX, MemorySize.ofMebiBytes(32));
    options.set(TaskManagerOptions.NETWORK_MEMORY_MIN, MemorySize.ofMebiBytes(32));
    options.set(TaskManagerOptions.MANAGED_MEMORY_SIZE, MemorySize.ofMebiBytes(16));
    return StreamExecutionEnvironment.createLocalEnvironment(parallelism, options);
  }

  /** Options by which a job that fails starts again from its last checkpoint, so often at most. */
  public static Configuration restarts(int attempts) {
    Configuration options = new Configuration();
    options.set(RestartStrategyOptions.RESTART_STRATEGY, "fixed-delay");
    options.set(RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_ATTEMPTS, attempts);
    options.set(RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_DELAY, Duration.ofMillis(10));
    return options;
  }
}
