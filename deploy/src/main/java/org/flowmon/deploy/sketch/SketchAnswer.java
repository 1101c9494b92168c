package org.flowmon.deploy.sketch;

import java.io.IOException;
import java.io.OutputStreamWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.flowmon.deploy.output.Facts;
import org.flowmon.deploy.output.StateCells;
import org.flowmon.udaf.function.Answer;
import org.flowmon.udaf.function.ErrorBound;
import org.flowmon.udaf.function.Estimate;
import org.flowmon.udaf.function.Items;
import org.flowmon.udaf.value.ResultTable;
import org.flowmon.udaf.value.Value;
import org.flowmon.udaf.value.ValueKind;
import org.jspecify.annotations.Nullable;

/** Answers from states with their bounds, for people or as JSON. */
final class SketchAnswer {
  private static final List<String> COLUMNS =
      List.of("value", "lower", "upper", "bound", "bound_of", "of", "probability");

  private static final String ITEM = "item";
  private static final String NOTE = "note";

  private final boolean json;
  // For lists shown to people; JSON has the bounds.
  private final boolean hasNotes;
  private final String doubt; // the remark on an item whose bounds include zero
  private final Facts facts = new Facts();
  private final String[] before;
  private final Facts.Table table;

  /** {@code before} names the columns before those of an estimate. */
  SketchAnswer(boolean json, String... before) {
    this(json, StateCells.MAY_BE_NONE, before);
  }

  static SketchAnswer ofChanges(boolean json) {
    return new SketchAnswer(json, StateCells.MAY_BE_UNCHANGED, new String[] {ITEM});
  }

  private SketchAnswer(boolean json, String doubt, String[] before) {
    this.json = json;
    this.doubt = doubt;
    this.before = before.clone();
    List<String> columns = new ArrayList<>(Arrays.asList(before));
    this.hasNotes = !json && columns.contains(ITEM);
    columns.addAll(COLUMNS);
    columns.addAll(hasNotes ? List.of(NOTE) : List.of());
    this.table = facts.table("answers", columns.toArray(new String[0]));
  }

  void value(String name, Object value) {
    facts.value(name, value);
  }

  /** Adds a row, or one for each item, whose columns come last, after {@code cells}. */
  void add(Answer answer, ErrorBound bound, Object... cells) {
    add(answer, bound, Optional.empty(), Arrays.asList(cells));
  }

  /** {@code of} rows are what an error in ranks refers to; none for other errors. */
  void add(Answer answer, ErrorBound bound, Optional<Long> of, List<Object> cells) {
    if (answer instanceof Estimate estimate) {
      row(estimate, bound, of, cells);
      return;
    }
    for (Items.Item item : ((Items) answer).items()) {
      List<Object> all = new ArrayList<>(cells);
      item.key().forEach(key -> all.add(cell(key)));
      row(item.estimate(), bound, of, all);
    }
  }

  private void row(Estimate estimate, ErrorBound bound, Optional<Long> of, List<Object> cells) {
    if (cells.size() != before.length) {
      throw new IllegalArgumentException(cells + " under " + Arrays.toString(before));
    }
    List<Object> row = new ArrayList<>(cells);
    row.add(cell(estimate.value()));
    row.add(cell(estimate.lower()));
    row.add(cell(estimate.upper()));
    row.add(bound.value());
    row.add(
        switch (bound.kind()) {
          case RANK -> "ranks";
          case ADDITIVE -> "units";
          case RELATIVE -> "share";
        });
    row.add(of.orElse(null));
    row.add(bound.probability());
    if (hasNotes) {
      row.add(mayBeZero(estimate) ? doubt : null);
    }
    table.row(row.toArray());
  }

  private static boolean mayBeZero(Estimate estimate) {
    ValueKind kind = estimate.value().kind();
    return (kind == ValueKind.LONG || kind == ValueKind.DURATION)
        && !estimate.isExact()
        && estimate.lower().low() <= 0
        && estimate.upper().low() >= 0;
  }

  /** Numbers unchanged, durations in JSON as microseconds, all else as text. */
  private @Nullable Object cell(Value value) {
    ValueKind kind = value.kind();
    if (kind == null) {
      return null;
    }
    return switch (kind) {
      case LONG -> value.low();
      case DOUBLE -> value.asDouble();
      case BOOLEAN -> value.low() != 0;
      case DURATION -> json ? (Object) value.low() : formatted(value, kind);
      case TIMESTAMP, ADDRESS, TEXT -> formatted(value, kind);
    };
  }

  private static String formatted(Value value, ValueKind kind) {
    ResultTable.Builder cell = new ResultTable.Builder().column("value", kind).row();
    switch (kind) {
      case TEXT -> cell.set(0, value.text());
      case ADDRESS -> cell.set(0, value.high(), value.low());
      default -> cell.set(0, value.low());
    }
    return cell.build().formatted(0, 0);
  }

  void print() throws IOException {
    if (json) {
      facts.writeJson(new OutputStreamWriter(System.out, StandardCharsets.UTF_8));
    } else {
      facts.print(System.out);
    }
  }
}
