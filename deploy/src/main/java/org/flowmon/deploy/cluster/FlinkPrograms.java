package org.flowmon.deploy.cluster;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarFile;
import java.util.regex.Pattern;
import org.flowmon.deploy.command.CommandException;
import org.flowmon.deploy.command.InterruptedCommandException;

/**
 * Flink's programs: those of an installation, or the same classes from this class path with nothing
 * of flowmon's, so that a job brings everything else in its jar.
 */
public final class FlinkPrograms {
  private static final List<String> OPENS =
      List.of(
          "--add-opens=java.base/java.lang=ALL-UNNAMED",
          "--add-opens=java.base/java.util=ALL-UNNAMED",
          "--add-opens=java.base/java.nio=ALL-UNNAMED",
          "--add-opens=java.base/java.util.concurrent=ALL-UNNAMED");

  /** What the job's jar must bring itself. */
  private static final Pattern NOT_FLINKS =
      Pattern.compile(
          "flowmon|kafka|parquet|RoaringBitmap|jsqlparser|datasketches|postgres|duckdb|hadoop|zstd"
              + "|flink-connector-(base|kafka)|junit|jmh|archunit|picocli|test-classes|surefire");

  private static final String RESULT = "BASH_JAVA_UTILS_EXEC_RESULT:";
  private static final int RESULTS = 2;
  private static final long MINUTES = 5;

  /** Flink's main classes, with what sums up the memory of each. */
  private enum Role {
    JOB_MANAGER(
        "jobmanager.sh",
        "GET_JM_RESOURCE_PARAMS",
        "org.apache.flink.runtime.entrypoint.StandaloneSessionClusterEntrypoint"),
    TASK_MANAGER(
        "taskmanager.sh",
        "GET_TM_RESOURCE_PARAMS",
        "org.apache.flink.runtime.taskexecutor.TaskManagerRunner");

    private final String script;
    private final String parameters;
    private final String mainClass;

    Role(String script, String parameters, String mainClass) {
      this.script = script;
      this.parameters = parameters;
      this.mainClass = mainClass;
    }
  }

  private final List<String> home; // its folder, or nothing
  private final Path conf;
  private final List<String> jvm;
  private final String classPath;
  private final Map<Role, List<String>> resources = new HashMap<>();

  private FlinkPrograms(List<String> home, Path conf, List<String> jvm, String classPath) {
    this.home = home;
    this.conf = conf;
    this.jvm = List.copyOf(jvm);
    this.classPath = classPath;
  }

  /**
   * The programs of an installation.
   *
   * @param conf its configuration: {@code config.yaml} and log4j's
   */
  public static FlinkPrograms ofHome(Path home, Path conf) {
    if (!Files.isRegularFile(home.resolve("bin/jobmanager.sh"))) {
      throw new CommandException(
          home + " is no Flink: it has no bin/jobmanager.sh; --flink-home names the folder");
    }
    return new FlinkPrograms(List.of(home.toString()), conf, List.of(), "");
  }

  /**
   * The classes of Flink in this class path.
   *
   * @param jvm options of each JVM
   */
  public static FlinkPrograms ofClassPath(Path conf, List<String> jvm) {
    String all =
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    List<String> flinks = new ArrayList<>();
    for (String entry : all.split(File.pathSeparator, -1)) {
      List<String> jars = new ArrayList<>(List.of(entry));
      jars.addAll(namedBy(Path.of(entry)));
      for (String jar : jars) {
        String name = Path.of(jar).getFileName().toString();
        if (jar.endsWith(".jar") && !NOT_FLINKS.matcher(name).find()) {
          flinks.add(jar);
        }
      }
    }
    return new FlinkPrograms(List.of(), conf, jvm, String.join(File.pathSeparator, flinks));
  }

  /** The jars that the manifest of a jar names, as that of the distribution's does. */
  private static List<String> namedBy(Path jar) {
    if (!jar.toString().endsWith(".jar")) {
      return List.of();
    }
    try (JarFile file = new JarFile(jar.toFile())) {
      String names =
          file.getManifest() == null
              ? null
              : file.getManifest().getMainAttributes().getValue("Class-Path");
      return names == null
          ? List.of()
          : Arrays.stream(names.split(" ", -1))
              .filter(name -> name.endsWith(".jar") && !name.contains(":"))
              .map(name -> jar.resolveSibling(name).toString())
              .toList();
    } catch (IOException e) {
      return List.of(); // the JVM passes over such an entry, too
    }
  }

  /** A JobManager in the foreground; {@code log} takes log4j's lines. */
  public List<String> jobManager(Path log) throws IOException {
    return command(Role.JOB_MANAGER, log, List.of("--executionMode", "cluster"));
  }

  /** A TaskManager in the foreground. */
  public List<String> taskManager(String id, Path log) throws IOException {
    return command(Role.TASK_MANAGER, log, List.of("-Dtaskmanager.resource-id=" + id));
  }

