package org.flowmon.ingest.decode.record;

import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.FlowColumn;
import org.jspecify.annotations.Nullable;

/**
 * Columns that few exporters fill and several fields or a text make: NAT, MPLS, MAC addresses,
 * names, segments, VXLAN. A template without such fields never comes here.
 */
final class RareColumns {
  private static final int ROWS = RecordBlock.ROWS;
  private static final int LABEL_SHIFT = 4;
  private static final int VXLAN = 1;
  private static final int VNI_BITS = 24;

  private final FieldTexts texts = new FieldTexts();
  private final long[] hi = new long[ROWS];
  private final long[] lo = new long[ROWS];
  private final long[] merged = new long[ROWS];
  private final byte[][] made = new byte[ROWS][];
  private final long[] word = new long[1];

  void write(RecordBlock block, ExporterNames names, FlowBatchBuilder builder) {
    writeAddress(
        block, Slot.POST_NAT_SRC4, Slot.POST_NAT_SRC6, FlowColumn.POST_NAT_SRC_ADDR, builder);
    writeAddress(
        block, Slot.POST_NAT_DST4, Slot.POST_NAT_DST6, FlowColumn.POST_NAT_DST_ADDR, builder);
    writeAddress(block, Slot.BGP_NEXT_HOP4, Slot.BGP_NEXT_HOP6, FlowColumn.BGP_NEXT_HOP, builder);
    writeMac(block, Slot.SRC_MAC, FlowColumn.SRC_MAC, builder);
    writeMac(block, Slot.DST_MAC, FlowColumn.DST_MAC, builder);
    writeLabels(block, builder);
    writeApplication(block, names.applications(), builder);
    writeName(block, Slot.USER_NAME, FlowColumn.USER_NAME, builder);
    writeSegments(block, builder);
    writeVxlan(block, builder);
    writeLatency(block, builder);
  }

  /** Names by options data, or the record's own for the ingress. */
  void writeVrfNames(RecordBlock block, Names vrfs, FlowBatchBuilder builder) {
    if (block.set(Slot.VRF_NAME) != 0) {
      writeName(block, Slot.VRF_NAME, FlowColumn.INGRESS_VRF_NAME, builder);
    } else {
      writeNameOf(block, vrfs, Slot.INGRESS_VRF, FlowColumn.INGRESS_VRF_NAME, builder);
    }
    writeNameOf(block, vrfs, Slot.EGRESS_VRF, FlowColumn.EGRESS_VRF_NAME, builder);
  }

  /** By options data. */
  void writeInterfaceNames(RecordBlock block, ExporterNames names, FlowBatchBuilder builder) {
    Names interfaces = names.interfaces();
    writeNameOf(block, interfaces, Slot.INPUT_IF, FlowColumn.IN_IF_NAME, builder);
    writeNameOf(block, interfaces, Slot.OUTPUT_IF, FlowColumn.OUT_IF_NAME, builder);
    Names descriptions = names.descriptions();
    writeNameOf(block, descriptions, Slot.INPUT_IF, FlowColumn.IN_IF_DESCRIPTION, builder);
    writeNameOf(block, descriptions, Slot.OUTPUT_IF, FlowColumn.OUT_IF_DESCRIPTION, builder);
  }

  /** The names of a slot's numbers. */
  private void writeNameOf(
      RecordBlock block, Names names, Slot slot, FlowColumn column, FlowBatchBuilder builder) {
    if (names.isEmpty() || block.set(slot) == 0) {
      return;
    }
    long set = 0;
    for (int i = 0; i < block.rows(); i++) {
      set |= block.isSet(slot, i) ? take(names.get(block.values(slot)[i]), i) : 0;
    }
    putTexts(column, set, builder);
  }

  /** A bit for the row if the text is there. */
  private long take(byte @Nullable [] text, int row) {
    if (text == null) {
      return 0;
    }
    made[row] = text;
    return 1L << row;
  }

  private void putTexts(FlowColumn column, long set, FlowBatchBuilder builder) {
    if (set != 0) {
      word[0] = set;
      builder.setTextColumn(column, made, word);
    }
  }

  private void put(FlowColumn column, long[] values, long set, FlowBatchBuilder builder) {
    if (set != 0) {
      word[0] = set;
      builder.setColumn(column, values, word);
    }
  }

  /** Of both families the one that is not zero; none is NULL. */
  private void writeAddress(
      RecordBlock block, Slot four, Slot six, FlowColumn column, FlowBatchBuilder builder) {
    if ((block.set(four) | block.set(six)) == 0) {
      return;
    }
    long set = 0;
    for (int i = 0; i < block.rows(); i++) {
      boolean useSix = block.isSet(six, i) && (block.high(six)[i] | block.values(six)[i]) != 0;
      hi[i] = useSix ? block.high(six)[i] : 0;
      lo[i] = block.values(useSix ? six : four)[i];
      set |= useSix || (block.isSet(four, i) && (int) lo[i] != 0) ? 1L << i : 0;
    }
    if (set != 0) {
      word[0] = set;
      builder.setAddressColumn(column, hi, lo, word);
    }
  }

  private void writeMac(RecordBlock block, Slot slot, FlowColumn column, FlowBatchBuilder builder) {
    if (block.set(slot) == 0) {
      return;
    }
    for (int i = 0; i < block.rows(); i++) {
      if (block.isSet(slot, i)) {
        made[i] = texts.mac(block.values(slot)[i]);
      }
    }
    putTexts(column, block.set(slot), builder);
  }

