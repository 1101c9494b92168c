package org.flowmon.deploy.archive;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.SegmentLease;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.flow.FlowColumn;

/**
 * The largest sampling rate of segments, which never changes: each is opened for it once. Safe for
 * many threads.
 */
public final class SamplingRates {
  private static final int REMEMBERED = 10_000;

  private final Map<String, Long> rates =
      new LinkedHashMap<>(256, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Long> eldest) {
          return size() > REMEMBERED;
        }
      };

  /** From the segment's footer; it is {@link Long#MIN_VALUE} if no flow has one. */
  long of(ArchiveSnapshot snapshot, SealedSegment segment) throws IOException {
    synchronized (rates) {
      Long known = rates.get(segment.id());
      if (known != null) {
        return known;
      }
    }
    try (SegmentLease lease = snapshot.open(segment, false)) {
      long rate = lease.rows().maxLong(FlowColumn.SAMPLING_RATE);
      synchronized (rates) {
        rates.put(segment.id(), rate);
      }
      return rate;
    }
  }
}
