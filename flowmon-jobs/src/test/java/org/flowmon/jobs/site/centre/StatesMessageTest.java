package org.flowmon.jobs.site.centre;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.zip.CRC32C;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.bytes.LittleEndian;
import org.flowmon.jobs.lowlevel.ArrivalCounts;
import org.flowmon.jobs.site.Publication;
import org.flowmon.jobs.site.StatesMessage;
import org.flowmon.udaf.state.StateFormatException;
import org.junit.jupiter.api.Test;

class StatesMessageTest {
  private static final Publication PUBLICATION =
      new Publication("a", "SELECT 1", 10, 2, FlowColumn.END_TIME, false);
  private static final ArrivalCounts COUNTS = new ArrivalCounts(1, 2, 3, 4, 5, 6);

  private static StatesMessage.Progress progress() {
    return new StatesMessage.Progress(
        -2,
        7,
        "berlin",
        77,
        List.of(
            new StatesMessage.Published(PUBLICATION, Long.MIN_VALUE),
            new StatesMessage.Published(
                new Publication("zürich".replace("ü", "u"), "é", 1, 0, FlowColumn.ARRIVAL, false),
                5)));
  }

  private static List<StatesMessage.Part> parts(int bytes) {
    byte[] states = new byte[bytes];
    new Random(7).nextBytes(states);
    return StatesMessage.parts(9, 3, "graz", PUBLICATION, 30, COUNTS, states);
  }

  @Test
  void aProgressComesBackAsItWas() {
    assertEquals(progress(), StatesMessage.open(progress().toBytes()));
  }

  /** The bytes of version 1, which later versions still read. */
  @Test
  void theBytesAreThoseOfTheSpecification() {
    byte[] bytes =
        StatesMessage.parts(9, 3, "graz", PUBLICATION, 30, COUNTS, new byte[] {5, 6})
            .get(0)
            .toBytes();
    String expected =
        "464c574d" // FLWM
            + "0100" // version
            + "0200" // part of a window
            + "84000000" // length
            + "CRC....." // checksum
            + "0900000000000000" // attempt
            + "0300000000000000" // number
            + "046772617a" // graz
            + "0161" // analysis a
            + "0853454c4543542031" // query
            + "0a00000000000000" // width
            + "0200000000000000" // lateness
            + "0000" // end_time, not divided
            + "1e00000000000000" // end
            + "010000000000000002000000000000000300000000000000"
            + "040000000000000005000000000000000600000000000000"
            + "02000000" // length of all parts
            + "00000100" // part 0 of 1
            + "0506";
    String found = HexFormat.of().formatHex(bytes);
    CRC32C crc = new CRC32C();
    crc.update(bytes, 0, 12);
    crc.update(bytes, 16, bytes.length - 16);
    assertEquals((int) crc.getValue(), LittleEndian.getInt(bytes, 12));
    assertEquals(expected, found.substring(0, 24) + "CRC....." + found.substring(32));
  }

  @Test
  void aWindowOfManyBytesIsCutIntoPartsThatABrokerTakes() {
    for (int size : new int[] {0, 1, 800_000, 800_001, 2_500_000}) {
      List<StatesMessage.Part> parts = parts(size);
      assertEquals(Math.max(1, (size + 799_999) / 800_000), parts.size());
      IncompleteWindow assembly = null;
      byte[] all = new byte[size];
      new Random(7).nextBytes(all);
      for (StatesMessage.Part part : parts) {
        byte[] bytes = part.toBytes();
        assertTrue(bytes.length <= StatesMessage.MAX_BYTES);
        StatesMessage.Part read = (StatesMessage.Part) StatesMessage.open(bytes);
        assertEquals(PUBLICATION, read.publication());
        assertEquals(COUNTS, read.counts());
        assembly = assembly == null ? IncompleteWindow.of(read) : assembly;
        assertTrue(!assembly.isComplete() && assembly.take(read));
      }
      assertTrue(assembly.isComplete());
      assertArrayEquals(all, assembly.states());
    }
  }

  @Test
  void whateverIsCutOffOrAppendedIsRefused() {
    for (byte[] bytes : List.of(progress().toBytes(), parts(40).get(0).toBytes())) {
      for (int length = 0; length < bytes.length; length++) {
        byte[] cut = Arrays.copyOf(bytes, length);
        assertThrows(StateFormatException.class, () -> StatesMessage.open(cut), "at " + length);
        if (length >= 16) {
          // Also if length and checksum agree with it, unless it is a shorter part's.
          StateFormatException e =
              assertThrows(
                  StateFormatException.class,
                  () -> StatesMessage.open(sealed(cut)),
                  "at " + length);
          assertTrue(e.getMessage().startsWith("a message of states: at byte "), e.getMessage());
        }
      }
      byte[] longer = Arrays.copyOf(bytes, bytes.length + 1);
      assertThrows(StateFormatException.class, () -> StatesMessage.open(longer));
      assertThrows(StateFormatException.class, () -> StatesMessage.open(sealed(longer)));
    }
  }

  @Test
  void changedBitsAreRefusedOrReadAsSomethingThatCanBe() {
    Random random = new Random(11);
    for (int round = 0; round < 20_000; round++) {
      byte[] bytes = round % 2 == 0 ? progress().toBytes() : parts(40).get(0).toBytes();
      int changes = 1 + random.nextInt(3);
      for (int i = 0; i < changes; i++) {
        bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
      }
      if (random.nextInt(4) > 0) {
        bytes = sealed(bytes);
      }
      try {
        StatesMessage message = StatesMessage.open(bytes);
        assertEquals(message.toBytes().length, bytes.length, "seed 11, round " + round);
      } catch (StateFormatException e) {
        assertTrue(e.getMessage().length() > 20, "seed 11, round " + round);
      }
    }
  }

  @Test
  void errorsSayWhatWasFound() {
    byte[] later = progress().toBytes();
    later[4] = 2;
    assertEquals(
        "a message of states: at byte 6: found version 2, this reads version 1",
        assertThrows(StateFormatException.class, () -> StatesMessage.open(later)).getMessage());
    byte[] damaged = progress().toBytes();
    damaged[30] ^= 1;
    assertTrue(
        assertThrows(StateFormatException.class, () -> StatesMessage.open(damaged))
            .getMessage()
            .contains("the checksum does not match"));
  }

  /** Sets the right length and checksum in the bytes. */
  private static byte[] sealed(byte[] bytes) {
    byte[] sealed = bytes.clone();
    LittleEndian.putInt(sealed, 8, sealed.length);
    CRC32C crc = new CRC32C();
    crc.update(sealed, 0, 12);
    crc.update(sealed, 16, sealed.length - 16);
    LittleEndian.putInt(sealed, 12, (int) crc.getValue());
    return sealed;
  }
}
