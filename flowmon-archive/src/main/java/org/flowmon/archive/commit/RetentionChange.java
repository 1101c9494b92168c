package org.flowmon.archive.commit;

import org.flowmon.archive.retention.RetentionOptions;
import org.jspecify.annotations.Nullable;

/**
 * A change of the retention by a commit.
 *
 * @param options limits from now on, null to keep the present ones
 * @param now ages are counted back from this arrival (µs) in this commit if it is later than the
 *     newest committed and not in the future; {@link Long#MIN_VALUE} for none
 * @param trim whether to rewrite segments without hidden rows, whatever the limits allow
 */
public record RetentionChange(@Nullable RetentionOptions options, long now, boolean trim) {
  public static RetentionChange to(RetentionOptions options) {
    return new RetentionChange(options, Long.MIN_VALUE, false);
  }
}
