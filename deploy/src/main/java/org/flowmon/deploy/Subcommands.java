package org.flowmon.deploy;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.flowmon.deploy.analysis.AnalysesCommand;
import org.flowmon.deploy.archive.CompactCommand;
import org.flowmon.deploy.archive.ExpireCommand;
import org.flowmon.deploy.archive.FilesCommand;
import org.flowmon.deploy.archive.ImportCommand;
import org.flowmon.deploy.archive.RepackCommand;
import org.flowmon.deploy.archive.VerifyCommand;
import org.flowmon.deploy.cluster.ClusterCommand;
import org.flowmon.deploy.demo.DemoCommand;
import org.flowmon.deploy.export.ExportCommand;
import org.flowmon.deploy.generate.GenerateCommand;
import org.flowmon.deploy.host.HostCommand;
import org.flowmon.deploy.host.SeenCommand;
import org.flowmon.deploy.inspect.InspectCommand;
import org.flowmon.deploy.kafka.CollectCommand;
import org.flowmon.deploy.kafka.ExportersCommand;
import org.flowmon.deploy.kafka.PublishCommand;
import org.flowmon.deploy.kafka.QuarantineCommand;
import org.flowmon.deploy.manual.CompletionCommand;
import org.flowmon.deploy.manual.ManCommand;
import org.flowmon.deploy.query.QueryCommand;
import org.flowmon.deploy.query.ReportCommand;
import org.flowmon.deploy.query.StatsCommand;
import org.flowmon.deploy.replay.ReplayCommand;
import org.flowmon.deploy.report.AlertsCommand;
import org.flowmon.deploy.report.ExactCommand;
import org.flowmon.deploy.report.ReportsCommand;
import org.flowmon.deploy.serve.ServeCommand;
import org.flowmon.deploy.shell.ShellCommand;
import org.flowmon.deploy.size.SizeCommand;
import org.flowmon.deploy.sketch.SketchCommand;
import org.flowmon.deploy.status.StatusCommand;
import picocli.CommandLine;

/**
 * The subcommands of {@code flowmon}, in the order of its help. To read the options of them all
 * takes longer than a short command: one that is named is added alone, unless it is about the
 * others.
 */
final class Subcommands {
  static final Map<String, Class<?>> BY_NAME = new LinkedHashMap<>();

  static {
    BY_NAME.put("status", StatusCommand.class);
    BY_NAME.put("cluster", ClusterCommand.class);
    BY_NAME.put("analyses", AnalysesCommand.class);
    BY_NAME.put("reports", ReportsCommand.class);
    BY_NAME.put("alerts", AlertsCommand.class);
    BY_NAME.put("quarantine", QuarantineCommand.class);
    BY_NAME.put("collect", CollectCommand.class);
    BY_NAME.put("exporters", ExportersCommand.class);
    BY_NAME.put("publish", PublishCommand.class);
    BY_NAME.put("import", ImportCommand.class);
    BY_NAME.put("export", ExportCommand.class);
    BY_NAME.put("generate", GenerateCommand.class);
    BY_NAME.put("demo", DemoCommand.class);
    BY_NAME.put("query", QueryCommand.class);
    BY_NAME.put("shell", ShellCommand.class);
    BY_NAME.put("report", ReportCommand.class);
    BY_NAME.put("host", HostCommand.class);
    BY_NAME.put("seen", SeenCommand.class);
    BY_NAME.put("exact", ExactCommand.class);
    BY_NAME.put("replay", ReplayCommand.class);
    BY_NAME.put("serve", ServeCommand.class);
    BY_NAME.put("verify", VerifyCommand.class);
    BY_NAME.put("files", FilesCommand.class);
    BY_NAME.put("compact", CompactCommand.class);
    BY_NAME.put("repack", RepackCommand.class);
    BY_NAME.put("inspect", InspectCommand.class);
    BY_NAME.put("stats", StatsCommand.class);
    BY_NAME.put("sketch", SketchCommand.class);
    BY_NAME.put("expire", ExpireCommand.class);
    BY_NAME.put("size", SizeCommand.class);
    BY_NAME.put("completion", CompletionCommand.class);
    BY_NAME.put("man", ManCommand.class);
    BY_NAME.put("help", CommandLine.HelpCommand.class);
  }

  private static final Set<String> ABOUT_OTHERS = Set.of("completion", "man", "help");

  private Subcommands() {}

  /** Adds the subcommand that the first argument names; all if it names none. */
  static void add(CommandLine line, String... args) {
    Class<?> named = args.length == 0 ? null : BY_NAME.get(args[0]);
    if (named != null && !ABOUT_OTHERS.contains(args[0])) {
      line.addSubcommand(args[0], named);
    } else {
      BY_NAME.forEach(line::addSubcommand);
    }
  }
}
