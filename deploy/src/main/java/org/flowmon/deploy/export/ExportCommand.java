package org.flowmon.deploy.export;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.Callable;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.query.ArchiveQuery;
import org.flowmon.archive.query.QueryOptions;
import org.flowmon.deploy.archive.ArchiveOption;
import org.flowmon.deploy.command.ExitCodes;
import org.flowmon.deploy.command.InterruptedCommandException;
import org.flowmon.deploy.command.Interruption;
import org.flowmon.deploy.command.UsageException;
import org.flowmon.deploy.export.file.ExportFormat;
import org.flowmon.deploy.export.file.FileTarget;
import org.flowmon.deploy.export.file.StreamTarget;
import org.flowmon.deploy.export.row.ExportCancelledException;
import org.flowmon.deploy.export.row.ExportRows;
import org.flowmon.deploy.export.row.ExportTarget;
import org.flowmon.deploy.export.sql.BatchSize;
import org.flowmon.deploy.export.sql.SqlTarget;
import org.flowmon.deploy.export.sql.SqlTypes;
import org.flowmon.deploy.query.EnrichOption;
import org.flowmon.deploy.query.QueryText;
import org.flowmon.deploy.terminal.Progress;
import org.flowmon.deploy.terminal.ProgressOption;
import org.flowmon.deploy.terminal.TerminalStream;
import org.flowmon.flow.time.FlowTime;
import org.flowmon.udaf.query.Query;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code flowmon export}: writes flows or an answer to a file or a database. */
@Command(
    name = "export",
    mixinStandardHelpOptions = true,
    description = {
      "Writes the flows of an archive, or the answer to a query, to a CSV, JSON, Parquet or Arrow"
          + " file, or into a table of PostgreSQL, MySQL, MariaDB or SQLite.",
      "Flows come in the order of time, every column, and lose nothing: flowmon import takes CSV"
          + " and JSON back as the same flows. All rows are written or none."
    },
    footer = {
      "",
      "Examples:",
      "  flowmon export --archive DIR --to flows.csv.gz",
      "  flowmon export --archive DIR --where \"dst_port = 53\" --to dns.parquet",
      "  flowmon export --archive DIR --to jdbc:sqlite:flows.db --table flows",
      "  flowmon export --archive DIR --to jdbc:postgresql://HOST/DB --user ME \\",
      "    --password-file FILE --query \"SELECT src_addr, SUM(bytes) AS bytes",
      "    FROM flows GROUP BY src_addr\" --table sources"
    })
public final class ExportCommand implements Callable<Integer> {
  @Mixin private ArchiveOption archive;

  @Option(
      names = "--to",
      required = true,
      paramLabel = "FILE|URL",
      description =
          "A file, - for standard output, or a JDBC URL: jdbc:postgresql:, jdbc:mariadb:,"
              + " jdbc:mysql:, jdbc:sqlite:FILE.")
  private String to;

  @Option(
      names = "--where",
      paramLabel = "CONDITION",
      description = "Only flows for which it is TRUE; docs/query.md describes the language.")
  private Optional<String> where = Optional.empty();

  @Option(
      names = "--query",
      paramLabel = "SQL",
      description = "The answer to a query instead of flows; it is held in memory.")
  private Optional<String> sql = Optional.empty();

  @Option(
      names = "--param",
      paramLabel = "NAME=VALUE",
      description = "The value of a parameter of the query, as of flowmon query.")
  private List<String> parameters = List.of();

  @Option(
      names = "--format",
      description =
          "${COMPLETION-CANDIDATES}; default: by the file's name. CSV marks texts that a"
              + " spreadsheet would run as formulas by an apostrophe, which flowmon import takes"
              + " away; CSV_EXACT does not.")
  private Optional<ExportFormat> format = Optional.empty();

  @Option(names = "--force", description = "Overwrite the file if it exists.")
  private boolean force;

  @Option(names = "--threads", defaultValue = "2", description = "Threads; default 2.")
  private int threads;

  @Option(
      names = "--table",
      paramLabel = "[SCHEMA.]NAME",
      defaultValue = "flows",
      description = "The table of a database; default ${DEFAULT-VALUE}. It must not exist yet.")
  private String table;

  @Option(names = "--append", description = "Append to the table if it exists.")
  private boolean append;

  @Option(
      names = "--batch",
      paramLabel = "auto|off|N",
      defaultValue = "auto",
      description = "Rows of a transaction; default ${DEFAULT-VALUE}.")
  private String batch;

