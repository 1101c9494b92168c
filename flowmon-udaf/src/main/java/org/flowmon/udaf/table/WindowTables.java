package org.flowmon.udaf.table;

import java.util.function.Consumer;
import org.flowmon.udaf.query.FlowQuery;

/**
 * The high level of one live query within one key group: merges partial groups pane by pane and
 * gives each window's part when the watermark closes it. Not thread-safe.
 */
@SuppressWarnings("DoNotCallSuggester")
public final class WindowTables {
  public WindowTables(long queryId, FlowQuery live, WindowSpec window) {
    throw new UnsupportedOperationException("not built yet");
  }

  /**
   * Merges the groups of one pane.
   *
   * @return false where their windows are all closed already, so that they were not counted
   * @throws PartialFormatException where they are of another query or its groups are made otherwise
   */
  public boolean merge(PartialGroups groups) {
    throw new UnsupportedOperationException("not built yet");
  }

  /**
   * Gives the part of each window that the watermark closes, earliest first, and forgets panes that
   * no open window needs. Windows without groups give none.
   */
  public void closeUpTo(long watermarkMicros, Consumer<WindowPart> parts) {
    throw new UnsupportedOperationException("not built yet");
  }

  public boolean isEmpty() {
    throw new UnsupportedOperationException("not built yet");
  }

  /** Groups over all panes. */
  public long groups() {
    throw new UnsupportedOperationException("not built yet");
  }

  /** The state as versioned bytes. */
  public byte[] toBytes() {
    throw new UnsupportedOperationException("not built yet");
  }

  /**
   * Restores a state.
   *
   * @throws PartialFormatException where the bytes are damaged or of another query
   */
  public static WindowTables fromBytes(
      byte[] bytes, long queryId, FlowQuery live, WindowSpec window) {
    throw new UnsupportedOperationException("not built yet");
  }
}
