package org.flowmon.deploy.status;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.flowmon.deploy.command.InterruptedCommandException;
import org.flowmon.deploy.output.Facts;
import org.flowmon.deploy.remote.HttpSource;
import org.flowmon.ingest.text.ShownText;

/** The job, as Flink's REST knows it. */
final class FlinkStatus {
  /** Counts of what the job did not take, by operator and metric ({@code docs/metrics.md}). */
  private static final Set<String> LOSSES =
      Set.of(
          "gap_flows",
          "producer_losses",
          "quarantined",
          "quarantined_flows",
          "quarantine_losses",
          "late_flows",
          "behind_watermark_flows",
          "dropped_groups");

  /** Characters of metrics in one question: Flink takes 4,096 of a URL. */
  private static final int MOST_ASKED = 3000;

  private static final String REPLAY = "flowmon replay of ";
  private static final int MOST_MESSAGE = 300;

  /** Flink fetches metrics only once somebody asks. */
  private static final int TRIES = 10;

  private static final long PAUSE_MILLIS = 300;

  private final HttpSource flink;
  private final Duration maxLag;
  private final Instant now;
  private final List<String> lines = new ArrayList<>();
  private final Facts facts = new Facts();
  private final Map<String, Long> losses = new TreeMap<>();
  private boolean isAlive;

  FlinkStatus(HttpSource flink, Duration maxLag, Instant now) {
    this.flink = flink;
    this.maxLag = maxLag;
    this.now = now;
  }

  /** Counts of losses by metric: if each analysis has its own, the largest. */
  Map<String, Long> losses() {
    return losses;
  }

  /** Whether all tasks of the job run; its last checkpoint may be old. */
  boolean isAlive() {
    return isAlive;
  }

  /**
   * The job that was started last.
   *
   * @param lastSign of life that is known from elsewhere, for people
   * @throws IOException if Flink does not answer
   */
  Part job(Optional<String> name, String lastSign) throws IOException {
    JsonNode job = null;
    for (JsonNode one : flink.json("/jobs/overview").path("jobs")) {
      String called = one.path("name").asText();
      boolean isIt =
          name.map(called::equals)
              .orElse(called.startsWith("flowmon ") && !called.startsWith(REPLAY));
      if (isIt
          && (job == null || one.path("start-time").asLong() > job.path("start-time").asLong())) {
        job = one;
      }
    }
    if (job == null) {
      facts.value("flink_state", null);
      String missing =
          name.map(one -> "Flink has no job '" + ShownText.of(one) + "'")
              .orElse("Flink has no job whose name begins with 'flowmon '");
      return new Part("job", Part.State.WRONG, List.of("not alive: " + missing + lastSign), facts);
    }
    return of(job);
  }

  private Part of(JsonNode job) throws IOException {
    String id = job.path("jid").asText();
    String state = job.path("state").asText();
    Instant started = Instant.ofEpochMilli(job.path("start-time").asLong());
    facts.value("name", job.path("name").asText());
    facts.value("id", id);
    facts.value("flink_state", state);
    facts.value("started", started.toString());
    long end = job.path("end-time").asLong(-1);
    if (end > 0) {
      Instant ended = Instant.ofEpochMilli(end);
      facts.value("ended", ended.toString());
      lines.add("not alive since " + Part.time(ended, now) + ": " + state);
      reason(id);
      return new Part("job", Part.State.WRONG, lines, facts);
    }
    int tasks = job.path("tasks").path("total").asInt();
    int running = job.path("tasks").path("running").asInt();
    isAlive = state.equals("RUNNING") && running == tasks;
    Optional<Long> restarts = restarts(id);
    facts.value("tasks", tasks);
    facts.value("running_tasks", running);
    facts.value("restarts", restarts.orElse(null));
    lines.add(
        (isAlive
                ? "alive, running since " + Part.time(started, now)
                : "not running: " + state + ", " + running + " of " + tasks + " tasks")
            + ", restarts: "
            + restarts.map(Object::toString).orElse("not known"));
    if (!isAlive) {
      reason(id);
    }
    boolean isSafe = checkpoint(id, started);
    if (isAlive) {
      countLosses(id);
    }
    return new Part("job", isAlive && isSafe ? Part.State.OK : Part.State.WRONG, lines, facts);
  }

