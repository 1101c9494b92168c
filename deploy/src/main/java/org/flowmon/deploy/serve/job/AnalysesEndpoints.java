package org.flowmon.deploy.serve.job;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.flowmon.deploy.analysis.AnalysesChangeCommands;
import org.flowmon.deploy.analysis.JobListing;
import org.flowmon.deploy.analysis.JobOptions;
import org.flowmon.deploy.kafka.KafkaBroker;
import org.flowmon.deploy.kafka.KafkaOptions;
import org.flowmon.deploy.serve.http.Exchange;
import org.flowmon.deploy.serve.http.JsonBodies;
import org.flowmon.deploy.serve.http.Problem;
import org.flowmon.jobs.JobAnalyses;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.analysis.AnalysisSet;
import org.flowmon.jobs.config.ConfigException;
import org.flowmon.jobs.config.ErrorHandler;
import org.flowmon.jobs.config.job.JobConfig;
import org.flowmon.jobs.control.ControlStatus;
import org.flowmon.jobs.control.ControlTopic;
import org.flowmon.jobs.control.RunningAnalyses.Running;
import org.flowmon.jobs.enrich.EnrichmentConfig;
import org.jspecify.annotations.Nullable;

/** The analyses of a job, or without one those that come with flowmon. */
final class AnalysesEndpoints {
  private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9_]{0,62}");
  private static final int MAX_TEXT = 100_000;
  private static final int MAX_NAME = 63;
  private static final Duration WAIT = Duration.ofSeconds(20);
  private static final String FILE = "analysis.yaml";
  private static final Pattern PLACE = Pattern.compile("^analysis\\.yaml(?::(\\d+))?: ");

  private final Optional<KafkaOptions> job;

  AnalysesEndpoints(Optional<KafkaOptions> job) {
    this.job = job;
  }

  /** Throws a {@link Problem} if it cannot be an analysis's name. */
  static String name(String text) {
    if (!NAME.matcher(text).matches()) {
      throw Problem.badRequest(
          "'" + text + "' is no name of an analysis: expected a-z, then a-z, 0-9 and _");
    }
    return text;
  }

  /** A row of the list, and where its text may be. */
  private record Listed(Running analysis, String runs) {}

  private record Listing(List<Listed> rows, List<String> remarks, Optional<AnalysisSet> changes) {}

  private Listing listing() {
    if (job.isEmpty()) {
      List<Listed> rows = new ArrayList<>();
      AnalysisConfig.bundled().forEach(one -> rows.add(new Listed(Running.of(one, 0), "bundled")));
      AnalysisConfig.offered().forEach(one -> rows.add(new Listed(Running.of(one, 0), "offered")));
      return new Listing(rows, List.of("the server knows no job"), Optional.empty());
    }
    JobConfig.Kafka kafka = answering();
    ControlTopic topic = new ControlTopic(kafka);
    topic.createIfMissing();
    AnalysisSet set = new AnalysisSet(JobOptions.started(job.get()));
    JobListing listing =
        new JobListing(
            topic.name(), set, ControlStatus.read(kafka), job.get().jobFile().isPresent());
    topic.read().changes().forEach(listing::add);
    return new Listing(
        listing.rows().stream().map(row -> new Listed(row.analysis(), row.runs())).toList(),
        listing.remarks(),
        Optional.of(set));
  }

  private JobConfig.Kafka answering() {
    KafkaOptions known = job.orElseThrow(ServedJob::unknown);
    JobConfig.Kafka kafka = JobOptions.kafka(known, JobConfig.Kafka.ANALYSES_TOPIC);
    KafkaBroker.mustAnswer(kafka.clientProperties(), KafkaBroker.patience(WAIT));
    return kafka;
  }

  void list(Exchange exchange) throws IOException {
    exchange.fields().only();
    Listing listing = listing();
    List<Object> all = new ArrayList<>();
    listing.rows().forEach(row -> all.add(facts(row, null)));
    Map<String, Object> answer = new LinkedHashMap<>();
    answer.put("analyses", all);
    answer.put("remarks", listing.remarks());
    exchange.json(200, answer);
  }

  void one(Exchange exchange) throws IOException {
    exchange.fields().only();
    String name = name(exchange.fields().path("name"));
    Listing listing = listing();
    Listed row =
        listing.rows().stream()
            .filter(one -> one.analysis().name().equals(name))
            .findFirst()
            .orElseThrow(() -> Problem.notFound("there is no analysis " + name));
    exchange.json(200, facts(row, text(name, listing)));
  }

  private static Map<String, @Nullable Object> facts(Listed row, @Nullable String text) {
    Map<String, @Nullable Object> facts = new LinkedHashMap<>();
    facts.put("name", row.analysis().name());
    facts.put("window_seconds", row.analysis().window().toMillis() / 1000.0);
    facts.put("slide_seconds", row.analysis().slide().toMillis() / 1000.0);
    facts.put("history", row.analysis().hasHistory());
    facts.put("runs", row.runs());
    facts.put("logic", row.analysis().logic());
    facts.put("sinks", row.analysis().sinks());
    facts.put("text", text);
    return facts;
  }

  /** Null if it is not known here. */
  private @Nullable String text(String name, Listing listing) throws IOException {
    Optional<String> changed = listing.changes().map(set -> set.text(name));
    if (changed.isPresent()) {
      return changed.get();
    }
    Optional<String> folder = job.flatMap(KafkaOptions::job).map(JobConfig::analyses);
    if (folder.isPresent()) {
      Path file = Path.of(folder.get()).resolve(name + ".yaml");
      return Files.isReadable(file) ? Files.readString(file) : null;
    }
    return AnalysisConfig.names().contains(name) ? AnalysisConfig.wholeTextOf(name) : null;
  }

  /** The analysis of a request that names one or has its text; throws if it is none. */
  AnalysisConfig asked(JsonBodies body) {
    Optional<String> text = body.optionalText("text", 1, MAX_TEXT);
    Optional<String> name = body.optionalText("analysis", 1, MAX_NAME).map(AnalysesEndpoints::name);
    if (text.isPresent() == name.isPresent()) {
      throw Problem.badRequest("expected 'analysis', a name, or 'text', its YAML");
    }
    return text.isPresent()
        ? read(text.get(), ErrorHandler.THROWN).orElseThrow()
        : named(name.orElseThrow());
  }

  /** As the job runs it: with what its file extends. */
  private AnalysisConfig named(String name) {
    Optional<String> changed = listing().changes().map(set -> set.text(name));
    if (changed.isPresent()) {
      return AnalysisConfig.parse(FILE, changed.get());
    }
    List<AnalysisConfig> known = new ArrayList<>(job.map(JobOptions::started).orElse(List.of()));
    if (job.flatMap(KafkaOptions::job).map(JobConfig::analyses).isEmpty()) {
      known.addAll(AnalysisConfig.bundled());
      known.addAll(AnalysisConfig.offered());
    }
    return known.stream()
        .filter(one -> one.name().equals(name))
        .findFirst()
        .orElseThrow(
            () ->
                Problem.notFound(
                    "the text of an analysis " + name + " is not known here; send it as 'text'"));
  }

  /** Of the job, whose own networks analyses may name. */
  private EnrichmentConfig enrichment() {
    return job.flatMap(KafkaOptions::job).map(JobConfig::enrichment).orElse(EnrichmentConfig.NONE);
  }

  void check(Exchange exchange) throws IOException {
    exchange.fields().only();
    String text = exchange.body().only("text").text("text", 1, MAX_TEXT);
    List<Object> errors = new ArrayList<>();
    Optional<AnalysisConfig> read = read(text, error -> errors.add(error(error)));
    Map<String, @Nullable Object> answer = new LinkedHashMap<>();
    answer.put("valid", errors.isEmpty() && read.isPresent());
    answer.put("name", read.map(AnalysisConfig::name).orElse(null));
    answer.put("errors", errors);
    exchange.json(200, answer);
  }

  private Optional<AnalysisConfig> read(String text, ErrorHandler errors) {
    Optional<AnalysisConfig.Draft> draft = AnalysisConfig.parse(FILE, text, enrichment(), errors);
    draft.ifPresent(one -> JobAnalyses.check(one, errors));
    return draft.map(AnalysisConfig.Draft::analysis);
  }

  private static Map<String, @Nullable Object> error(ConfigException e) {
    String message = String.valueOf(e.getMessage());
    Matcher place = PLACE.matcher(message);
    Map<String, @Nullable Object> error = new LinkedHashMap<>();
    boolean isPlaced = place.find();
    error.put("message", isPlaced ? message.substring(place.end()) : message);
    error.put(
        "line",
        isPlaced && place.group(1) != null ? (Integer) Integer.parseInt(place.group(1)) : null);
    return error;
  }

  void add(Exchange exchange) throws IOException {
    exchange.fields().only();
    String name = name(exchange.fields().path("name"));
    String text = exchange.body().only("text").text("text", 1, MAX_TEXT);
    AnalysisConfig analysis = read(text, ErrorHandler.THROWN).orElseThrow();
    if (!analysis.name().equals(name)) {
      throw Problem.badRequest(
          "the text is of an analysis '" + analysis.name() + "', not of '" + name + "'");
    }
    change(
        exchange,
        name,
        AnalysisConfig.textFor(FILE, text, enrichment()),
        "runs",
        AnalysesChangeCommands.firstReport(analysis, Instant.now()));
  }

  void remove(Exchange exchange) throws IOException {
    exchange.fields().only();
    change(exchange, name(exchange.fields().path("name")), null, "removed", null);
  }

  private void change(
      Exchange exchange, String name, @Nullable String text, String done, @Nullable String remark)
      throws IOException {
    JobConfig.Kafka kafka = answering();
    ControlTopic topic = new ControlTopic(kafka);
    topic.createIfMissing();
    long version = topic.send(name, text);
    exchange.audit("analysis", name);
    Optional<ControlStatus.Outcome> outcome = ControlStatus.await(kafka, name, version, WAIT);
    Map<String, @Nullable Object> answer = new LinkedHashMap<>();
    answer.put("name", name);
    answer.put("change", version);
    if (outcome.isEmpty()) {
      answer.put("outcome", "sent");
      answer.put("message", "no job has answered; one that starts will take it");
    } else {
      boolean isRefused = outcome.get().isRefused();
      answer.put("outcome", isRefused ? "refused" : done);
      answer.put("message", isRefused ? outcome.get().message() : remark);
    }
    exchange.json(200, answer);
  }
}
