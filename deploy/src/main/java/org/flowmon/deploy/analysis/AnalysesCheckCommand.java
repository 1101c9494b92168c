package org.flowmon.deploy.analysis;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import org.flowmon.deploy.command.CommandException;
import org.flowmon.deploy.command.ExitCodes;
import org.flowmon.deploy.command.UsageException;
import org.flowmon.jobs.JobAnalyses;
import org.flowmon.jobs.alert.AlertRules;
import org.flowmon.jobs.alert.WebhookClient;
import org.flowmon.jobs.analysis.AlertConfig;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.config.ConfigException;
import org.flowmon.jobs.config.ErrorHandler;
import org.flowmon.jobs.config.job.JobConfig;
import org.flowmon.jobs.config.job.WebhookConfig;
import org.flowmon.jobs.enrich.EnrichmentConfig;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code flowmon analyses check}. */
@Command(
    name = "check",
    mixinStandardHelpOptions = true,
    description = {
      "Checks files of analyses, and all of a folder: keys, queries, windows, whether each fits"
          + " the logic of its reports, names that are given twice. With --config also the job's"
          + " configuration, and whether it has the webhooks that alerts name; without files the"
          + " analyses of that job, and whether they fit into it together.",
      "Names the errors of each file; the exit code is 1 if there are any."
    },
    footer = {
      "",
      "Examples:",
      "  flowmon analyses check analyses",
      "  flowmon analyses check --config flowmon.yaml --probe"
    })
final class AnalysesCheckCommand implements Callable<Integer> {
  @Parameters(
      arity = "0..*",
      paramLabel = "FILE|FOLDER",
      description = "Files and folders to check.")
  private List<Path> paths = new ArrayList<>();

  @Option(
      names = "--config",
      paramLabel = "FILE",
      description = "The configuration of the job that they are for.")
  private Optional<Path> config = Optional.empty();

  @Option(
      names = "--probe",
      description = {
        "Asks each webhook that their alerts name whether it can be reached from here, without"
            + " files each of the configuration: by a request with HEAD and the headers of its"
            + " header_file. No alert is sent."
      })
  private boolean probe;

  private final List<AnalysisConfig> right = new ArrayList<>();
  private int wrong;

  @Override
  public Integer call() throws IOException, InterruptedException {
    if (paths.isEmpty() && config.isEmpty()) {
      throw new UsageException("analyses check: expected files, a folder, or --config");
    }
    if (probe && config.isEmpty()) {
      throw new UsageException("--probe needs --config, which says where webhooks are");
    }
    Optional<JobConfig> job = job();
    if (!paths.isEmpty()) {
      check(paths, job);
    } else if (job.isPresent()) {
      checkAnalysesOf(job.get());
    }
    if (probe && job.isPresent()) {
      probe(job.get());
    }
    return wrong == 0 ? ExitCodes.DONE : ExitCodes.NO;
  }

  /** Reads the configuration, if there is one and it is readable, else that is reported. */
  private Optional<JobConfig> job() throws NoSuchFileException {
    if (config.isEmpty()) {
      return Optional.empty();
    }
    exists(configFile());
    List<JobConfig> read = new ArrayList<>();
    if (checked(configFile(), () -> read.add(JobConfig.read(configFile())))) {
      System.out.println(configFile() + ": is right");
      read.forEach(this::sayWhatIsMissing);
    }
    return read.stream().findFirst();
  }

  /** A file of the TaskManagers may be missing here, so that is no error. */
  private void sayWhatIsMissing(JobConfig job) {
    JobConfig.Postgres postgres = job.postgres();
    String file = postgres == null ? null : postgres.passwordFile();
    if (file != null && !Files.isReadable(Path.of(file))) {
      System.out.println(
          configFile()
              + ": postgres.password_file "
              + file
              + (Files.exists(Path.of(file)) ? " cannot be read here" : " does not exist here")
              + "; a job fails on every TaskManager without it");
    }
  }

  private Path configFile() {
    return config.orElseThrow();
  }

  private void checkAnalysesOf(JobConfig job) throws IOException {
    if (job.analyses() == null) {
      AnalysisConfig.bundled().forEach(one -> bundled(one, job));
    } else {
      check(List.of(Path.of(job.analyses())), Optional.of(job));
    }
    checked(configFile(), () -> job.job().budget().check(right));
  }

  private void check(List<Path> filesAndFolders, Optional<JobConfig> job) throws IOException {
    Map<String, Path> names = new HashMap<>();
    for (Path file : files(filesAndFolders)) {
      check(file, job, names);
    }
  }

