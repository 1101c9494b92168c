package org.flowmon.jobs.control;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.flowmon.jobs.config.AnalysisConfig;
import org.flowmon.jobs.config.AnalysisSet;

/**
 * What a job runs, as it says in the topic of {@link ControlStatus}: when it starts, and after each
 * change.
 *
 * @param said when
 * @param analyses in the order of their names
 */
public record RunningAnalyses(Instant said, List<Running> analyses) {
  private static final JsonFactory JSON = new JsonFactory();
  private static final String MEMBER = "running";

  public RunningAnalyses {
    analyses = List.copyOf(analyses);
  }

  /**
   * One that runs.
   *
   * @param version of the change that it came with; 0: it was in the job's folder when that was
   *     submitted
   */
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

    /** One as its file says it. */
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

  /** What runs now. */
  static RunningAnalyses of(AnalysisSet analyses) {
    return new RunningAnalyses(
        Instant.now(),
        analyses.running().stream()
            .map(one -> Running.of(one, analyses.version(one.name())))
            .toList());
  }

  /** Whether one of this name runs. */
  public boolean has(String name) {
    return analyses.stream().anyMatch(one -> one.name().equals(name));
  }

  void write(JsonGenerator json) throws IOException {
    json.writeStringField("said", said.toString());
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

  /** Of the JSON of a message; null where it is another. */
  static RunningAnalyses parse(byte[] message) {
    if (message == null) {
      return null;
    }
    Instant said = null;
    List<Running> running = null;
    try (JsonParser json = JSON.createParser(message)) {
      json.nextToken();
      while (json.nextToken() == JsonToken.FIELD_NAME) {
        String name = json.currentName();
        json.nextToken();
        switch (name) {
          case "said" -> said = Instant.parse(json.getText());
          case MEMBER -> running = list(json);
          default -> json.skipChildren();
        }
      }
    } catch (IOException | DateTimeException | NumberFormatException e) {
      return null; // somebody else's message
    }
    return said == null || running == null ? null : new RunningAnalyses(said, running);
  }

  private static List<Running> list(JsonParser json) throws IOException {
    List<Running> running = new ArrayList<>();
    while (json.nextToken() == JsonToken.START_OBJECT) {
      Map<String, String> texts = new HashMap<>();
      List<String> sinks = new ArrayList<>();
      while (json.nextToken() == JsonToken.FIELD_NAME) {
        String name = json.currentName();
        if (json.nextToken() != JsonToken.START_ARRAY) {
          texts.put(name, json.getText());
          continue;
        }
        while (json.nextToken() == JsonToken.VALUE_STRING) {
          sinks.add(json.getText());
        }
      }
      running.add(
          new Running(
              texts.getOrDefault("analysis", ""),
              Long.parseLong(texts.getOrDefault("change", "0")),
              Duration.parse(texts.getOrDefault("window", "")),
              Duration.parse(texts.getOrDefault("slide", "")),
              Boolean.parseBoolean(texts.get("history")),
              texts.getOrDefault("logic", ""),
              sinks));
    }
    return running;
  }
}
