package org.flowmon.ingest.file.row;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpAddress;
import org.flowmon.flow.SourceKind;
import org.flowmon.ingest.file.format.ColumnNames;
import org.flowmon.ingest.file.format.InputFormat;
import org.flowmon.ingest.file.format.RejectReason;
import org.flowmon.ingest.file.format.TextColumn;
import org.flowmon.ingest.file.format.TextColumn.Form;
import org.flowmon.ingest.file.format.UnknownFormatException;
import org.flowmon.ingest.file.reader.BatchSummary;
import org.flowmon.ingest.file.reader.FileReadOptions;
import org.flowmon.ingest.file.reader.FileSummary;
import org.jspecify.annotations.Nullable;

/**
 * Makes flows of typed columns, for example Parquet, by the rules of CSV ({@code
 * docs/format/files.md}): names, units, derived values, rejects. Set each value, then end the row.
 * Not thread-safe.
 */
public final class TypedRowReader {
  /** The kind of a column's values. */
  public enum Kind {
    BOOLEAN,
    WHOLE,
    DOUBLE,
    /** Milliseconds since 1970. */
    TIME_MILLIS,
    /** Microseconds since 1970. */
    TIME_MICROS,
    /** Nanoseconds since 1970. */
    TIME_NANOS,
    /** Two halves of 128 bits. */
    ADDRESS,
    TEXT;

    private boolean isTime() {
      return this == TIME_MILLIS || this == TIME_MICROS || this == TIME_NANOS;
    }
  }

  /**
   * {@code type} is the file's name, for messages; the kind is null if no flow's column takes it.
   */
  public record Column(String name, String type, @Nullable Kind kind) {}

  private static final long MILLI = 1000;
  private static final long SECOND = 1_000_000;
  // The most bytes of a rejected text: a small file can hold a long text in each of many rows.
  private static final int MAX_SHOWN = 1 << 16;

  private final Path file;
  private final InputFormat format;
  private final SourceKind source;
  private final FileReadOptions options;
  private final Consumer<FlowBatch> out;
  private final List<Column> columns;
  private final TextColumn[] targets;
  private final RowBlock block = new RowBlock();
  private final FlowBatchBuilder builder = new FlowBatchBuilder(RowBlock.CAPACITY);
  private final BatchSummary summary = new BatchSummary();
  private final TextValues texts = new TextValues();
  private final long[] before;
  // The open row before conversion, by column.
  private final boolean[] isSet;
  private final boolean[] isText;
  private final long[] numbers;
  private final long[] highs;
  private final byte[][] bytes;
  private long row;

  /**
   * Flows go out in the file's order; {@code source} is for rows without.
   *
   * @throws UnknownFormatException naming every unknown, repeated or unsuitably typed column
   */
  public TypedRowReader(
      Path file,
      InputFormat format,
      SourceKind source,
      List<Column> columns,
      FileReadOptions options,
      Consumer<FlowBatch> out)
      throws UnknownFormatException {
    this.file = file;
    this.format = format;
    this.source = source;
    this.options = options;
    this.out = out;
    this.columns = List.copyOf(columns);
    this.targets = targets(file, columns, options.columns());
    this.isSet = new boolean[targets.length];
    this.isText = new boolean[targets.length];
    this.numbers = new long[targets.length];
    this.highs = new long[targets.length];
    this.bytes = new byte[targets.length][];
    this.before = options.rejects().mark();
    options.clock().beginFile();
    block.useFilled();
    for (TextColumn target : targets) {
      if (target.form() != Form.LEFT_OUT) {
        block.use(target.target());
      }
    }
  }

  private static TextColumn[] targets(Path file, List<Column> columns, ColumnNames names)
      throws UnknownFormatException {
    List<String> wrong = new ArrayList<>();
    Map<FlowColumn, String> seen = new HashMap<>();
    TextColumn[] targets = new TextColumn[columns.size()];
    for (int c = 0; c < targets.length; c++) {
      Column column = columns.get(c);
      TextColumn target = names.of(column.name());
      targets[c] = target;
      if (target == null) {
        wrong.add("'" + column.name() + "' is no column of flows");
      } else if (target.form() != Form.LEFT_OUT) {
        String first = seen.putIfAbsent(target.target(), column.name());
        if (first != null) {
          String both = "'" + first + "' and '" + column.name() + "'";
          wrong.add(both + " are both " + target.target().sqlName());
        } else if (!fits(target.form(), column.kind())) {
          wrong.add("'" + column.name() + "' is " + column.type() + ", expected " + taken(target));
        }
      }
    }
    if (seen.isEmpty() && wrong.isEmpty() && targets.length > 0) {
      wrong.add("no column of flows");
    }
    if (!wrong.isEmpty()) {
      throw new UnknownFormatException(
          String.format(
              "%s: columns: %s; --map 'NAME=COLUMN' takes one for a column of flows, --map 'NAME='"
                  + " leaves it out",
              file, String.join("; ", wrong)));
    }
    return targets;
  }

