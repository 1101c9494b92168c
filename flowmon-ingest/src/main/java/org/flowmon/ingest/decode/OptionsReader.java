package org.flowmon.ingest.decode;

import org.flowmon.ingest.IngestCounter;
import org.flowmon.ingest.IngestCounters;
import org.flowmon.ingest.decode.exporter.ObservationDomain;
import org.flowmon.ingest.decode.record.DatagramHeader;
import org.flowmon.ingest.decode.record.FlowWriter;
import org.flowmon.ingest.decode.record.RecordBlock;
import org.flowmon.ingest.decode.record.Sampling;
import org.flowmon.ingest.decode.record.Slot;

/** Takes what records of options say of their exporter into its domains: rates, times, names. */
final class OptionsReader {
  private static final long MOST_AHEAD = 3_600_000_000L; // µs: an uptime of 0 after the export

  private final FlowWriter writer;
  private final IngestCounters counters;

  OptionsReader(FlowWriter writer, IngestCounters counters) {
    this.writer = writer;
    this.counters = counters;
  }

  /** Takes all records of a block; the first domain is the datagram's own. */
  void take(RecordBlock block, DatagramHeader header, ObservationDomain... domains) {
    boolean tellsRate = block.tellsRate();
    for (int i = 0; i < block.rows(); i++) {
      takeSystemInit(block, i, header, domains);
      for (ObservationDomain domain : domains) {
        takeNames(block, i, domain);
        if (tellsRate) { // also one of 0: the former one is over
          takeRate(block, i, header.arrival, domain);
        }
      }
    }
  }

  private void takeSystemInit(
      RecordBlock block, int row, DatagramHeader header, ObservationDomain... domains) {
    if (!block.isSet(Slot.SYSTEM_INIT, row)) {
      return;
    }
    long told = block.values(Slot.SYSTEM_INIT)[row];
    long init = told - header.exportTime > MOST_AHEAD ? 0 : told;
    boolean anew = false;
    for (ObservationDomain domain : domains) {
      anew |= domain.setSystemInit(init, header.arrival);
    }
    if (anew) {
      counters.increment(IngestCounter.EXPORTERS_RESTARTED);
    }
  }

  private static void takeRate(RecordBlock block, int row, long now, ObservationDomain domain) {
    Sampling.Rate rate =
        new Sampling.Rate(FlowWriter.rateOf(block, row), FlowWriter.modeOf(block, row));
    if (block.isSet(Slot.SAMPLER_ID, row)) {
      domain.setSampler(block.values(Slot.SAMPLER_ID)[row], rate, now);
    } else if (block.isSet(Slot.INPUT_IF, row)) {
      domain.setInterface(block.values(Slot.INPUT_IF)[row], rate, now);
    } else {
      domain.setRate(rate, now);
    }
  }

  private void takeNames(RecordBlock block, int row, ObservationDomain domain) {
    if (block.isSet(Slot.APPLICATION, row) && block.isSet(Slot.APPLICATION_NAME, row)) {
      byte[] name = writer.name(block, Slot.APPLICATION_NAME, row);
      if (name != null) {
        domain.setApplication(block.applicationKey(row), name);
      }
    }
    takeInterfaceNames(block, row, domain);
    Slot vrf = block.isSet(Slot.INGRESS_VRF, row) ? Slot.INGRESS_VRF : Slot.EGRESS_VRF;
    if (block.isSet(vrf, row) && block.isSet(Slot.VRF_NAME, row)) {
      byte[] name = writer.name(block, Slot.VRF_NAME, row);
      if (name != null) {
        domain.setVrf(block.values(vrf)[row], name);
      }
    }
  }

  private void takeInterfaceNames(RecordBlock block, int row, ObservationDomain domain) {
    Slot side = block.isSet(Slot.INPUT_IF, row) ? Slot.INPUT_IF : Slot.OUTPUT_IF;
    if (!block.isSet(side, row)) {
      return;
    }
    long index = block.values(side)[row];
    byte[] name = block.isSet(Slot.IF_NAME, row) ? writer.name(block, Slot.IF_NAME, row) : null;
    if (name != null) {
      domain.setInterfaceName(index, name);
    }
    byte[] description =
        block.isSet(Slot.IF_DESCRIPTION, row) ? writer.name(block, Slot.IF_DESCRIPTION, row) : null;
    if (description != null) {
      domain.setInterfaceDescription(index, description);
    }
  }
}
