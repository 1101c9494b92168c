package org.flowmon.archive.query.group.table;

/**
 * The place of one key in a group's long.
 *
 * @param shift number of bits below it
 * @param bits its bits
 * @param ofNull the number that stands for NULL, larger than any other
 * @param isAddress whether the number is an address's; else it is the value itself
 */
public record PackedKey(int shift, int bits, long ofNull, boolean isAddress) {
  public long number(long packed) {
    return (packed >>> shift) & mask();
  }

  /** The bits of a number. */
  long mask() {
    return (1L << bits) - 1;
  }
}
