package org.flowmon.deploy.cluster;

import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import org.flowmon.deploy.command.ExitCodes;
import org.flowmon.deploy.command.ServicesLog;
import org.flowmon.deploy.command.UsageException;
import org.flowmon.deploy.remote.JobJar;
import org.flowmon.jobs.embedded.EmbeddedKafka;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code flowmon cluster start}. */
@Command(
    name = "start",
    mixinStandardHelpOptions = true,
    description = {
      "Starts what does not run yet, and the job, on this machine's loopback addresses. Ports are"
          + " free ones if none are given; they stay those of the first start.",
      "Flink is that of --flink-home, else the classes of Flink that flowmon brings. The job goes"
          + " on from its newest savepoint or checkpoint."
    },
    footer = {
      "",
      "Examples:",
      "  flowmon cluster start --dir DIR",
      "  flowmon cluster start --dir DIR --flink-home /opt/flink-2.3.0 --port console=8060"
    })
final class ClusterStartCommand implements Callable<Integer> {
  private static final List<String> SERVICES =
      List.of(
          "kafka",
          "postgres",
          "zookeeper",
          "flink",
          "flink-rpc",
          "collector",
          "collector-http",
          "console");
  private static final int MOST_PORT = 65535;

  @Mixin private ClusterCommand.FolderOption dir;

  @Option(
      names = "--flink-home",
      paramLabel = "DIR",
      description = "An installation of Flink 2.3; default: $FLINK_HOME, if it is set.")
  private Optional<Path> flinkHome = Optional.empty();

  @Option(
      names = "--taskmanagers",
      paramLabel = "N",
      description = "How many TaskManagers there are; default 1.")
  private Optional<Integer> taskManagers = Optional.empty();

  @Option(
      names = "--slots",
      paramLabel = "N",
      description = "Slots of each TaskManager; default 2.")
  private Optional<Integer> slots = Optional.empty();

  @Option(
      names = "--port",
      paramLabel = "SERVICE=PORT",
      description =
          "The port of kafka, postgres, zookeeper, flink, flink-rpc, collector (UDP),"
              + " collector-http or console. May be repeated.")
  private Map<String, Integer> ports = new TreeMap<>();

  @Option(
      names = "--analyses",
      paramLabel = "DIR",
      description = "The folder of the job's analyses; default: elephants alone.")
  private Optional<Path> analyses = Optional.empty();

  @Option(
      names = "--job-jar",
      paramLabel = "FILE",
      description = "The job's jar; default: that which came with this command.")
  private Optional<Path> jobJar = Optional.empty();

  @Override
  public Integer call() throws IOException {
    ServicesLog.quiet();
    Path jar = JobJar.of(jobJar);
    Map<String, String> given = given();
    ClusterFolder folder = ClusterFolder.make(dir.folder);
    try (var lock = folder.lock()) {
      folder.settle(defaults(), given);
      ClusterServices services = new ClusterServices(folder);
      ClusterConfig.write(folder);
      services.makeArchive();
      List<String> names = folder.processes();
      int collector = names.indexOf("collector"); // it and the server need the others
      services.start(names.subList(0, collector), ClusterStartCommand::tell);
      startJob(services, jar);
      services.start(names.subList(collector, names.size()), ClusterStartCommand::tell);
    }
    System.out.println("exports   udp://" + folder.address("collector"));
    System.out.println("console   " + folder.url("console"));
    System.out.println("Flink     " + folder.url("flink"));
    System.out.println("Kafka     " + folder.address("kafka"));
    System.out.println("config    " + folder.config());
    return ExitCodes.DONE;
  }

  private static void tell(String name, boolean isStarted) {
    System.out.println(name + (isStarted ? " has started" : " runs already"));
  }

  private static void startJob(ClusterServices services, Path jar) throws IOException {
    services.makeTopic();
    services.awaitTaskManagers();
    if (services.flink().job().isPresent()) {
      System.out.println("the job runs already");
    } else {
      Optional<Path> from = services.flink().submit(jar);
      System.out.println(
          "the job has started" + from.map(state -> ", from " + state.getFileName()).orElse(""));
    }
  }

  private Map<String, String> given() {
    Map<String, String> all = new LinkedHashMap<>();
    flinkHome.ifPresent(home -> all.put("flink_home", home.toAbsolutePath().toString()));
    analyses.ifPresent(place -> all.put("analyses", place.toAbsolutePath().toString()));
    taskManagers.ifPresent(count -> all.put("taskmanagers", positive("--taskmanagers", count)));
    slots.ifPresent(count -> all.put("slots", positive("--slots", count)));
    ports.forEach(
        (service, port) -> {
          if (!SERVICES.contains(service) || port < 1 || port > MOST_PORT) {
            throw new UsageException(
                "--port "
                    + service
                    + "="
                    + port
                    + ": expected a port of 1 to 65535 of one of "
                    + String.join(", ", SERVICES));
          }
          all.put("port." + service, port.toString());
        });
    return all;
  }

  private static String positive(String option, int count) {
    if (count < 1) {
      throw new UsageException(option + " is at least 1");
    }
    return Integer.toString(count);
  }

  private static Map<String, String> defaults() throws IOException {
    Map<String, String> all = new LinkedHashMap<>();
    String home = System.getenv("FLINK_HOME");
    all.put("flink_home", home == null ? "" : home);
    all.put("analyses", "");
    all.put("taskmanagers", "1");
    all.put("slots", "2");
    for (String service : SERVICES) {
      String port = Integer.toString(EmbeddedKafka.freePort());
      while (all.containsValue(port)) { // the system may give a port again once it is free
        port = Integer.toString(EmbeddedKafka.freePort());
      }
      all.put("port." + service, port);
    }
    return all;
  }
}
