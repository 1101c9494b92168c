package org.flowmon.jobs.control;

import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.flowmon.jobs.analysis.AnalysisChange;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.analysis.AnalysisSet;
import org.flowmon.jobs.topic.JsonMessage;

/**
 * The analyses that a job runs, in the order of names; written to the topic of {@link
 * ControlStatus} at {@code said}: at the start and after each change.
 *
 * @param read version of the last change read: up to it, an analysis missing here does not run; 0:
 *     none, or not known
 */
public record RunningAnalyses(Instant said, long read, List<Running> analyses) {
  private static final String MEMBER = "running";

  public RunningAnalyses {
    analyses = List.copyOf(analyses);
  }

  /** A running analysis and its change's version; 0: in the folder when the job was submitted. */
  public record Running(
      String name,
      long version,
      Duration window,
      Duration slide,
      boolean hasHistory,
      String logic,
      List<String> sinks) {
    public Running {
      sinks = List.copyOf(sinks);
    }

    public static Running of(AnalysisConfig analysis, long version) {
      return new Running(
          analysis.name(),
          version,
          analysis.live().window(),
          analysis.live().slide(),
          analysis.history() != null,
          analysis.report().logic(),
          analysis.sinks());
    }
  }

  /** Without those whose last change is {@code unfit}. */
  static RunningAnalyses of(AnalysisSet analyses, long read, Set<AnalysisChange> unfit) {
    return new RunningAnalyses(
        Instant.now(),
        read,
        analyses.running().stream()
            .filter(one -> !unfit.contains(analyses.change(one.name())))
            .map(one -> Running.of(one, analyses.version(one.name())))
            .toList());
  }

  public boolean has(String name) {
    return analyses.stream().anyMatch(one -> one.name().equals(name));
  }

  void write(JsonGenerator json) throws IOException {
    json.writeStringField("said", said.toString());
    json.writeNumberField("read", read);
    json.writeArrayFieldStart(MEMBER);
    for (Running one : analyses) {
      json.writeStartObject();
      json.writeStringField("analysis", one.name());
      json.writeNumberField("change", one.version());
      json.writeStringField("window", one.window().toString());
      json.writeStringField("slide", one.slide().toString());
      json.writeBooleanField("history", one.hasHistory());
      json.writeStringField("logic", one.logic());
      json.writeArrayFieldStart("sinks");
      for (String sink : one.sinks()) {
        json.writeString(sink);
      }
      json.writeEndArray();
      json.writeEndObject();
    }
    json.writeEndArray();
  }

  /** Parses a message's JSON; empty if it is another message or of an unknown version. */
  static Optional<RunningAnalyses> parse(byte[] message) {
    try {
      JsonMessage json = JsonMessage.parse(message);
      if (json.integer("version") != ControlStatus.VERSION) {
        return Optional.empty();
      }
      List<Running> running = new ArrayList<>();
      for (JsonMessage one : json.objects(MEMBER)) {
        running.add(
            new Running(
                one.text("analysis"),
                one.has("change") ? one.number("change") : 0,
                Duration.parse(one.text("window")),
                Duration.parse(one.text("slide")),
                one.has("history") && one.bool("history"),
                one.has("logic") ? one.text("logic") : "",
                one.has("sinks") ? one.texts("sinks") : List.of()));
      }
      long read = json.has("read") ? json.number("read") : 0;
      return Optional.of(new RunningAnalyses(Instant.parse(json.text("said")), read, running));
    } catch (IOException | DateTimeException e) {
      return Optional.empty(); // a message of another program
    }
  }
}
