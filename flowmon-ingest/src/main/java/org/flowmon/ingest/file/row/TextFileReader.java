package org.flowmon.ingest.file.row;

import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.SourceKind;
import org.flowmon.ingest.file.format.ColumnNames;
import org.flowmon.ingest.file.format.CsvHeader;
import org.flowmon.ingest.file.format.FlowInput;
import org.flowmon.ingest.file.format.FlowSource;
import org.flowmon.ingest.file.format.InputFormat;
import org.flowmon.ingest.file.format.RejectReason;
import org.flowmon.ingest.file.format.TextColumn;
import org.flowmon.ingest.file.format.UnknownFormatException;
import org.flowmon.ingest.file.line.CsvRecords;
import org.flowmon.ingest.file.reader.BatchSummary;
import org.flowmon.ingest.file.reader.FileReadOptions;
import org.flowmon.ingest.file.reader.FileSummary;
import org.flowmon.ingest.file.reader.ParallelFlowReader;
import org.jspecify.annotations.Nullable;

/**
 * Reads CSV and JSON lines ({@code docs/format/files.md}). Pieces of whole records are parsed in
 * parallel; each then waits for the clock of the previous one, which gives the missing arrivals. It
 * holds {@link TextChunks#BUFFER} and the rows of that much text for each thread and two more.
 */
public final class TextFileReader implements ParallelFlowReader {
  private static final int HEAD = 1 << 16;

  private final Path file;
  private final FlowInput input;
  private final InputFormat format;
  private final FileReadOptions options;

  /**
   * {@code input} is text of a record on each line; the format is that of the file it is made of.
   */
  public TextFileReader(FlowInput input, InputFormat format, FileReadOptions options) {
    this.file = input.name();
    this.input = input;
    this.format = format;
    this.options = options;
  }

  @Override
  public FileSummary read(int threads, Consumer<FlowBatch> out) throws IOException {
    Plan plan = plan();
    long[] before = options.rejects().mark();
    options.clock().beginFile();
    ExecutorService pool = threads > 1 ? Executors.newFixedThreadPool(threads) : null;
    try (InputStream in = input.open(options.bytesRead())) {
      in.skipNBytes(plan.skipped);
      try (TextChunks chunks = new TextChunks(in, plan.records, input.isLive())) {
        Reading reading = new Reading(plan, chunks, out);
        reading.run(pool, threads);
        return reading.summary(before);
      }
    } finally {
      if (pool != null) {
        pool.shutdownNow();
      }
    }
  }

  /** How the text is read: {@code records} is null for JSON, {@code lines} are skipped. */
  private record Plan(
      FlowSource source,
      List<TextColumn> columns,
      List<String> unknown,
      byte separator,
      @Nullable CsvRecords records,
      long skipped,
      long lines) {
    SourceKind kind() {
      return records == null ? SourceKind.JSON : SourceKind.CSV;
    }
  }

  private Plan plan() throws IOException {
    byte[] head = input.head(HEAD);
    if (format == InputFormat.JSON || format == InputFormat.JSON_DOCUMENT) {
      FlowSource source = options.source().orElseGet(() -> InputFormat.jsonSource(head));
      return new Plan(source, List.of(), List.of(), (byte) 0, null, 0, 0);
    }
    CsvHeader header =
        CsvHeader.find(head, options.columns(), options.source())
            .orElseThrow(
                () ->
                    new UnknownFormatException(file + ": its first line names no column of flows"));
    if (!header.source().refusal().isEmpty()) {
      throw new UnknownFormatException(file + ": " + header.source().refusal());
    }
    if (header.end() == HEAD) {
      throw new UnknownFormatException(file + ": its header is longer than " + HEAD + " bytes");
    }
    ColumnNames.Header columns;
    try {
      columns = options.columns().of(header.source()).header(header.names());
    } catch (UnknownFormatException e) {
      throw new UnknownFormatException(file + ": " + e.getMessage(), e);
    }
    return new Plan(
        header.source(),
        columns.columns(),
        columns.unknown(),
        header.separator(),
        new CsvRecords(header.separator()),
        header.end(),
        header.lines());
  }

  private final class Reading {
    private final Plan plan;
    private final TextChunks chunks;
    private final Consumer<FlowBatch> out;
    private final RowBlockPool blocks;
    private final ThreadLocal<RecordParser> parser;
    private final ThreadLocal<FlowBatchBuilder> builder =
        ThreadLocal.withInitial(() -> new FlowBatchBuilder(RowBlock.CAPACITY));
    private final BatchSummary summary = new BatchSummary();
    // Completes when the next piece may move the file's clock; the pieces move it in turn.
    private CompletableFuture<Void> turn = CompletableFuture.completedFuture(null);
    private final Set<String> unknown = new HashSet<>();
    private long lines;

