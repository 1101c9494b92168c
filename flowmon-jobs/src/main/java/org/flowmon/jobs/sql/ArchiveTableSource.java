package org.flowmon.jobs.sql;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.connector.ChangelogMode;
import org.apache.flink.table.connector.source.DynamicTableSource;
import org.apache.flink.table.connector.source.LookupTableSource;
import org.apache.flink.table.connector.source.ScanTableSource;
import org.apache.flink.table.connector.source.SourceProvider;
import org.apache.flink.table.connector.source.abilities.SupportsAggregatePushDown;
import org.apache.flink.table.connector.source.abilities.SupportsFilterPushDown;
import org.apache.flink.table.connector.source.abilities.SupportsLimitPushDown;
import org.apache.flink.table.connector.source.abilities.SupportsProjectionPushDown;
import org.apache.flink.table.connector.source.abilities.SupportsStatisticReport;
import org.apache.flink.table.connector.source.lookup.AsyncLookupFunctionProvider;
import org.apache.flink.table.connector.source.lookup.LookupOptions;
import org.apache.flink.table.connector.source.lookup.PartialCachingAsyncLookupProvider;
import org.apache.flink.table.connector.source.lookup.cache.DefaultLookupCache;
import org.apache.flink.table.expressions.AggregateExpression;
import org.apache.flink.table.expressions.ResolvedExpression;
import org.apache.flink.table.plan.stats.TableStats;
import org.apache.flink.table.types.DataType;
import org.apache.flink.table.types.logical.LogicalType;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveOptions;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.query.plan.SegmentChoice;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.archive.store.ArchiveLocation;
import org.flowmon.flow.FlowColumn;
import org.flowmon.jobs.scan.ArchiveSource;
import org.flowmon.jobs.sql.lookup.ArchiveLookup;
import org.flowmon.jobs.sql.lookup.LookupKey;
import org.flowmon.jobs.sql.row.SqlField;
import org.flowmon.jobs.sql.scan.ArchiveScan;
import org.flowmon.udaf.constraint.Constraints;
import org.flowmon.udaf.query.Expression;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.query.SelectItem;
import org.flowmon.udaf.value.Value;
import org.jspecify.annotations.Nullable;

/**
 * An archive as a table. What the planner pushes down becomes one query of the dialect: columns,
 * the conditions that it has, a limit, and the aggregates of each split.
 */
