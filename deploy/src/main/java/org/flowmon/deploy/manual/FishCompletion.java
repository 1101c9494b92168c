package org.flowmon.deploy.manual;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** The script by which the shell fish completes a command, of its {@code complete} command. */
final class FishCompletion {
  private final String name;
  private final StringBuilder script = new StringBuilder();

  private FishCompletion(String name) {
    this.name = name;
  }

  static String script(CommandLine line) {
    FishCompletion completion = new FishCompletion(line.getCommandName());
    completion.command(line, List.of());
    return completion.script.toString();
  }

  private void command(CommandLine line, List<String> path) {
    CommandSpec spec = line.getCommandSpec();
    Map<String, CommandLine> subcommands = line.getSubcommands();
    String here = condition(path, subcommands.keySet());
    for (OptionSpec option : spec.options()) {
      if (!option.hidden()) {
        add(here, option(option));
      }
    }
    spec.positionalParameters().forEach(place -> add(here, values(place)));
    subcommands.forEach(
        (sub, its) -> {
          String said = HelpText.summary(its.getCommandSpec().usageMessage().description());
          add(here, "-f -a " + quoted(sub) + " -d " + quoted(said));
          List<String> below = new ArrayList<>(path);
          below.add(sub);
          command(its, below);
        });
  }

  /** The subcommands of the path were given, and none of those below it. */
  private static String condition(List<String> path, Iterable<String> below) {
    List<String> parts = new ArrayList<>();
    path.forEach(sub -> parts.add("__fish_seen_subcommand_from " + sub));
    String others = String.join(" ", below);
    if (!others.isEmpty()) {
      parts.add("not __fish_seen_subcommand_from " + others);
    }
    return String.join("; and ", parts);
  }

  private void add(String condition, String what) {
    script.append("complete -c ").append(name);
    if (!condition.isEmpty()) {
      script.append(" -n ").append(quoted(condition));
    }
    script.append(' ').append(what).append('\n');
  }

  private static String option(OptionSpec option) {
    StringBuilder said = new StringBuilder();
    for (String name : option.names()) {
      said.append(name.startsWith("--") ? "-l " + name.substring(2) : "-s " + name.substring(1));
      said.append(' ');
    }
    if (option.arity().max() > 0) {
      said.append("-r ").append(values(option)).append(' ');
    }
    return said + "-d " + quoted(HelpText.summary(option.description()));
  }

  private static String values(ArgSpec argument) {
    Iterable<String> candidates = argument.completionCandidates();
    if (candidates != null) {
      return "-f -a " + quoted(String.join(" ", candidates));
    }
    return isPlace(argument.paramLabel()) ? "-F" : "-f";
  }

  private static boolean isPlace(String label) {
    return label.contains("FILE") || label.contains("DIR") || label.contains("LOG");
  }

  private static String quoted(String text) {
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'";
  }
}
