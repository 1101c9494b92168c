package org.flowmon.udaf.table;

/**
 * Partial states of the groups of one query, pane and key group, as bytes ({@code
 * docs/format/partial-groups.md}). Merging all of them, in any order, gives the exact groups of the
 * pane. Immutable; a group may occur more than once.
 */
@SuppressWarnings("DoNotCallSuggester")
public final class PartialGroups {
  private PartialGroups() {}

  /**
   * Opens bytes that may come from anywhere; everything is checked before it is believed.
   *
   * @throws PartialFormatException saying what was found and what was expected
   */
  public static PartialGroups open(byte[] bytes) {
    throw new UnsupportedOperationException("not built yet");
  }

  public byte[] bytes() {
    throw new UnsupportedOperationException("not built yet");
  }

  public long queryId() {
    throw new UnsupportedOperationException("not built yet");
  }

  /** Start of the pane in microseconds. */
  public long paneStart() {
    throw new UnsupportedOperationException("not built yet");
  }

  /**
   * End of the first window that these groups count in: for earlier ones of the pane their flows
   * were late.
   */
  public long fromWindowEnd() {
    throw new UnsupportedOperationException("not built yet");
  }

  public int keyGroup() {
    throw new UnsupportedOperationException("not built yet");
  }

  /** Number of partial states. */
  public int groups() {
    throw new UnsupportedOperationException("not built yet");
  }
}
