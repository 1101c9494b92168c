package org.flowmon.deploy.embedded;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.configuration.BlobServerOptions;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.CoreOptions;
import org.apache.flink.configuration.JobManagerOptions;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.RestOptions;
import org.apache.flink.configuration.TaskManagerOptions;
import org.apache.flink.runtime.jobmaster.JobResult;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.minicluster.MiniClusterConfiguration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.graph.StreamGraph;
import org.flowmon.jobs.embedded.EmbeddedServiceException;

/**
 * A Flink cluster in this JVM: a job manager and a task manager with a slot for each parallel task,
 * small network and managed memory, REST on loopback at a free port.
 */
public final class EmbeddedFlink implements AutoCloseable {
  private static final Duration TIMEOUT = Duration.ofSeconds(60);

  private final MiniCluster cluster;

  private EmbeddedFlink(MiniCluster cluster) {
    this.cluster = cluster;
  }

  /**
   * Takes {@code directory}: for checkpoints and temporary files.
   *
   * @throws EmbeddedServiceException if the cluster does not start
   */
  public static EmbeddedFlink start(Path directory, int parallelism) {
    MiniCluster cluster =
        new MiniCluster(
            new MiniClusterConfiguration.Builder()
                .setConfiguration(configuration(directory, parallelism))
                .setCommonBindAddress("127.0.0.1")
                .setNumTaskManagers(1)
                .setNumSlotsPerTaskManager(parallelism)
                .withRandomPorts()
                .build());
    try {
      cluster.start();
    } catch (Exception e) {
      try {
        cluster.close();
      } catch (Exception second) {
        e.addSuppressed(second);
      }
      if (e instanceof InterruptedException) {
        Thread.currentThread().interrupt();
      }
      throw new EmbeddedServiceException(
          "the Flink cluster in " + directory + " did not start: " + e, e);
    }
    return new EmbeddedFlink(cluster);
  }

  private static Configuration configuration(Path directory, int parallelism) {
    Configuration c = new Configuration();
    c.set(CoreOptions.DEFAULT_PARALLELISM, parallelism);
    c.set(CoreOptions.TMP_DIRS, directory.resolve("tmp").toString());
    c.set(
        CheckpointingOptions.CHECKPOINTS_DIRECTORY,
        directory.resolve("checkpoints").toUri().toString());
    c.set(TaskManagerOptions.NETWORK_MEMORY_MIN, MemorySize.ofMebiBytes(32));
    c.set(TaskManagerOptions.NETWORK_MEMORY_MAX, MemorySize.ofMebiBytes(32));
    // The state is on the heap; flowmon uses no managed memory.
    c.set(TaskManagerOptions.MANAGED_MEMORY_SIZE, MemorySize.ofMebiBytes(1));
    c.set(RestOptions.ADDRESS, "127.0.0.1");
    c.set(RestOptions.BIND_ADDRESS, "127.0.0.1");
    // By default Flink's blob server listens on every address. Its own client looks for it at the
    // machine's name, so nothing may be transferred through it.
    c.set(JobManagerOptions.BIND_HOST, "127.0.0.1");
    c.set(BlobServerOptions.OFFLOAD_MINSIZE, Integer.MAX_VALUE);
    return c;
  }

  public URI restAddress() {
    return await(cluster.getRestAddress(), "give its address");
  }

  /** Submits a job, which runs on by itself. */
  public JobID submit(StreamExecutionEnvironment environment, String name) {
    StreamGraph graph = environment.getStreamGraph();
    graph.setJobName(name);
    return await(cluster.submitJob(graph.getJobGraph()), "take job " + name).getJobID();
  }

  public JobStatus status(JobID job) {
    return await(cluster.getJobStatus(job), "say how job " + job + " is");
  }

  /** Cancels a job without waiting for its end. */
  public void cancel(JobID job) {
    await(cluster.cancelJob(job), "cancel job " + job);
  }

  /** Calls {@code told} at once, on a cluster thread, if a job fails; not if it is canceled. */
  public void onFailure(JobID job, Consumer<Throwable> told) {
    var unused =
        cluster.requestJobResult(job).thenAccept(result -> failure(result).ifPresent(told));
  }

  private static Optional<Throwable> failure(JobResult result) {
    return result.getJobStatus().orElse(null) == JobStatus.CANCELED
        ? Optional.empty()
        : result
            .getSerializedThrowable()
            .map(failure -> failure.deserializeError(EmbeddedFlink.class.getClassLoader()));
  }

  /**
   * Waits until a job has ended, and returns its state.
   *
   * @throws EmbeddedServiceException if it failed, with the failure as cause, or did not end in
   *     time
   */
  public JobStatus awaitEnd(JobID job, Duration limit) {
    try {
      JobResult result = cluster.requestJobResult(job).get(limit.toMillis(), TimeUnit.MILLISECONDS);
      Optional<Throwable> failure = failure(result);
      if (failure.isPresent()) {
        throw new EmbeddedServiceException(
            "job " + job + " failed: " + failure.get(), failure.get());
      }
      return result.getJobStatus().orElseThrow();
    } catch (ExecutionException | TimeoutException e) {
      throw new EmbeddedServiceException(
          "job " + job + " did not end within " + limit + ": " + e, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new EmbeddedServiceException("interrupted while waiting for job " + job, e);
    }
  }

  public MiniCluster cluster() {
    return cluster;
  }

  private static <T> T await(CompletableFuture<T> future, String what) {
    try {
      return future.get(TIMEOUT.toSeconds(), TimeUnit.SECONDS);
    } catch (ExecutionException | TimeoutException e) {
      Throwable cause = e.getCause() == null ? e : e.getCause();
      throw new EmbeddedServiceException("the Flink cluster did not " + what + ": " + cause, cause);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new EmbeddedServiceException("interrupted while the Flink cluster was to " + what, e);
    }
  }

  @Override
  public void close() {
    try {
      cluster.close();
    } catch (Exception e) {
      throw new EmbeddedServiceException("the Flink cluster did not stop: " + e, e);
    }
  }
}
