package org.flowmon.bench.harness;

import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.flowmon.deploy.command.DurationConverter;
import org.flowmon.deploy.command.ServicesLog;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;

/** A command that runs one experiment as its {@link Declaration} says. */
public final class Harness implements Callable<Integer> {
  private static final String CLASSES = "org.flowmon.bench.";
  private static final Map<String, Class<?>> TYPES =
      Map.of(
          "flag", boolean.class,
          "number", Long.class,
          "decimal", Double.class,
          "text", String.class,
          "path", Path.class,
          "duration", Duration.class,
          "list", String.class);

  private final String name;
  private final Declaration declaration;
  private final Map<String, Declaration.Option> options = new LinkedHashMap<>();
  private final CommandSpec spec = CommandSpec.wrapWithoutInspection(this);

  private Harness(String name, Declaration declaration, Declaration group) {
    this.name = name;
    this.declaration = declaration;
    declaration.with().forEach(set -> options.putAll(group.sets().get(set)));
    options.putAll(declaration.options());
  }

  /**
   * The command of a file of declarations, with its experiments.
   *
   * @param name of the command, and of the resource {@code /org/flowmon/bench/NAME.yaml}
   */
  public static CommandSpec command(String name) {
    Declaration group = Yaml.read("/org/flowmon/bench/" + name + ".yaml", Declaration.class);
    CommandSpec command = new Harness(name, group, group).spec(group.plot());
    group
        .commands()
        .forEach(
            (each, declaration) ->
                command.addSubcommand(
                    each, new Harness(name + " " + each, declaration, group).spec(group.plot())));
    if (!group.commands().isEmpty()) {
      command
          .usageMessage()
          .synopsisSubcommandLabel(group.run().isEmpty() ? "EXPERIMENT" : "[EXPERIMENT]");
    }
    return command;
  }

  private CommandSpec spec(String plot) {
    spec.name(name.substring(name.lastIndexOf(' ') + 1)).mixinStandardHelpOptions(true);
    spec.usageMessage().description(declaration.help().toArray(String[]::new));
    options.forEach((option, declared) -> spec.addOption(option(option, declared)));
    if (!declaration.plots().isEmpty()) {
      spec.addOption(
          OptionSpec.builder("--plot")
              .type(Path.class)
              .paramLabel("FILE")
              .defaultValue(plot.replace("{name}", name.substring(name.lastIndexOf(' ') + 1)))
              .description("Where the plot goes; default ${DEFAULT-VALUE} in the working folder.")
              .build());
    }
    if (!declaration.run().isEmpty()) {
      spec.addOption(
          OptionSpec.builder("--json")
              .type(boolean.class)
              .description("One JSON object instead of tables.")
              .build());
    }
    return spec;
  }

  private static OptionSpec option(String name, Declaration.Option declared) {
    Class<?> type = TYPES.get(declared.type());
    boolean hasDefault = type != boolean.class && !declared.usual().isNull();
    OptionSpec.Builder option =
        OptionSpec.builder("--" + name)
            .paramLabel(declared.label() == null ? "<" + name + ">" : declared.label())
            .description(declared.help() + (hasDefault ? "; default ${DEFAULT-VALUE}." : "."));
    if (declared.isList()) {
      option.type(List.class).auxiliaryTypes(type).splitRegex(",");
    } else {
      option.type(type);
    }
    if (type == Duration.class) {
      option.converters(new DurationConverter());
    }
    if (hasDefault) {
      option.defaultValue(
          StreamSupport.stream(
                  declared.usual().isArray()
                      ? declared.usual().spliterator()
                      : List.of(declared.usual()).spliterator(),
                  false)
              .map(value -> value.asText())
              .collect(Collectors.joining(",")));
    }
    return option.build();
  }

  @Override
  public Integer call() throws Exception {
    if (declaration.run().isEmpty()) {
      throw new ParameterException(spec.commandLine(), "Missing what to measure");
    }
    ServicesLog.quiet();
    Experiment experiment =
        Class.forName(CLASSES + declaration.run())
            .asSubclass(Experiment.class)
            .getDeclaredConstructor()
            .newInstance();
    try (Run run = new Run(name, declaration, options, spec)) {
      experiment.run(run);
      return run.show();
    }
  }
}