  private static boolean fits(Form form, @Nullable Kind kind) {
    if (kind == null) {
      return false;
    }
    if (kind == Kind.TEXT || form == Form.LEFT_OUT) {
      return true;
    }
    return switch (form) {
      case NUMBER, SCALED -> kind == Kind.WHOLE || kind == Kind.DOUBLE;
      // Whole seconds, milliseconds and microseconds cannot be told apart.
      case TIME -> kind.isTime() || kind == Kind.DOUBLE;
      case TIME_MILLIS, TIME_MICROS -> kind.isTime() || kind == Kind.WHOLE;
      case SECONDS -> kind == Kind.WHOLE || kind == Kind.DOUBLE;
      case BOOLEAN -> kind == Kind.BOOLEAN || kind == Kind.WHOLE;
      case ADDRESS -> kind == Kind.WHOLE || kind == Kind.ADDRESS;
      case MILLIS, MICROS, STATE, STATE_FROM_ZERO, PROTOCOL, CODE -> kind == Kind.WHOLE;
      default -> false;
    };
  }

  private static String taken(TextColumn target) {
    return switch (target.form()) {
      case TIME ->
          "a timestamp, a text, or whole numbers whose unit --map '"
              + target.name()
              + "="
              + target.target().sqlName()
              + ":us' says (or ms)";
      case TEXT -> "a text";
      default -> target.expected();
    };
  }

  public boolean isWanted(int column) {
    return targets[column].form() != Form.LEFT_OUT;
  }

  /** A boolean, a whole number or a time. */
  public void set(int column, long value) {
    isSet[column] = true;
    isText[column] = false;
    numbers[column] = value;
  }

  public void set(int column, double value) {
    set(column, Double.doubleToRawLongBits(value));
  }

  /** Sets the halves of an address of the open row. */
  public void setAddress(int column, long high, long low) {
    set(column, low);
    highs[column] = high;
  }

  /** Sets a text of the open row, of any column; it is read like a CSV field. */
  public void set(int column, byte[] utf8) {
    isSet[column] = true;
    isText[column] = true;
    bytes[column] = utf8;
  }

  public void endRow() throws IOException {
    row++;
    int wrong = convert();
    if (wrong >= 0) {
      TextColumn target = targets[wrong];
      reject(
          target.reason(),
          "column '" + target.name() + "' is " + shown(wrong) + ", expected " + target.expected());
    } else if (!block.endRow(source, options.networks())) {
      reject(RejectReason.MISSING_TIME, "neither a start nor an end time nor an arrival");
    }
    java.util.Arrays.fill(isSet, false);
    if (block.isFull()) {
      flush();
    }
  }

  public long rows() {
    return row;
  }

  private void reject(RejectReason reason, String detail) throws IOException {
    block.dropRow();
    boolean cut = false;
    StringBuilder json = new StringBuilder("{");
    for (int c = 0; c < targets.length; c++) {
      if (isSet[c]) {
        cut |= isText[c] && bytes[c].length > MAX_SHOWN;
        json.append(json.length() > 1 ? "," : "")
            .append(quoted(columns.get(c).name()))
            .append(':')
            .append(shown(c));
      }
    }
    byte[] raw = json.append('}').toString().getBytes(StandardCharsets.UTF_8);
    options.rejects().add(file, row, reason, detail, raw, 0, raw.length, cut);
  }

  private String shown(int c) {
    if (isText[c]) {
      int length = Math.min(bytes[c].length, MAX_SHOWN);
      return quoted(new String(bytes[c], 0, length, StandardCharsets.UTF_8));
    }
    return switch (kind(c)) {
      case DOUBLE -> {
        double value = Double.longBitsToDouble(numbers[c]);
        yield Double.isFinite(value) ? Double.toString(value) : quoted(Double.toString(value));
      }
      case ADDRESS -> quoted(IpAddress.format(highs[c], numbers[c]));
      case BOOLEAN -> numbers[c] != 0 ? "true" : "false";
      default -> Long.toString(numbers[c]);
    };
  }

