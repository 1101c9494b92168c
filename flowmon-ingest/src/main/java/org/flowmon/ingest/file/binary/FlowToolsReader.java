package org.flowmon.ingest.file.binary;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import java.util.zip.InflaterInputStream;
import java.util.zip.ZipException;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.SourceKind;
import org.flowmon.ingest.file.format.FlowInput;
import org.flowmon.ingest.file.format.InputFormat;
import org.flowmon.ingest.file.format.UnknownFormatException;
import org.flowmon.ingest.file.reader.FileReadOptions;
import org.flowmon.ingest.file.reader.FileSummary;
import org.flowmon.ingest.file.reader.ParallelFlowReader;
import org.jspecify.annotations.Nullable;

/**
 * Reads files of flow-tools with records of NetFlow v5 or v7, plain or compressed by zlib, in
 * either byte order. A record ({@code fts3rec_v5}, {@code fts3rec_v7}) has
 *
 * <pre>
 * u32 unix_secs, unix_nsecs, sysUpTime, exaddr, srcaddr, dstaddr, nexthop
 * u16 input, output
 * u32 dPkts, dOctets, First, Last
 * u16 srcport, dstport
 * u8  prot, tos, tcp_flags, pad, engine_type, engine_id, src_mask, dst_mask
 * u16 src_as, dst_as
 * u32 router_sc (v7 only)
 * </pre>
 */
public final class FlowToolsReader implements ParallelFlowReader {
  private static final int V5_BYTES = 64;
  private static final int V7_BYTES = 68;
  private static final int ICMP = 1;
  private static final int BUFFER = 1 << 16;

  private static final List<FlowColumn> COLUMNS =
      List.of(
          FlowColumn.EXPORT_TIME,
          FlowColumn.SYS_UPTIME,
          FlowColumn.EXPORTER,
          FlowColumn.SRC_ADDR,
          FlowColumn.DST_ADDR,
          FlowColumn.NEXT_HOP,
          FlowColumn.INPUT_IF,
          FlowColumn.OUTPUT_IF,
          FlowColumn.PACKETS,
          FlowColumn.BYTES,
          FlowColumn.START_TIME,
          FlowColumn.END_TIME,
          FlowColumn.SRC_PORT,
          FlowColumn.DST_PORT,
          FlowColumn.ICMP_TYPE_CODE,
          FlowColumn.PROTOCOL,
          FlowColumn.TOS,
          FlowColumn.TCP_FLAGS,
          FlowColumn.ENGINE_TYPE,
          FlowColumn.ENGINE_ID,
          FlowColumn.SRC_MASK,
          FlowColumn.DST_MASK,
          FlowColumn.SRC_AS,
          FlowColumn.DST_AS);

  private final FlowInput input;
  private final FileReadOptions options;

  public FlowToolsReader(FlowInput input, FileReadOptions options) {
    this.input = input;
    this.options = options;
  }

  @Override
  public FileSummary read(int threads, Consumer<FlowBatch> out) throws IOException {
    Path file = input.name();
    try (InputStream in = input.open(options.bytesRead())) {
      FlowToolsHeader header = FlowToolsHeader.read(in, file);
      if (header.version() != 5 && header.version() != 7) {
        throw new UnknownFormatException(
            file
                + ": a file of flow-tools with flows of version "
                + header.version()
                + ", expected 5 or 7");
      }
      ColumnWriter rows =
          new ColumnWriter(
              file, InputFormat.FLOW_TOOLS, SourceKind.NETFLOW_V5, COLUMNS, options, out);
      return rows.end(records(in, header, rows));
    }
  }

  /** Returns the damage that ends the file, null if there is none. */
  private @Nullable String records(InputStream in, FlowToolsHeader header, ColumnWriter rows)
      throws IOException {
    int size = header.version() == 5 ? V5_BYTES : V7_BYTES;
    byte[] record = new byte[size];
    ByteBuffer fields = ByteBuffer.wrap(record).order(header.order());
    try (InputStream records =
        new BufferedInputStream(header.isCompressed() ? new InflaterInputStream(in) : in, BUFFER)) {
      while (true) {
        int read = records.readNBytes(record, 0, size);
        if (read == 0) {
          return null;
        }
        if (read < size) {
          return damage(rows, "its last record is cut short");
        }
        write(fields, rows);
      }
    } catch (EOFException | ZipException e) {
      return damage(rows, "the compressed data is damaged: " + e.getMessage());
    }
  }

  private String damage(ColumnWriter rows, String what) {
    return input.name() + ", after record " + rows.count() + ": " + what;
  }

  private static void write(ByteBuffer record, ColumnWriter rows) throws IOException {
    record.clear();
    long seconds = record.getInt() & 0xFFFF_FFFFL;
    long nanos = record.getInt() & 0xFFFF_FFFFL;
    long export = seconds * 1_000_000 + (nanos < 1_000_000_000 ? nanos / 1000 : 0);
    int uptime = record.getInt();
    rows.set(FlowColumn.EXPORT_TIME, export);
    rows.set(FlowColumn.SYS_UPTIME, uptime & 0xFFFF_FFFFL);
    int exporter = record.getInt();
    if (exporter != 0) {
      rows.setIpv4(FlowColumn.EXPORTER, exporter);
    }
    rows.setIpv4(FlowColumn.SRC_ADDR, record.getInt());
    rows.setIpv4(FlowColumn.DST_ADDR, record.getInt());
    int nextHop = record.getInt();
    if (nextHop != 0) {
      rows.setIpv4(FlowColumn.NEXT_HOP, nextHop);
    }
    rows.set(FlowColumn.INPUT_IF, record.getShort() & 0xFFFF);
    rows.set(FlowColumn.OUTPUT_IF, record.getShort() & 0xFFFF);
    rows.set(FlowColumn.PACKETS, record.getInt() & 0xFFFF_FFFFL);
    rows.set(FlowColumn.BYTES, record.getInt() & 0xFFFF_FFFFL);
    // Uptimes wrap; a flow's are within half of 2^32 ms around the export.
    rows.set(FlowColumn.START_TIME, export - (uptime - record.getInt()) * 1000L);
    rows.set(FlowColumn.END_TIME, export - (uptime - record.getInt()) * 1000L);
    int sourcePort = record.getShort() & 0xFFFF;
    int destinationPort = record.getShort() & 0xFFFF;
    int protocol = record.get() & 0xFF;
    rows.set(FlowColumn.PROTOCOL, protocol);
    if (protocol == ICMP) {
      rows.set(FlowColumn.ICMP_TYPE_CODE, destinationPort);
    }
    rows.set(FlowColumn.SRC_PORT, sourcePort);
    rows.set(FlowColumn.DST_PORT, destinationPort);
    rows.set(FlowColumn.TOS, record.get() & 0xFF);
    rows.set(FlowColumn.TCP_FLAGS, record.get() & 0xFF);
    record.get(); // pad
    rows.set(FlowColumn.ENGINE_TYPE, record.get() & 0xFF);
    rows.set(FlowColumn.ENGINE_ID, record.get() & 0xFF);
    rows.set(FlowColumn.SRC_MASK, record.get() & 0xFF);
    rows.set(FlowColumn.DST_MASK, record.get() & 0xFF);
    rows.setKnown(FlowColumn.SRC_AS, record.getShort() & 0xFFFF);
    rows.setKnown(FlowColumn.DST_AS, record.getShort() & 0xFFFF);
    rows.endRow();
  }
}
