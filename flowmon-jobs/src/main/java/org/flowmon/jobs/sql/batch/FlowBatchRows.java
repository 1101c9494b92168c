package org.flowmon.jobs.sql.batch;

import java.io.IOException;
import java.util.List;
import org.apache.flink.api.common.serialization.DeserializationSchema;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.metrics.Counter;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.util.Collector;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.FlowFormatException;
import org.flowmon.jobs.sql.row.FlowCells;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The flows of a message as rows; none of a heartbeat. Users' own columns come with it. */
final class FlowBatchRows implements DeserializationSchema<RowData> {
  private static final long serialVersionUID = 1L;
  private static final Logger LOG = LoggerFactory.getLogger(FlowBatchRows.class);

  private final List<FlowColumn> columns;
  private final List<LogicalType> types;
  private final TypeInformation<RowData> produced;
  private final boolean ignoreErrors;
  private transient FlowCells cells;
  private transient Counter skipped;

  /** {@code types}: of the columns, as the table declares them. */
  FlowBatchRows(
      List<FlowColumn> columns,
      List<LogicalType> types,
      TypeInformation<RowData> produced,
      boolean ignoreErrors) {
    this.columns = List.copyOf(columns);
    this.types = List.copyOf(types);
    this.produced = produced;
    this.ignoreErrors = ignoreErrors;
  }

  @Override
  public void open(InitializationContext context) {
    cells = new FlowCells(columns, types);
    skipped = context.getMetricGroup().addGroup("flowmon").counter("skipped_messages");
  }

  @Override
  public void deserialize(byte @Nullable [] message, Collector<RowData> output) throws IOException {
    FlowBatch batch;
    try {
      batch = FlowBatch.open(message == null ? new byte[0] : message);
    } catch (FlowFormatException e) {
      if (!ignoreErrors) {
        throw new IOException(
            "a message is no batch of flows: "
                + e.getMessage()
                + "; set the table's option '"
                + FlowBatchFormatFactory.IDENTIFIER
                + "."
                + FlowBatchFormatFactory.IGNORE_PARSE_ERRORS.key()
                + "' = 'true' to skip such messages",
            e);
      }
      if (skipped.getCount() == 0) {
        LOG.warn("skipped a message that is no batch of flows; further ones are counted only", e);
      }
      skipped.inc();
      return;
    }
    cells.emit(batch, output::collect);
  }

  @Override
  public RowData deserialize(byte[] message) {
    throw new UnsupportedOperationException("a message has many flows; call with a collector");
  }

  @Override
  public boolean isEndOfStream(RowData row) {
    return false;
  }

  @Override
  public TypeInformation<RowData> getProducedType() {
    return produced;
  }
}
