package org.flowmon.jobs.main;

import java.nio.file.Path;
import java.util.List;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.flowmon.jobs.FlowmonJob;
import org.flowmon.jobs.JobAnalyses;
import org.flowmon.jobs.config.ConfigException;
import org.flowmon.jobs.config.job.JobConfig;
import org.flowmon.jobs.replay.ReplayJob;

/**
 * The main class of {@code flowmon-job.jar}:
 *
 * <pre>
 *   flink run flowmon-job.jar --config FILE                                        the job
 *   flink run flowmon-job.jar --config FILE --replay NAME --from TIME --to TIME    a {@link ReplayJob}
 * </pre>
 */
public final class FlowmonMain {
  private FlowmonMain() {}

  public static void main(String[] args) throws Exception {
    if (List.of(args).contains(ReplayJob.REPLAY)) {
      ReplayJob replay = ReplayJob.parse(args);
      StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
      replay.build(env);
      env.execute("flowmon replay of " + replay.spec().analysis().name());
      return;
    }
    if (args.length != 2 || !args[0].equals("--config")) {
      throw new ConfigException("expected --config FILE, found " + List.of(args));
    }
    JobConfig config = JobConfig.read(Path.of(args[1]));
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    FlowmonJob.build(env, config, JobAnalyses.of(config));
    env.execute("flowmon " + config.job().role());
  }
}
