package org.flowmon.ingest.decode;

import static org.flowmon.flow.bytes.BigEndian.getInt;
import static org.flowmon.flow.bytes.BigEndian.getU16;
import static org.flowmon.flow.bytes.BigEndian.getU32;
import static org.flowmon.flow.bytes.BigEndian.getU8;

import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.SourceKind;
import org.flowmon.ingest.FlowSink;
import org.flowmon.ingest.IngestCounter;
import org.flowmon.ingest.IngestCounters;
import org.flowmon.ingest.decode.exporter.ExporterTable;
import org.flowmon.ingest.decode.exporter.ObservationDomain;
import org.flowmon.ingest.decode.exporter.SequenceTracker;
import org.flowmon.ingest.decode.record.DatagramHeader;
import org.flowmon.ingest.decode.record.ExporterNames;
import org.flowmon.ingest.decode.record.FlowWriter;
import org.flowmon.ingest.decode.record.RecordBlock;
import org.flowmon.ingest.decode.record.RecordProgram;
import org.flowmon.ingest.decode.record.Sampling;

/**
 * NetFlow version 5.
 *
 * <pre>
 * header, 24 bytes: version 2 | count 2 | sys_uptime 4 | unix_secs 4 | unix_nsecs 4
 *                   | flow_sequence 4 | engine_type 1 | engine_id 1 | sampling_interval 2
 * record, 48 bytes: srcaddr 4 | dstaddr 4 | nexthop 4 | input 2 | output 2 | dPkts 4 | dOctets 4
 *                   | first 4 | last 4 | srcport 2 | dstport 2 | pad 1 | tcp_flags 1 | prot 1
 *                   | tos 1 | src_as 2 | dst_as 2 | src_mask 1 | dst_mask 1 | pad 2
 * </pre>
 */
final class NetflowV5Decoder {
  private static final int HEADER_BYTES = 24;
  private static final int MAX_FLOWS = 30;
  private static final int PAD = -1;

  // Records have no options data: the header has the rate. Nobody sets one here.
  private static final ExporterNames NO_NAMES = new ExporterNames();

  /** The layout of a record, as a template with these elements would define it. */
  private static final RecordProgram RECORD =
      RecordProgram.compile(
          new int[] {
            0, 8, 4, 0, 12, 4, 0, 15, 4, 0, 10, 2, 0, 14, 2, 0, 2, 4, 0, 1, 4, 0, 22, 4, 0, 21, 4,
            0, 7, 2, 0, 11, 2, 0, PAD, 1, 0, 6, 1, 0, 4, 1, 0, 5, 1, 0, 16, 2, 0, 17, 2, 0, 9, 1, 0,
            13, 1, 0, PAD, 2
          });

  private final IngestCounters counters;
  private final ExporterTable exporters;
  private final RecordBlock block;
  private final FlowWriter writer;

  NetflowV5Decoder(
      IngestCounters counters, ExporterTable exporters, RecordBlock block, FlowWriter writer) {
    this.counters = counters;
    this.exporters = exporters;
    this.block = block;
    this.writer = writer;
  }

  /** Returns whether it was decoded, or why not; the header has exporter, port and arrival. */
  IngestCounter decode(byte[] bytes, int offset, int length, DatagramHeader header, FlowSink out) {
    if (length < HEADER_BYTES) {
      return IngestCounter.DATAGRAMS_DROPPED_TRUNCATED;
    }
    int count = getU16(bytes, offset + 2);
    if (count < 1 || count > MAX_FLOWS) {
      return IngestCounter.DATAGRAMS_DROPPED_BAD_COUNT;
    }
    // More bytes than the flows need are accepted: some exporters send buffers of fixed size.
    if (length < HEADER_BYTES + count * RECORD.stride()) {
      return IngestCounter.DATAGRAMS_DROPPED_TRUNCATED;
    }
    readHeader(bytes, offset, header);
    SequenceTracker sequence =
        exporters
            .heard(header.exporter, header.arrival)
            .domain(
                ObservationDomain.Key.of(5, header.exporter, header.port, header.domain),
                IngestCounter.SEQUENCE_LOST_FLOWS)
            .sequence();
    sequence.observeUptime(header.uptime, header.exportTime);
    sequence.observe((int) header.sequence, count, count, count, header.arrival);
    int at = offset + HEADER_BYTES;
    for (int left = count; left > 0; ) {
      FlowBatchBuilder builder = out.builder();
      int rows = Math.min(left, Math.min(RecordBlock.ROWS, builder.free()));
      block.load(RECORD, bytes, at, rows, bytes);
      writer.write(block, header, Sampling.NONE, NO_NAMES, builder);
      out.rowsEnded(rows);
      at += rows * RECORD.stride();
      left -= rows;
    }
    counters.add(IngestCounter.FLOWS_DECODED, count);
    exporters.decoded();
    return IngestCounter.DATAGRAMS_DECODED;
  }

  private static void readHeader(byte[] bytes, int offset, DatagramHeader header) {
    header.kind = SourceKind.NETFLOW_V5;
    header.uptime = getInt(bytes, offset + 4);
    header.hasUptime = header.uptime != 0;
    header.uptimeIsHeaders = true;
    header.zeroStartIsUnknown = false;
    long seconds = getU32(bytes, offset + 8);
    long nanos = getU32(bytes, offset + 12);
    header.exportTime = seconds * 1_000_000 + (nanos < 1_000_000_000 ? nanos / 1000 : 0);
    header.sequence = getU32(bytes, offset + 16);
    header.engineType = getU8(bytes, offset + 20);
    header.engineId = getU8(bytes, offset + 21);
    header.domain = getU16(bytes, offset + 20);
    int sampling = getU16(bytes, offset + 22);
    int mode = sampling >>> 14;
    header.sampling = new Sampling.Rate(sampling & 0x3FFF, mode == 3 ? 0 : mode);
  }
}