  private Optional<Long> restarts(String id) throws IOException {
    for (int i = 0; i < TRIES; i++) {
      JsonNode found = flink.json("/jobs/" + id + "/metrics?get=numRestarts");
      if (!found.isEmpty()) {
        return Optional.of(found.path(0).path("value").asLong());
      }
      pause();
    }
    return Optional.empty();
  }

  /** Why it failed last. */
  private void reason(String id) throws IOException {
    JsonNode last =
        flink.json("/jobs/" + id + "/exceptions").path("exceptionHistory").path("entries").path(0);
    String line = lastCause(last.path("stacktrace").asText());
    if (!line.isBlank()) {
      String shown = ShownText.of(line.substring(0, Math.min(line.length(), MOST_MESSAGE)));
      facts.value("failure", shown);
      lines.add(shown);
    }
  }

  /** The line of a stack trace that names what all the rest came of. */
  static String lastCause(String trace) {
    String caused = "Caused by: ";
    int last = trace.lastIndexOf(caused);
    String from = last < 0 ? trace : trace.substring(last + caused.length());
    return from.lines().findFirst().orElse("");
  }

  /** Whether the last checkpoint is young enough. */
  private boolean checkpoint(String id, Instant started) throws IOException {
    JsonNode all = flink.json("/jobs/" + id + "/checkpoints");
    JsonNode last = all.path("latest").path("completed");
    long failed = all.path("counts").path("failed").asLong();
    facts.value("failed_checkpoints", failed);
    boolean isYoung;
    if (last.isObject()) {
      Instant done = Instant.ofEpochMilli(last.path("latest_ack_timestamp").asLong());
      facts.value("last_checkpoint", done.toString());
      isYoung = done.plus(maxLag).isAfter(now);
      lines.add(
          "last checkpoint " + Part.time(done, now) + (failed == 0 ? "" : ", failed: " + failed));
    } else {
      facts.value("last_checkpoint", null);
      isYoung = started.plus(maxLag).isAfter(now);
      lines.add("no checkpoint yet" + (failed == 0 ? "" : ", failed: " + failed));
    }
    return isYoung;
  }

  private void countLosses(String id) throws IOException {
    List<String> vertices = new ArrayList<>();
    flink
        .json("/jobs/" + id)
        .path("vertices")
        .forEach(one -> vertices.add(one.path("id").asText()));
    for (int i = 0; i < TRIES; i++) {
      boolean isCounted = false;
      for (String vertex : vertices) {
        isCounted |= isCounted("/jobs/" + id + "/vertices/" + vertex + "/subtasks/metrics");
      }
      if (isCounted) {
        return;
      }
      pause();
    }
  }

  private static void pause() {
    try {
      Thread.sleep(PAUSE_MILLIS);
    } catch (InterruptedException e) {
      throw new InterruptedCommandException(e);
    }
  }

  /** False if Flink has no metrics of the vertex that are flowmon's. */
  private boolean isCounted(String path) throws IOException {
    Map<String, String> wanted = new LinkedHashMap<>(); // by the metric's id
    for (JsonNode one : flink.json(path)) {
      String metric = one.path("id").asText();
      String name = metric.substring(metric.lastIndexOf('.') + 1);
      if (metric.contains(".flowmon.") && LOSSES.contains(name)) {
        wanted.put(metric, name);
      }
    }
    if (wanted.isEmpty()) {
      return false;
    }
    StringBuilder asked = new StringBuilder();
    for (String metric : wanted.keySet()) {
      if (asked.length() + metric.length() > MOST_ASKED && !asked.isEmpty()) {
        count(path, asked.toString(), wanted);
        asked.setLength(0);
      }
      asked.append(asked.isEmpty() ? "" : ",").append(metric);
    }
    count(path, asked.toString(), wanted);
    return true;
  }

  private void count(String path, String metrics, Map<String, String> names) throws IOException {
    for (JsonNode one : flink.json(path + "?agg=sum&get=" + metrics)) {
      String name = names.get(one.path("id").asText());
      if (name != null) {
        losses.merge(name, one.path("sum").asLong(), Math::max);
      }
    }
  }
}