  @Option(
      names = "--types",
      defaultValue = "native",
      description =
          "${COMPLETION-CANDIDATES}: times and addresses in the database's own types, as text, or"
              + " as numbers; default ${DEFAULT-VALUE}.")
  private SqlTypes types;

  @Option(names = "--user", description = "User of the database.")
  private Optional<String> user = Optional.empty();

  @Option(
      names = "--password-file",
      paramLabel = "FILE",
      description = "A file whose first line is the user's password.")
  private Optional<Path> passwordFile = Optional.empty();

  @Mixin private EnrichOption enrich;

  @Mixin private ProgressOption progressOption;

  @Override
  public Integer call() throws IOException {
    if (threads < 1) {
      throw new UsageException("--threads is at least 1");
    }
    if (sql.isPresent() && where.isPresent()) {
      throw new UsageException("--query has a WHERE of its own: not with --where");
    }
    long rows;
    // Before signals are caught: nothing is half written yet, so a query ends at once.
    try (Archive opened = archive.open();
        ArchiveSnapshot snapshot = opened.snapshot();
        ExportRows source = source(snapshot)) {
      rows = write(source, sql.isEmpty() && where.isEmpty() ? snapshot.rows() : 0);
    }
    System.err.printf("%d rows written to %s%n", rows, withoutSecrets(to));
    return ExitCodes.DONE;
  }

  /** Writes all rows or none, and reports their number; {@code expected} is 0 if unknown. */
  private long write(ExportRows source, long expected) throws IOException {
    // The process waits until the interruption is closed, so print before that.
    try (Interruption interruption = Interruption.watch()) {
      return write(source, expected, interruption);
    }
  }

  private long write(ExportRows source, long expected, Interruption interruption)
      throws IOException {
    long rows = 0;
    try (Progress progress = progressOption.start();
        ExportTarget target = target()) {
      interruption.onStop(target::cancel);
      progress.begin(to, expected, progress::flows);
      target.begin(source.columns());
      while (source.next()) {
        interruption.check();
        target.write(source);
        rows += source.rows();
        progress.flows(source.rows());
      }
      interruption.check();
      target.finish();
    } catch (ExportCancelledException e) {
      System.err.println("no row was written to " + withoutSecrets(to));
      throw new InterruptedCommandException(e);
    }
    return rows;
  }

  private ExportRows source(ArchiveSnapshot snapshot) throws IOException {
    if (sql.isEmpty()) {
      return FlowExport.of(
          snapshot, where.map(QueryText::condition).map(enrich::enriched), threads);
    }
    Query query = QueryText.bind(QueryText.parse(sql.get()), parameters, FlowTime.now());
    QueryOptions options =
        QueryOptions.DEFAULTS.withThreads(threads).withEnrichment(enrich.open(query));
    return new AnswerExport(ArchiveQuery.run(snapshot, query, options).table(), query.shown());
  }

  private ExportTarget target() throws IOException {
    if (to.startsWith("jdbc:")) {
      return database();
    }
    if (to.equals("-")) {
      ExportFormat printed = format.orElse(ExportFormat.CSV);
      if (printed.isBinary() && TerminalStream.isTerminal(System.out)) {
        throw new UsageException(
            "--to -: " + printed + " is binary, not for a terminal; name a file or redirect it");
      }
      return new StreamTarget(TerminalStream.exact(System.out), printed);
    }
    Path file = Path.of(to);
    ExportFormat chosen =
        format
            .or(() -> ExportFormat.byName(file))
            .orElseThrow(
                () ->
                    new UsageException(
                        "--to "
                            + to
                            + ": its name tells no format; --format csv, json, parquet or arrow"
                            + " does"));
    try {
      return FileTarget.of(file, chosen, force);
    } catch (FileAlreadyExistsException e) {
      throw new UsageException("--to " + to + ": the file exists; --force overwrites it");
    }
  }

  private ExportTarget database() throws IOException {
    Properties login = new Properties();
    user.ifPresent(name -> login.put("user", name));
    if (passwordFile.isPresent()) {
      login.put("password", Files.readAllLines(passwordFile.get()).stream().findFirst().orElse(""));
    }
    try {
      return SqlTarget.open(
          to, login, new SqlTarget.Options(table, types, BatchSize.parse(batch), append));
    } catch (IllegalArgumentException e) {
      throw new UsageException(e.getMessage());
    }
  }

  /** Removes a URL's parameters, which may hold a password. */
  private static String withoutSecrets(String url) {
    int question = url.startsWith("jdbc:") ? url.indexOf('?') : -1;
    return question < 0 ? url : url.substring(0, question);
  }
}
