package org.flowmon.jobs.sql.lookup;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.flowmon.flow.IpAddress;
import org.jspecify.annotations.Nullable;

/** A key of a lookup, its flows as far as they are found, and who waits for them. */
final class Asked {
  final GenericRowData key;
  final @Nullable IpAddress address; // of the first column of the key that has addresses
  final CompletableFuture<Collection<RowData>> answer = new CompletableFuture<>();
  private List<RowData> flows = List.of();

  Asked(GenericRowData key, @Nullable IpAddress address) {
    this.key = key;
    this.address = address;
  }

  void clear() {
    flows = List.of();
  }

  /** Adds a flow that nobody changes any more. */
  void add(RowData flow, int maxRows) {
    if (flows.isEmpty()) {
      flows = new ArrayList<>();
    }
    if (flows.size() == maxRows) {
      throw new IllegalStateException(
          String.format(
              "the lookup of %s finds more than %d flows; join on more columns, add a condition on"
                  + " constants, or set the table's option '%s'",
              key, maxRows, ArchiveLookup.MAX_ROWS.key()));
    }
    flows.add(flow);
  }

  void complete() {
    answer.complete(flows);
  }
}
