package org.flowmon.deploy.parquet;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.apache.parquet.column.ColumnReader;
import org.apache.parquet.column.impl.ColumnReaderImpl;
import org.apache.parquet.format.ColumnMetaData;
import org.apache.parquet.format.FieldRepetitionType;
import org.apache.parquet.format.FileMetaData;
import org.apache.parquet.format.RowGroup;
import org.apache.parquet.format.SchemaElement;
import org.apache.parquet.io.api.PrimitiveConverter;
import org.flowmon.archive.segment.format.ParquetFooter;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.SourceKind;
import org.flowmon.ingest.file.format.InputFormat;
import org.flowmon.ingest.file.format.UnknownFormatException;
import org.flowmon.ingest.file.reader.FileReadOptions;
import org.flowmon.ingest.file.reader.FileSummary;
import org.flowmon.ingest.file.reader.ParallelFlowReader;
import org.flowmon.ingest.file.row.TypedRowReader;
import org.jspecify.annotations.Nullable;

/**
 * Reads flows from Parquet files of any writer, by the rules of {@code docs/format/files.md}. One
 * thread holds one page of each column at a time. In a damaged file, reading ends with the last row
 * before the damage.
 */
public final class ParquetFlowReader implements ParallelFlowReader {
  private static final int MAX_COLUMNS = 10_000;

  private final Path file;
  private final FileReadOptions options;

  public ParquetFlowReader(Path file, FileReadOptions options) {
    this.file = file;
    this.options = options;
  }

  @Override
  public FileSummary read(int threads, Consumer<FlowBatch> out) throws IOException {
    try (RandomAccessFile in = new RandomAccessFile(file.toFile(), "r")) {
      FileMetaData footer = footer(in);
      List<FlatColumn> columns;
      try {
        columns = columns(footer);
      } catch (UnknownFormatException e) {
        throw e;
      } catch (IOException e) {
        throw new UnknownFormatException(file + ": its footer is damaged: " + e.getMessage(), e);
      } catch (RuntimeException e) { // the library's checks throw many kinds
        throw new UnknownFormatException(file + ": its footer is damaged: its schema cannot be", e);
      }
      TypedRowReader rows =
          new TypedRowReader(
              file,
              InputFormat.PARQUET,
              SourceKind.PARQUET,
              columns.stream().map(FlatColumn::column).toList(),
              options,
              out);
      return rows.end(new Reading(in, footer, columns, rows).run());
    }
  }

  private FileMetaData footer(RandomAccessFile in) throws IOException {
    try {
      return ParquetFooter.read(in);
    } catch (IOException e) {
      throw new UnknownFormatException(file + ": " + e.getMessage(), e);
    } catch (RuntimeException e) { // the library's checks throw many kinds
      throw new UnknownFormatException(file + ": its footer is damaged", e);
    }
  }

  /** The columns in the file's order; all are flat except those that are left out. */
  private List<FlatColumn> columns(FileMetaData footer) throws IOException {
    List<SchemaElement> schema = footer.getSchema();
    if (schema.isEmpty() || schema.size() > MAX_COLUMNS) {
      throw new UnknownFormatException(file + ": a schema of " + schema.size() + " elements");
    }
    List<FlatColumn> columns = new ArrayList<>();
    int leaves = 0;
    List<String> nested = new ArrayList<>();
    for (int at = 1; at < schema.size(); ) {
      SchemaElement field = schema.get(at);
      int end = end(schema, at, 0);
      boolean flat =
          end == at + 1
              && field.isSetType()
              && field.getRepetition_type() != FieldRepetitionType.REPEATED;
      if (flat) {
        columns.add(new FlatColumn(field, leaves));
      } else if (!TypedRowReader.isLeftOut(options.columns(), field.getName())) {
        nested.add("'" + field.getName() + "'");
      }
      for (; at < end; at++) {
        leaves += schema.get(at).isSetType() ? 1 : 0;
      }
    }
    if (!nested.isEmpty()) {
      throw new UnknownFormatException(
          file
              + ": columns are nested or lists, which flows have none of: "
              + String.join(", ", nested)
              + "; --map 'NAME=' leaves one out");
    }
    return columns;
  }

