package org.flowmon.jobs.config.job;

import java.io.Serializable;
import java.time.Duration;
import org.flowmon.archive.retention.RetentionOptions;
import org.flowmon.jobs.config.ConfigException;
import org.flowmon.jobs.config.YamlSection;

/**
 * The limits of the job's archive, as {@link RetentionOptions}; 0: no such limit. {@code slack}:
 * the most rows stored beyond {@code rows}.
 */
public record RetentionConfig(long rows, long slack, Duration age, long bytes)
    implements Serializable {
  // Merged segments grow by half at most; unmerged have what a writer seals between two barriers.
  private static final int UNMERGED_ROWS = 250_000;

  /**
   * Segments merge to about {@code compactRows}; 0: no merges. Throws {@link ConfigException} if
   * the slack is too small for them.
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
      throw section.error("slack", String.valueOf(e.getMessage()));
    }
  }

  public RetentionOptions options() {
    return RetentionOptions.of(rows, slack, age, bytes);
  }
}
