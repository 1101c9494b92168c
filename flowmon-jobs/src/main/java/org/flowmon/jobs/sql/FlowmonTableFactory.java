package org.flowmon.jobs.sql;

import java.io.IOException;
import java.util.List;
import java.util.Set;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.connector.source.DynamicTableSource;
import org.apache.flink.table.connector.source.lookup.LookupOptions;
import org.apache.flink.table.factories.DynamicTableSourceFactory;
import org.apache.flink.table.factories.FactoryUtil;
import org.apache.flink.table.types.logical.RowType;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveOptions;
import org.flowmon.archive.store.ArchiveLocation;
import org.flowmon.flow.FlowColumn;
import org.flowmon.jobs.sql.lookup.ArchiveLookup;
import org.flowmon.jobs.sql.row.SqlTypes;

/** Makes tables {@code WITH ('connector' = 'flowmon', 'archive' = '…')}. */
public final class FlowmonTableFactory implements DynamicTableSourceFactory {
  @Override
  public String factoryIdentifier() {
    return FlowmonOptions.IDENTIFIER;
  }

  @Override
  public Set<ConfigOption<?>> requiredOptions() {
    return Set.of(FlowmonOptions.ARCHIVE);
  }

  @Override
  public Set<ConfigOption<?>> optionalOptions() {
    return Set.of(
        LookupOptions.CACHE_TYPE,
        LookupOptions.PARTIAL_CACHE_EXPIRE_AFTER_ACCESS,
        LookupOptions.PARTIAL_CACHE_EXPIRE_AFTER_WRITE,
        LookupOptions.PARTIAL_CACHE_CACHE_MISSING_KEY,
        LookupOptions.PARTIAL_CACHE_MAX_ROWS,
        LookupOptions.MAX_RETRIES,
        ArchiveLookup.MAX_ROWS);
  }

  @Override
  public DynamicTableSource createDynamicTableSource(Context context) {
    FactoryUtil.TableFactoryHelper helper = FactoryUtil.createTableFactoryHelper(this, context);
    helper.validateExcept(FlowmonOptions.STORE);
    ArchiveLocation archive =
        FlowmonOptions.location(
            helper.getOptions().get(FlowmonOptions.ARCHIVE),
            context.getCatalogTable().getOptions());
    // An open archive makes its users' own columns known.
    try (Archive opened = Archive.open(archive, ArchiveOptions.DEFAULTS)) {
      return source(
          opened.location(),
          (RowType) context.getPhysicalRowDataType().getLogicalType(),
          helper.getOptions());
    } catch (IOException e) {
      throw new ValidationException("the archive " + archive + " cannot be opened: " + e, e);
    }
  }

  private static ArchiveTableSource source(
      ArchiveLocation archive, RowType rows, ReadableConfig options) {
    List<FlowColumn> columns = SqlTypes.columns(rows);
    return new ArchiveTableSource(archive, columns, rows.getChildren(), options);
  }
}
