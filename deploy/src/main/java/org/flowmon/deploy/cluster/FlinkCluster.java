package org.flowmon.deploy.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.flowmon.deploy.command.CommandException;
import org.flowmon.deploy.remote.HttpSource;

/** The job of a cluster, by Flink's REST and client. */
final class FlinkCluster {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Set<String> ENDED = Set.of("FINISHED", "CANCELED", "FAILED");

  private final ClusterFolder folder;
  private final HttpSource flink;

  FlinkCluster(ClusterFolder folder) {
    this.folder = folder;
    this.flink = new HttpSource("Flink", URI.create(folder.url("flink")), Optional.empty());
  }

  FlinkPrograms programs() {
    String home = folder.setting("flink_home");
    Path conf = folder.path("flink/conf");
    return home.isEmpty()
        ? FlinkPrograms.ofClassPath(conf, List.of())
        : FlinkPrograms.ofHome(Path.of(home), conf);
  }

  /** 0 if Flink does not answer. */
  int slots() {
    try {
      return flink.json("/overview").path("slots-total").asInt();
    } catch (IOException e) {
      return 0;
    }
  }

  boolean answers() {
    try {
      return flink.json("/overview").has("slots-total");
    } catch (IOException e) {
      return false;
    }
  }

  /** The id of the job that has not ended. */
  Optional<String> job() throws IOException {
    for (JsonNode job : flink.json("/jobs/overview").path("jobs")) {
      if (!ENDED.contains(job.path("state").asText())) {
        return Optional.of(job.path("jid").asText());
      }
    }
    return Optional.empty();
  }

  /** Submits the job, from the newest savepoint or checkpoint if there is one. */
  Optional<Path> submit(Path jar) throws IOException {
    Optional<Path> from = newestState();
    List<String> command = new ArrayList<>(List.of("run", "-d"));
    from.ifPresent(state -> command.addAll(List.of("-s", "file://" + state)));
    command.addAll(List.of(jar.toString(), "--config", folder.config().toString()));
    try {
      programs().client(command, folder.path("logs"), "submit.log");
    } catch (IOException e) {
      throw new CommandException(
          "Flink did not take the job: "
              + reason(String.valueOf(e.getMessage()))
              + "; see "
              + folder.log("submit"));
    }
    return from;
  }

  /** The line of what Flink's client printed that names the failure. */
  private static String reason(String printed) {
    return printed
        .lines()
        .filter(line -> line.contains("Exception: "))
        .map(line -> line.substring(line.indexOf("Exception: ") + "Exception: ".length()))
        .findFirst()
        .orElse("its client failed");
  }

  /**
   * The newest folder with a file {@code _metadata}, which a savepoint or checkpoint writes last.
   */
  private Optional<Path> newestState() throws IOException {
    Optional<Path> newest = Optional.empty();
    long time = Long.MIN_VALUE;
    for (String kind : List.of("savepoints", "checkpoints")) {
      Path place = folder.path("flink").resolve(kind);
      if (Files.isDirectory(place)) {
        try (Stream<Path> files = Files.walk(place)) {
          for (Path file : files.filter(one -> one.endsWith("_metadata")).toList()) {
            long written = Files.getLastModifiedTime(file).toMillis();
            if (written > time) {
              time = written;
              newest = Optional.ofNullable(file.getParent());
            }
          }
        }
      }
    }
    return newest;
  }

  /** Stops the job with a savepoint, from which it goes on. */
  void stopJob(String id, Duration patience) throws IOException {
    JsonNode asked =
        flink.post("/jobs/" + id + "/stop", JSON.createObjectNode().put("drain", false));
    String path = "/jobs/" + id + "/savepoints/" + asked.path("request-id").asText();
    long end = System.nanoTime() + patience.toNanos();
    while (System.nanoTime() < end) {
      JsonNode answer = flink.json(path);
      if (answer.path("status").path("id").asText().equals("COMPLETED")) {
        JsonNode failure = answer.path("operation").path("failure-cause").path("class");
        if (!failure.isMissingNode()) {
          throw new IOException("its savepoint failed: " + failure.asText());
        }
        return;
      }
      OwnProcess.pause();
    }
    throw new IOException("its savepoint was not complete within " + patience.toSeconds() + " s");
  }
}
