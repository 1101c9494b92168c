package org.flowmon.archive.query.group;

import org.flowmon.archive.region.SegmentCorruptException;

/** A posting list turned out to be damaged after others were already in groups. */
public final class DamagedListException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  DamagedListException(SegmentCorruptException cause) {
    super(cause.getMessage(), cause);
  }
}
