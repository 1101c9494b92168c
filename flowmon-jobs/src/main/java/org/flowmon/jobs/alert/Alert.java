package org.flowmon.jobs.alert;

import java.util.List;
import java.util.Locale;
import org.apache.flink.api.common.typeinfo.TypeInfo;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.flowmon.jobs.analysis.AlertConfig;
import org.flowmon.jobs.types.RecordType;

/**
 * A message of an alert: it fires, it still fires, or it is resolved. Among the messages of one id
 * the one with the highest number is valid. A repeated message equals the first.
 *
 * @param id the same in each message of an alert: a function of analysis, rule, key and {@code
 *     since}
 * @param number 1 for an alert's first message, then one more each
 * @param key values of the rule's key columns as text, as {@code Report.rowKey} makes it
 * @param since end of the window in which it began to fire, in microseconds as all times
 * @param windowStart start of the message's window
 * @param windowEnd end of the message's window
 * @param lastHeld end of the last window in which the condition held
 * @param revision of the report of that window; 0 if there was none
 * @param rows number of that report's rows with this key that meet the condition
 * @param columns the first of these rows as a JSON object; null for an absence
 * @param sinks the sinks that the message goes to
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
    String columns,
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

    /** The name in JSON. */
    public String text() {
      return name().toLowerCase(Locale.ROOT);
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
    /** A person resolved the alert. */
    BY_HAND(4);

    private final int code;

    Cause(int code) {
      this.code = code;
    }

    /** The stable code in bytes. */
    public int code() {
      return code;
    }

    /** The name in JSON. */
    public String text() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  public Alert {
    sinks = List.copyOf(sinks);
  }
}
