package org.flowmon.jobs.sql.batch;

import java.util.List;
import java.util.Set;
import org.apache.flink.api.common.serialization.DeserializationSchema;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ConfigOptions;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.table.connector.ChangelogMode;
import org.apache.flink.table.connector.Projection;
import org.apache.flink.table.connector.format.DecodingFormat;
import org.apache.flink.table.connector.format.ProjectableDecodingFormat;
import org.apache.flink.table.connector.source.DynamicTableSource;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.factories.DeserializationFormatFactory;
import org.apache.flink.table.factories.DynamicTableFactory;
import org.apache.flink.table.factories.FactoryUtil;
import org.apache.flink.table.types.DataType;
import org.apache.flink.table.types.logical.RowType;
import org.flowmon.flow.FlowColumn;
import org.flowmon.jobs.sql.row.SqlTypes;

/** Reads messages of tables {@code WITH ('format' = 'flowmon-batch')}. */
public final class FlowBatchFormatFactory implements DeserializationFormatFactory {
  static final String IDENTIFIER = "flowmon-batch";

  static final ConfigOption<Boolean> IGNORE_PARSE_ERRORS =
      ConfigOptions.key("ignore-parse-errors")
          .booleanType()
          .defaultValue(false)
          .withDescription("Whether a damaged message is counted and skipped; else the job fails.");

  @Override
  public String factoryIdentifier() {
    return IDENTIFIER;
  }

  @Override
  public Set<ConfigOption<?>> requiredOptions() {
    return Set.of();
  }

  @Override
  public Set<ConfigOption<?>> optionalOptions() {
    return Set.of(IGNORE_PARSE_ERRORS);
  }

  @Override
  public Set<ConfigOption<?>> forwardOptions() {
    return Set.of(IGNORE_PARSE_ERRORS);
  }

  @Override
  public DecodingFormat<DeserializationSchema<RowData>> createDecodingFormat(
      DynamicTableFactory.Context context, ReadableConfig options) {
    FactoryUtil.validateFactoryOptions(this, options);
    return new Format(options.get(IGNORE_PARSE_ERRORS));
  }

  private record Format(boolean ignoreErrors)
      implements ProjectableDecodingFormat<DeserializationSchema<RowData>> {
    @Override
    public DeserializationSchema<RowData> createRuntimeDecoder(
        DynamicTableSource.Context context, DataType physical, int[][] projections) {
      DataType produced = Projection.of(projections).project(physical);
      RowType rows = (RowType) produced.getLogicalType();
      List<FlowColumn> columns = SqlTypes.columns(rows);
      return new FlowBatchRows(
          columns, rows.getChildren(), context.createTypeInformation(produced), ignoreErrors);
    }

    @Override
    public ChangelogMode getChangelogMode() {
      return ChangelogMode.insertOnly();
    }
  }
}
