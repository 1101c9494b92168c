package org.flowmon.ingest.file.row;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.flowmon.flow.IpAddress;
import org.flowmon.ingest.file.format.FlowSource;
import org.flowmon.ingest.file.format.Refusal;
import org.flowmon.ingest.file.format.RejectReason;
import org.flowmon.ingest.file.format.TextColumn;
import org.flowmon.ingest.file.format.TextColumn.Form;
import org.flowmon.ingest.file.format.Words;
import org.flowmon.ingest.file.line.CsvRecords;
import org.flowmon.ingest.file.line.CsvText;
import org.flowmon.ingest.file.line.DecimalTime;
import org.flowmon.ingest.file.line.LineReader;

/**
 * CSV records into blocks; {@link TextValues} parses all but plain numbers and dotted addresses.
 */
final class CsvParser implements RecordParser {
  private static final int SAFE_DIGITS = 18;

  private static final int BY_TEXT = 0;
  private static final int PLAIN_NUMBER = 1;
  private static final int PLAIN_ADDRESS = 2;

  private final TextColumn[] columns;
  private final CsvRecords records;
  private final byte separator;
  private final TextValues values = new TextValues();
  // By place in the header: how a simple field is parsed, and the column and bound of its number.
  private final int[] way;
  private final int[] target;
  private final long[] max;
  private final long[] factor;
  private final long[] plus;
  private final boolean[] zeroIsNull;
  private final boolean isSpaced;
  // Whether spaces around values have no meaning, as other programs' padding.
  private final boolean isTrimmed;
  private final byte[] nullText;

  private byte[] bytes = {};
  private int limit;
  private RowBlock block = new RowBlock();
  private boolean quoted;
  private byte[] unquoted = new byte[64];
  private final Refusal refusal = new Refusal();
  private boolean isRefused;
  private boolean isOther;

  CsvParser(List<TextColumn> header, byte separator, FlowSource source) {
    this.isSpaced = separator == ' ';
    this.isTrimmed = !source.isFlowmon();
    this.nullText = source.nullText().getBytes(StandardCharsets.UTF_8);
    this.columns = header.toArray(TextColumn[]::new);
    this.records = new CsvRecords(separator);
    this.separator = separator;
    int n = columns.length;
    this.way = new int[n];
    this.target = new int[n];
    this.max = new long[n];
    this.factor = new long[n];
    this.plus = new long[n];
    this.zeroIsNull = new boolean[n];
    for (int c = 0; c < n; c++) {
      prepare(c, columns[c]);
    }
  }

  private void prepare(int c, TextColumn column) {
    target[c] = column.isValue() ? column.target().ordinal() : -1;
    zeroIsNull[c] = column.zeroIsNull();
    way[c] =
        switch (column.form()) {
          case ADDRESS -> column.zeroIsNull() ? BY_TEXT : PLAIN_ADDRESS;
          case NUMBER, TIME, TIME_MILLIS, TIME_MICROS, UPTIME, SECONDS, MILLIS, MICROS ->
              PLAIN_NUMBER;
          case BOOLEAN, STATE, STATE_FROM_ZERO, PROTOCOL, DECIMAL_OR_HEX, PORT_OR_ICMP ->
              PLAIN_NUMBER;
          default -> BY_TEXT;
        };
    factor[c] =
        switch (column.form()) {
          case TIME, SECONDS -> 1_000_000;
          case TIME_MILLIS, MILLIS -> 1000;
          default -> 1;
        };
    plus[c] = column.form() == Form.STATE_FROM_ZERO ? 1 : 0;
    max[c] =
        switch (column.form()) {
          case NUMBER, DECIMAL_OR_HEX, PORT_OR_ICMP -> column.target().type().maxValue();
          case UPTIME -> 0xFFFF_FFFFL;
          case TIME, SECONDS -> DecimalTime.LIMIT_SECONDS;
          case BOOLEAN -> 1;
          case STATE, PROTOCOL -> 0xFF;
          case STATE_FROM_ZERO -> 12;
          default -> Long.MAX_VALUE / factor[c];
        };
  }

