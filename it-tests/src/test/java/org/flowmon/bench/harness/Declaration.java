package org.flowmon.bench.harness;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.NullNode;
import java.util.List;
import java.util.Map;

/**
 * An experiment as data, or a group of them.
 *
 * @param help paragraphs
 * @param run the class of the measured step, after {@code org.flowmon.bench.}; a group may have
 *     none
 * @param sets options that several commands of a group take, by the name of the set
 * @param with sets that this command takes
 * @param options by name, without dashes
 * @param axes values of each axis: a list, or {@code values} and {@code quick}; by the value of
 *     another axis if there is {@code of}
 * @param parameters what else the step reads: queries, constants
 * @param plot where plots go by default; {@code {name}} is the command
 * @param commands of a group, by name
 */
record Declaration(
    List<String> help,
    String run,
    Map<String, Map<String, Option>> sets,
    List<String> with,
    Map<String, Option> options,
    Map<String, JsonNode> axes,
    Map<String, JsonNode> parameters,
    List<Table> tables,
    List<Plot> plots,
    String plot,
    Map<String, Declaration> commands) {
  /**
   * An option. Its type follows from its default: a flag, a number, a decimal, a text, or a list.
   *
   * @param type if there is no default: one of these names; or a path, a duration
   * @param usual the default
   * @param quick the default with {@code --quick}
   * @param least the smallest number allowed; of a duration, in seconds
   * @param most the largest number allowed; likewise
   * @param label of its value in {@code --help}
   * @param help a sentence without its full stop
   */
  record Option(
      String type,
      @JsonProperty("default") JsonNode usual,
      JsonNode quick,
      Double least,
      Double most,
      String label,
      String help) {
    Option {
      usual = usual == null ? NullNode.getInstance() : usual;
      quick = quick == null ? NullNode.getInstance() : quick;
      type = type == null ? typeOf(usual.isArray() ? usual.get(0) : usual) : type;
    }

    private static String typeOf(JsonNode value) {
      return switch (value.getNodeType()) {
        case BOOLEAN -> "flag";
        case NUMBER -> value.isIntegralNumber() ? "number" : "decimal";
        default -> "text";
      };
    }

    boolean isList() {
      return usual.isArray() || type.equals("list");
    }
  }

  /**
   * A table. Its columns are the keys of its first row.
   *
   * @param title with {@code {…}} for options and {@linkplain Run#word words}
   * @param columns units and meanings, shown under the table
   * @param quiet whether its rows are no progress
   * @param jsonOnly whether only JSON has it
   */
  record Table(String title, Map<String, String> columns, boolean quiet, boolean jsonOnly) {
    Table {
      columns = columns == null ? Map.of() : columns;
    }
  }

  /**
   * A plot. Rows of a table become its points, unless {@code x} is missing: then the step gives
   * them.
   *
   * @param title with {@code {…}} for options and columns; rows with other titles have other plots
   * @param table its place among the tables
   * @param x a column, or {@code #} for the number of the row
   * @param y columns by the name of the line, which may have {@code {…}} for columns
   * @param log the logarithmic axes: x, y or xy
   */
  record Plot(
      String title,
      int table,
      String x,
      String xLabel,
      Map<String, String> y,
      String yLabel,
      String log) {
    Plot {
      xLabel = xLabel == null ? x : xLabel;
      log = log == null ? "" : log;
    }
  }

  Declaration {
    help = help == null ? List.of() : help;
    run = run == null ? "" : run;
    plot = plot == null ? "" : plot;
    sets = sets == null ? Map.of() : sets;
    with = with == null ? List.of() : with;
    options = options == null ? Map.of() : options;
    axes = axes == null ? Map.of() : axes;
    parameters = parameters == null ? Map.of() : parameters;
    tables = tables == null ? List.of() : tables;
    plots = plots == null ? List.of() : plots;
    commands = commands == null ? Map.of() : commands;
  }
}
