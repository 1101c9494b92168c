package org.flowmon.jobs.config.job;

import java.io.Serializable;
import java.time.Duration;
import org.flowmon.archive.retention.RetentionOptions;
import org.flowmon.jobs.config.ConfigException;
import org.flowmon.jobs.config.YamlSection;

/**
 * The limits of the job's archive, as {@link RetentionOptions}.
 *
 * @param rows 0: no such limit
 * @param slack the most rows stored beyond {@code rows}
 * @param age zero: no such limit
 * @param bytes 0: no such limit
 */
public record RetentionConfig(long rows, long slack, Duration age, long bytes)
    implements Serializable {
  // A merge makes segments half as large again at most. Without merges they have the rows that a
  // writer seals between two barriers.
  private static final int UNMERGED_ROWS = 250_000;

  /**
   * Reads the keys.
   *
   * @param compactRows rows of merged segments, about; 0 without merges
   * @throws ConfigException if the slack is too small for segments of this size
   */
  static RetentionConfig of(YamlSection section, int compactRows) {
    long rows = section.number("rows", 0, Long.MAX_VALUE, 0);
    long slack = section.number("slack", 0, Long.MAX_VALUE - 1, -1);
    Duration age = section.duration("age", Duration.ZERO);
    long bytes = section.number("bytes", 0, Long.MAX_VALUE, 0);
    section.end();
    if (rows == 0 && slack >= 0) {
      throw section.error("slack", "is beyond rows, and no rows are given");
    }
    if (rows == 0 && age.isZero() && bytes == 0) {
      return new RetentionConfig(0, 0, Duration.ZERO, 0);
    }
    try {
      RetentionOptions options =
          RetentionOptions.of(rows, slack, age, bytes)
              .withSlackFor(compactRows == 0 ? UNMERGED_ROWS : compactRows + compactRows / 2);
      return new RetentionConfig(rows, options.slack(), age, bytes);
    } catch (IllegalArgumentException e) {
      throw section.error("slack", e.getMessage());
    }
  }

  /** Returns the options for the archive. */
  public RetentionOptions options() {
    return RetentionOptions.of(rows, slack, age, bytes);
  }
}
