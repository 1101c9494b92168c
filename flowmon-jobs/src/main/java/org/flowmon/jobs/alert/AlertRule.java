package org.flowmon.jobs.alert;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;
import org.flowmon.jobs.analysis.AlertConfig;
import org.flowmon.jobs.analysis.AlertConfig.Severity;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.config.ConfigException;
import org.flowmon.jobs.config.RowCondition;
import org.flowmon.jobs.report.ReportColumn;
import org.flowmon.jobs.types.RecordSerializer;
import org.jspecify.annotations.Nullable;

/**
 * A rule whose times are counted in windows of its analysis.
 *
 * @param when null for an absence of reports
 * @param absence fires on the absence of reports or rows
 * @param key columns; null: the key columns of the reports
 * @param need in how many windows the condition has to hold
 * @param of in the last how many windows; 0: {@code need} successive ones
 * @param resolveWindows successive windows without the condition that resolve an alert
 * @param silence in microseconds, as slide and window
 * @param keys the most keys followed at once
 */
record AlertRule(
    String analysis,
    String name,
    Severity severity,
    List<String> sinks,
    @Nullable RowCondition when,
    boolean absence,
    @Nullable List<String> key,
    long need,
    int of,
    long resolveWindows,
    long silence,
    long slide,
    long window,
    int keys) {
  AlertRule {
    sinks = List.copyOf(sinks);
    key = key == null ? null : List.copyOf(key);
  }

  static AlertRule of(AnalysisConfig analysis, AlertConfig config) {
    Duration lasts = config.absent() != null ? config.absent() : config.holds();
    long slide = analysis.live().slideMicros();
    return new AlertRule(
        analysis.name(),
        config.name(),
        config.severity(),
        config.sinks(),
        config.when(),
        config.absent() != null,
        config.key(),
        config.least() > 0 ? config.least() : windows(lasts, slide),
        config.of(),
        windows(config.resolveAfter(), slide),
        micros(config.silence()),
        slide,
        analysis.live().windowMicros(),
        config.keys());
  }

  /** Rounds to successive windows, at least one. */
  private static long windows(Duration duration, long slide) {
    return Math.max(1, Math.floorDiv(micros(duration) + slide - 1, slide));
  }

  private static long micros(Duration duration) {
    return duration.toNanos() / 1000;
  }

  int[] keyColumns(List<ReportColumn> columns) {
    List<String> names = columns.stream().map(ReportColumn::name).toList();
    List<String> keyNames =
        key != null
            ? key
            : columns.stream().filter(ReportColumn::key).map(ReportColumn::name).toList();
    int[] places = keyNames.stream().mapToInt(names::indexOf).toArray();
    for (int i = 0; i < places.length; i++) {
      if (places[i] < 0) {
        throw new ConfigException(
            "analysis %s: alert %s: key: expected columns out of %s; found '%s'"
                .formatted(analysis, name, String.join(", ", names), keyNames.get(i)));
      }
    }
    return places;
  }

  /** Tells whether the state of another rule is valid for this one. */
  boolean judgesAs(AlertRule other) {
    return equals(
        new AlertRule(
            other.analysis,
            other.name,
            severity,
            sinks,
            other.when,
            other.absence,
            other.key,
            other.need,
            other.of,
            other.resolveWindows,
            other.silence,
            other.slide,
            other.window,
            keys));
  }

  String id(String keyText, long since) {
    String identity = String.join("\0", analysis, name, keyText, Long.toString(since));
    try {
      byte[] hash =
          MessageDigest.getInstance("SHA-256").digest(identity.getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(Arrays.copyOf(hash, 16));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }

  void write(DataOutputView target) throws IOException {
    target.writeUTF(analysis);
    target.writeUTF(name);
    target.writeUTF(severity.name());
    writeNames(sinks, target);
    RecordSerializer.writeText(when == null ? null : when.text(), target);
    target.writeBoolean(absence);
    target.writeBoolean(key != null);
    writeNames(key == null ? List.of() : key, target);
    target.writeLong(need);
    target.writeInt(of);
    target.writeLong(resolveWindows);
    target.writeLong(silence);
    target.writeLong(slide);
    target.writeLong(window);
    target.writeInt(keys);
  }

  static AlertRule read(DataInputView source) throws IOException {
    String analysis = source.readUTF();
    String name = source.readUTF();
    Severity severity = Alert.severity(source.readUTF());
    List<String> sinks = readNames(source);
    String when = RecordSerializer.readText(source);
    boolean absence = source.readBoolean();
    boolean hasKey = source.readBoolean();
    List<String> key = readNames(source);
    return new AlertRule(
        analysis,
        name,
        severity,
        sinks,
        when == null ? null : new RowCondition(when, "analysis " + analysis + ": alert " + name),
        absence,
        hasKey ? key : null,
        source.readLong(),
        source.readInt(),
        source.readLong(),
        source.readLong(),
        source.readLong(),
        source.readLong(),
        source.readInt());
  }

  static void writeNames(List<String> names, DataOutputView target) throws IOException {
    target.writeShort(names.size());
    for (String one : names) {
      target.writeUTF(one);
    }
  }

  static List<String> readNames(DataInputView source) throws IOException {
    int count = source.readUnsignedShort();
    List<String> names = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      names.add(source.readUTF());
    }
    return names;
  }
}
