package org.flowmon.jobs.control;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParseException;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.analysis.AnalysisSet;

/**
 * The analyses that a job runs. The job writes them to the topic of {@link ControlStatus} when it
 * starts and after each change.
 *
 * @param said time of writing
 * @param read the version of the last change that the job has read; up to it, an analysis missing
 *     here does not run; 0: none, or not known
 * @param analyses in the order of their names
 */
public record RunningAnalyses(Instant said, long read, List<Running> analyses) {
  private static final JsonFactory JSON = new JsonFactory();
  private static final String MEMBER = "running";

  public RunningAnalyses {
    analyses = List.copyOf(analyses);
  }

  /**
   * A running analysis.
   *
   * @param version of the change that brought it; 0: it was in the job's folder when that was
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

    /** Describes an analysis by its file. */
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

  /** Returns the analyses that run after all changes up to a version. */
  static RunningAnalyses of(AnalysisSet analyses, long read) {
    return new RunningAnalyses(
        Instant.now(),
        read,
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

  /** Parses the JSON of a message; null if it is another message or of an unknown version. */
  static RunningAnalyses parse(byte[] message) {
    if (message == null) {
      return null;
    }
    long version = 0;
    Instant said = null;
    long read = 0;
    List<Running> running = null;
    try (JsonParser json = JSON.createParser(message)) {
      expect(json, json.nextToken(), JsonToken.START_OBJECT);
      while (json.nextToken() == JsonToken.FIELD_NAME) {
        String name = json.currentName();
        JsonToken value = json.nextToken();
        switch (name) {
          case "version" -> version = json.getValueAsLong();
          case "said" -> said = Instant.parse(text(json, value));
          case "read" -> read = json.getLongValue();
          case MEMBER -> running = list(json, value);
          default -> json.skipChildren();
        }
      }
    } catch (IOException | DateTimeException e) {
      return null; // a message of another program
    }
    return version != ControlStatus.VERSION || said == null || running == null
        ? null
        : new RunningAnalyses(said, read, running);
  }

  private static void expect(JsonParser json, JsonToken found, JsonToken expected)
      throws IOException {
    if (found != expected) {
      throw new JsonParseException(json, "expected " + expected + ", found " + found);
    }
  }

  private static String text(JsonParser json, JsonToken value) throws IOException {
    expect(json, value, JsonToken.VALUE_STRING);
    return json.getText();
  }

  private static List<Running> list(JsonParser json, JsonToken value) throws IOException {
    expect(json, value, JsonToken.START_ARRAY);
    List<Running> running = new ArrayList<>();
    for (JsonToken one = json.nextToken(); one != JsonToken.END_ARRAY; one = json.nextToken()) {
      expect(json, one, JsonToken.START_OBJECT);
      running.add(one(json));
    }
    return running;
  }

  private static Running one(JsonParser json) throws IOException {
    String analysis = null;
    long change = 0;
    Duration window = null;
    Duration slide = null;
    boolean hasHistory = false;
    String logic = "";
    List<String> sinks = List.of();
    while (json.nextToken() == JsonToken.FIELD_NAME) {
      String name = json.currentName();
      JsonToken value = json.nextToken();
      switch (name) {
        case "analysis" -> analysis = text(json, value);
        case "change" -> change = json.getLongValue();
        case "window" -> window = Duration.parse(text(json, value));
        case "slide" -> slide = Duration.parse(text(json, value));
        case "history" -> hasHistory = json.getBooleanValue();
        case "logic" -> logic = text(json, value);
        case "sinks" -> sinks = texts(json, value);
        default -> json.skipChildren();
      }
    }
    if (analysis == null || window == null || slide == null) {
      throw new JsonParseException(json, "expected analysis, window and slide");
    }
    return new Running(analysis, change, window, slide, hasHistory, logic, sinks);
  }

  private static List<String> texts(JsonParser json, JsonToken value) throws IOException {
    expect(json, value, JsonToken.START_ARRAY);
    List<String> texts = new ArrayList<>();
    for (JsonToken one = json.nextToken(); one != JsonToken.END_ARRAY; one = json.nextToken()) {
      texts.add(text(json, one));
    }
    return texts;
  }
}
