package org.flowmon.archive.commit;

import org.flowmon.archive.retention.RetentionOptions;

/**
 * What a commit says of the past.
 *
 * @param options limits that hold from now on, null for those that hold already
 * @param now ages are counted back from this arrival (µs) in this commit if it is later than the
 *     newest committed and not in the future; {@link Long#MIN_VALUE} for none
 * @param trim whether segments of which some rows are hidden are rewritten without them, whatever
 *     the limits allow
 */
public record RetentionChange(RetentionOptions options, long now, boolean trim) {
  /** Sets limits. */
  public static RetentionChange to(RetentionOptions options) {
    return new RetentionChange(options, Long.MIN_VALUE, false);
  }
}