  /** Reports the errors of a check of a file; returns whether there are none. */
  private boolean checked(Path file, Runnable check) {
    return errors(file).run(check);
  }

  private ErrorHandler errors(Path file) {
    return error -> {
      wrong++;
      System.out.println(located(file, String.valueOf(error.getMessage())));
    };
  }

  private void bundled(AnalysisConfig analysis, JobConfig job) {
    if (checked(configFile(), () -> AlertRules.checkSinks(analysis, job))) {
      said("analysis ", analysis, Optional.of(job));
    }
  }

  private void check(Path file, Optional<JobConfig> job, Map<String, Path> names) {
    int before = wrong;
    ErrorHandler errors = errors(file);
    Optional<AnalysisConfig.Draft> read =
        AnalysisConfig.read(
            file, job.map(JobConfig::enrichment).orElse(EnrichmentConfig.NONE), errors);
    if (read.isEmpty()) {
      return;
    }
    JobAnalyses.check(read.get(), errors);
    AnalysisConfig analysis = read.get().analysis();
    Path other = names.putIfAbsent(analysis.name(), file);
    if (other != null) {
      errors.add(
          new ConfigException(
              file + ": name: '" + analysis.name() + "' is already defined in " + other));
    }
    if (job.isPresent()) {
      JobConfig own = job.get();
      checked(file, () -> JobAnalyses.check(analysis, own));
      for (AlertConfig alert : analysis.alerts()) {
        AnalysisConfig single = analysis.withoutCondition(List.of(alert));
        checked(file, () -> AlertRules.checkSinks(single, own));
      }
    }
    if (wrong == before) {
      said(file + ": ", analysis, job);
    }
  }

  private void said(String where, AnalysisConfig analysis, Optional<JobConfig> job) {
    right.add(analysis);
    StringBuilder line = new StringBuilder(where).append(analysis.name()).append(" is right");
    Set<String> webhooks = webhooks(analysis);
    if (job.isEmpty() && !webhooks.isEmpty()) {
      line.append("; its alerts go to the webhooks ")
          .append(webhooks)
          .append(", if the job has them: --config FILE checks that");
    }
    if (job.isPresent() && job.get().postgres() == null && analysis.sinks().contains("postgres")) {
      line.append("; its reports do not go to PostgreSQL, as the configuration has none");
    }
    System.out.println(line);
  }

  private static Set<String> webhooks(AnalysisConfig analysis) {
    Set<String> names = new TreeSet<>();
    analysis.alerts().forEach(alert -> names.addAll(alert.sinks()));
    names.remove(AlertConfig.KAFKA);
    return names;
  }

  private void probe(JobConfig job) throws InterruptedException {
    Set<String> named = new TreeSet<>();
    right.forEach(analysis -> named.addAll(webhooks(analysis)));
    for (WebhookConfig webhook : job.webhooks()) {
      if (!paths.isEmpty() && !named.contains(webhook.name())) {
        continue;
      }
      try {
        WebhookClient.Answer answer = WebhookClient.probe(webhook);
        wrong += answer.isReached() ? 0 : 1;
        System.out.printf(
            "%s: %s %s: %s%n",
            configFile(),
            webhook,
            answer.isReached() ? "is reached" : "is not reached",
            answer.what());
      } catch (IOException e) {
        wrong++;
        System.out.println(configFile() + ": " + e.getMessage());
      }
    }
  }

  private static String located(Path file, String message) {
    return message.startsWith(file.toString()) ? message : file + ": " + message;
  }

  /** A missing file is neither right nor wrong. */
  private static void exists(Path path) throws NoSuchFileException {
    if (!Files.exists(path)) {
      throw new NoSuchFileException(path.toString());
    }
  }

  private static List<Path> files(List<Path> paths) throws IOException {
    List<Path> files = new ArrayList<>();
    for (Path path : paths) {
      exists(path);
      if (!Files.isDirectory(path)) {
        files.add(path);
        continue;
      }
      List<Path> ofFolder = new ArrayList<>();
      try (DirectoryStream<Path> found = Files.newDirectoryStream(path, "*.{yaml,yml}")) {
        found.forEach(ofFolder::add);
      }
      Collections.sort(ofFolder);
      if (ofFolder.isEmpty()) {
        throw new CommandException(path + ": it has no file NAME.yaml");
      }
      files.addAll(ofFolder);
    }
    return files;
  }
}
