package org.flowmon.deploy.input;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.flowmon.deploy.command.ColumnsOption;
import org.flowmon.deploy.command.UsageException;
import org.flowmon.deploy.parquet.ParquetFlowReader;
import org.flowmon.ingest.file.FlowFiles;
import org.flowmon.ingest.file.format.ColumnNames;
import org.flowmon.ingest.file.format.InputFormat;
import org.flowmon.ingest.file.reader.FileReadOptions;
import org.flowmon.ingest.file.reader.FlowFileReader;
import org.flowmon.ingest.file.reader.SplittingReader;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** How text and files with flows are read. */
public final class InputOptions {
  @Mixin private ProtectedOption networks = new ProtectedOption();

  @Option(
      names = "--map",
      paramLabel = "NAME=COLUMN[:UNIT]",
      description =
          "A name in a CSV header, JSON object or Parquet file stands for this column; with a unit"
              + " s, ms or us for a time or duration. NAME= leaves it out. May be repeated.")
  private List<String> mappings = List.of();

  @Option(
      names = "--format",
      paramLabel = "NAME",
      description =
          "The format, or the program that wrote the input, if it is not detected:"
              + " ${COMPLETION-CANDIDATES}.",
      completionCandidates = FormatNames.class)
  private @Nullable String format;

  @Mixin private ColumnsOption ownColumns = new ColumnsOption();

  @Mixin private TemplatesByOption templates = new TemplatesByOption();

  @Mixin private BiflowOption biflows = new BiflowOption();

  /** Throws {@link UsageException} naming a wrong option. */
  public FileReadOptions applyTo(FileReadOptions options) {
    ownColumns.define();
    FileReadOptions all =
        options
            .withColumns(columnNames())
            .withTemplates(templates.scope())
            .withBiflowsSplit(biflows.areSplit())
            .withNetworks(networks.networks());
    return format == null ? all : all.withFormat(FormatNames.checked(format));
  }

  private ColumnNames columnNames() {
    ColumnNames names = ColumnNames.DEFAULTS;
    for (String mapping : mappings) {
      int equals = mapping.lastIndexOf('=');
      if (equals < 1) {
        throw new UsageException("--map " + mapping + ": expected NAME=COLUMN");
      }
      try {
        names = names.with(mapping.substring(0, equals), mapping.substring(equals + 1));
      } catch (IllegalArgumentException e) {
        throw new UsageException("--map " + mapping + ": " + e.getMessage());
      }
    }
    return names;
  }

  /** The reader for a file of any format. */
  public static FlowFileReader open(Path file, FileReadOptions options) throws IOException {
    boolean isParquet =
        options.format().isEmpty()
            ? InputFormat.isParquet(file)
            : options.format().get().equals(InputFormat.PARQUET.label());
    return isParquet
        ? SplittingReader.of(new ParquetFlowReader(file, options), options)
        : FlowFiles.open(file, options);
  }
}
