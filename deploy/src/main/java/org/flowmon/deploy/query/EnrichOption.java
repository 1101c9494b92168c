package org.flowmon.deploy.query;

import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.flowmon.deploy.command.UsageException;
import org.flowmon.flow.FlowColumn;
import org.flowmon.jobs.config.ConfigException;
import org.flowmon.jobs.enrich.EnrichmentConfig;
import org.flowmon.jobs.enrich.EnrichmentFiles;
import org.flowmon.udaf.enrich.EnrichedColumn;
import org.flowmon.udaf.query.Expression;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.query.Query;
import org.flowmon.udaf.query.SelectItem;
import picocli.CommandLine.Option;

/** {@code --enrich FILE}: the files that queries join. */
public final class EnrichOption {
  @Option(
      names = "--enrich",
      paramLabel = "FILE",
      description = {
        "The files that columns such as src_country and src_network are joined from: a job's"
            + " configuration, or a file with its part enrichment (docs/enrichment.md)."
      })
  private Optional<Path> file = Optional.empty();

  /**
   * Reads the files that a query needs. A column without a file is NULL, and a line on standard
   * error says so.
   */
  public EnrichmentFiles open(Query query) {
    EnrichmentConfig config = config().orElse(EnrichmentConfig.NONE);
    for (EnrichedColumn column : EnrichmentFiles.missing(query, config)) {
      String key = "enrichment." + EnrichmentFiles.key(column.table());
      System.err.println(
          column.sqlName()
              + " is NULL: "
              + file.map(path -> path + " has no " + key)
                  .orElse("give --enrich FILE, a file with " + key));
    }
    return EnrichmentFiles.of(query, config, System.err::println);
  }

  boolean isGiven() {
    return file.isPresent();
  }

  /** The file's, if one is given. */
  public Optional<EnrichmentConfig> config() {
    try {
      return file.map(EnrichmentConfig::read);
    } catch (ConfigException e) {
      throw new UsageException("--enrich: " + e.getMessage());
    }
  }

  /** The same condition with the tables of its columns. */
  public Expression enriched(Expression condition) {
    Expression first = new Expression.Column(FlowColumn.ARRIVAL);
    FlowQuery query =
        new FlowQuery(
            List.of(new SelectItem("arrival", first)), condition, List.of(), List.of(), -1);
    return Objects.requireNonNull(query.enriched(open(query).pinned()).where());
  }
}
