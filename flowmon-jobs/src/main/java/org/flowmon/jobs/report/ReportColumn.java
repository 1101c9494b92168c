package org.flowmon.jobs.report;

import java.util.List;
import java.util.regex.Pattern;
import org.flowmon.udaf.query.ExpressionParts;
import org.flowmon.udaf.query.SelectItem;
import org.flowmon.udaf.value.ValueKind;

/**
 * One column of a report.
 *
 * @param name lower-case letters, digits and {@code _}: a name in JSON and PostgreSQL
 * @param wide whole numbers, as sums, may exceed 64 bits: {@code numeric(39)}, not {@code bigint}
 * @param key whether it tells the rows of one window apart
 * @param list whether its texts are lists of items, as JSON
 */
public record ReportColumn(String name, ValueKind kind, boolean wide, boolean key, boolean list) {
  private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9_]{0,58}");

  public static final List<String> RESERVED =
      List.of("window_start", "window_end", "revision", "row_key", "row_number");

  public ReportColumn {
    if (!NAME.matcher(name).matches()) {
      throw new IllegalArgumentException(
          "a report's column needs a name of lower-case letters, digits and _, at most 59, beginning with a letter, so that it can be a column of a table; found '%s' (give it one with AS)"
              .formatted(name));
    }
    if (RESERVED.contains(name)) {
      throw new IllegalArgumentException(
          "a report's column cannot be called " + name + ": every report has " + RESERVED);
    }
  }

  /** A column of a query. {@link IllegalArgumentException} if its name cannot be a report's. */
  public static ReportColumn of(SelectItem item, boolean key) {
    boolean isWide = ExpressionParts.isWide(item.what());
    return new ReportColumn(item.name(), item.resultKind(), isWide, key, item.isList());
  }

  public static ReportColumn key(String name, ValueKind kind) {
    return new ReportColumn(name, kind, false, true, false);
  }

  /** Its whole numbers fit 64 bits. */
  public static ReportColumn of(String name, ValueKind kind) {
    return new ReportColumn(name, kind, false, false, false);
  }

  /** Of whole numbers up to 128 bits. */
  public static ReportColumn sum(String name) {
    return new ReportColumn(name, ValueKind.LONG, true, false, false);
  }
}
