package org.flowmon.deploy.query;

import java.util.List;
import org.flowmon.deploy.command.UsageException;
import org.flowmon.jobs.config.YamlFile;
import org.flowmon.jobs.config.YamlSection;
import org.flowmon.udaf.query.AggregateCall;
import org.flowmon.udaf.query.Expression;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.query.OrderItem;
import org.flowmon.udaf.query.SelectItem;
import org.jspecify.annotations.Nullable;

/**
 * A report of {@code reports.yaml}: a query over all flows, with the measures bytes, packets and
 * flows as items.
 *
 * @param by the name of the measure that it is of unless another is asked for
 * @param limit rows; 0 for all
 */
record BundledReport(String name, String title, String by, long limit, FlowQuery query) {

  private static final String FILE = "/org/flowmon/deploy/query/reports.yaml";

  static List<BundledReport> all() {
    YamlSection root = YamlFile.readResource(FILE);
    List<BundledReport> all = root.sections("reports").stream().map(BundledReport::of).toList();
    root.end();
    return all;
  }

  static BundledReport named(String name) {
    List<BundledReport> all = all();
    return all.stream()
        .filter(report -> report.name.equals(name))
        .findFirst()
        .orElseThrow(
            () ->
                new UsageException(
                    "there is no report '"
                        + name
                        + "': expected one of "
                        + String.join(", ", all.stream().map(BundledReport::name).toList())
                        + "; flowmon reports shows those of a job's analyses"));
  }

  private static BundledReport of(YamlSection section) {
    BundledReport report =
        new BundledReport(
            section.text("name", "a name"),
            section.text("title", "a few words"),
            section.text("by", "a measure", "bytes"),
            section.number("limit", 0, Integer.MAX_VALUE, 0),
            QueryText.overFlows(section.text("query", "a query")));
    section.end();
    return report;
  }

  /**
   * The query with some flows and rows. Without an order of its own it is ordered by the measure,
   * the largest first, so that equal values are in the order of the keys.
   *
   * @param conditions all of which a flow must meet
   * @param rows 0 for all
   */
  FlowQuery query(String measure, List<Expression> conditions, long rows) {
    List<OrderItem> order =
        query.orderBy().isEmpty()
            ? List.of(new OrderItem(item(measure), true, false))
            : query.orderBy();
    return new FlowQuery(
        query.select(), all(conditions), query.groupBy(), order, rows == 0 ? -1 : rows);
  }

  /** The measure over all flows that a query of this report is of. */
  static FlowQuery total(FlowQuery asked, String measure) {
    List<SelectItem> items =
        asked.select().stream()
            .filter(item -> item.name().equals(measure) && item.what() instanceof AggregateCall)
            .toList();
    return new FlowQuery(items, asked.where(), List.of(), List.of(), -1);
  }

  private Expression item(String measure) {
    return query.select().stream()
        .filter(item -> item.name().equals(measure))
        .map(SelectItem::what)
        .findFirst()
        .orElseThrow(() -> new IllegalStateException(name + " has no item " + measure));
  }

  private static @Nullable Expression all(List<Expression> conditions) {
    return switch (conditions.size()) {
      case 0 -> null;
      case 1 -> conditions.get(0);
      default -> new Expression.And(conditions);
    };
  }
}
