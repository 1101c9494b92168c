package org.flowmon.deploy.shell;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;
import org.flowmon.deploy.command.UsageException;
import org.flowmon.deploy.output.OutputFormat;
import org.flowmon.deploy.serve.query.ColumnDescriptions;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.udaf.parser.Completion;
import org.flowmon.udaf.text.NameSuggestions;

/** The commands of the shell, each a line that begins with a dot. */
final class DotCommands {
  /** Each with its help. */
  static final Map<String, String> ALL = new LinkedHashMap<>();

  static {
    ALL.put(".help", "shows this");
    ALL.put(".columns [TEXT]", "columns whose name or meaning has TEXT; all without");
    ALL.put(".functions", "functions and aggregates");
    ALL.put(".analyses", "analyses that come with flowmon");
    ALL.put(".analysis NAME", "the live query of one, to start from");
    ALL.put(".format [table|csv|json]", "how rows are printed");
    ALL.put(".explain [on|off]", "plans in place of rows; EXPLAIN shows one");
    ALL.put(".param [NAME=VALUE]", "the value of :NAME from now on; NAME= drops it");
    ALL.put(".place", "the archive or server that answers");
    ALL.put(".quit", "ends the shell, as Ctrl-D does");
  }

  private static final int NAME_WIDTH = 26;
  private static final int LINE_WIDTH = 80;

  private final Shell shell;

  DotCommands(Shell shell) {
    this.shell = shell;
  }

  static List<String> names() {
    return ALL.keySet().stream().map(one -> one.split(" ", 2)[0]).toList();
  }

  void run(String line) {
    String[] parts = line.split("\\s+", 2);
    String argument = parts.length > 1 ? parts[1].replaceFirst("\\s*;$", "") : "";
    switch (parts[0].replaceFirst(";$", "")) {
      case ".help" -> {
        ALL.forEach((name, text) -> row(name, text));
        shell.say(
            "A query ends with ';' and may span lines. docs/query.md describes the language.");
      }
      case ".columns" -> columns(argument.toLowerCase(Locale.ROOT));
      case ".functions" -> wrapped(new TreeSet<>(Completion.functions()));
      case ".analyses" -> wrapped(AnalysisConfig.names());
      case ".analysis" -> shell.say(analysis(argument) + ";");
      case ".format" -> format(argument);
      case ".explain" -> explain(argument);
      case ".param" -> parameter(argument);
      case ".place" -> shell.say(shell.placeName());
      case ".quit", ".exit" -> shell.end();
      default -> throw unknown(parts[0]);
    }
  }

  private static UsageException unknown(String name) {
    String nearest = NameSuggestions.nearest(name, names());
    return new UsageException(
        "there is no command " + name + (nearest == null ? "" : "; did you mean " + nearest + "?"));
  }

  private void row(String name, String text) {
    String pad = name.length() < NAME_WIDTH ? " ".repeat(NAME_WIDTH - name.length()) : "  ";
    shell.say((name + pad + text).stripTrailing());
  }

  private void columns(String part) {
    for (String column : Completion.columns()) {
      String text = ColumnDescriptions.of(column).orElse("");
      if (column.contains(part) || text.toLowerCase(Locale.ROOT).contains(part)) {
        row(column, text);
      }
    }
  }

  private void wrapped(Iterable<String> words) {
    StringBuilder line = new StringBuilder();
    for (String word : words) {
      if (line.length() + word.length() + 2 > LINE_WIDTH) {
        shell.say(line.toString());
        line.setLength(0);
      }
      line.append(line.isEmpty() ? "" : ", ").append(word);
    }
    shell.say(line.toString());
  }

  private static String analysis(String name) {
    if (!AnalysisConfig.names().contains(name)) {
      throw new UsageException(
          ".analysis " + name + ": expected one of " + String.join(", ", AnalysisConfig.names()));
    }
    return AnalysisConfig.parse(name + ".yaml", AnalysisConfig.wholeTextOf(name)).live().query();
  }

  private void format(String name) {
    if (!name.isEmpty()) {
      try {
        shell.format(OutputFormat.valueOf(name.toUpperCase(Locale.ROOT)));
      } catch (IllegalArgumentException e) {
        throw new UsageException(".format " + name + ": expected table, csv or json");
      }
    }
    shell.say("format: " + shell.format().name().toLowerCase(Locale.ROOT));
  }

  private void explain(String word) {
    switch (word) {
      case "on" -> shell.isExplained = true;
      case "off" -> shell.isExplained = false;
      case "" -> {}
      default -> throw new UsageException(".explain " + word + ": expected on or off");
    }
    shell.say("explain: " + (shell.isExplained ? "on" : "off"));
  }

  private void parameter(String text) {
    if (!text.isEmpty()) {
      int equals = text.indexOf('=');
      if (equals < 1 || !name(text).matches("[A-Za-z_][A-Za-z0-9_]*")) {
        throw new UsageException(".param " + text + ": expected NAME=VALUE");
      }
      shell.parameters.removeIf(one -> name(one).equals(name(text)));
      if (equals < text.length() - 1) {
        shell.parameters.add(text);
      }
    }
    shell.say(shell.parameters.isEmpty() ? "no parameters" : String.join("\n", shell.parameters));
  }

  /** Of {@code NAME=VALUE}. */
  static String name(String parameter) {
    return parameter.substring(0, Math.max(0, parameter.indexOf('='))).replaceFirst("^:", "");
  }

  /** What may follow a command, for completion. */
  static List<String> arguments(String command) {
    return switch (command) {
      case ".format" ->
          Arrays.stream(OutputFormat.values())
              .map(format -> format.name().toLowerCase(Locale.ROOT))
              .toList();
      case ".explain" -> List.of("on", "off");
      case ".analysis" -> AnalysisConfig.names();
      case ".columns" -> Completion.columns();
      default -> List.of();
    };
  }
}
