package org.flowmon.archive.segment;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.flowmon.flow.FlowColumn;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SegmentOptionsTest {
  @Test
  void textSaysAllThatWasSet() {
    for (SegmentOptions options :
        List.of(
            SegmentOptions.LOOKUP,
            SegmentOptions.COMPACT,
            SegmentOptions.COMPACT.withCodec(SegmentCodec.ZSTD, 19).withPageBytes(16 << 20),
            SegmentOptions.COMPACT.withCodec(SegmentCodec.LZ4, 0).withByteStreamSplit(true),
            SegmentOptions.LOOKUP.withIndexed(
                List.of(FlowColumn.SRC_ADDR, FlowColumn.DST_ADDR, FlowColumn.SERVICE)))) {
      assertEquals(options, SegmentOptions.parse(options.toString()));
    }
    assertEquals(SegmentOptions.COMPACT, SegmentOptions.parse(" Compact "));
    assertTrue(
        SegmentOptions.parse("lookup index=+service,vlan")
            .indexed()
            .containsAll(List.of(FlowColumn.SERVICE, FlowColumn.VLAN, FlowColumn.DST_PORT)));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "fast | no profile 'fast', expected one of lookup, compact",
        "lookup codec=zstd | codec zstd needs profile compact",
        "compact codec=zstd:20 | level 20 of zstd, expected 1 … 19",
        "compact codec=gzip | no codec 'gzip', expected one of none, lz4, zstd",
        "compact page=4095 | pages of 4095 bytes, expected 4096 … 16777216",
        "compact page=big | 'page=big', expected a whole number",
        "compact split=maybe | expected true, false",
        "compact index=src_addr | src_addr and dst_addr are always indexed",
        "compact index=nothing | no column 'nothing' to index",
        "compact zstd | 'zstd', expected codec=, page=, split= or index="
      })
  void whatCannotBeIsRefusedByName(String text, String part) {
    IllegalArgumentException e =
        assertThrows(IllegalArgumentException.class, () -> SegmentOptions.parse(text));
    assertTrue(e.getMessage().contains(part), e.getMessage());
  }
}
