package org.flowmon.jobs.alert;

import java.io.IOException;
import java.util.Optional;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;
import org.flowmon.jobs.alert.Alert.State;
import org.flowmon.jobs.types.RecordSerializer;
import org.jspecify.annotations.Nullable;

/** One key of a rule: in which last windows the condition held, and its alert. Windows in order. */
final class KeyAlert {
  /** The rows of a window that meet the condition for the key. */
  record Match(int revision, int rows, @Nullable String columns) {
    static final Match NONE = new Match(0, 0, null);
  }

  private static final long NEVER = Long.MIN_VALUE;

  private long recent; // bit i: it held i windows ago
  private long run; // windows in a row in which it held
  private long quiet; // windows in a row in which it did not hold
  private boolean firing;
  private long since;
  private long number; // messages so far of the firing alert
  private long silentUntil = NEVER;
  private long lastHeld;
  private Match last = Match.NONE;

  /** Returns the state to announce, if any; {@code match} null: the condition does not hold. */
  Optional<State> window(AlertRule rule, long end, @Nullable Match match) {
    boolean holds = match != null;
    if (match != null) {
      lastHeld = end;
      last = match;
    }
    recent = (recent << 1 | (holds ? 1 : 0)) & mask(rule.of());
    run = holds ? run + 1 : 0;
    quiet = holds ? 0 : quiet + 1;
    boolean triggered = rule.of() > 0 ? Long.bitCount(recent) >= rule.need() : run >= rule.need();
    if (firing && !triggered && quiet >= rule.resolveWindows()) {
      firing = false;
      return number > 0 ? Optional.of(State.RESOLVED) : Optional.empty();
    }
    if (!firing && triggered) {
      firing = true;
      since = end;
      number = 0;
    }
    if (firing && end >= silentUntil) {
      silentUntil = end + rule.silence();
      return Optional.of(State.FIRING);
    }
    return Optional.empty();
  }

  private static long mask(int of) {
    return of == 0 ? 0 : -1L >>> (64 - of);
  }

  Alert message(AlertRule rule, String key, long end, State state, Alert.Cause cause) {
    number++;
    return new Alert(
        rule.id(key, since),
        number,
        state,
        cause,
        rule.analysis(),
        rule.name(),
        rule.severity(),
        key,
        since,
        end - rule.window(),
        end,
        lastHeld,
        last.revision(),
        last.rows(),
        last.columns(),
        rule.sinks());
  }

  /** Ends the alert by hand after window {@code end}; silence begins, the next may fire. */
  void resolve(AlertRule rule, long end) {
    firing = false;
    recent = 0;
    run = 0;
    quiet = 0;
    silentUntil = end + rule.silence();
  }

  long since() {
    return since;
  }

  boolean isFiring() {
    return firing;
  }

  /** Whether a message said that it fires, and none since that it is resolved. */
  boolean isAnnounced() {
    return firing && number > 0;
  }

  /** Whether windows without the condition change only its silence, which ends. */
  boolean isIdle() {
    return !firing && recent == 0 && run == 0;
  }

  /** Whether it equals a key that was never seen. */
  boolean isForgettable(long end) {
    return isIdle() && end >= silentUntil;
  }

  void write(DataOutputView target) throws IOException {
    target.writeLong(recent);
    target.writeLong(run);
    target.writeLong(quiet);
    target.writeBoolean(firing);
    target.writeLong(since);
    target.writeLong(number);
    target.writeLong(silentUntil);
    target.writeLong(lastHeld);
    target.writeInt(last.revision());
    target.writeInt(last.rows());
    RecordSerializer.writeText(last.columns(), target);
  }

  static KeyAlert read(DataInputView source) throws IOException {
    KeyAlert alert = new KeyAlert();
    alert.recent = source.readLong();
    alert.run = source.readLong();
    alert.quiet = source.readLong();
    alert.firing = source.readBoolean();
    alert.since = source.readLong();
    alert.number = source.readLong();
    alert.silentUntil = source.readLong();
    alert.lastHeld = source.readLong();
    alert.last = new Match(source.readInt(), source.readInt(), RecordSerializer.readText(source));
    return alert;
  }
}