  private Kind kind(int c) {
    return Objects.requireNonNull(columns.get(c).kind());
  }

  private static String quoted(String text) {
    return "\""
        + new String(
            com.fasterxml.jackson.core.io.JsonStringEncoder.getInstance().quoteAsString(text))
        + "\"";
  }

  /** Into the block; returns a column with an invalid value, −1 if all are valid. */
  private int convert() {
    for (int c = 0; c < targets.length; c++) {
      TextColumn target = targets[c];
      if (!isSet[c] || target.form() == Form.LEFT_OUT) {
        continue;
      }
      if (isText[c]) {
        if (!texts.read(target, bytes[c], 0, bytes[c].length)) {
          return c;
        }
      } else if (!number(target, kind(c), numbers[c], highs[c])) {
        return c;
      }
      block.store(target, texts);
    }
    return -1;
  }

  /** Converts a number to the column's value, in {@link #texts}; false if it is invalid. */
  private boolean number(TextColumn target, Kind kind, long number, long high) {
    texts.value = number;
    texts.isNull = false;
    return switch (target.form()) {
      case NUMBER -> (kind == Kind.WHOLE || whole(number)) && isIn(target);
      case SCALED -> times(kind, number, target.target().scale());
      case TIME -> kind == Kind.DOUBLE ? scaled(number) : time(kind, number);
      case TIME_MILLIS -> kind == Kind.WHOLE ? times(number, MILLI) : time(kind, number);
      case TIME_MICROS -> kind == Kind.WHOLE || time(kind, number);
      case SECONDS -> kind == Kind.DOUBLE ? scaled(number) : times(number, SECOND);
      case MILLIS -> times(number, MILLI);
      case MICROS -> true;
      case ADDRESS -> {
        if (kind == Kind.ADDRESS) {
          texts.high = high;
          yield true;
        }
        texts.high = 0;
        texts.value = IpAddress.ipv4Low((int) number);
        yield number >= 0 && number <= 0xFFFF_FFFFL;
      }
      case BOOLEAN -> number == 0 || number == 1;
      case STATE, PROTOCOL -> number >= 0 && number <= 0xFF;
      case CODE -> isIn(target);
      default -> throw new IllegalStateException(target.form() + " from a number");
    };
  }

  private boolean times(Kind kind, long number, int scale) {
    if (kind == Kind.WHOLE) {
      return times(number, scale);
    }
    double value = Double.longBitsToDouble(number) * scale;
    texts.value = Math.round(value);
    return Math.abs(value) < 0x1p63; // false for what is no number, too
  }

  private boolean isIn(TextColumn target) {
    return texts.value >= target.target().type().minValue()
        && texts.value <= target.target().type().maxValue();
  }

  private boolean whole(long bits) {
    double value = Double.longBitsToDouble(bits);
    texts.value = (long) value;
    return value == Math.rint(value) && Math.abs(value) < 0x1p63;
  }

  private boolean scaled(long seconds) {
    double micros = Math.rint(Double.longBitsToDouble(seconds) * SECOND);
    texts.value = (long) micros;
    return Math.abs(micros) < 0x1p63;
  }

  private boolean times(long value, long by) {
    texts.value = value * by;
    return Math.multiplyHigh(value, by) == texts.value >> 63;
  }

  private boolean time(Kind kind, long value) {
    if (kind == Kind.TIME_MILLIS) {
      return times(value, MILLI);
    }
    if (kind == Kind.TIME_NANOS) {
      // Rounded half up, like times in other files.
      texts.value = Math.floorDiv(value, MILLI) + (Math.floorMod(value, MILLI) >= 500 ? 1 : 0);
    }
    return true;
  }

  /** Hands on the rows so far, without waiting for a full block. */
  public void flush() {
    if (block.rows() == 0) {
      return;
    }
    block.setArrivals(options.clock(), Optional.empty());
    FlowBatch batch = block.toBatch(builder);
    block.clear();
    summary.add(batch);
    out.accept(batch);
  }

  /** Hands on the rest; {@code damage} is why the file ended early, else null. */
  public FileSummary end(@Nullable String damage) {
    flush();
    return summary.of(file, format, options.rejects().since(before), damage);
  }

  public static boolean isLeftOut(ColumnNames names, String name) {
    TextColumn column = names.of(Objects.requireNonNull(name));
    return column != null && column.form() == Form.LEFT_OUT;
  }
}