  /** The ZooKeeper that comes with Flink, by {@code zoo.cfg} of its configuration. */
  public List<String> zooKeeper(Path log) {
    List<String> command = new ArrayList<>();
    if (home.isEmpty()) {
      command.addAll(List.of(java(), "-Xmx128m", "-XX:+UseSerialGC"));
      command.addAll(jvm);
      command.addAll(logOptions(log));
      command.add("-Dzookeeper.jmx.log4j.disable=true"); // of an older log4j
      command.addAll(
          List.of("-cp", classPath, "org.apache.flink.runtime.zookeeper.FlinkZooKeeperQuorumPeer"));
    } else {
      // What zookeeper.sh runs; that would stay between, and take the signals.
      command.addAll(List.of("bash", home.get(0) + "/bin/flink-console.sh", "zookeeper"));
    }
    command.addAll(List.of("--zkConfigFile", conf.resolve("zoo.cfg").toString(), "--peerId", "1"));
    return command;
  }

  private List<String> logOptions(Path log) {
    return List.of(
        "-Dlog.file=" + log, "-Dlog4j.configurationFile=" + conf.resolve("log4j2.properties"));
  }

  private List<String> command(Role role, Path log, List<String> arguments) throws IOException {
    List<String> command = new ArrayList<>();
    if (!home.isEmpty()) {
      command.addAll(List.of("bash", home.get(0) + "/bin/" + role.script, "start-foreground"));
      if (role == Role.TASK_MANAGER) {
        command.addAll(arguments);
      }
      return command;
    }
    if (!resources.containsKey(role)) {
      resources.put(role, resourceParameters(role));
    }
    List<String> resource = resources.get(role);
    command.add(java());
    command.addAll(Arrays.asList(resource.get(0).trim().split("\\s+")));
    command.addAll(OPENS);
    command.addAll(jvm);
    command.addAll(logOptions(log));
    command.addAll(List.of("-cp", classPath, role.mainClass, "--configDir", conf.toString()));
    command.addAll(Arrays.asList(resource.get(1).trim().split("\\s+")));
    command.addAll(arguments);
    return command;
  }

  /** What Flink's scripts need in the environment. */
  public void environment(ProcessBuilder builder, Path logs) {
    Map<String, String> all = builder.environment();
    all.put("FLINK_CONF_DIR", conf.toString());
    all.put("FLINK_LOG_DIR", logs.toString());
    all.put("JAVA_HOME", System.getProperty("java.home"));
  }

  /**
   * Runs Flink's command line client.
   *
   * @param logs the folder of logs
   * @param name the file that takes what it prints
   * @return what it printed
   * @throws IOException if it fails, with what it printed
   */
  public String client(List<String> arguments, Path logs, String name) throws IOException {
    Path log = logs.resolve(name);
    List<String> command = new ArrayList<>();
    if (home.isEmpty()) {
      command.add(java());
      command.addAll(OPENS);
      command.addAll(jvm);
      command.addAll(
          List.of("-Xmx256m", "-XX:TieredStopAtLevel=1", "-Dlog.file=" + log + ".client"));
      command.addAll(List.of("-cp", classPath, "org.apache.flink.client.cli.CliFrontend"));
    } else {
      command.addAll(List.of("bash", home.get(0) + "/bin/flink"));
    }
    command.addAll(arguments);
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    environment(builder, logs.toAbsolutePath());
    Process process = builder.redirectOutput(log.toFile()).start();
    boolean isDone = await(process);
    String output = Files.readString(log);
    if (!isDone || process.exitValue() != 0) {
      throw new IOException(
          "flink " + arguments + (isDone ? " failed:\n" : " did not end:\n") + output);
    }
    return output;
  }

  private static boolean await(Process process) {
    try {
      return process.waitFor(MINUTES, TimeUnit.MINUTES);
    } catch (InterruptedException e) {
      throw new InterruptedCommandException(e);
    } finally {
      process.destroyForcibly(); // no effect if it has ended
    }
  }

  /**
   * Flink's own sums: the JVM's options and the dynamic properties that fit the configured memory.
   */
  private List<String> resourceParameters(Role role) throws IOException {
    Process process =
        new ProcessBuilder(
                java(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                classPath,
                "org.apache.flink.runtime.util.bash.BashJavaUtils",
                role.parameters,
                "--configDir",
                conf.toString())
            .redirectErrorStream(true)
            .start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    await(process);
    List<String> results =
        output
            .lines()
            .filter(line -> line.startsWith(RESULT))
            .map(line -> line.substring(RESULT.length()))
            .toList();
    if (results.size() != RESULTS) {
      throw new IOException("Flink does not take " + conf + "/config.yaml:\n" + output);
    }
    return results;
  }

  private static String java() {
    return Path.of(System.getProperty("java.home"), "bin", "java").toString();
  }
}