  /** One past the last element of the field that begins at a place. */
  private int end(List<SchemaElement> schema, int at, int depth) throws UnknownFormatException {
    if (at >= schema.size() || depth > 100) {
      throw new UnknownFormatException(file + ": its schema does not add up");
    }
    SchemaElement field = schema.get(at);
    int end = at + 1;
    for (int child = 0; !field.isSetType() && child < field.getNum_children(); child++) {
      end = end(schema, end, depth + 1);
    }
    return end;
  }

  /** A single pass over the file. */
  private final class Reading {
    private final RandomAccessFile in;
    private final FileMetaData footer;
    private final List<FlatColumn> columns;
    private final TypedRowReader rows;
    private String column = "";

    Reading(
        RandomAccessFile in, FileMetaData footer, List<FlatColumn> columns, TypedRowReader rows) {
      this.in = in;
      this.footer = footer;
      this.columns = columns;
      this.rows = rows;
    }

    /** Returns why the file could not be read to its end, null if it was. */
    @Nullable String run() throws IOException {
      for (RowGroup group : footer.getRow_groups()) {
        ColumnReader[] readers;
        try {
          readers = open(group);
        } catch (IOException | RuntimeException e) { // the library's checks throw many kinds
          return damage(e);
        }
        for (long row = 0; row < group.getNum_rows(); row++) {
          try {
            readRow(readers);
          } catch (IOException | RuntimeException e) {
            return damage(e);
          }
          rows.endRow();
        }
      }
      return rows.rows() == footer.getNum_rows()
          ? null
          : file + ": it says it has " + footer.getNum_rows() + " rows and has " + rows.rows();
    }

    private ColumnReader[] open(RowGroup group) throws IOException {
      if (group.getNum_rows() < 0 || (group.getNum_rows() > 0 && columns.isEmpty())) {
        throw new IOException(
            "a row group of " + group.getNum_rows() + " rows and " + columns.size() + " columns");
      }
      PageMemory memory = new PageMemory();
      ColumnReader[] readers = new ColumnReader[columns.size()];
      for (int c = 0; c < readers.length && group.getNum_rows() > 0; c++) {
        FlatColumn flat = columns.get(c);
        if (!rows.isWanted(c)) {
          continue;
        }
        column = flat.column().name();
        ColumnMetaData chunk =
            flat.place() < group.getColumnsSize()
                ? group.getColumns().get(flat.place()).getMeta_data()
                : null;
        if (chunk == null || chunk.getType() != flat.physicalType()) {
          throw new IOException("the row group has no values of the type that the schema says");
        }
        ChunkPages pages =
            new ChunkPages(
                in.getChannel(), chunk, group.getNum_rows(), options.bytesRead(), memory);
        readers[c] =
            new ColumnReaderImpl(flat.descriptor(), pages, new PrimitiveConverter() {}, null);
      }
      return readers;
    }

    private void readRow(ColumnReader[] readers) throws IOException {
      for (int c = 0; c < readers.length; c++) {
        ColumnReader reader = readers[c];
        if (reader == null) {
          continue;
        }
        FlatColumn flat = columns.get(c);
        column = flat.column().name();
        if (reader.getCurrentDefinitionLevel() == flat.descriptor().getMaxDefinitionLevel()) {
          flat.read(reader, c, rows);
        }
        reader.consume();
      }
    }

    private String damage(Exception e) {
      Exception cause = e instanceof java.io.UncheckedIOException io ? io.getCause() : e;
      return file
          + ", row "
          + (rows.rows() + 1)
          + ", column '"
          + column
          + "': "
          // The library's own errors name its classes.
          + (cause instanceof IOException && cause.getMessage() != null
              ? cause.getMessage()
              : "a page is damaged: impossible values");
    }
  }
}
