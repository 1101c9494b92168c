package org.flowmon.deploy.cluster;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.flowmon.deploy.command.DurationConverter;
import org.flowmon.deploy.command.ExitCodes;
import org.flowmon.deploy.command.ServicesLog;
import org.flowmon.deploy.command.UsageException;
import org.flowmon.deploy.status.StatusCommand;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code flowmon cluster}: all of flowmon as processes on this machine. */
@Command(
    name = "cluster",
    mixinStandardHelpOptions = true,
    description =
        "Runs broker, Flink, PostgreSQL, collector and server on this machine, each a process of"
            + " its own, with all state in one folder (docs/cluster.md).",
    subcommands = {
      ClusterStartCommand.class,
      ClusterCommand.Stop.class,
      ClusterCommand.Status.class
    })
public final class ClusterCommand implements Callable<Integer> {
  @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

  @Override
  public Integer call() {
    throw new UsageException("cluster: expected one of " + spec.subcommands().keySet());
  }

  /** {@code --dir}. */
  static final class FolderOption {
    @Option(
        names = "--dir",
        paramLabel = "DIR",
        defaultValue = "flowmon-cluster",
        description = "The folder of the cluster; default ${DEFAULT-VALUE}.")
    Path folder;
  }

  /** {@code flowmon cluster stop}. */
  @Command(
      name = "stop",
      mixinStandardHelpOptions = true,
      description =
          "Stops the job with a savepoint, then the processes in order, and waits for each. Only"
              + " processes that this cluster started get a signal.",
      footer = {"", "Examples:", "  flowmon cluster stop --dir DIR"})
  static final class Stop implements Callable<Integer> {
    @CommandLine.Mixin private FolderOption dir;

    @Option(
        names = "--grace",
        paramLabel = "DURATION",
        defaultValue = "90s",
        converter = DurationConverter.class,
        description =
            "How long a process may take to end before it is killed, and the job for its"
                + " savepoint; default ${DEFAULT-VALUE}.")
    private Duration grace;

    @Override
    public Integer call() throws IOException {
      ServicesLog.quiet();
      ClusterFolder folder = ClusterFolder.open(dir.folder);
      ClusterServices services = new ClusterServices(folder);
      try (var lock = folder.lock()) {
        boolean isClean = stop(folder, services, List.of("server", "collector"));
        isClean &= stopJob(folder, services);
        isClean &=
            stop(
                folder,
                services,
                folder.processes().stream()
                    .filter(name -> name.startsWith("taskmanager"))
                    .toList());
        isClean &= stop(folder, services, List.of("jobmanager"));
        isClean &= stop(folder, services, List.of("zookeeper", "postgres", "broker"));
        return isClean ? ExitCodes.DONE : ExitCodes.NO;
      }
    }

    /** Asks all of them to end, then waits for each. */
    private boolean stop(ClusterFolder folder, ClusterServices services, List<String> names)
        throws IOException {
      List<OwnProcess> alive = new ArrayList<>();
      for (String name : names) {
        OwnProcess process = folder.process(name);
        if (process.find().isPresent()) {
          alive.add(process);
          process.ask(services.end(name));
        }
      }
      boolean isClean = true;
      for (OwnProcess process : alive) {
        boolean isKilled = process.awaitEnd(grace);
        isClean &= !isKilled;
        System.out.println(process.name() + (isKilled ? " was killed" : " has ended"));
      }
      return isClean;
    }

    private boolean stopJob(ClusterFolder folder, ClusterServices services) {
      if (folder.process("jobmanager").find().isEmpty()) {
        return true;
      }
      try {
        Optional<String> job = services.flink().job();
        if (job.isPresent()) {
          services.flink().stopJob(job.get(), grace);
          System.out.println("the job has ended, with a savepoint");
        }
        return true;
      } catch (IOException e) {
        System.err.println(
            "flowmon cluster stop: the job ends without a savepoint, and will go on from its last"
                + " checkpoint: "
                + e.getMessage());
        return false;
      }
    }
  }

  /** {@code flowmon cluster status}. */
  @Command(
      name = "status",
      mixinStandardHelpOptions = true,
      description = {
        "Tells which processes are alive, and how far the job is, as flowmon status does.",
        "Exit code 0: all are alive and well. 1: a process is not alive, or a part is wrong. 3:"
            + " Flink does not answer."
      },
      footer = {"", "Examples:", "  flowmon cluster status --dir DIR"})
  static final class Status implements Callable<Integer> {
    private static final int NAME = 16;
    private static final int STATE = 11;

    @CommandLine.Mixin private FolderOption dir;

    @Override
    public Integer call() throws IOException {
      ServicesLog.quiet();
      ClusterFolder folder = ClusterFolder.open(dir.folder);
      boolean areAlive = true;
      for (String name : folder.processes()) {
        Optional<ProcessHandle> process = folder.process(name).find();
        areAlive &= process.isPresent();
        System.out.println(
            ("%-" + NAME + "s%-" + STATE + "s%s")
                .formatted(
                    name,
                    process.isPresent() ? "alive" : "not alive",
                    process.map(Status::facts).orElse("see " + folder.log(name)))
                .stripTrailing());
      }
      System.out.println();
      int code =
          new CommandLine(new StatusCommand())
              .execute(
                  "--config",
                  folder.config().toString(),
                  "--flink",
                  folder.url("flink"),
                  "--collector",
                  folder.url("collector-http"));
      return code == ExitCodes.DONE && !areAlive ? ExitCodes.NO : code;
    }

    private static String facts(ProcessHandle process) {
      String since = process.info().startInstant().map(Instant::toString).orElse("");
      return "process " + process.pid() + " since " + since;
    }
  }
}
