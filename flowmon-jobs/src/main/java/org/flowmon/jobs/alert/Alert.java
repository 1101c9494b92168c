package org.flowmon.jobs.alert;

import java.lang.reflect.Type;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.typeinfo.TypeInfo;
import org.apache.flink.api.common.typeinfo.TypeInfoFactory;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.flowmon.jobs.analysis.AlertConfig;
import org.flowmon.jobs.types.RecordType;

/**
 * A message of an alert: that it fires, that it still does, or that it is resolved. Of the messages
 * with the same id the one with the highest number holds; a repeat of a message is equal to it.
 *
 * @param id the same in each message of an alert: a function of analysis, rule, key and {@code
 *     since}
 * @param number 1 of an alert's first message, one more of each that follows
 * @param key values of the rule's key columns as text, as {@code Report.rowKey} makes it
 * @param since end of the window in which it began to fire, in microseconds as all times
 * @param windowStart of the window that the message speaks of
 * @param windowEnd likewise
 * @param lastHeld end of the last window in which the condition held
 * @param revision of the report of that window; 0 where there was none
 * @param rows of that report for which the condition held, with this key
 * @param columns the first of them as a JSON object; null of an absence
 * @param sinks where it goes
 */
@TypeInfo(Alert.Factory.class)
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

  /** Whether somebody has to look. */
  public enum State {
    FIRING(1, "firing"),
    RESOLVED(2, "resolved");

    private final int code;
    private final String text;

    State(int code, String text) {
      this.code = code;
      this.text = text;
    }

    /** The stable code in bytes. */
    public int code() {
      return code;
    }

    /** As JSON has it. */
    public String text() {
      return text;
    }
  }

  /** Why the message came. */
  public enum Cause {
    /** The rule's condition over rows holds, or does not any more. */
    CONDITION(1, "condition"),
    /** Nothing came for the rule's time, or something came. */
    ABSENCE(2, "absence"),
    /** The rule is another one now, or gone: nobody knows whether it would still fire. */
    RULE_CHANGED(3, "rule_changed"),
    /** Somebody said that it is resolved. */
    BY_HAND(4, "by_hand");

    private final int code;
    private final String text;

    Cause(int code, String text) {
      this.code = code;
      this.text = text;
    }

    /** The stable code in bytes. */
    public int code() {
      return code;
    }

    /** As JSON has it. */
    public String text() {
      return text;
    }
  }

  public Alert {
    sinks = List.copyOf(sinks);
  }

  /** How Flink finds the type. */
  public static final class Factory extends TypeInfoFactory<Alert> {
    @Override
    public TypeInformation<Alert> createTypeInfo(
        Type type, Map<String, TypeInformation<?>> parameters) {
      return TYPE;
    }
  }
}
