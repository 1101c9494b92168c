package org.flowmon.fuzz;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * An input as a sequence of datagrams: each has two bytes of length, one that says who sent it, and
 * its bytes.
 */
final class Datagrams {
  /** One of them. */
  @SuppressWarnings("ArrayRecordComponent") // compared by nobody
  record Datagram(int sender, byte[] bytes) {}

  private Datagrams() {}

  static List<Datagram> of(byte[] input) {
    List<Datagram> all = new ArrayList<>();
    for (int at = 0; at + 3 <= input.length; ) {
      int length = (input[at] & 0xFF) << 8 | (input[at + 1] & 0xFF);
      int end = Math.min(input.length, at + 3 + length);
      all.add(new Datagram(input[at + 2] & 3, Arrays.copyOfRange(input, at + 3, end)));
      at = end;
    }
    return all;
  }

  /** The input of these datagrams, all of one sender. */
  static byte[] input(byte[]... datagrams) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    for (byte[] datagram : datagrams) {
      out.write(datagram.length >>> 8);
      out.write(datagram.length);
      out.write(1);
      out.writeBytes(datagram);
    }
    return out.toByteArray();
  }
}