    Reading(Plan plan, TextChunks chunks, Consumer<FlowBatch> out) {
      this.plan = plan;
      this.chunks = chunks;
      this.out = out;
      this.lines = plan.lines;
      this.unknown.addAll(plan.unknown);
      this.blocks =
          new RowBlockPool(
              plan.columns.stream().map(TextColumn::column).filter(Objects::nonNull).toList());
      this.parser =
          ThreadLocal.withInitial(
              () ->
                  plan.records != null
                      ? new CsvParser(plan.columns, plan.separator, plan.source)
                      : new JsonLineParser(options.columns().of(plan.source)));
    }

    void run(@Nullable ExecutorService pool, int threads) throws IOException {
      Deque<Future<ParsedChunk>> pending = new ArrayDeque<>();
      for (TextChunks.Chunk chunk = chunks.next(); chunk != null; chunk = chunks.next()) {
        CompletableFuture<Void> before = turn;
        CompletableFuture<Void> after = new CompletableFuture<>();
        turn = after;
        TextChunks.Chunk piece = chunk;
        if (pool == null) {
          take(parse(piece, before, after));
          continue;
        }
        pending.add(pool.submit(() -> parse(piece, before, after)));
        if (pending.size() > threads + 1) {
          take(await(pending.remove()));
        }
      }
      while (!pending.isEmpty()) {
        take(await(pending.remove()));
      }
      if (chunks.damage() != null && chunks.cutShort().length > 0) {
        byte[] rest = chunks.cutShort();
        options
            .rejects()
            .add(
                file,
                lines + 1,
                RejectReason.CUT_SHORT,
                chunks.damage(),
                rest,
                0,
                rest.length,
                false);
      }
    }

    /** In any thread; pieces start in order, so each waits only for a running one. */
    private ParsedChunk parse(
        TextChunks.Chunk chunk, CompletableFuture<Void> before, CompletableFuture<Void> after)
        throws IOException {
      try {
        ParsedChunk parsed =
            new ParsedChunk(chunk, blocks, plan.source, plan.kind(), options.networks());
        parser.get().parse(parsed);
        await(before);
        for (int b = 0; b < parsed.blocks.size(); b++) {
          Optional<RowBlock> next =
              b + 1 < parsed.blocks.size()
                  ? Optional.of(parsed.blocks.get(b + 1))
                  : Optional.empty();
          parsed.blocks.get(b).setArrivals(options.clock(), next);
        }
        after.complete(null);
        for (RowBlock block : parsed.blocks) {
          if (block.rows() > 0) {
            parsed.batches.add(block.toBatch(builder.get()));
          }
          blocks.give(block);
        }
        parsed.blocks.clear();
        return parsed;
      } catch (IOException | RuntimeException | Error e) {
        after.completeExceptionally(e);
        throw e;
      }
    }

    private void take(ParsedChunk parsed) throws IOException {
      for (ParsedChunk.Reject reject : parsed.rejects) {
        options
            .rejects()
            .add(
                file,
                lines + reject.line() + 1,
                reject.reason(),
                reject.detail(),
                parsed.chunk.bytes(),
                reject.from(),
                reject.to(),
                reject.cut());
      }
      lines += parsed.lines;
      for (String name : parsed.unknown) {
        if (unknown.size() < ParsedChunk.MOST_UNKNOWN) {
          unknown.add(name);
        }
      }
      chunks.release(parsed.chunk);
      for (FlowBatch batch : parsed.batches) {
        summary.add(batch);
        out.accept(batch);
      }
    }

    FileSummary summary(long[] before) {
      String damage =
          chunks.damage() == null ? null : file + ", after line " + lines + ": " + chunks.damage();
      boolean isPlain =
          format == InputFormat.CSV
              || format == InputFormat.JSON
              || format == InputFormat.JSON_DOCUMENT;
      String label = isPlain && !plan.source.isFlowmon() ? plan.source.name() : format.label();
      return summary.of(file, format, label, unknown, options.rejects().since(before), damage);
    }
  }

  private <T> T await(Future<T> future) throws IOException {
    try {
      return future.get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted while a file was parsed");
    } catch (ExecutionException e) {
      if (e.getCause() instanceof IOException io) {
        throw io;
      }
      if (e.getCause() instanceof Error error) {
        throw error; // as in this thread's parsing: a full heap is distinguished from a defect
      }
      throw new IllegalStateException(file + " could not be parsed", e.getCause());
    }
  }
}
