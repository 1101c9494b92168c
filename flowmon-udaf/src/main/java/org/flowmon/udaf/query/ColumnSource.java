package org.flowmon.udaf.query;

import java.util.List;
import java.util.Locale;
import org.flowmon.flow.FlowColumn;
import org.flowmon.udaf.query.Expression.Column;
import org.flowmon.udaf.query.Expression.Named;

/** Whose columns an expression reads. */
sealed interface ColumnSource {
  /** The column that is meant by a name, null where there is none. */
  Expression column(Token name);

  /** The names of all columns. */
  List<String> names();

  /** What it is that has the columns, as errors call it. */
  String title();

  /** Where to find the columns, for a name that resembles none of them. */
  String listing();

  /** What is expected in place of an aggregate where none may stand. */
  String insteadOfAggregate();

  /** Whether parameters may stand beside the columns. */
  default boolean takesParameters() {
    return true;
  }

  /** Flows. */
  record OfFlows() implements ColumnSource {
    @Override
    public Expression column(Token name) {
      FlowColumn column = FlowColumn.byName(name.text());
      return column == null ? null : new Column(column);
    }

    @Override
    public List<String> names() {
      return FlowColumn.all().stream().map(FlowColumn::sqlName).toList();
    }

    @Override
    public String title() {
      return "flows";
    }

    @Override
    public String listing() {
      return "docs/format/flow.md lists them";
    }

    @Override
    public String insteadOfAggregate() {
      return "expected it in SELECT, HAVING or ORDER BY, and in no other aggregate";
    }
  }

  /** A result table. */
  record OfTable(List<Named> columns, String title) implements ColumnSource {
    public OfTable {
      columns = List.copyOf(columns);
    }

    @Override
    public Expression column(Token name) {
      String wanted =
          name.kind() == Token.Kind.WORD ? name.text().toLowerCase(Locale.ROOT) : name.text();
      for (Named one : columns) {
        if (one.name().equals(wanted)) {
          return new Named(wanted, one.kind()); // an instance for each place in the text
        }
      }
      return null;
    }

    @Override
    public List<String> names() {
      return columns.stream().map(Named::name).toList();
    }

    @Override
    public boolean takesParameters() {
      return false;
    }

    @Override
    public String listing() {
      return "expected one of " + String.join(", ", names());
    }

    @Override
    public String insteadOfAggregate() {
      return "expected an expression over the columns of " + title;
    }
  }
}
