package org.flowmon.jobs.report.logic;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.flowmon.flow.ColumnType;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpAddress;
import org.flowmon.flow.SourceKind;
import org.flowmon.ingest.FlowSink;
import org.flowmon.ingest.IngestCounters;
import org.flowmon.ingest.ProtectedNetworks;
import org.flowmon.ingest.decode.BadDatagramSamples;
import org.flowmon.ingest.decode.ExportDecoder;
import org.flowmon.ingest.decode.exporter.DecoderLimits;
import org.flowmon.ingest.synthetic.SyntheticFlow;
import org.flowmon.ingest.synthetic.exporter.Faults;
import org.flowmon.ingest.synthetic.exporter.RouterExports;
import org.flowmon.ingest.synthetic.exporter.SimulatedRouter;

/** Flows of one way as a router exports them and flowmon decodes them. */
final class ExportedFlows {
  private static final IpAddress EXPORTER = IpAddress.parse("192.0.2.1");
  private static final long DAY_MILLIS = 86_400_000;

  private final FlowBatchBuilder builder = new FlowBatchBuilder(1000);
  private final ExportDecoder decoder =
      new ExportDecoder(
          new IngestCounters(),
          new BadDatagramSamples(4),
          ProtectedNetworks.NONE,
          DecoderLimits.defaults());

  private ExportedFlows() {}

  /** The decoded flows; each arrives when it ends. */
  static TestFlows of(SourceKind version, TestFlows flows) throws IOException {
    return new ExportedFlows().through(version, flows);
  }

  private TestFlows through(SourceKind version, TestFlows flows) throws IOException {
    List<TestFlows.Flow> sorted = new ArrayList<>(flows.all());
    sorted.sort((one, other) -> Long.compare(one.end(), other.end()));
    long bootMillis = sorted.get(0).end() / 1000 - DAY_MILLIS;
    RouterExports router =
        new RouterExports(
            List.of(new SimulatedRouter(version, 1, 1, 1)),
            bootMillis,
            Faults.NONE,
            1,
            (number, datagram, now) -> decode(datagram, now));
    TestFlows decoded = new TestFlows();
    for (TestFlows.Flow flow : sorted) {
      long now = flow.end() / 1000;
      router.export(0, synthetic(flow), now);
      router.flush(now);
      addTo(decoded);
    }
    return decoded;
  }

  private static SyntheticFlow synthetic(TestFlows.Flow flow) {
    IpAddress source = IpAddress.parse(flow.text(FlowColumn.SRC_ADDR));
    IpAddress target = IpAddress.parse(flow.text(FlowColumn.DST_ADDR));
    SyntheticFlow synthetic = new SyntheticFlow();
    synthetic.srcHi = source.hi();
    synthetic.srcLo = source.lo();
    synthetic.dstHi = target.hi();
    synthetic.dstLo = target.lo();
    synthetic.srcPort = (int) flow.number(FlowColumn.SRC_PORT, 0);
    synthetic.dstPort = (int) flow.number(FlowColumn.DST_PORT, 0);
    synthetic.protocol = (int) flow.number(FlowColumn.PROTOCOL, 0);
    synthetic.tcpFlags = (int) flow.number(FlowColumn.TCP_FLAGS, 0);
    synthetic.packets = flow.number(FlowColumn.PACKETS, 1);
    synthetic.bytes = 60 * synthetic.packets;
    synthetic.endMillis = flow.end() / 1000;
    synthetic.startMillis = synthetic.endMillis;
    return synthetic;
  }

  private void decode(ByteBuffer datagram, long nowMillis) {
    byte[] bytes = new byte[datagram.remaining()];
    datagram.get(bytes);
    FlowSink sink =
        new FlowSink() {
          @Override
          public FlowBatchBuilder builder() {
            return builder;
          }

          @Override
          public void rowsEnded(int rows) {}
        };
    decoder.decode(bytes, 0, bytes.length, EXPORTER, 4000, nowMillis * 1000, sink);
  }

  private void addTo(TestFlows decoded) {
    FlowBatch batch = FlowBatch.open(builder.build(1, 0, 0, 0));
    builder.clear();
    for (int row = 0; row < batch.rows(); row++) {
      List<Object> pairs = new ArrayList<>();
      for (FlowColumn column : SyntheticFlow.COLUMNS) {
        if (!batch.isNull(column, row)) {
          pairs.add(column);
          boolean isAddress = column.type() == ColumnType.ADDRESS;
          pairs.add(
              isAddress
                  ? batch.getAddress(column, row).toString()
                  : (Object) batch.getLong(column, row));
        }
      }
      decoded.add(batch.getLong(FlowColumn.END_TIME, row), pairs.toArray());
    }
  }
}
