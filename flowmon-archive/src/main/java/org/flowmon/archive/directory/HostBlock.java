package org.flowmon.archive.directory;

import java.nio.ByteBuffer;
import org.flowmon.archive.region.MappedRegion;
import org.flowmon.archive.sorted.AddressList;
import org.flowmon.flow.IpAddress;

/** One block of a run at a time, checked when it is opened. Reused; not thread-safe. */
final class HostBlock implements AddressList {
  private final HostRun run;
  private final ByteBuffer bytes;
  private String place = "";
  private int size;
  private int width;
  private int addressesAt;
  private int directoryAt;
  private int listsAt;
  private int end;
  private int position; // while reading varints
  private int[] places = new int[8];

  HostBlock(HostRun run) {
    this.run = run;
    this.bytes = run.file().buffer();
  }

  void open(int block) {
    MappedRegion file = run.file();
    int at = run.offset(block);
    end = run.offset(block + 1);
    place = "block " + block;
    file.verify(place, at, end - at, run.crc32c(block));
    size = bytes.getShort(at) & 0xFFFF;
    width = bytes.get(at + 2);
    addressesAt = at + HostRunFormat.BLOCK_HEADER_BYTES;
    directoryAt = addressesAt + size * width;
    listsAt = directoryAt + 4 * size;
    if (size < 1
        || size > HostRunFormat.MAX_BLOCK_ADDRESSES
        || (width != 4 && width != 16)
        || listsAt > end
        || high(0) != run.firstHigh(block)
        || low(0) != run.firstLow(block)) {
      throw file.corrupt(
          place, size + " addresses of " + width + " bytes in " + (end - at) + " bytes");
    }
  }

  @Override
  public int size() {
    return size;
  }

  @Override
  public long high(int i) {
    return width == 16 ? Long.reverseBytes(bytes.getLong(addressesAt + 16 * i)) : 0;
  }

  @Override
  public long low(int i) {
    return width == 16
        ? Long.reverseBytes(bytes.getLong(addressesAt + 16 * i + 8))
        : IpAddress.ipv4Low(Integer.reverseBytes(bytes.getInt(addressesAt + 4 * i)));
  }

  /** Reads the places of an address, to be had from {@link #place}; returns their number. */
  int readPlaces(int i) {
    int entry = bytes.getInt(directoryAt + 4 * i);
    if (entry < 0) {
      places[0] = checked(entry & ~HostRunFormat.SINGLE);
      return 1;
    }
    if (entry >= end - listsAt) {
      throw run.file().corrupt(place, "a list at " + entry + " of " + (end - listsAt) + " bytes");
    }
    position = listsAt + entry;
    int count = varint();
    if (count < 2 || count > run.segments().size()) {
      throw run.file()
          .corrupt(place, count + " segments of one address, of " + run.segments().size());
    }
    if (places.length < count) {
      places = new int[Math.max(count, 2 * places.length)];
    }
    long number = -1;
    for (int k = 0; k < count; k++) {
      int step = varint();
      number += step >>> 2;
      if (step >>> 2 == 0 || number >= run.segments().size()) {
        throw run.file().corrupt(place, "segment " + number + " after a step of " + (step >>> 2));
      }
      places[k] = checked((int) number << 2 | (step & HostRunFormat.ROLES));
    }
    return count;
  }

  int place(int i) {
    return places[i];
  }

  private int checked(int entry) {
    if (entry >>> 2 >= run.segments().size() || (entry & HostRunFormat.ROLES) == 0) {
      throw run.file()
          .corrupt(
              place,
              String.format(
                  "roles %s in segment %s of %s",
                  entry & HostRunFormat.ROLES, entry >>> 2, run.segments().size()));
    }
    return entry;
  }

  private int varint() {
    int value = 0;
    for (int shift = 0; shift < 35; shift += 7) {
      if (position >= end) {
        throw run.file().corrupt(place, "a list ends within a number");
      }
      byte next = bytes.get(position++);
      value |= (next & 0x7F) << shift;
      if (next >= 0) {
        return value;
      }
    }
    throw run.file().corrupt(place, "a number of more than 5 bytes in a list");
  }
}
