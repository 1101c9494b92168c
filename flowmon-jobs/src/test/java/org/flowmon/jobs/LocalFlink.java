package org.flowmon.jobs;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.flink.client.deployment.executors.LocalExecutor;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.CoreOptions;
import org.apache.flink.configuration.DeploymentOptions;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.RestOptions;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.configuration.TaskManagerOptions;
import org.apache.flink.core.execution.PipelineExecutor;
import org.apache.flink.core.execution.PipelineExecutorFactory;
import org.apache.flink.core.execution.PipelineExecutorServiceLoader;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.minicluster.MiniClusterConfiguration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/**
 * Flink in this JVM, with little memory: one cluster for the jobs of all tests, as a start takes
 * longer than many a job. Its jobs have their own options and nothing else in common.
 */
public final class LocalFlink {
  /**
   * More than one job's: those of a job that is being cancelled may still be taken when the next
   * one begins.
   */
  private static final int SLOTS = 32;

  private static Cluster cluster;

  private LocalFlink() {}

  public static StreamExecutionEnvironment environment(int parallelism) {
    return environment(parallelism, new Configuration());
  }

  /** Returns an environment whose jobs have these options. */
  public static StreamExecutionEnvironment environment(int parallelism, Configuration own) {
    Configuration options = new Configuration(own);
    options.set(DeploymentOptions.TARGET, LocalExecutor.NAME);
    options.set(DeploymentOptions.ATTACHED, true);
    options.set(CoreOptions.DEFAULT_PARALLELISM, parallelism);
    return new StreamExecutionEnvironment(new Executors(), options, null);
  }

  /**
   * Returns the options of a job that restarts from its last checkpoint, at most this many times.
   */
  public static Configuration restarts(int attempts) {
    Configuration options = new Configuration();
    options.set(RestartStrategyOptions.RESTART_STRATEGY, "fixed-delay");
    options.set(RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_ATTEMPTS, attempts);
    options.set(RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_DELAY, Duration.ofMillis(10));
    return options;
  }

  private static synchronized MiniCluster cluster() {
    if (cluster == null) {
      Configuration options = new Configuration();
      options.set(TaskManagerOptions.NETWORK_MEMORY_MAX, MemorySize.ofMebiBytes(64));
      options.set(TaskManagerOptions.NETWORK_MEMORY_MIN, MemorySize.ofMebiBytes(64));
      options.set(TaskManagerOptions.MANAGED_MEMORY_SIZE, MemorySize.ofMebiBytes(256));
      options.set(RestOptions.BIND_PORT, "0");
      cluster =
          new Cluster(
              new MiniClusterConfiguration.Builder()
                  .setConfiguration(options)
                  .setNumSlotsPerTaskManager(SLOTS)
                  .build());
      cluster.begin();
    }
    return cluster;
  }

  /** A cluster that outlives its jobs. */
  private static final class Cluster extends MiniCluster {
    Cluster(MiniClusterConfiguration configuration) {
      super(configuration);
    }

    void begin() {
      try {
        super.start();
      } catch (Exception e) {
        throw new IllegalStateException("no cluster for tests", e);
      }
      Runtime.getRuntime().addShutdownHook(new Thread(this::end));
    }

    private void end() {
      try {
        super.closeAsync().get(10, TimeUnit.SECONDS);
      } catch (Exception e) {
        System.err.println("the cluster for tests did not end: " + e);
      }
    }

    @Override
    public void start() {
      // it has begun
    }

    @Override
    public CompletableFuture<Void> closeAsync() {
      return CompletableFuture.completedFuture(null); // others go on with it
    }
  }

  /** Executors of that cluster. */
  private static final class Executors
      implements PipelineExecutorServiceLoader, PipelineExecutorFactory {
    @Override
    public PipelineExecutorFactory getExecutorFactory(Configuration configuration) {
      return this;
    }

    @Override
    public Stream<String> getExecutorNames() {
      return Stream.of(getName());
    }

    @Override
    public String getName() {
      return LocalExecutor.NAME;
    }

    @Override
    public boolean isCompatibleWith(Configuration configuration) {
      return true;
    }

    @Override
    public PipelineExecutor getExecutor(Configuration configuration) {
      return LocalExecutor.createWithFactory(configuration, wanted -> cluster());
    }
  }
}
