package org.flowmon.ingest.file.format;

import java.io.EOFException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.zip.ZipException;
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
  /** Records of values, of any {@link FlowSource}. */
  CSV,
  /** An object on each line, of any {@link FlowSource}. */
  JSON,
  /** As {@link #JSON}, but in an array or over several lines. */
  JSON_DOCUMENT,
  /** NSG and VNet flow logs of Azure: JSON with several flows in each record. */
  AZURE,
  /** Files of flow-capture. */
  FLOW_TOOLS,
  /** Files of nfcapd, which nfdump reads. */
  NFCAPD,
  /** GoFlow2's protobuf messages, each after its length. */
  GOFLOW2_PROTOBUF,
  FLOW_BATCHES,
  /** Read by {@code flowmon import} alone. */
  PARQUET;

  private static final int LOOKED_AT = 1 << 16;
  private static final int SHOWN = 60;

  static final String SUPPORTED =
      "supported are pcap and pcapng captures of NetFlow, IPFIX or sFlow datagrams, IPFIX files,"
          + " Zeek conn.log (TSV with its header, or JSON lines), CSV with a header of columns'"
          + " names, JSON lines with such keys, flow logs of AWS, GCP and Azure, Suricata's"
          + " eve.json, what nfdump, GoFlow2, pmacct, Argus and flow-export print, files of"
          + " flow-tools, and flow batches, each also compressed by gzip, and files of nfcapd and"
          + " Parquet";

  /** The name for people, for example {@code zeek_tsv}. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** What its rejects are, for example {@code lines}. */
  public String unit() {
    return switch (this) {
      case PARQUET -> "rows";
      case GOFLOW2_PROTOBUF -> "messages";
      case AZURE -> "tuples";
      default -> "lines";
    };
  }

  /** Whether it holds exports: datagrams, or messages of IPFIX. */
  public boolean isOfExports() {
    return this == PCAP || this == PCAPNG || this == IPFIX;
  }

  /** The names of formats and of programs with text of their own, for {@code --format}. */
  public static List<String> names() {
    List<String> names = new ArrayList<>();
    for (InputFormat format : values()) {
      names.add(format.label());
    }
    SourceTable.names().stream()
        .filter(name -> !names.contains(name) && !name.equals(SourceTable.FLOWS.name()))
        .forEach(names::add);
    return names;
  }

  /**
   * By its name; a program's own is that of the text that it writes.
   *
   * @throws UnknownFormatException if it is none of {@link #names}
   */
  static InputFormat byName(String name, byte[] head) throws UnknownFormatException {
    for (InputFormat format : values()) {
      if (format.label().equals(name)) {
        return format;
      }
    }
    FlowSource source =
        SourceTable.byName(name)
            .orElseThrow(
                () ->
                    new UnknownFormatException(
                        "no format '" + name + "': expected one of " + String.join(", ", names())));
    int at = firstByte(head);
    boolean isJson = at < head.length && (head[at] == '{' || head[at] == '[');
    return !isJson || !source.isJson()
        ? CSV
        : JsonHead.of(head, at).isDocument() ? JSON_DOCUMENT : JSON;
  }

  private static int firstByte(byte[] head) {
    int at = 0;
    while (at < head.length && isSpace(head[at])) {
      at++;
    }
    return at;
  }

  /** Whose JSON it is that begins so. */
  public static FlowSource jsonSource(byte[] head) {
    int at = firstByte(head);
    return at < head.length
        ? JsonHead.of(head, at).source().orElse(SourceTable.FLOWS)
        : SourceTable.FLOWS;
  }

  /** As {@link #detect(FlowInput, ColumnNames, Optional)}, of a file whose format nobody says. */
  public static InputFormat detect(Path file, ColumnNames columns) throws IOException {
    return detect(FlowInput.of(file), columns, Optional.empty());
  }

  /**
   * By the first bytes, for Parquet also the last.
   *
   * @param given one of {@link #names}, if the user says it
   * @throws UnknownFormatException naming the bytes found and the supported formats
   */
  public static InputFormat detect(FlowInput input, ColumnNames columns, Optional<String> given)
      throws IOException {
    Path file = input.name();
    byte[] head;
    if (input.isLive()) {
      head = input.head(LOOKED_AT);
    } else if (!Files.exists(file)) {
      throw new NoSuchFileException(file.toString(), null, "no such file");
    } else if (Files.isDirectory(file)) {
      throw new UnknownFormatException(file + " is a directory, expected a file");
    } else {
      try {
        head = input.head(LOOKED_AT);
      } catch (ZipException | EOFException e) {
        throw new UnknownFormatException(file + " begins as gzip does and is damaged: " + e, e);
      }
    }
    if (input.isLive() && head.length == 0) {
      return JSON; // it ended before anything came: no flow, whatever it would have been
    }
    if (given.isPresent()) {
      return byName(given.get(), head);
    }
    boolean isParquet = !input.isLive() && isParquet(file);
    InputFormat format = isParquet ? PARQUET : byMagic(head);
    if (format == null && GoFlowHead.begins(head)) {
      format = GOFLOW2_PROTOBUF; // before text: the length of a message may be that of a brace
    }
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
    if (magic >>> 16 == 0xCF10) {
      return FLOW_TOOLS;
    }
    // nfcapd's magic in the byte order of its machine; layouts 1 (nfdump 1.6) and 2 (1.7).
    int layout =
        magic >>> 16 == 0x0CA5 ? magic >>> 8 & 0xFF : magic >>> 16 == 0xA50C ? magic & 0xFF : 0;
    if (layout == 1 || layout == 2) {
      return NFCAPD;
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
      if (first < end && (head[first] == '{' || head[first] == '[')) {
        return json(head, first, end, columns);
      }
      if (first < end && (head[first] != '#' || CsvHeader.isMark(head, first))) {
        return CsvHeader.find(head, columns, Optional.empty()).isEmpty() ? null : CSV;
      }
      if (startsWith(head, first, "#separator") || startsWith(head, first, "#fields")) {
        return ZEEK_TSV;
      }
      at = end + 1;
    }
    return null;
  }

  private static @Nullable InputFormat json(byte[] head, int at, int end, ColumnNames columns) {
    JsonHead first = JsonHead.of(head, at);
    if (first.isAzure()) {
      return AZURE;
    }
    boolean isOfTable = first.source().isPresent();
    if (head[at] == '[') {
      boolean isFlows = first.names().stream().anyMatch(name -> columns.of(name) != null);
      return isOfTable || isFlows ? JSON_DOCUMENT : null;
    }
    if (isOfTable) {
      return first.isDocument() ? JSON_DOCUMENT : JSON;
    }
    return JsonKeys.areFlows(head, at, end, columns) ? JSON : ZEEK_JSON;
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