  @Override
  public void parse(ParsedChunk out) {
    bytes = out.chunk.bytes();
    limit = out.chunk.length();
    if (out.chunk.tooLong()) {
      out.reject(RejectReason.LINE_TOO_LONG, LineReader.TOO_LONG, 0, limit);
      out.lines++;
      return;
    }
    int at = 0;
    while (at < limit) {
      if (bytes[at] == '\n' || (bytes[at] == '\r' && bytes[at + 1] == '\n')) {
        at += bytes[at] == '\n' ? 1 : 2;
        out.lines++;
        continue;
      }
      block = out.block();
      quoted = false;
      isRefused = false;
      isOther = false;
      int end = row(at);
      if (end < 0 || end - at > LineReader.MAX_LINE_BYTES) {
        block.dropRow();
        end = refuse(out, at);
      } else if (!out.endRow(block)) {
        block.dropRow();
        out.reject(RejectReason.MISSING_TIME, "no start, no end and no arrival", at, end);
      }
      out.lines += quoted ? lineFeeds(at, end) : 1;
      at = end;
    }
  }

  private int lineFeeds(int from, int to) {
    int count = 0;
    for (int i = from; i < to; i++) {
      count += bytes[i] == '\n' ? 1 : 0;
    }
    return count;
  }

  private int refuse(ParsedChunk out, int at) {
    int end = records.end(bytes, at, limit, true);
    quoted = true; // its lines are counted
    if (records.malformed()) {
      refusal.because(
          RejectReason.BAD_QUOTES,
          "a quote that is never closed, or something behind one that closes");
    } else if (end - at > LineReader.MAX_LINE_BYTES) {
      refusal.because(RejectReason.LINE_TOO_LONG, LineReader.TOO_LONG);
    } else {
      // A wrong count of fields is the cause of any other error.
      List<String> fields = fields(at, end);
      if (isOther || out.source().isOther(fields.size()) || isHeader(fields)) {
        refusal.because(RejectReason.OTHER_RECORD, "");
      } else if (fields.size() != columns.length || !isRefused) {
        refusal.because(
            RejectReason.WRONG_FIELD_COUNT,
            fields.size() + " values, the header has " + columns.length + " columns");
      }
    }
    out.reject(refusal.reason(), refusal.detail(), at, end);
    return end;
  }

  private List<String> fields(int from, int end) {
    List<String> fields = records.fields(bytes, from, end);
    return isSpaced ? fields.stream().filter(field -> !field.isEmpty()).toList() : fields;
  }

  /** Again, as in joined files and in a log after its rotation. */
  private boolean isHeader(List<String> fields) {
    for (int c = 0; c < columns.length && fields.size() == columns.length; c++) {
      if (!FlowSource.plain(fields.get(c)).equals(FlowSource.plain(columns[c].name()))) {
        return false;
      }
    }
    return fields.size() == columns.length;
  }

  /** After any number of spaces, if these separate. */
  private int skipSpaces(int at) {
    int next = at;
    while (isSpaced && bytes[next] == ' ') {
      next++;
    }
    return next;
  }

  /** The place after the record, −1 if it is no flow. */
  private int row(int from) {
    byte[] b = bytes;
    int at = skipSpaces(from);
    int last = columns.length - 1;
    for (int c = 0; c <= last; c++) {
      int stop =
          switch (way[c]) {
            case PLAIN_NUMBER -> number(c, at);
            case PLAIN_ADDRESS -> address(c, at);
            default -> field(c, at);
          };
      if (stop < 0) {
        return -1;
      }
      if (c == last) {
        stop = skipSpaces(stop);
      }
      int delimiter = b[stop];
      if (c < last) {
        if (delimiter != separator) {
          return -1;
        }
      } else {
        stop += delimiter == '\r' ? 1 : 0;
        if (b[stop] != '\n') {
          return -1;
        }
      }
      at = c < last ? skipSpaces(stop + 1) : stop + 1;
    }
    return at;
  }

