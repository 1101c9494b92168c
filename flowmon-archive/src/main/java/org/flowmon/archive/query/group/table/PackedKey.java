package org.flowmon.archive.query.group.table;

/**
 * The place of one key in a group's long, above {@code shift} bits. {@code ofNull}, larger than any
 * other number, stands for NULL. If not {@code isAddress}, the number is the value itself.
 */
public record PackedKey(int shift, int bits, long ofNull, boolean isAddress) {
  public long number(long packed) {
    return (packed >>> shift) & mask();
  }

  long mask() {
    return (1L << bits) - 1;
  }
}
