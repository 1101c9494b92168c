package org.flowmon.archive.host;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.flowmon.archive.host.Conversation.Ends;
import org.flowmon.archive.host.Conversation.Server;
import org.flowmon.udaf.memory.GroupMemory;
import org.flowmon.udaf.value.AnswerTooLargeException;
import org.flowmon.udaf.value.ResultTable;

/** The conversations of a host whose ports do not say who is the server, by peer and both ports. */
final class Conversations {
  /** Flows of one direction between such ports. */
  static final String CONDITION =
      "reverse_packets IS NULL AND state IS NULL AND (src_port = dst_port"
          + " OR (src_port >= 1024 AND dst_port >= 1024))";

  /** The first packet, unless it is one amid a connection. */
  static final String BEGAN =
      ", MIN(start_time) FILTER (WHERE protocol <> 6 OR COALESCE(tcp_flags, 0) = 0"
          + " OR (tcp_flags & 2) <> 0) AS began";

  /** A conversation, its ends and their place in the map. */
  private static final long ENTRY_BYTES = 192;

  private final List<ResultTable> tables;
  private final Map<Ends, Conversation> all = new HashMap<>();

  /**
   * Of groups by peer, protocol and both ports.
   *
   * @param tables what the host sent, and what it received
   * @param memory takes what this holds beside them
   * @throws AnswerTooLargeException if that is too much
   */
  Conversations(List<ResultTable> tables, GroupMemory memory) {
    this.tables = tables;
    for (boolean isDestination : HostSummaries.BOTH) {
      ResultTable table = table(isDestination);
      int began = table.column("began");
      for (int row = 0; row < table.rowCount(); row++) {
        all.computeIfAbsent(
                ends(row, isDestination),
                any -> {
                  memory.take(ENTRY_BYTES);
                  return new Conversation();
                })
            .add(
                HostSummaries.role(table, row),
                isDestination,
                table.isNull(row, began) ? Long.MAX_VALUE : table.longValue(row, began));
      }
    }
  }

  /** The rows of what the host received, or of what it sent. */
  ResultTable table(boolean isDestination) {
    return tables.get(isDestination ? 1 : 0);
  }

  Server server(Ends ends) {
    return Objects.requireNonNull(all.get(ends), "it was added").server();
  }

  Ends ends(int row, boolean isDestination) {
    ResultTable table = table(isDestination);
    long source = table.longValue(row, table.column("src_port"));
    long target = table.longValue(row, table.column("dst_port"));
    return new Ends(
        table.address(row, 0),
        table.isNull(row, 1) ? null : table.longValue(row, 1),
        isDestination ? target : source,
        isDestination ? source : target);
  }
}
