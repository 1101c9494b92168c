package org.flowmon.jobs.alert;

import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.apache.flink.api.common.typeinfo.TypeInfo;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.flowmon.jobs.analysis.AlertConfig;
import org.flowmon.jobs.types.RecordType;
import org.jspecify.annotations.Nullable;

/**
 * A message of an alert. Of those of one id the highest number is valid; a repeat equals the first.
 * Times are in microseconds.
 *
 * @param id a function of analysis, rule, key and {@code since}, the same in each message
 * @param number from 1
 * @param key values of the rule's key columns, as {@code Report.rowKey} makes them
 * @param since end of the window in which it began to fire
 * @param lastHeld end of the last window in which the condition held
 * @param revision of that window's report; 0: there was none
 * @param rows that report's rows with this key that meet the condition
 * @param columns the first of these rows as a JSON object; null for an absence
 */
@TypeInfo(RecordType.Factory.class)
public record Alert(
    String id,
    long number,
    State state,
    Cause cause,
    String analysis,
    String rule,
    AlertConfig.Severity severity,
    String key,
    long since,
    long windowStart,
    long windowEnd,
    long lastHeld,
    int revision,
    int rows,
    @Nullable String columns,
    List<String> sinks) {
  public static final TypeInformation<Alert> TYPE =
      new RecordType<>(Alert.class, new AlertSerializer());

  /** Whether the alert fires or is resolved. */
  public enum State {
    FIRING(1),
    RESOLVED(2);

    private final int code;

    State(int code) {
      this.code = code;
    }

    /** The stable code in bytes. */
    public int code() {
      return code;
    }

    public String text() {
      return name().toLowerCase(Locale.ROOT);
    }

    static State ofCode(int code) throws IOException {
      return named(values(), one -> one.code() == code, "state", code);
    }

    /** The one of a {@link #text}. */
    public static State of(String text) throws IOException {
      return named(values(), one -> one.text().equals(text), "state", text);
    }
  }

  /** The reason for a message. */
  public enum Cause {
    /** The rule's condition over rows holds, or no longer holds. */
    CONDITION(1),
    /** No report or row came for the rule's time, or one came again. */
    ABSENCE(2),
    /** The rule was changed or removed: whether it would still fire is unknown. */
    RULE_CHANGED(3),
    BY_HAND(4);

    private final int code;

    Cause(int code) {
      this.code = code;
    }

    public int code() {
      return code;
    }

    public String text() {
      return name().toLowerCase(Locale.ROOT);
    }

    static Cause ofCode(int code) throws IOException {
      return named(values(), one -> one.code() == code, "cause", code);
    }

    /** The one of a {@link #text}. */
    public static Cause of(String text) throws IOException {
      return named(values(), one -> one.text().equals(text), "cause", text);
    }
  }

  public Alert {
    sinks = List.copyOf(sinks);
  }

  /** The severity of a name in capital or small letters. */
  public static AlertConfig.Severity severity(String name) throws IOException {
    return named(
        AlertConfig.Severity.values(), one -> one.name().equalsIgnoreCase(name), "severity", name);
  }

  private static <T> T named(T[] all, Predicate<T> isNamed, String what, Object name)
      throws IOException {
    return Stream.of(all)
        .filter(isNamed)
        .findFirst()
        .orElseThrow(() -> new IOException("an alert has the unknown " + what + " " + name));
  }
}
