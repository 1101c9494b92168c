package org.flowmon.ingest.file.format;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.Locale;
import org.flowmon.flow.bytes.BigEndian;
import org.jspecify.annotations.Nullable;

/** The formats of files with flows, detected by content, plain or compressed by gzip. */
public enum InputFormat {
  PCAP,
  PCAPNG,
  /** Consecutive IPFIX messages (RFC 5655). */
  IPFIX,
  /** {@code conn.log}, tab-separated with header lines. */
  ZEEK_TSV,
  ZEEK_JSON,
  CSV,
  /** An object on each line, with column names as keys. */
  JSON,
  FLOW_BATCHES,
  /** Read by {@code flowmon import} alone. */
  PARQUET;

  private static final int LOOKED_AT = 1 << 16;
  private static final int SHOWN = 60;

  static final String SUPPORTED =
      "supported are pcap and pcapng captures of NetFlow, IPFIX or sFlow datagrams, IPFIX files,"
          + " Zeek conn.log (TSV with its header, or JSON lines), CSV with a header of columns'"
          + " names, JSON lines with such keys, and flow batches, each also compressed by gzip, and"
          + " Parquet files with such columns";

  /** The name for people, for example {@code zeek_tsv}. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  /**
   * By the first bytes, for Parquet also the last.
   *
   * @throws UnknownFormatException naming the bytes found and the supported formats
   */
  public static InputFormat detect(Path file, ColumnNames columns) throws IOException {
    if (!Files.exists(file)) {
      throw new NoSuchFileException(file.toString(), null, "no such file");
    }
    if (Files.isDirectory(file)) {
      throw new UnknownFormatException(file + " is a directory, expected a file");
    }
    byte[] head;
    try (InputStream in = GzipInput.open(file)) {
      head = in.readNBytes(LOOKED_AT);
    } catch (java.util.zip.ZipException | java.io.EOFException e) {
      throw new UnknownFormatException(file + " begins as gzip does and is damaged: " + e, e);
    }
    InputFormat format = isParquet(file) ? PARQUET : byMagic(head);
    if (format == null) {
      format = byText(head, columns);
    }
    if (format == null && ParquetMagic.begins(head)) {
      format = parquet(file);
    }
    if (format == null) {
      throw UnknownFormatException.noFormat(file + ": " + seen(head));
    }
    return format;
  }

  /** False for one compressed by gzip. */
  public static boolean isParquet(Path file) throws IOException {
    return ParquetMagic.isAtBothEnds(file);
  }

  /** The file begins like Parquet but is neither a plain Parquet file nor text. */
  private static InputFormat parquet(Path file) throws IOException {
    if (GzipInput.isGzip(file)) {
      return PARQUET; // only complete decompression would show its end
    }
    throw new UnknownFormatException(file + ": " + ParquetMagic.seen(file));
  }

  private static @Nullable InputFormat byMagic(byte[] head) {
    if (head.length < 4) {
      return null;
    }
    int magic = BigEndian.getInt(head, 0);
    if (magic == 0x464C5742) { // "FLWB"
      return FLOW_BATCHES;
    }
    if (magic == 0x0A0D0D0A) {
      return PCAPNG;
    }
    if (magic == 0xA1B2C3D4 || magic == 0xD4C3B2A1 || magic == 0xA1B23C4D || magic == 0x4D3CB2A1) {
      return PCAP;
    }
    // An IPFIX message: version 10, then its length of at least a header (RFC 7011 section 3.1).
    return magic >>> 16 == 10 && (magic & 0xFFFF) >= 16 ? IPFIX : null;
  }

  private static @Nullable InputFormat byText(byte[] head, ColumnNames columns) {
    for (int at = 0; at < head.length; ) {
      int end = at;
      while (end < head.length && head[end] != '\n') {
        end++;
      }
      int first = at;
      while (first < end && isSpace(head[first])) {
        first++;
      }
      if (first < end && head[first] == '{') {
        return JsonKeys.areFlows(head, first, end, columns) ? JSON : ZEEK_JSON;
      }
      if (first < end && head[first] != '#') {
        return CsvHeader.find(head, columns) == null ? null : CSV;
      }
      if (startsWith(head, first, "#separator") || startsWith(head, first, "#fields")) {
        return ZEEK_TSV;
      }
      at = end + 1;
    }
    return null;
  }

  private static String seen(byte[] head) {
    if (head.length == 0) {
      return "it is empty";
    }
    int from = firstValue(head);
    if (from == head.length) {
      return "it holds nothing but comments";
    }
    int shown = Math.min(head.length, from + SHOWN);
    for (int i = from; i < shown; i++) {
      if ((head[i] & 0xFF) < ' ' && !isSpace(head[i])) {
        return "it begins with the bytes " + hex(head);
      }
    }
    boolean tabs = false;
    for (int i = from; i < head.length && head[i] != '\n'; i++) {
      tabs |= head[i] == '\t';
    }
    String text = new String(head, from, shown - from, StandardCharsets.UTF_8);
    return "it is text that begins with '"
        + text.replace("\t", "\\t").replace("\r", "\\r").replace("\n", "\\n")
        + "'"
        + (tabs ? ", tab-separated values without a Zeek log's header (zeek-cut -c keeps it)" : "");
  }

  private static int firstValue(byte[] head) {
    int at = 0;
    while (at < head.length && head[at] == '#') {
      while (at < head.length && head[at] != '\n') {
        at++;
      }
      at = Math.min(at + 1, head.length);
    }
    return at;
  }

  private static String hex(byte[] head) {
    return HexFormat.ofDelimiter(" ").formatHex(head, 0, Math.min(8, head.length));
  }

  private static boolean isSpace(byte b) {
    return b == ' ' || b == '\t' || b == '\r' || b == '\n';
  }

  private static boolean startsWith(byte[] head, int at, String text) {
    if (at + text.length() > head.length) {
      return false;
    }
    for (int i = 0; i < text.length(); i++) {
      if (head[at + i] != text.charAt(i)) {
        return false;
      }
    }
    return true;
  }
}