  private boolean isEnd(int at) {
    byte b = bytes[at];
    return b == separator || b == '\n' || (b == '\r' && bytes[at + 1] == '\n');
  }

  /** Digits; calls {@link #field} for anything else. */
  private int number(int c, int from) {
    byte[] b = bytes;
    int at = from;
    long value = 0;
    for (int digit = b[at] - '0'; digit >= 0 && digit <= 9; digit = b[at] - '0') {
      value = value * 10 + digit;
      at++;
    }
    if (at == from || at - from > SAFE_DIGITS || value > max[c] || !isEnd(at)) {
      return field(c, from);
    }
    if (value != 0 || !zeroIsNull[c]) {
      block.set(target[c], value * factor[c] + plus[c]);
    }
    return at;
  }

  /** Dotted IPv4 or a number of 32 bits; calls {@link #field} for anything else. */
  private int address(int c, int from) {
    byte[] b = bytes;
    int at = from;
    long value = 0;
    long part = 0;
    int dots = 0;
    int digits = 0;
    while (true) {
      int digit = b[at] - '0';
      if (digit >= 0 && digit <= 9) {
        if (digits > 0 && part == 0) {
          return field(c, from); // a leading zero
        }
        part = part * 10 + digit;
        if (++digits > 10) {
          return field(c, from);
        }
      } else if (b[at] == '.' && digits > 0 && part <= 255 && dots < 3) {
        value = value << 8 | part;
        part = 0;
        digits = 0;
        dots++;
      } else {
        break;
      }
      at++;
    }
    long most = dots == 0 ? 0xFFFF_FFFFL : 255;
    if (digits == 0 || (dots != 0 && dots != 3) || part > most || !isEnd(at)) {
      return field(c, from);
    }
    block.setAddress(target[c], 0, IpAddress.ipv4Low((int) (value << 8 | part)));
    return at;
  }

  /** The place of its separator, −1 if it is invalid. */
  private int field(int c, int from) {
    if (bytes[from] == '"') {
      return quotedField(c, from);
    }
    int at = from;
    while (!isEnd(at)) {
      at++;
    }
    if (at > from && !set(c, bytes, from, at)) {
      return -1;
    }
    return at;
  }

  private int quotedField(int c, int from) {
    quoted = true;
    int at = from + 1;
    int length = 0;
    while (true) {
      if (at >= limit) {
        return -1;
      }
      if (bytes[at] == '"') {
        if (at + 1 >= limit || bytes[at + 1] != '"') {
          break;
        }
        at++;
      }
      if (length == unquoted.length) {
        unquoted = Arrays.copyOf(unquoted, 2 * length);
      }
      unquoted[length++] = bytes[at++];
    }
    at++;
    if (at >= limit || !isEnd(at)) {
      return -1;
    }
    // NULL is an empty field; an empty text is a pair of quotes.
    boolean isNull = length == 0 && columns[c].form() != Form.TEXT;
    return isNull || set(c, unquoted, 0, length) ? at : -1;
  }

  private boolean set(int c, byte[] from, int begin, int end) {
    TextColumn column = columns[c];
    if (column.form() == Form.ONLY) {
      isOther = column.words().number(from, begin, end) == Words.UNKNOWN;
      return !isOther;
    }
    if (!column.isValue()) {
      return true;
    }
    int start = column.form() == Form.TEXT ? CsvText.begin(from, begin, end) : begin;
    int stop = end;
    while (isTrimmed && start < stop && from[start] == ' ') {
      start++;
    }
    while (isTrimmed && start < stop && from[stop - 1] == ' ') {
      stop--;
    }
    if (isTrimmed && Arrays.equals(from, start, stop, nullText, 0, nullText.length)) {
      return true;
    }
    if (!values.read(column, from, start, stop)) {
      isRefused = true;
      return refusal.because(column.reason(), ParsedChunk.detail(column, from, begin, end));
    }
    block.store(column, values);
    return true;
  }
}