  private void writeLabels(RecordBlock block, FlowBatchBuilder builder) {
    long any = 0;
    for (int l = Slot.MPLS1.ordinal(); l <= Slot.MPLS10.ordinal(); l++) {
      any |= block.set(Slot.ALL[l]);
    }
    if (any == 0) {
      return;
    }
    long set = 0;
    for (int i = 0; i < block.rows(); i++) {
      merged[i] = 0; // leftovers may not fit the column
      if ((any >>> i & 1) != 0) {
        merged[i] = readLabels(block, i);
        set |= take(texts.endList(), i);
      }
    }
    put(FlowColumn.MPLS_TOP_LABEL, merged, set, builder);
    putTexts(FlowColumn.MPLS_LABELS, set, builder);
  }

  /** Lists the labels as far as the bottom of the stack; returns the top one. */
  private long readLabels(RecordBlock block, int row) {
    long top = -1;
    texts.beginList();
    for (int l = Slot.MPLS1.ordinal(); l <= Slot.MPLS10.ordinal(); l++) {
      if (block.isSet(Slot.ALL[l], row)) {
        long entry = block.values(Slot.ALL[l])[row];
        texts.addToList(entry >>> LABEL_SHIFT);
        top = top < 0 ? entry >>> LABEL_SHIFT : top;
        if ((entry & 1) != 0) {
          break;
        }
      }
    }
    return Math.max(0, top);
  }

  private void writeApplication(RecordBlock block, Names names, FlowBatchBuilder builder) {
    writeName(block, Slot.APPLICATION_NAME, FlowColumn.APPLICATION_NAME, builder);
    if (block.set(Slot.APPLICATION) == 0) {
      return;
    }
    long set = 0;
    for (int i = 0; i < block.rows(); i++) {
      long place = block.values(Slot.APPLICATION)[i];
      set |= RecordBlock.length(place) == 0 ? 0 : take(application(block, place), i);
    }
    putTexts(FlowColumn.APPLICATION_ID, set, builder);
    if (block.set(Slot.APPLICATION_NAME) != 0 || names.isEmpty()) {
      return;
    }
    set = 0;
    for (int i = 0; i < block.rows(); i++) {
      set |= take(names.get(block.applicationKey(i)), i);
    }
    putTexts(FlowColumn.APPLICATION_NAME, set, builder);
  }

  private byte @Nullable [] application(RecordBlock block, long place) {
    return texts.application(
        block.source(), RecordBlock.position(place), RecordBlock.length(place));
  }

  private void writeName(
      RecordBlock block, Slot slot, FlowColumn column, FlowBatchBuilder builder) {
    if (block.set(slot) == 0) {
      return;
    }
    long set = 0;
    for (int i = 0; i < block.rows(); i++) {
      set |= take(name(block, slot, i), i);
    }
    putTexts(column, set, builder);
  }

  /** Null without. */
  byte @Nullable [] name(RecordBlock block, Slot slot, int row) {
    long place = block.values(slot)[row];
    return texts.name(block.source(), RecordBlock.position(place), RecordBlock.length(place));
  }

  private void writeSegments(RecordBlock block, FlowBatchBuilder builder) {
    boolean list = block.set(Slot.SRV6_LIST) != 0;
    Slot slot = list ? Slot.SRV6_LIST : Slot.SRV6_SECTION;
    if (block.set(slot) == 0) {
      return;
    }
    long set = 0;
    for (int i = 0; i < block.rows(); i++) {
      long place = block.values(slot)[i];
      int at = RecordBlock.position(place);
      set |=
          take(
              list
                  ? texts.segmentsOfList(block.source(), at, RecordBlock.length(place))
                  : texts.segmentsOfSection(block.source(), at, RecordBlock.length(place)),
              i);
    }
    putTexts(FlowColumn.SRV6_SEGMENTS, set, builder);
  }

  private void writeVxlan(RecordBlock block, FlowBatchBuilder builder) {
    if (block.set(Slot.LAYER2_SEGMENT) == 0) {
      return;
    }
    long set = 0;
    for (int i = 0; i < block.rows(); i++) {
      long segment = block.values(Slot.LAYER2_SEGMENT)[i];
      merged[i] = segment & ((1L << VNI_BITS) - 1);
      set |= segment >>> 56 == VXLAN ? 1L << i : 0;
    }
    put(FlowColumn.VXLAN_ID, merged, set, builder);
  }

  /** There and back, from the halves that a probe between them measured. */
  private void writeLatency(RecordBlock block, FlowBatchBuilder builder) {
    long both = block.set(Slot.CLIENT_LATENCY) & block.set(Slot.SERVER_LATENCY);
    if (both == 0 || block.set(Slot.TCP_LATENCY) != 0) {
      return;
    }
    long set = 0;
    for (int i = 0; i < block.rows(); i++) {
      long sum = block.values(Slot.CLIENT_LATENCY)[i] + block.values(Slot.SERVER_LATENCY)[i];
      merged[i] = sum > 0 && sum < Long.MAX_VALUE / 2 ? 2 * sum : 0;
      set |= merged[i] > 0 ? both & (1L << i) : 0;
    }
    put(FlowColumn.TCP_LATENCY, merged, set, builder);
  }
}