final class ArchiveTableSource
    implements ScanTableSource,
        LookupTableSource,
        SupportsProjectionPushDown,
        SupportsFilterPushDown,
        SupportsLimitPushDown,
        SupportsAggregatePushDown,
        SupportsStatisticReport {
  private final ArchiveLocation archive;
  private final ReadableConfig options;
  private List<FlowColumn> columns;
  private List<LogicalType> types;
  private List<Expression> conditions = List.of();
  private @Nullable PushedAggregates aggregates; // null: single flows
  private long limit = -1;

  /** {@code types}: of the columns, as the table declares them; {@code options}: of lookups. */
  ArchiveTableSource(
      ArchiveLocation archive,
      List<FlowColumn> columns,
      List<LogicalType> types,
      ReadableConfig options) {
    this.archive = archive;
    this.options = options;
    this.columns = columns;
    this.types = types;
  }

  @Override
  public ChangelogMode getChangelogMode() {
    return ChangelogMode.insertOnly();
  }

  @Override
  public boolean supportsNestedProjection() {
    return false;
  }

  @Override
  public void applyProjection(int[][] fields, DataType produced) {
    List<FlowColumn> all = columns;
    columns = Arrays.stream(fields).map(field -> all.get(field[0])).toList();
    types = produced.getLogicalType().getChildren();
  }

  @Override
  public Result applyFilters(List<ResolvedExpression> filters) {
    List<ResolvedExpression> accepted = new ArrayList<>();
    List<ResolvedExpression> remaining = new ArrayList<>();
    List<Expression> translated = new ArrayList<>();
    for (ResolvedExpression filter : filters) {
      Optional<Expression> condition = PushedFilter.translate(filter);
      condition.ifPresent(translated::add);
      (condition.isPresent() ? accepted : remaining).add(filter);
    }
    conditions = List.copyOf(translated);
    return Result.of(accepted, remaining);
  }

  @Override
  public void applyLimit(long rows) {
    limit = rows;
  }

  @Override
  public boolean applyAggregates(
      List<int[]> groupingSets, List<AggregateExpression> calls, DataType produced) {
    if (groupingSets.size() > 1) {
      return false;
    }
    List<FlowColumn> keys =
        Arrays.stream(groupingSets.get(0)).mapToObj(field -> columns.get(field)).toList();
    aggregates =
        PushedAggregates.of(keys, calls, produced.getLogicalType().getChildren()).orElse(null);
    return aggregates != null;
  }

  /** Visible rows of the segments that may hold a matching one. */
  @Override
  public TableStats reportStatistics() {
    try (Archive opened = Archive.open(archive, ArchiveOptions.DEFAULTS);
        ArchiveSnapshot snapshot = opened.snapshot()) {
      long rows = 0;
      for (SealedSegment segment : SegmentChoice.of(snapshot, Constraints.of(where())).segments()) {
        rows += snapshot.visible(segment).rows();
      }
      return new TableStats(rows);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private @Nullable Expression where() {
    return conditions.isEmpty()
        ? null
        : conditions.size() == 1 ? conditions.get(0) : new Expression.And(conditions);
  }

  /** The query of each split. */
  private FlowQuery query() {
    List<SelectItem> items = new ArrayList<>();
    List<Expression> keys = new ArrayList<>();
    PushedAggregates groups = aggregates;
    if (groups == null) {
      columns.forEach(column -> items.add(item(items, new Expression.Column(column))));
    } else {
      groups.keys().forEach(column -> keys.add(new Expression.Column(column)));
      keys.forEach(key -> items.add(item(items, key)));
      groups.calls().forEach(call -> items.add(item(items, call)));
    }
    if (items.isEmpty()) {
      items.add(item(items, new Expression.Literal(Value.ofLong(1)))); // rows without columns
    }
    return new FlowQuery(items, where(), keys, List.of(), limit);
  }

  private static SelectItem item(List<SelectItem> before, Expression what) {
    return new SelectItem("c" + before.size(), what);
  }

  @Override
  public ScanRuntimeProvider getScanRuntimeProvider(ScanContext context) {
    return SourceProvider.of(new ArchiveSource<>(scan()));
  }

  private ArchiveScan scan() {
    PushedAggregates groups = aggregates;
    List<SqlField> fields =
        groups == null
            ? types.stream().map(type -> new SqlField(type, false)).toList()
            : groups.fields();
    return new ArchiveScan(archive, query().toString(), fields, limit);
  }

  @Override
  public LookupRuntimeProvider getLookupRuntimeProvider(LookupContext context) {
    int[] places = Arrays.stream(context.getKeys()).mapToInt(key -> key[0]).toArray();
    ArchiveLookup lookup =
        new ArchiveLookup(
            scan(),
            new LookupKey(columns, types, places),
            options.get(ArchiveLookup.MAX_ROWS),
            options.get(LookupOptions.MAX_RETRIES));
    return switch (options.get(LookupOptions.CACHE_TYPE)) {
      case NONE -> AsyncLookupFunctionProvider.of(lookup);
      case PARTIAL ->
          PartialCachingAsyncLookupProvider.of(lookup, DefaultLookupCache.fromConfig(options));
      case FULL ->
          throw new ValidationException(
              "option 'lookup.cache' is FULL, which an archive is too large for; set PARTIAL");
    };
  }

  @Override
  public DynamicTableSource copy() {
    ArchiveTableSource copy = new ArchiveTableSource(archive, columns, types, options);
    copy.conditions = conditions;
    copy.aggregates = aggregates;
    copy.limit = limit;
    return copy;
  }

  /** The place, and what each split is asked. */
  @Override
  public String asSummaryString() {
    return "flowmon(" + archive + "): " + query();
  }
}
