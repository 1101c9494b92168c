package org.flowmon.archive.manifest;

import org.flowmon.archive.commit.RetentionChange;
import org.flowmon.archive.retention.Expiration;
import org.flowmon.archive.retention.RetentionOptions;
import org.flowmon.archive.retention.TimestampHistogram;
import org.jspecify.annotations.Nullable;

/**
 * The retention state after all commits up to one, without first rows of segments. Rows with time
 * keys (µs) below {@code cutoff} are hidden. {@code expiredRows} includes {@code lateRows}, which
 * were below it when committed. {@code keys}: see {@link ManifestState#keys}.
 */
record Retained(
    RetentionOptions options,
    long cutoff,
    long expiredRows,
    long lateRows,
    @Nullable TimestampHistogram keys) {
  static final Retained NOTHING = new Retained(RetentionOptions.NONE, Long.MIN_VALUE, 0, 0, null);

  private static final int BYTES = 40;

  Retained with(@Nullable RetentionChange change, Expiration expiration) {
    RetentionOptions now = change == null || change.options() == null ? options : change.options();
    long last = Math.max(cutoff, expiration.cutoff());
    TimestampHistogram counted = null;
    if (now.isLimited()) {
      counted = keys == null ? new TimestampHistogram() : keys;
      if (expiration.keys() != null || last > cutoff) {
        counted = counted.copy();
        if (expiration.keys() != null) {
          counted.add(expiration.keys());
        }
        counted.removeBefore(last);
      }
    }
    return new Retained(
        now, last, expiredRows + expiration.rows(), lateRows + expiration.lateRows(), counted);
  }

  Retained withOptions(RetentionOptions other) {
    return new Retained(other, cutoff, expiredRows, lateRows, keys);
  }

  Retained withCutoff(long otherCutoff, long expired, long late) {
    return new Retained(options, otherCutoff, expired, late, keys);
  }

  Retained withKeys(TimestampHistogram other) {
    return new Retained(options, cutoff, expiredRows, lateRows, other);
  }

  void write(ManifestFrame.Writer out, long minArrival, long maxArrival) {
    if (equals(NOTHING)) {
      return;
    }
    out.section(ManifestFrame.RETENTION, RetentionSections.options(options));
    out.section(
        ManifestFrame.CUTOFF,
        ManifestSections.allocate(BYTES)
            .putLong(cutoff)
            .putLong(expiredRows)
            .putLong(lateRows)
            .putLong(minArrival)
            .putLong(maxArrival)
            .array());
    if (keys != null) {
      out.section(ManifestFrame.KEYS, keys.toBytes());
    }
  }
}
