package org.flowmon.deploy.manual;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/** The manual page of a command, in the man macros of roff (man(7)), from its help. */
final class ManPage {
  private final CommandSpec spec;
  private final String name;
  private final StringBuilder page = new StringBuilder();

  private ManPage(CommandLine line) {
    spec = line.getCommandSpec();
    name = name(spec);
  }

  /** The pages of a command and of all below it, by name: {@code flowmon-query}. */
  static Map<String, String> all(CommandLine line, String version) {
    Map<String, String> pages = new TreeMap<>();
    pages.put(name(line.getCommandSpec()), new ManPage(line).page(version));
    line.getSubcommands().values().forEach(below -> pages.putAll(all(below, version)));
    return pages;
  }

  private static String name(CommandSpec spec) {
    return spec.qualifiedName("-");
  }

  private String page(String version) {
    page.append(".TH ").append(quoted(name.toUpperCase(Locale.ROOT))).append(" 1 \"\" ");
    page.append(quoted(version)).append(" \"Manual of flowmon\"\n");
    line(".ad l");
    String[] description = spec.usageMessage().description();
    section("NAME");
    line(name + " \\- " + escaped(HelpText.summary(description)));
    section("SYNOPSIS");
    example(List.of(new CommandLine.Help(spec).synopsis(0).split("\\R")));
    section("DESCRIPTION");
    for (String paragraph : description) {
      paragraph(HelpText.plain(paragraph));
    }
    arguments();
    options();
    subcommands();
    footer();
    section("EXIT STATUS");
    paragraph(
        "0: done. 1: done, and the answer is no. 2: the command line is wrong. 3: not or only"
            + " partly done. 4: flowmon itself failed.");
    seeAlso();
    return page.toString();
  }

  private void arguments() {
    List<PositionalParamSpec> shown = new ArrayList<>(spec.positionalParameters());
    shown.removeIf(ArgSpec::hidden);
    if (!shown.isEmpty()) {
      section("ARGUMENTS");
      shown.forEach(argument -> entry(argument.paramLabel(), argument.description()));
    }
  }

  private void options() {
    section("OPTIONS");
    for (OptionSpec option : spec.options()) {
      if (!option.hidden()) {
        String value = option.arity().max() == 0 ? "" : "=" + option.paramLabel();
        entry(String.join(", ", option.names()) + value, option.description());
      }
    }
  }

  private void subcommands() {
    if (!spec.subcommands().isEmpty()) {
      section("COMMANDS");
      spec.subcommands()
          .forEach((sub, its) -> entry(sub, its.getCommandSpec().usageMessage().description()));
    }
  }

  private void footer() {
    List<String> lines = new ArrayList<>();
    for (String line : spec.usageMessage().footer()) {
      lines.addAll(List.of(HelpText.plain(line).split("\\R", -1)));
    }
    if (!lines.isEmpty()) {
      section("NOTES");
      example(lines);
    }
  }

  private void seeAlso() {
    List<String> others = new ArrayList<>();
    if (spec.parent() != null) {
      others.add(name(spec.parent()));
    }
    spec.subcommands().values().forEach(below -> others.add(name(below.getCommandSpec())));
    if (!others.isEmpty()) {
      section("SEE ALSO");
      line(".BR " + String.join(" (1), ", others).replace("-", "\\-") + " (1)");
    }
  }

  private void section(String title) {
    line(".SH " + title);
  }

  private void paragraph(String text) {
    line(".PP");
    line(escaped(text));
  }

  private void entry(String term, String[] description) {
    line(".TP");
    line(".B " + quoted(escaped(term)));
    String said = HelpText.plain(String.join(" ", description));
    line(said.isBlank() ? "\\&" : escaped(said));
  }

  private void example(List<String> lines) {
    line(".PP");
    line(".nf");
    lines.forEach(text -> line(escaped(text)));
    line(".fi");
  }

  private void line(String text) {
    page.append(text).append('\n');
  }

  /** A line that begins with a dot or an apostrophe would be a request of roff. */
  private static String escaped(String text) {
    StringBuilder safe = new StringBuilder();
    for (String line : text.split("\\R", -1)) {
      safe.append(safe.isEmpty() ? "" : "\n");
      safe.append(line.startsWith(".") || line.startsWith("'") ? "\\&" : "");
      for (int c : line.codePoints().toArray()) {
        switch (c) {
          case '\\' -> safe.append("\\e");
          case '-' -> safe.append("\\-");
          default -> safe.append(c < 128 ? Character.toString(c) : String.format("\\[u%04X]", c));
        }
      }
    }
    return safe.toString();
  }

  private static String quoted(String text) {
    return '"' + text.replace("\"", "\\(dq") + '"';
  }
}
